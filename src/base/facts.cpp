// Every fact is kept as an expression that is not negative. To prove e >= 0,
// multiples of facts are taken from e until interval arithmetic suffices: with
// the fact n - 1 - i >= 0, n*64 - 1 - i*64 - j - 64*(n - 1 - i) is 63 - j.
#include "src/base/facts.h"

#include <algorithm>

namespace sextant {
namespace {

// Positive constants of an expression: factors that facts may need.
void collect_factors(const Expr& e, std::vector<int64_t>& factors) {
  if (std::optional<int64_t> c = constant(e); c && *c > 0) {
    if (std::find(factors.begin(), factors.end(), *c) == factors.end()) {
      factors.push_back(*c);
    }
  } else if (const Binary* b = e.as<Binary>()) {
    collect_factors(b->a, factors);
    collect_factors(b->b, factors);
  }
}

// The first x/c in an expression, c a positive constant.
const Binary* find_division(const Expr& e) {
  const Binary* b = e.as<Binary>();
  if (b == nullptr) return nullptr;
  if (b->op == BinaryOp::Div && constant(b->b).value_or(0) > 0) return b;
  const Binary* left = find_division(b->a);
  return left != nullptr ? left : find_division(b->b);
}

}  // namespace

void Facts::axis(const Name& name, const Dim& extent) {
  bounds_.set_extent(name, extent);
  if (!constant(extent)) nonnegative_.push_back(extent - Expr(1) - var(name));
}

void Facts::assume(const Expr& predicate, bool holds) {
  const Binary* b = predicate.as<Binary>();
  if (b == nullptr) return;
  switch (b->op) {
    case BinaryOp::And:
    case BinaryOp::Or:
      if ((b->op == BinaryOp::And) != holds) return;
      assume(b->a, holds);
      assume(b->b, holds);
      return;
    case BinaryOp::Lt:
      nonnegative_.push_back(holds ? b->b - b->a - Expr(1) : b->a - b->b);
      return;
    case BinaryOp::Le:
      nonnegative_.push_back(holds ? b->b - b->a : b->a - b->b - Expr(1));
      return;
    case BinaryOp::Eq:
    case BinaryOp::Ne:
      if ((b->op == BinaryOp::Eq) != holds) return;
      nonnegative_.push_back(b->a - b->b);
      nonnegative_.push_back(b->b - b->a);
      return;
    default: return;
  }
}

bool Facts::proves(const Expr& predicate) const {
  if (is_true(simplify(predicate, bounds_))) return true;
  const Binary* b = predicate.as<Binary>();
  if (b == nullptr) return false;
  switch (b->op) {
    case BinaryOp::And: return proves(b->a) && proves(b->b);
    case BinaryOp::Or: return proves(b->a) || proves(b->b);
    case BinaryOp::Lt: return nonnegative(b->b - b->a - Expr(1), 2);
    case BinaryOp::Le: return nonnegative(b->b - b->a, 2);
    case BinaryOp::Eq:
      return nonnegative(b->a - b->b, 2) && nonnegative(b->b - b->a, 2);
    default: return false;
  }
}

bool Facts::within(const Expr& e, const Dim& extent) const {
  return nonnegative(e, 2) && nonnegative(extent - Expr(1) - e, 2);
}

bool Facts::nonnegative(const Expr& e, int depth) const {
  Expr n = simplify(e, bounds_);
  if (bounds_of(n, bounds_).lo >= 0) return true;
  if (depth == 0) return false;
  std::vector<int64_t> factors = {1};
  collect_factors(n, factors);
  for (const Expr& fact : nonnegative_) {
    for (int64_t factor : factors) {
      if (nonnegative(n - fact * Expr(factor), depth - 1)) return true;
    }
  }
  return follows_by_division(n, depth);
}

// r - a/c >= 0 says the same as a < (r + 1)*c.
bool Facts::follows_by_division(const Expr& e, int depth) const {
  const Binary* division = find_division(e);
  if (division == nullptr) return false;
  Expr quotient = *division;
  Expr rest = simplify(e + quotient, bounds_);
  if (find_division(rest) != nullptr) return false;
  return nonnegative((rest + Expr(1)) * division->b - Expr(1) - division->a,
                     depth - 1);
}

}  // namespace sextant
