// Bounds by interval arithmetic, and the canonical form of index expressions.
//
// A sum is kept as a constant and terms (coefficient, atom), where an atom is
// anything that is not itself a sum. Division by a constant splits the sum:
// with every term of coefficient divisible by c in `high` and the rest in
// `low`, (high + low)/c = high/c + low/c holds exactly for floor division, and
// low/c is 0 when bounds prove 0 <= low < c. The same for remainders.
#include <algorithm>
#include <numeric>

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

namespace {

struct Term {
  int64_t coefficient;
  Expr atom;
};

// A sum of terms and a constant.
struct Sum {
  std::vector<Term> terms;
  int64_t constant = 0;

  void add(int64_t coefficient, const Expr& atom) {
    for (Term& t : terms) {
      if (t.atom == atom) {
        t.coefficient += coefficient;
        return;
      }
    }
    terms.push_back({coefficient, atom});
  }
};

class Simplifier {
 public:
  explicit Simplifier(const Bounds& bounds) : bounds_(bounds) {}

  Expr run(const Expr& e) {
    switch (e.kind()) {
      case ExprKind::Int:
      case ExprKind::Float: return e;
      case ExprKind::Var:
      case ExprKind::Call:
      case ExprKind::Cast:
        return map_handles<Expr>(e, [&](const Expr& x) { return run(x); });
      case ExprKind::Binary: return rebuild(sum_of(e));
    }
    return e;
  }

 private:
  Interval bounds(const Expr& e) { return bounds_of(e, bounds_); }

  void add_sum(Sum& to, const Sum& from, int64_t factor) {
    for (const Term& t : from.terms)
      to.add(t.coefficient * factor, t.atom);
    to.constant += from.constant * factor;
  }

  // Simplifies on the way: the atoms of the sum are canonical.
  Sum sum_of(const Expr& e) {
    Sum sum;
    if (const Int* i = e.as<Int>()) {
      sum.constant = i->value;
    } else if (const Binary* b = e.as<Binary>()) {
      Sum x = sum_of(b->a), y = sum_of(b->b);
      sum = combine_sums(b->op, x, y);
    } else {
      sum.add(1, run(e));
    }
    std::erase_if(sum.terms, [](const Term& t) { return t.coefficient == 0; });
    return sum;
  }

  Sum combine_sums(BinaryOp op, const Sum& x, const Sum& y) {
    Sum sum;
    switch (op) {
      case BinaryOp::Add:
      case BinaryOp::Sub:
        add_sum(sum, x, 1);
        add_sum(sum, y, op == BinaryOp::Add ? 1 : -1);
        return sum;
      case BinaryOp::Mul:
        if (y.terms.empty()) return add_sum(sum, x, y.constant), sum;
        if (x.terms.empty()) return add_sum(sum, y, x.constant), sum;
        break;
      case BinaryOp::Div:
      case BinaryOp::Mod:
        if (y.terms.empty() && y.constant > 0) {
          return op == BinaryOp::Div ? divide(x, y.constant)
                                     : remainder(x, y.constant);
        }
        break;
      default: break;
    }
    Expr e = other(op, rebuild(x), rebuild(y));
    if (std::optional<int64_t> c = constant(e)) {
      sum.constant = *c;
    } else if (e.kind() == ExprKind::Binary) {
      sum.add(1, e);
    } else {
      add_sum(sum, sum_of(e), 1);
    }
    return sum;
  }

  // What divides c, and what is left, its constant in [0, c).
  void split(const Sum& x, int64_t c, Sum& high, Sum& low) {
    for (const Term& t : x.terms) {
      (t.coefficient % c == 0 ? high : low).terms.push_back(t);
    }
    low.constant = floor_mod(x.constant, c);
    high.constant = x.constant - low.constant;
    if (low.terms.empty()) return;
    // A constant that moves into `high` may have been what kept `low` >= 0.
    Interval whole = bounds(rebuild(low));
    if (whole.lo < 0 && whole.lo + c >= 0 && whole.hi + c < c) {
      low.constant += c;
      high.constant -= c;
    }
  }

  Sum divide(const Sum& x, int64_t c) {
    Sum high, low, out;
    split(x, c, high, low);
    for (const Term& t : high.terms)
      out.add(t.coefficient / c, t.atom);
    out.constant = high.constant / c;
    Expr rest = rebuild(low);
    Interval r = bounds(rest);
    if (r.lo >= 0 && r.hi < c) return out;
    if (r.lo == kUnbounded.lo || floor_div(r.lo, c) != floor_div(r.hi, c)) {
      Sum coarse, fine;
      int64_t g = common_factor(low, c, coarse, fine);
      if (g > 1 && g < c) {  // (g*A + r)/c with 0 <= r < g is A/(c/g)
        add_sum(out, divide(coarse, c / g), 1);
      } else {
        out.add(1, nested_division(rest, c));
      }
    } else {
      out.constant += floor_div(r.lo, c);
    }
    return out;
  }

  // (a/b)/c is a/(b*c); common factors cancel: (4*x)/6 is (2*x)/3.
  Expr nested_division(const Expr& e, int64_t c) {
    if (const Binary* b = e.as<Binary>();
        b != nullptr && b->op == BinaryOp::Div && constant(b->b) &&
        value_of(b->b) > 0) {
      return binary(BinaryOp::Div, b->a, Expr(value_of(b->b) * c));
    }
    return Binary{BinaryOp::Div, e, Expr(c)};
  }

  Sum remainder(const Sum& x, int64_t c) {
    Sum high, low, out;
    split(x, c, high, low);
    Expr rest = rebuild(low);
    Interval r = bounds(rest);
    if (r.lo >= 0 && r.hi < c) return low;
    if (r.lo != kUnbounded.lo && floor_div(r.lo, c) == floor_div(r.hi, c)) {
      low.constant -= floor_div(r.lo, c) * c;
      return low;
    }
    Sum coarse, fine;
    int64_t g = common_factor(low, c, coarse, fine);
    if (g > 1 && g < c) {  // (g*A + r) % c with 0 <= r < g is g*(A % (c/g)) + r
      add_sum(out, remainder(coarse, c / g), g);
      add_sum(out, fine, 1);
      return out;
    }
    out.add(1, Binary{BinaryOp::Mod, rest, Expr(c)});
    return out;
  }

  // The largest g that divides c for which x = g*coarse + fine with fine
  // proven to lie in [0, g). 1 if there is none.
  int64_t common_factor(const Sum& x, int64_t c, Sum& coarse, Sum& fine) {
    int64_t best = 1;
    for (const Term& candidate : x.terms) {
      int64_t g = std::gcd(candidate.coefficient, c);
      if (g <= best) continue;
      Sum a, r;
      for (const Term& t : x.terms) {
        if (t.coefficient % g == 0) {
          a.terms.push_back({t.coefficient / g, t.atom});
        } else {
          r.terms.push_back(t);
        }
      }
      r.constant = floor_mod(x.constant, g);
      a.constant = (x.constant - r.constant) / g;
      Interval known = bounds(rebuild(r));
      if (known.lo < 0 || known.hi >= g) continue;
      best = g, coarse = a, fine = r;
    }
    return best;
  }

  Expr other(BinaryOp op, const Expr& a, const Expr& b) {
    Expr e = binary(op, a, b);
    if (!e.as<Binary>()) return e;
    // n - i > 0 for an axis i of symbolic extent n.
    if (op == BinaryOp::Lt && a.as<Var>() != nullptr) {
      const Dim* extent = bounds_.extent(a.get<Var>().name);
      if (extent != nullptr && *extent == b) return Expr(1);
    }
    Interval known = bounds(e);
    if (known.lo == known.hi) return Expr(known.lo);
    if (op == BinaryOp::Min || op == BinaryOp::Max) {
      Interval x = bounds(a), y = bounds(b);
      bool first = op == BinaryOp::Min ? x.hi <= y.lo : x.lo >= y.hi;
      bool second = op == BinaryOp::Min ? y.hi <= x.lo : y.lo >= x.hi;
      if (first || a == b) return a;
      if (second) return b;
    }
    return compare_sums(op, a, b, e);
  }

  // Comparisons look at the difference: i*2 + j < i*2 + 8 is j < 8.
  Expr compare_sums(BinaryOp op, const Expr& a, const Expr& b, const Expr& e) {
    bool compares = op == BinaryOp::Lt || op == BinaryOp::Le ||
                    op == BinaryOp::Eq || op == BinaryOp::Ne;
    if (!compares) return e;
    Sum difference;
    add_sum(difference, sum_of(a), 1);
    add_sum(difference, sum_of(b), -1);
    std::erase_if(difference.terms,
                  [](const Term& t) { return t.coefficient == 0; });
    Expr decided = binary(op, rebuild(difference), Expr(0));
    if (constant(decided)) return decided;
    Interval known = bounds(decided);
    return known.lo == known.hi ? Expr(known.lo) : e;
  }

  // Large strides first, so that the text reads as a number in mixed radix.
  Expr rebuild(const Sum& sum) {
    std::vector<Term> terms = sum.terms;
    std::stable_sort(terms.begin(), terms.end(), before);
    Expr out;
    for (const Term& t : terms) {
      if (t.coefficient == 0) continue;
      if (!out) {
        out = t.coefficient == 1 ? t.atom : t.atom * Expr(t.coefficient);
      } else if (t.coefficient < 0) {
        out = out - t.atom * Expr(-t.coefficient);
      } else {
        out = out + t.atom * Expr(t.coefficient);
      }
    }
    if (!out) return Expr(sum.constant);
    if (sum.constant < 0) return out - Expr(-sum.constant);
    return out + Expr(sum.constant);
  }

  static bool before(const Term& a, const Term& b) {
    if ((a.coefficient > 0) != (b.coefficient > 0)) return a.coefficient > 0;
    bool product_a = a.atom.kind() == ExprKind::Binary &&
                     a.atom.get<Binary>().op == BinaryOp::Mul;
    bool product_b = b.atom.kind() == ExprKind::Binary &&
                     b.atom.get<Binary>().op == BinaryOp::Mul;
    if (product_a != product_b) return product_a;
    int64_t x = std::abs(a.coefficient), y = std::abs(b.coefficient);
    if (x != y) return x > y;
    return to_string(a.atom) < to_string(b.atom);
  }

  const Bounds& bounds_;
};

}  // namespace

Expr simplify(const Expr& e, const Bounds& bounds) {
  return e ? Simplifier(bounds).run(e) : e;
}

}  // namespace sextant
