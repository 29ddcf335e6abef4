// The canonical form of index expressions.
//
// A sum is kept as a constant and terms (coefficient, atom), where an atom is
// anything that is not itself a sum; a product of names is one atom, its
// factors in order of their text. Division by c splits the sum: with every term
// that c divides in `high` and the rest in `low`, (high + low)/c is
// high/c + low/c exactly, floor division being what it is, and low/c is 0 when
// 0 <= low < c is proven. The same for remainders. What is no sum follows the
// rules of rules.cpp.
#include <algorithm>
#include <numeric>

#include "src/base/expr.h"
#include "src/base/rules.h"

namespace sextant {
namespace {

struct Term {
  int64_t coefficient;
  Expr atom;
};

struct Sum {
  std::vector<Term> terms;
  int64_t constant = 0;

  void add(int64_t coefficient, const Expr& atom) {
    for (Term& t : terms) {
      if (!(t.atom == atom)) continue;
      t.coefficient += coefficient;
      if (t.coefficient == 0) terms.erase(terms.begin() + (&t - terms.data()));
      return;
    }
    if (coefficient != 0) terms.push_back({coefficient, atom});
  }
  void add(const Sum& x, int64_t factor = 1) {
    for (const Term& t : x.terms)
      add(t.coefficient * factor, t.atom);
    constant += x.constant * factor;
  }
};

Sum number(int64_t c) {
  return {{}, c};
}

Sum minus(const Sum& x, const Sum& y) {
  Sum out = x;
  out.add(y, -1);
  return out;
}

bool is_product(const Expr& e) {
  const Binary* b = e.as<Binary>();
  return b != nullptr && b->op == BinaryOp::Mul;
}

// The factors of an atom.
std::vector<Expr> factors_of(const Expr& atom) {
  if (!is_product(atom)) return {atom};
  std::vector<Expr> left = factors_of(atom.get<Binary>().a);
  std::vector<Expr> right = factors_of(atom.get<Binary>().b);
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Expr product_of(std::vector<Expr> factors) {
  std::stable_sort(
      factors.begin(), factors.end(),
      [](const Expr& a, const Expr& b) { return to_string(a) < to_string(b); });
  Expr out = 1;
  for (const Expr& f : factors)
    out = out * f;
  return out;
}

// Positive first, products first, then by size and text, so that an address
// reads as a number in mixed radix.
bool before(const Term& a, const Term& b) {
  if ((a.coefficient > 0) != (b.coefficient > 0)) return a.coefficient > 0;
  if (is_product(a.atom) != is_product(b.atom)) return is_product(a.atom);
  int64_t x = std::abs(a.coefficient), y = std::abs(b.coefficient);
  if (x != y) return x > y;
  return to_string(a.atom) < to_string(b.atom);
}

Expr rebuild(const Sum& sum) {
  std::vector<Term> terms = sum.terms;
  std::stable_sort(terms.begin(), terms.end(), before);
  // 7 - i, not i*-1 + 7.
  bool turn = !terms.empty() && terms[0].coefficient < 0 && sum.constant != 0;
  Expr out = turn ? Expr(sum.constant) : Expr();
  for (const Term& t : terms) {
    if (!out) {
      out = t.atom * Expr(t.coefficient);
    } else if (t.coefficient < 0) {
      out = out - t.atom * Expr(-t.coefficient);
    } else {
      out = out + t.atom * Expr(t.coefficient);
    }
  }
  if (!out || turn) return out ? out : Expr(sum.constant);
  if (sum.constant < 0) return out - Expr(-sum.constant);
  return out + Expr(sum.constant);
}

class Simplifier {
 public:
  explicit Simplifier(const Bounds& bounds) : bounds_(bounds) {}

  Expr run(const Expr& e) {
    bool index = e.kind() == ExprKind::Binary || e.kind() == ExprKind::Var;
    return index ? rebuild(sum_of(e)) : with_simple_parts(e);
  }

 private:
  // Simplifies on the way: the atoms of the sum are canonical.
  Sum sum_of(const Expr& e) {
    Sum sum;
    if (const Int* i = e.as<Int>()) return number(i->value);
    if (const Binary* b = e.as<Binary>()) {
      return combine(b->op, sum_of(b->a), sum_of(b->b));
    }
    // A name that can have one value only is that number.
    Interval known = bounds_of(e, bounds_);
    if (known.lo == known.hi) return number(known.lo);
    sum.add(1, with_simple_parts(e));
    return sum;
  }

  Expr with_simple_parts(const Expr& e) {
    return map_handles<Expr>(e, [&](const Expr& x) { return run(x); });
  }

  Sum combine(BinaryOp op, const Sum& x, const Sum& y) {
    Sum sum = x;
    switch (op) {
      case BinaryOp::Add: return sum.add(y), join_remainders(sum);
      case BinaryOp::Sub: return sum.add(y, -1), join_remainders(sum);
      case BinaryOp::Mul: return times(x, y);
      case BinaryOp::Div:
      case BinaryOp::Mod:
        if (is_positive_monomial(y)) {
          return op == BinaryOp::Div ? divide(x, y) : remainder(x, y);
        }
        break;
      case BinaryOp::Lt:
      case BinaryOp::Le:
      case BinaryOp::Eq:
      case BinaryOp::Ne: return compare(op, minus(x, y));
      default: break;
    }
    return rewritten(op, x, y);
  }

  // An operation that is no sum: a constant, what a rule makes of it, or an
  // atom.
  Sum rewritten(BinaryOp op, const Sum& x, const Sum& y) {
    Expr e = binary(op, rebuild(x), rebuild(y));
    if (!e.as<Binary>()) return sum_of(e);
    Interval known = bounds_of(e, bounds_);
    if (known.lo == known.hi) return number(known.lo);
    auto proven = [&](const Expr& condition) { return proves(condition); };
    if (std::optional<Expr> to = apply_rules(e, proven)) return sum_of(*to);
    Sum atom;
    atom.add(1, e);
    return atom;
  }

  Sum times(const Sum& x, const Sum& y) {
    Sum out = number(x.constant * y.constant);
    for (const Term& s : x.terms)
      out.add(s.coefficient * y.constant, s.atom);
    for (const Term& t : y.terms) {
      out.add(t.coefficient * x.constant, t.atom);
      for (const Term& s : x.terms) {
        std::vector<Expr> factors = factors_of(s.atom);
        for (const Expr& f : factors_of(t.atom))
          factors.push_back(f);
        out.add(s.coefficient * t.coefficient, product_of(factors));
      }
    }
    return out;
  }

  // --- what is proven --------------------------------------------------------

  // Interval arithmetic, after every axis of symbolic extent n is replaced by
  // n - 1 where it is taken away and by 0 where it is added.
  bool nonnegative(const Sum& sum) {
    if (bounds_of(rebuild(sum), bounds_).lo >= 0) return true;
    Sum least = number(sum.constant);
    bool replaced = false;
    for (const Term& t : sum.terms) {
      Expr rest = 1;
      const Dim* extent = nullptr;
      for (const Expr& f : factors_of(t.atom)) {
        const Var* v = f.as<Var>();
        const Dim* found = v != nullptr ? bounds_.extent(v->name) : nullptr;
        if (found != nullptr && extent == nullptr) {
          extent = found;
        } else {
          rest = rest * f;
        }
      }
      if (extent == nullptr || bounds_of(rest, bounds_).lo < 0) {
        least.add(t.coefficient, t.atom);
        continue;
      }
      replaced = true;
      if (t.coefficient > 0) continue;
      least.add(times(minus(sum_of(*extent), number(1)), sum_of(rest)),
                t.coefficient);
    }
    return replaced && bounds_of(rebuild(least), bounds_).lo >= 0;
  }

  bool below(const Sum& x, const Sum& y) {
    return nonnegative(minus(minus(y, x), number(1)));
  }

  bool proves(const Expr& condition) {
    const Binary* b = condition.as<Binary>();
    if (b != nullptr && b->op == BinaryOp::And) {
      return proves(b->a) && proves(b->b);
    }
    return is_true(run(condition));
  }

  // d op 0, in the smallest terms: i*2 + j < i*2 + 8 is j < 8, and with j in
  // [0, 2) i*2 + j < 10 is i < 5.
  Sum compare(BinaryOp op, const Sum& d) {
    bool less = below(d, {}), greater = below({}, d);
    if (less || greater) {
      return number(op == BinaryOp::Ne || (less && op != BinaryOp::Eq));
    }
    if (op == BinaryOp::Lt && nonnegative(d)) return number(0);
    if (op == BinaryOp::Le && nonnegative(minus({}, d))) return number(1);
    if (d.terms.empty()) return number(apply(op, d.constant, 0));
    if (op == BinaryOp::Lt) return spelled(op, coarsened(d));
    if (op == BinaryOp::Le) {  // d <= 0 is d - 1 < 0
      Sum coarse = coarsened(minus(d, number(1)));
      coarse.constant++;
      return spelled(op, coarse);
    }
    int64_t g = 0;
    for (const Term& t : d.terms)
      g = std::gcd(g, t.coefficient);
    if (d.constant % g != 0) return number(op == BinaryOp::Ne);
    Sum smaller = number(d.constant / g);
    for (const Term& t : d.terms)
      smaller.add(t.coefficient / g, t.atom);
    return spelled(op, smaller);
  }

  // Where d = g*high + low with 0 <= low < g, d < 0 says high < 0. And
  // a/c + n < 0 says a + n*c < 0, n - a/c < 0 says (n + 1)*c - 1 - a < 0.
  Sum coarsened(const Sum& d) {
    if (d.terms.empty()) return d;
    const Term& only = d.terms[0];
    const Binary* b = only.atom.as<Binary>();
    if (d.terms.size() == 1 && b != nullptr && b->op == BinaryOp::Div &&
        std::abs(only.coefficient) == 1 && constant(b->b).value_or(0) > 0) {
      int64_t c = value_of(b->b), n = d.constant;
      bool added = only.coefficient == 1;
      Sum whole = number(added ? n * c : (n + 1) * c - 1);
      whole.add(sum_of(b->a), only.coefficient);
      return coarsened(whole);
    }
    Sum best = d;
    int64_t largest = 1;
    for (const Term& t : d.terms) {
      int64_t g = std::abs(t.coefficient);
      if (g <= largest) continue;
      Sum high, low;
      split(d, number(g), high, low);
      if (lies_below(low, number(g))) best = high, largest = g;
    }
    return largest == 1 ? best : coarsened(best);
  }

  // What is added stands on the left, what is taken away on the right.
  static Sum spelled(BinaryOp op, Sum d) {
    if (d.terms.empty()) return number(apply(op, d.constant, 0));
    Sum left, right, out;
    for (const Term& t : d.terms)
      (t.coefficient > 0 ? left : right).add(std::abs(t.coefficient), t.atom);
    // i < j + 1 is i <= j, and i + 1 <= j is i < j.
    if (!left.terms.empty() && !right.terms.empty()) {
      if (op == BinaryOp::Lt && d.constant == -1)
        op = BinaryOp::Le, d.constant = 0;
      if (op == BinaryOp::Le && d.constant == 1)
        op = BinaryOp::Lt, d.constant = 0;
    }
    (d.constant > 0 ? left : right).constant = std::abs(d.constant);
    bool turn = op == BinaryOp::Eq || op == BinaryOp::Ne;
    if (turn && left.terms.empty()) std::swap(left, right);
    out.add(1, Binary{op, rebuild(left), rebuild(right)});
    return out;
  }

  // --- division --------------------------------------------------------------

  // c*(a product of names), and proven to be positive.
  bool is_positive_monomial(const Sum& y) {
    if (y.terms.empty()) return y.constant > 0;
    return y.terms.size() == 1 && y.constant == 0 &&
           y.terms[0].coefficient > 0 &&
           bounds_of(y.terms[0].atom, bounds_).lo > 0;
  }

  // Adds t/y to `out` if the monomial y divides the term.
  static bool divide_term(const Term& t, const Sum& y, Sum& out) {
    int64_t c = y.terms.empty() ? y.constant : y.terms[0].coefficient;
    if (t.coefficient % c != 0) return false;
    if (y.terms.empty()) return out.add(t.coefficient / c, t.atom), true;
    std::vector<Expr> factors = factors_of(t.atom);
    for (const Expr& f : factors_of(y.terms[0].atom)) {
      auto found = std::find(factors.begin(), factors.end(), f);
      if (found == factors.end()) return false;
      factors.erase(found);
    }
    if (factors.empty()) return out.constant += t.coefficient / c, true;
    return out.add(t.coefficient / c, product_of(factors)), true;
  }

  // x = y*high + low, the constant of low in [0, y) for a constant y.
  void split(const Sum& x, const Sum& y, Sum& high, Sum& low) {
    for (const Term& t : x.terms) {
      if (!divide_term(t, y, high)) low.terms.push_back(t);
    }
    low.constant = x.constant;
    if (!y.terms.empty()) return;
    int64_t c = y.constant;
    high.constant += floor_div(low.constant, c);
    low.constant = floor_mod(low.constant, c);
    // Where low is known to lie between two multiples of c it is moved down.
    Interval r = bounds_of(rebuild(low), bounds_);
    if (r.lo <= kUnbounded.lo || r.hi >= kUnbounded.hi) return;
    int64_t quotient = floor_div(r.lo, c);
    if (quotient != floor_div(r.hi, c)) return;
    high.constant += quotient;
    low.constant -= quotient * c;
  }

  bool lies_below(const Sum& low, const Sum& y) {
    return nonnegative(low) && below(low, y);
  }

  Sum divide(const Sum& x, const Sum& y) {
    Sum high, low, coarse, fine;
    split(x, y, high, low);
    if (lies_below(low, y)) return high;
    int64_t g = common_factor(low, y, coarse, fine);
    if (g > 1) {  // (g*A + r)/c with 0 <= r < g is A/(c/g)
      high.add(divide(coarse, number(y.constant / g)));
    } else {
      high.add(rewritten(BinaryOp::Div, low, y));
    }
    return join_remainders(high);
  }

  Sum remainder(const Sum& x, const Sum& y) {
    Sum high, low, coarse, fine;
    split(x, y, high, low);
    if (lies_below(low, y)) return low;
    int64_t g = common_factor(low, y, coarse, fine);
    if (g == 1) return rewritten(BinaryOp::Mod, low, y);
    // (g*A + r) % c with 0 <= r < g is g*(A % (c/g)) + r
    fine.add(remainder(coarse, number(y.constant / g)), g);
    return join_remainders(fine);
  }

  // The largest g < y that divides the constant y for which x = g*coarse + fine
  // with fine proven to lie in [0, g). 1 if there is none.
  int64_t common_factor(const Sum& x, const Sum& y, Sum& coarse, Sum& fine) {
    int64_t best = 1;
    if (!y.terms.empty()) return best;
    for (const Term& candidate : x.terms) {
      int64_t g = std::gcd(candidate.coefficient, y.constant);
      if (g <= best || g == y.constant) continue;
      Sum a, r;
      split(x, number(g), a, r);
      if (lies_below(r, number(g))) best = g, coarse = a, fine = r;
    }
    return best;
  }

  // m*b*(a/b) + m*(a%b) is m*a.
  Sum join_remainders(const Sum& sum) {
    for (const Term& t : sum.terms) {
      const Binary* mod = t.atom.as<Binary>();
      if (mod == nullptr || mod->op != BinaryOp::Mod) continue;
      Sum a = sum_of(mod->a), b = sum_of(mod->b);
      if (!is_positive_monomial(b)) continue;
      Sum taken = times(divide(a, b), times(b, number(t.coefficient)));
      bool there = !taken.terms.empty();
      for (const Term& q : taken.terms) {
        there =
            there &&
            std::any_of(sum.terms.begin(), sum.terms.end(), [&](const Term& s) {
              return s.atom == q.atom && s.coefficient == q.coefficient;
            });
      }
      if (!there) continue;
      Sum joined = minus(sum, taken);
      joined.add(-t.coefficient, t.atom);
      joined.add(a, t.coefficient);
      return join_remainders(joined);
    }
    return sum;
  }

  const Bounds& bounds_;
};

}  // namespace

Expr simplify(const Expr& e, const Bounds& bounds) {
  return e ? Simplifier(bounds).run(e) : e;
}

}  // namespace sextant
