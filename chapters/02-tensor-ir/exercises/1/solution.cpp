// A solution of exercise 2.1.
#include "chapters/02-tensor-ir/ir.h"

namespace sextant::exercise {

tensor::Piece compose(const tensor::Piece& outer, const tensor::Piece& inner) {
  // Axis d of y is where outer's index d says.
  Substitution place;
  for (std::size_t d = 0; d < outer.index.size(); d++)
    place[index_name(d)] = outer.index[d];
  tensor::Piece composed;
  composed.value = inner.value;
  for (const Expr& e : inner.index)
    composed.index.push_back(substitute(e, place));
  composed.where = both(outer.where, substitute(inner.where, place));
  return composed;
}

}  // namespace sextant::exercise
