// A solution of exercise 3.1.
#include "chapters/03-loop-ir/exercises/1/body.h"

namespace sextant::exercise {

Expr need(Body& body, const Name& name, const Index& sigma) {
  if (Expr there = body.known(name, sigma)) return there;
  const tensor::Op& op = body.value(name).op;
  Expr result;
  if (const auto* e = op.as<tensor::Elementwise>()) {
    Substitution operands;
    for (const Name& x : names_in(e->value))
      operands[x] = need(body, x, sigma);
    result = body.let(substitute(e->value, operands));
  } else if (const auto* map = op.as<tensor::IndexMap>()) {
    Substitution place;
    for (std::size_t d = 0; d < sigma.size(); d++)
      place[index_name(d)] = sigma[d];
    Index at;
    for (const Expr& e : map->pieces[0].index)
      at.push_back(simplify(substitute(e, place)));
    result = need(body, map->pieces[0].value, at);
  } else if (const auto* r = op.as<tensor::Reduction>()) {
    result = body.reduce(*r, sigma);
  } else {
    result = body.load(name, sigma);
  }
  return body.remember(name, sigma, result);
}

}  // namespace sextant::exercise
