// Every fact is kept as an expression that is not negative. To prove e >= 0,
// multiples of facts are taken from e until interval arithmetic suffices: with
// the fact n - 1 - i >= 0, n*64 - 1 - i*64 - j - 64*(n - 1 - i) is 63 - j.
#include "src/base/facts.h"

#include <algorithm>

namespace sextant {
namespace {

// The constants of an expression: factors that facts may need.
void collect_factors(const Expr& e, std::vector<int64_t>& factors) {
  if (std::optional<int64_t> c = constant(e)) {
    int64_t factor = std::max(*c, -*c);
    if (std::find(factors.begin(), factors.end(), factor) == factors.end()) {
      factors.push_back(factor);
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

void Facts::know(const Expr& e) {
  Expr fact = simplify(e, bounds_);
  nonnegative_.push_back(fact);
  // Of one name alone: x - 3 >= 0 and 7 - x >= 0 narrow its interval.
  std::vector<Name> names = names_in(fact);
  if (names.size() != 1) return;
  const Expr x = var(names[0]);
  Expr above = simplify(fact - x, bounds_), below = simplify(fact + x, bounds_);
  Interval known = bounds_.of(names[0]);
  if (constant(above)) known.lo = std::max(known.lo, -value_of(above));
  if (constant(below)) known.hi = std::min(known.hi, value_of(below));
  if (known.lo <= known.hi) bounds_.set(names[0], known);
}

void Facts::assume(const Expr& predicate, bool holds) {
  const Binary* b = predicate.as<Binary>();
  if (b == nullptr) return;
  bool both = (b->op == BinaryOp::And) == holds;
  switch (b->op) {
    case BinaryOp::And:
    case BinaryOp::Or:
      if (both) {
        assume(b->a, holds);
        assume(b->b, holds);
      } else {
        open_.push_back({predicate, holds});
      }
      break;
    case BinaryOp::Lt: know(holds ? b->b - b->a - Expr(1) : b->a - b->b); break;
    case BinaryOp::Le: know(holds ? b->b - b->a : b->a - b->b - Expr(1)); break;
    case BinaryOp::Eq:
    case BinaryOp::Ne:
      if ((b->op == BinaryOp::Eq) != holds) break;
      know(b->a - b->b);
      know(b->b - b->a);
      break;
    default: break;
  }
  decide_open();
}

// "Not (a and b)" is "not b" once a is proven; "a or b" is b once a is refuted.
void Facts::decide_open() {
  for (std::size_t i = 0; i < open_.size(); i++) {
    auto [predicate, holds] = open_[i];
    const Binary& b = predicate.get<Binary>();
    bool first = holds ? refutes(b.a) : proves(b.a);
    bool second = holds ? refutes(b.b) : proves(b.b);
    if (!first && !second) continue;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    return assume(first ? b.b : b.a, holds);
  }
}

bool Facts::refutes(const Expr& predicate) const {
  const Binary* b = predicate.as<Binary>();
  if (b == nullptr) return false;
  switch (b->op) {
    case BinaryOp::Lt: return proves(less_equal(b->b, b->a));
    case BinaryOp::Le: return proves(less(b->b, b->a));
    case BinaryOp::And: return refutes(b->a) || refutes(b->b);
    case BinaryOp::Or: return refutes(b->a) && refutes(b->b);
    default: return false;
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

Expr Facts::reduced(const Expr& predicate) const {
  if (!predicate || proves(predicate)) return Expr(1);
  if (refutes(predicate)) return Expr(0);
  Expr p = simplify(predicate, bounds_);
  const Binary* b = p.as<Binary>();
  if (b == nullptr || b->op != BinaryOp::And) return p;
  Expr first = reduced(b->a);
  Facts given_first = *this;
  given_first.assume(first);
  Expr second = given_first.reduced(b->b);
  Facts given_second = *this;
  given_second.assume(second);
  return both(given_second.reduced(first), second);
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

// r - a/c >= 0 says the same as a < (r + 1)*c, and r + a/c >= 0 as -r*c <= a.
bool Facts::follows_by_division(const Expr& e, int depth) const {
  const Binary* division = find_division(e);
  if (division == nullptr) return false;
  const Expr &a = division->a, &c = division->b, quotient = *division;
  Expr taken = simplify(e + quotient, bounds_);
  if (find_division(taken) == nullptr) {
    return nonnegative((taken + Expr(1)) * c - Expr(1) - a, depth - 1);
  }
  Expr added = simplify(e - quotient, bounds_);
  return find_division(added) == nullptr &&
         nonnegative(added * c + a, depth - 1);
}

}  // namespace sextant
