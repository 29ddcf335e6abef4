#include "chapters/03-loop-ir/affine.h"

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

}  // namespace sextant::loop
