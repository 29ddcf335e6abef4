// Bounds of index expressions, by interval arithmetic.
#include <algorithm>

#include "src/base/expr.h"

namespace sextant {

void Bounds::set_extent(const Name& name, const Dim& extent) {
  of_[name] = {0, std::max<int64_t>(bounds_of(extent, *this).hi - 1, 0)};
  if (!constant(extent)) extent_[name] = extent;
}

Interval Bounds::of(const Name& name) const {
  auto found = of_.find(name);
  return found == of_.end() ? kUnbounded : found->second;
}

const Dim* Bounds::extent(const Name& name) const {
  auto found = extent_.find(name);
  return found == extent_.end() ? nullptr : &found->second;
}

namespace {

int64_t clamp(int64_t x) {
  return std::min(std::max(x, kUnbounded.lo), kUnbounded.hi);
}

int64_t saturating_mul(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return clamp(product);
  return (a < 0) == (b < 0) ? kUnbounded.hi : kUnbounded.lo;
}

Interval truth(bool always, bool never) {
  if (always) return {1, 1};
  if (never) return {0, 0};
  return {0, 1};
}

Interval mul(Interval a, Interval b) {
  int64_t p[] = {saturating_mul(a.lo, b.lo), saturating_mul(a.lo, b.hi),
                 saturating_mul(a.hi, b.lo), saturating_mul(a.hi, b.hi)};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

Interval div(Interval a, Interval b) {
  if (b.lo <= 0) return kUnbounded;
  return {std::min(floor_div(a.lo, b.lo), floor_div(a.lo, b.hi)),
          std::max(floor_div(a.hi, b.lo), floor_div(a.hi, b.hi))};
}

Interval mod(Interval a, Interval b) {
  if (b.lo <= 0) return kUnbounded;
  if (a.lo >= 0 && a.hi < b.lo) return a;
  return {0, a.lo >= 0 ? std::min(a.hi, b.hi - 1) : b.hi - 1};
}

Interval combine(BinaryOp op, Interval a, Interval b) {
  switch (op) {
    case BinaryOp::Add: return {clamp(a.lo + b.lo), clamp(a.hi + b.hi)};
    case BinaryOp::Sub: return {clamp(a.lo - b.hi), clamp(a.hi - b.lo)};
    case BinaryOp::Mul: return mul(a, b);
    case BinaryOp::Div: return div(a, b);
    case BinaryOp::Mod: return mod(a, b);
    case BinaryOp::Min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case BinaryOp::Max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case BinaryOp::Xor: {
      if (a.lo < 0 || b.lo < 0) return kUnbounded;
      int64_t all = 1;
      while (all <= (a.hi | b.hi) && all < kUnbounded.hi / 2)
        all *= 2;
      return {0, all - 1};
    }
    case BinaryOp::Lt: return truth(a.hi < b.lo, a.lo >= b.hi);
    case BinaryOp::Le: return truth(a.hi <= b.lo, a.lo > b.hi);
    case BinaryOp::Eq:
      return truth(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo,
                   a.hi < b.lo || b.hi < a.lo);
    case BinaryOp::Ne:
      return truth(a.hi < b.lo || b.hi < a.lo,
                   a.lo == a.hi && b.lo == b.hi && a.lo == b.lo);
    case BinaryOp::And:
      return truth(a.lo > 0 && b.lo > 0,
                   (a.lo == 0 && a.hi == 0) || (b.lo == 0 && b.hi == 0));
    case BinaryOp::Or:
      return truth(a.lo > 0 || b.lo > 0,
                   a.lo == 0 && a.hi == 0 && b.lo == 0 && b.hi == 0);
  }
  return kUnbounded;
}

}  // namespace

Interval bounds_of(const Expr& e, const Bounds& bounds) {
  switch (e.kind()) {
    case ExprKind::Int: return {e.get<Int>().value, e.get<Int>().value};
    case ExprKind::Var:
      return e.get<Var>().index.empty() ? bounds.of(e.get<Var>().name)
                                        : kUnbounded;
    case ExprKind::Binary: {
      const Binary& b = e.get<Binary>();
      return combine(b.op, bounds_of(b.a, bounds), bounds_of(b.b, bounds));
    }
    case ExprKind::Float:
    case ExprKind::Call:
    case ExprKind::Cast: break;
  }
  return kUnbounded;
}

}  // namespace sextant
