// Expressions: what simplify returns is equal everywhere, what bounds say
// holds, and what is printed reads back.
#include "src/base/expr.h"

#include <catch2/catch.hpp>

#include "src/base/array.h"
#include "src/base/facts.h"
#include "src/base/rules.h"
#include "tests/report.h"

namespace sextant {
namespace {

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
  for (uint64_t seed = 1; seed <= 8000; seed++) {
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
  test::count("random expressions agreed", 8000);
}

TEST_CASE("simplifying twice changes nothing more", "[2.1]") {
  for (uint64_t seed = 1; seed <= 4000; seed++) {
    Generator make(seed);
    Variables over = make.variables();
    Expr e = make.expr(over, 4);
    Expr once = simplify(e, bounds_for(over));
    Expr twice = simplify(once, bounds_for(over));
    INFO("seed " << seed << ": " << to_string(e));
    CHECK(to_string(twice) == to_string(once));
  }
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
  for (uint64_t seed = 1; seed <= 4000; seed++) {
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
  CHECK(proven > 900);  // the test says something
}

TEST_CASE("every rule holds at every point of a small cube", "[2.1]") {
  const Variables cube = {{"a", {-9, 9}}, {"b", {-6, 6}}, {"c", {-6, 6}}};
  for (const ReadRule& rule : read_rules()) {
    INFO(to_string(rule.from) << " is " << to_string(rule.to));
    bool holds = true;
    int points = 0;
    each_point(cube, [&](const Values& at) {
      if (rule.when && evaluate(rule.when, at) == 0) return;
      points++;
      holds = holds && evaluate(rule.from, at) == evaluate(rule.to, at);
    });
    REQUIRE(holds);
    CHECK(points > 20);
  }
}

TEST_CASE("every rule is needed", "[2.1]") {
  // A row that nothing reaches is no rule: what it is for must change.
  Bounds bounds;
  bounds.set("p", {0, 1});
  bounds.set("q", {0, 1});
  const std::vector<std::pair<const char*, const char*>> uses = {
      {"min(x, x + 1)", "x"},
      {"min(x + 1, x)", "x"},
      {"max(x + 1, x)", "x + 1"},
      {"max(x, x + 1)", "x + 1"},
      {"p and 3", "p"},
      {"3 and p", "p"},
      {"p and p", "p"},
      {"p or 0", "p"},
      {"0 or p", "p"},
      {"p or p", "p"},
      {"x ^ 0", "x"},
      {"0 ^ x", "x"},
      {"x ^ x", "0"},
      {"x/3/4", "x/12"},
      {"x%12/4", "x/4%3"},
      {"x%12%4", "x%4"},
  };
  CHECK(uses.size() == index_rules().size());
  for (const auto& [from, to] : uses) {
    CHECK(to_string(simplify(parse_expr(from), bounds)) == to);
  }
}

TEST_CASE("canonical forms", "[2.1]") {
  Bounds bounds;
  bounds.set_extent("i", 16);
  bounds.set_extent("j", 64);
  bounds.set_extent("k", 8);
  bounds.set("n", {1, 4096});
  bounds.set_extent("r", var("n"));
  auto of = [&](const char* text) {
    return to_string(simplify(parse_expr(text), bounds));
  };
  // A reshape there and back is the identity.
  CHECK(of("(i*64 + j)/64") == "i");
  CHECK(of("(i*64 + j)%64") == "j");
  CHECK(of("(x/64)*64 + x%64") == "x");
  CHECK(of("(x/64*8 + x/8%8)*8 + x%8") == "x");
  CHECK(of("(x/8%8*8 + x%8)/8") == "x/8%8");
  CHECK(of("(r*64 + j)/64") == "r");
  CHECK(of("(k*n + r)/n") == "k");
  CHECK(of("(k*n + r)%n") == "r");
  CHECK(of("((k*n + r)*64 + j)/(n*64)") == "k");
  CHECK(of("((k*n + r)*64 + j)/64%n") == "r");
  CHECK(of("x/n*n + x%n") == "x");
  // Mixed radix, the largest stride first.
  CHECK(of("k + 3 + 8*(i + 16*j)") == "j*128 + i*8 + k + 3");
  CHECK(of("j%8 + j/8*8") == "j");
  CHECK(of("(i*64 + j)/8%8") == "j/8");
  CHECK(of("(2*x + 4*y)%4/2") == "x%2");
  CHECK(of("x*y - y*x") == "0");
  CHECK(of("(x + 1)*(y - 1)") == "x*y + y - x - 1");
  // Comparisons: what is common goes, constants stand on one side.
  CHECK(of("i*2 + j < i*2 + 8") == "j < 8");
  CHECK(of("j*2 < 17") == "j < 9");
  CHECK(of("j*2 <= 17") == "j <= 8");
  CHECK(of("j/2 < 3") == "j < 6");
  CHECK(of("3 < j/2") == "7 < j");
  CHECK(of("i*8 + k < 24") == "i < 3");
  CHECK(of("24 <= i*8 + k") == "3 <= i");
  CHECK(of("i*8 + k < 25") == "i*8 + k < 25");
  CHECK(of("7 - k") == "7 - k");
  CHECK(of("0 <= i - 3") == "3 <= i");
  CHECK(of("i + 1 <= x") == "i < x");
  CHECK(of("i < x + 1") == "i <= x");
  CHECK(of("i < 1") == "i < 1");
  CHECK(of("j*2 == 17") == "0");
  CHECK(of("5 == j") == "j == 5");
  CHECK(of("j < 64") == "1");
  CHECK(of("64 <= j") == "0");
  CHECK(of("r < n") == "1");
  CHECK(of("r*64 + j < n*64") == "1");
  CHECK(of("r < n + 1 and 0 <= j") == "1");
  CHECK(of("i < 4 and (i < 4)") == "i < 4");
}

TEST_CASE("symbolic extents: equal at every point of every size", "[2.1]") {
  Bounds bounds;
  bounds.set("n", {1, 5});
  bounds.set("m", {1, 4});
  bounds.set_extent("x", var("n"));
  bounds.set_extent("y", var("m"));
  bounds.set_extent("z", 3);
  const Variables names = {{"x", {0, 4}}, {"y", {0, 3}}, {"z", {0, 2}}};
  const Variables sizes = {{"n", {1, 5}}, {"m", {1, 4}}};
  const char* const kDivisors[] = {"n", "m", "3", "n*3", "m*3", "n*m"};
  Random random(7);
  Generator make(11);
  int simpler = 0;
  for (int round = 0; round < 600; round++) {
    Expr flat = var("x") * var("m") + var("y");
    if (random.chance(50)) flat = flat * Expr(3) + var("z");
    if (random.chance(30)) flat = flat + make.expr(names, 1);
    Expr by = parse_expr(kDivisors[random.below(6)]);
    Expr e = random.chance(50) ? floor_div(flat, by) : floor_mod(flat, by);
    if (random.chance(30)) e = less(e, by);
    Expr s = simplify(e, bounds);
    simpler += to_string(s).size() < to_string(e).size() / 2;
    INFO(to_string(e) << " became " << to_string(s));
    bool equal = true;
    each_point(sizes, [&](const Values& size) {
      Variables axes = {{"x", {0, size.at("n") - 1}},
                        {"y", {0, size.at("m") - 1}},
                        {"z", {0, 2}}};
      each_point(axes, [&](Values at) {
        at.insert(size.begin(), size.end());
        equal = equal && evaluate(e, at) == evaluate(s, at);
      });
    });
    REQUIRE(equal);
  }
  CHECK(simpler > 60);
}

}  // namespace sextant
