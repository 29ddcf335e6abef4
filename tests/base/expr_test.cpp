// Expressions: what simplify returns is equal everywhere, what bounds say
// holds, and what is printed reads back.
#include "src/base/expr.h"

#include <catch2/catch.hpp>

#include "src/base/array.h"
#include "src/base/facts.h"
#include "tests/report.h"

namespace {

using namespace sextant;  // NOLINT

// Names and where they lie, small enough to visit every point.
struct Variable {
  Name name;
  Interval range;
};
using Variables = std::vector<Variable>;

Bounds bounds_for(const Variables& variables) {
  Bounds bounds;
  for (const Variable& v : variables)
    bounds.set(v.name, v.range);
  return bounds;
}

template <class F>
void each_point(const Variables& variables, F&& visit) {
  std::vector<int64_t> shape;
  for (const Variable& v : variables)
    shape.push_back(v.range.hi - v.range.lo + 1);
  Values values;
  each_index(shape, [&](const std::vector<int64_t>& index) {
    for (std::size_t i = 0; i < index.size(); i++)
      values[variables[i].name] = variables[i].range.lo + index[i];
    visit(values);
  });
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Variables variables() {
    Variables list;
    int64_t count = random_.in(1, 3);
    for (int64_t i = 0; i < count; i++) {
      int64_t lo = random_.chance(70) ? 0 : random_.in(-4, 2);
      list.push_back({Name(1, "xyz"[i]), {lo, lo + random_.in(0, 5)}});
    }
    return list;
  }

  // A tree as a person might write it, nothing folded.
  Expr expr(const Variables& over, int depth) {
    if (depth == 0 || random_.chance(15)) return leaf(over);
    auto op = static_cast<BinaryOp>(random_.chance(60) ? random_.below(5)
                                                       : random_.below(14));
    bool divides = op == BinaryOp::Div || op == BinaryOp::Mod;
    Expr b = divides ? divisor(over) : expr(over, depth - 1);
    return Binary{op, expr(over, depth - 1), b};
  }

  Expr leaf(const Variables& over) {
    if (random_.chance(70)) return var(random_.pick(over).name);
    return number();
  }

 private:
  Expr number() {
    static const std::vector<int64_t> kUsual = {1, 2, 3, 4, 6, 8, 12, 16};
    return random_.chance(60) ? Expr(random_.pick(kUsual))
                              : Expr(random_.in(-9, 9));
  }

  Expr divisor(const Variables& over) {
    const Variable& v = random_.pick(over);
    if (random_.chance(20) && v.range.lo > 0) return var(v.name);
    Expr c = number();
    return c == Expr(0) ? Expr(7) : c;
  }

  Random random_;
};

}  // namespace

TEST_CASE("simplified expressions are equal at every point", "[2.1]") {
  for (uint64_t seed = 1; seed <= 4000; seed++) {
    Generator make(seed);
    Variables over = make.variables();
    Expr e = make.expr(over, 4);
    Bounds bounds = bounds_for(over);
    Expr s = simplify(e, bounds);
    Interval before = bounds_of(e, bounds), after = bounds_of(s, bounds);
    INFO("seed " << seed << ": " << to_string(e) << " became " << to_string(s));
    bool equal = true, inside = true;
    each_point(over, [&](const Values& at) {
      int64_t value = evaluate(e, at);
      equal = equal && value == evaluate(s, at);
      inside = inside && before.lo <= value && value <= before.hi;
      inside = inside && after.lo <= value && value <= after.hi;
    });
    REQUIRE(equal);
    REQUIRE(inside);
  }
  test::count("random expressions agreed", 4000);
}

TEST_CASE("what is printed reads back to the same tree", "[2.1]") {
  for (uint64_t seed = 1; seed <= 2000; seed++) {
    Generator make(seed);
    Variables over = make.variables();
    Expr e = make.expr(over, 5);
    INFO(to_string(e));
    REQUIRE(parse_expr(to_string(e)) == e);
    Expr s = simplify(e, bounds_for(over));
    INFO(to_string(s));
    REQUIRE(parse_expr(to_string(s)) == s);
  }
}

TEST_CASE("what facts prove holds wherever they hold", "[2.1]") {
  int proven = 0;
  for (uint64_t seed = 1; seed <= 1500; seed++) {
    Generator make(seed);
    Variables over = make.variables();
    Facts facts(bounds_for(over));
    Expr a = less(make.expr(over, 1), make.expr(over, 1));
    Expr b = less_equal(make.expr(over, 1), make.expr(over, 1));
    facts.assume(a);
    facts.assume(b, false);
    Expr claim = less(make.expr(over, 2), make.expr(over, 2));
    if (!facts.proves(claim)) continue;
    proven++;
    INFO(to_string(a) << " and not " << to_string(b) << ", then "
                      << to_string(claim));
    bool holds = true;
    each_point(over, [&](const Values& at) {
      bool known = evaluate(a, at) != 0 && evaluate(b, at) == 0;
      holds = holds && (!known || evaluate(claim, at) != 0);
    });
    REQUIRE(holds);
  }
  CHECK(proven > 300);  // the test says something
}
