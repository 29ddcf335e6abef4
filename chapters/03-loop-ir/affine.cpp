#include "chapters/03-loop-ir/affine.h"

#include <algorithm>

namespace sextant::loop {
namespace {

bool add_terms(const Expr& e, int64_t factor, Affine& sum) {
  if (const Int* i = e.as<Int>()) {
    sum.constant += factor * i->value;
    return true;
  }
  if (const Var* v = e.as<Var>(); v != nullptr && v->index.empty()) {
    sum.terms[v->name] += factor;
    return true;
  }
  const Binary* b = e.as<Binary>();
  if (b == nullptr) return false;
  switch (b->op) {
    case BinaryOp::Add:
      return add_terms(b->a, factor, sum) && add_terms(b->b, factor, sum);
    case BinaryOp::Sub:
      return add_terms(b->a, factor, sum) && add_terms(b->b, -factor, sum);
    case BinaryOp::Mul:
      if (auto c = constant(b->b)) return add_terms(b->a, factor * *c, sum);
      if (auto c = constant(b->a)) return add_terms(b->b, factor * *c, sum);
      return false;
    default: return false;
  }
}

}  // namespace

std::optional<Affine> affine(const Expr& e) {
  Affine sum;
  if (!add_terms(e, 1, sum)) return std::nullopt;
  for (auto it = sum.terms.begin(); it != sum.terms.end();)
    it = it->second == 0 ? sum.terms.erase(it) : std::next(it);
  return sum;
}

bool are_digits(const Expr& high, const Expr& low, const Dim& extent) {
  const Binary* a = high.as<Binary>();
  const Binary* b = low.as<Binary>();
  return a != nullptr && b != nullptr && a->op == BinaryOp::Div &&
         b->op == BinaryOp::Mod && a->a == b->a && a->b == extent &&
         b->b == extent;
}

Cover covers(const Store& store, const Buffer& buffer,
             const std::vector<const For*>& loops, const Bounds& bounds) {
  std::map<Name, Dim> left;  // axes that no index has used yet
  for (const For* loop : loops) {
    // Bounds make a 0 of an axis that has one value.
    if (!(loop->extent == Expr(1))) left[loop->axis] = loop->extent;
  }
  for (std::size_t d = 0; d < store.index.size(); d++) {
    std::optional<Affine> sum = affine(simplify(store.index[d], bounds));
    if (!sum) return Cover::Unknown;
    std::vector<std::pair<int64_t, Name>> digits;
    for (const auto& [name, coefficient] : sum->terms) {
      Interval known = bounds.of(name);
      if (known.lo != 0 || known.hi != 0) digits.push_back({coefficient, name});
    }
    std::sort(digits.begin(), digits.end());
    Dim reached = 1;
    for (const auto& [coefficient, name] : digits) {
      auto axis = left.find(name);
      if (axis == left.end() || !(Expr(coefficient) == reached)) {
        return Cover::No;
      }
      reached = simplify(reached * axis->second, bounds);
      left.erase(axis);
    }
    if (sum->constant != 0) return Cover::No;
    if (!(reached == simplify(buffer.shape[d], bounds))) return Cover::No;
  }
  return left.empty() ? Cover::Yes : Cover::No;
}

}  // namespace sextant::loop
