// The map of reshape. Both shapes are cut, from the left, into the smallest
// groups of dimensions with equal products; within a group an element keeps its
// number. So a dimension that stays, symbolic or not, keeps its index.
#include <algorithm>

#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/rows.h"

namespace sextant::torch {
namespace {

// A product of extents: a number and symbolic factors, sorted by their text.
struct Extent {
  int64_t number = 1;
  std::vector<Expr> factors;
  bool operator==(const Extent&) const = default;

  void multiply(const Dim& dim) {
    const Binary* b = dim.as<Binary>();
    if (b != nullptr && b->op == BinaryOp::Mul) {
      multiply(b->a);
      multiply(b->b);
    } else if (constant(dim)) {
      number = checked_mul(number, value_of(dim), "the size");
    } else {
      auto before = [](const Expr& a, const Expr& b) {
        return sextant::to_string(a) < sextant::to_string(b);
      };
      factors.insert(
          std::upper_bound(factors.begin(), factors.end(), dim, before), dim);
    }
  }
};

Extent extent_of(const Shape& shape, std::size_t begin, std::size_t end) {
  Extent extent;
  for (std::size_t i = begin; i < end; i++)
    extent.multiply(simplify(shape[i]));
  return extent;
}

// The ends of the next group: as few dimensions of both as have one product.
void group_end(const Shape& from, const Shape& to, std::size_t& i,
               std::size_t& j) {
  std::size_t most = from.size() - i + to.size() - j;
  for (std::size_t total = 1; total <= most; total++) {
    for (std::size_t p = 0; p <= total; p++) {
      std::size_t q = total - p;
      if (i + p > from.size() || j + q > to.size()) continue;
      if (extent_of(from, i, i + p) == extent_of(to, j, j + q)) {
        i += p;
        j += q;
        return;
      }
    }
  }
  INVARIANT(false, "no reshape from {} to {}", text_of(from), text_of(to));
}

// The number of an element within a group of the result's dimensions.
Expr number_in(const Shape& to, std::size_t begin, std::size_t end) {
  Expr number = 0;
  for (std::size_t j = begin; j < end; j++) {
    bool one = to[j] == Dim(1);
    number = number * to[j] + (one ? Expr(0) : var(index_name(j)));
  }
  return number;
}

}  // namespace

Dim divided(const Shape& from, const Shape& by) {
  Extent x = extent_of(from, 0, from.size());
  Extent y = extent_of(by, 0, by.size());
  for (const Expr& factor : y.factors) {
    auto found = std::find(x.factors.begin(), x.factors.end(), factor);
    if (found == x.factors.end()) return {};
    x.factors.erase(found);
  }
  // No elements in as many are one way of sharing them out.
  if (x.number == 0 && y.number == 0) return 1;
  if (y.number == 0 || x.number % y.number != 0) return {};
  Dim quotient = x.number / y.number;
  for (const Expr& factor : x.factors)
    quotient = quotient * factor;
  return quotient;
}

IndexMap reshape_map(const Name& value, const Shape& from, const Shape& to) {
  IndexMap map{to, {{value, std::vector<Expr>(from.size(), 0), {}}}, {}};
  Extent all = extent_of(from, 0, from.size());
  if (all.number == 0) return map;  // nothing is ever read
  Bounds bounds;
  for (std::size_t j = 0; j < to.size(); j++)
    bounds.set_extent(index_name(j), to[j]);
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    std::size_t end_i = i, end_j = j;
    group_end(from, to, end_i, end_j);
    Expr number = number_in(to, j, end_j);
    // The innermost digit first; the outermost needs no remainder.
    for (std::size_t d = end_i; d-- > i;) {
      bool outermost = d == i;
      Expr digit = outermost ? number : floor_mod(number, from[d]);
      map.pieces[0].index[d] = simplify(digit, bounds);
      if (!outermost) number = floor_div(number, from[d]);
    }
    i = end_i;
    j = end_j;
  }
  return map;
}

}  // namespace sextant::torch
