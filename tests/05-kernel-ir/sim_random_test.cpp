// The simulator against the meaning of expressions: random index arithmetic
// against `evaluate`, random scalar arithmetic against `compute`, thread by
// thread, bit for bit.
#include <cmath>

#include "src/base/scalar_op.h"
#include "tests/05-kernel-ir/sim.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

Expr random_index(Random& random, const std::vector<Name>& names, int depth) {
  if (depth == 0 || random.chance(15)) {
    return random.chance(30) ? Expr(random.in(-9, 40))
                             : var(random.pick(names));
  }
  Expr a = random_index(random, names, depth - 1);
  Expr b = random_index(random, names, depth - 1);
  switch (random.below(9)) {
    case 0: return Binary{BinaryOp::Add, a, b};
    case 1: return Binary{BinaryOp::Sub, a, b};
    case 2: return Binary{BinaryOp::Mul, a, Expr(random.in(-3, 8))};
    case 3: return Binary{BinaryOp::Div, a, Expr(random.in(1, 12))};
    case 4: return Binary{BinaryOp::Mod, a, Expr(random.in(1, 12))};
    case 5: return Binary{BinaryOp::Min, a, b};
    case 6: return Binary{BinaryOp::Max, a, b};
    case 7: return Binary{BinaryOp::Mod, a, Expr(16)};
    default:
      return Binary{BinaryOp::Xor, Binary{BinaryOp::Mod, a, Expr(32)},
                    Binary{BinaryOp::Mod, b, Expr(8)}};
  }
}

Expr random_scalar(Random& random, const std::vector<Name>& names, int depth) {
  if (depth == 0 || random.chance(10)) {
    return random.chance(20)
               ? Expr(Float{static_cast<double>(random.in(-8, 8)) / 4})
               : var(random.pick(names));
  }
  auto operand = [&] { return random_scalar(random, names, depth - 1); };
  const std::vector<Name> binary = {"add",     "subtract", "multiply", "divide",
                                    "maximum", "minimum",  "multiply"};
  const std::vector<Name> unary = {"negative", "abs",  "relu", "exp",
                                   "tanh",     "sqrt", "erf",  "floor"};
  switch (random.below(6)) {
    case 0:
      return call("where",
                  {call("less", {operand(), operand()}), operand(), operand()});
    case 1: return call(random.pick(unary), {operand()});
    case 2: {
      DType half = random.chance(50) ? DType::Float16 : DType::BFloat16;
      return Cast{Cast{operand(), half}, DType::Float32};
    }
    case 3:
      return call("add", {operand(), call("multiply", {operand(), operand()})});
    default: return call(random.pick(binary), {operand(), operand()});
  }
}

constexpr int64_t kGrid = 3, kBlock = 48;

}  // namespace

TEST_CASE("5.9 random index arithmetic agrees with its meaning", "[5.9]") {
  Random random(11);
  for (int round = 0; round < 60; round++) {
    Expr a = random_index(random, {"tid", "bid"}, 3);
    Expr b = random_index(random, {"tid", "bid", "i", "a"}, 3);
    Expr c = random_index(random, {"tid", "bid", "i", "u", "a", "b"}, 3);
    Expr yes = random_index(random, {"tid", "i", "u", "b", "c"}, 3);
    Expr no = random_index(random, {"bid", "u", "c"}, 2);
    Expr limit = random_index(random, {"tid", "bid", "i"}, 1);
    std::string text =
        fmt::format(R"(sextant kernel
buffer y: int64[3, 48, 3, 2] output
launch k

kernel k grid=3 block=48:
  Global y[3, 48, 3, 2] (int64)
  a = {}
  for i in 0..3:
    b = {}
    for u in 0..2 unroll:
      c = {}
      if c < {}:
        store y[((bid*48 + tid)*3 + i)*2 + u] = {}
      else:
        store y[((bid*48 + tid)*3 + i)*2 + u] = {}
)",
                    to_string(a), to_string(b), to_string(c), to_string(limit),
                    to_string(yes), to_string(no));
    INFO(text);
    Run run = simulate_text(text);
    CHECK(faults_text(run.report).empty());
    int64_t at = 0, wrong = 0;
    for (int64_t bid = 0; bid < kGrid; bid++) {
      for (int64_t tid = 0; tid < kBlock; tid++) {
        for (int64_t i = 0; i < 3; i++) {
          for (int64_t u = 0; u < 2; u++) {
            Values at_values = {{"tid", tid}, {"bid", bid}, {"i", i}, {"u", u}};
            at_values["a"] = evaluate(a, at_values);
            at_values["b"] = evaluate(b, at_values);
            at_values["c"] = evaluate(c, at_values);
            bool then = at_values["c"] < evaluate(limit, at_values);
            int64_t expected = evaluate(then ? yes : no, at_values);
            wrong += run.arrays.at("y").at(at++).i != expected;
          }
        }
      }
    }
    CHECK(wrong == 0);
    count("random programs agreed");
  }
}

TEST_CASE("5.9 random scalar arithmetic agrees with its meaning", "[5.9]") {
  Tables tables = all_tables();
  Random random(12);
  for (int round = 0; round < 60; round++) {
    Expr a = random_scalar(random, {"x", "z"}, 3);
    Expr b = random_scalar(random, {"x", "z", "a"}, 4);
    std::string text = fmt::format(R"(sextant kernel
buffer src: float32[2, 144] input
buffer y: float32[144] output
launch k

kernel k grid=3 block=48:
  Global src[288] (float32)
  Global y[144] (float32)
  x = load src[bid*48 + tid]
  z = load src[bid*48 + tid + 144]
  a = {}
  store y[bid*48 + tid] = {}
)",
                                   to_string(a), to_string(b));
    INFO(text);
    Run run = simulate_text(text);
    CHECK(faults_text(run.report).empty());
    auto type = [](const Name&) { return DType::Float32; };
    int64_t wrong = 0;
    for (int64_t i = 0; i < 144; i++) {
      std::map<Name, Scalar> values;
      auto of = [&](const Var& v) { return values.at(v.name); };
      values["x"] = run.arrays.at("src").at(i);
      values["z"] = run.arrays.at("src").at(i + 144);
      values["a"] = compute(tables, a, type, of);
      double expected = compute(tables, b, type, of).f;
      double found = run.arrays.at("y").at(i).f;
      bool same = std::isnan(expected) ? std::isnan(found) : expected == found;
      wrong += !same;
    }
    CHECK(wrong == 0);
    count("random programs agreed");
  }
}

TEST_CASE("5.9 loops that threads leave at different times", "[5.9]") {
  Random random(13);
  for (int round = 0; round < 20; round++) {
    int64_t end = random.in(1, 200), step = random.in(1, 70);
    int64_t most = random.in(1, 5);
    std::string text = fmt::format(R"(sextant kernel
buffer y: int64[64] output
buffer z: int64[64] output
launch k

kernel k grid=1 block=64:
  Global y[64] (int64)
  Global z[64] (int64)
  n = 0
  turn = 0
  for f in tid..{} step {}:
    turn = (turn + 1)%3
    for g in f..f + tid%{}:
      n = n + g*turn
    if f%5 == 1:
      n = n - f/3
  store y[tid] = n
  store z[tid] = turn
)",
                                   end, step, most);
    INFO(text);
    Run run = simulate_text(text);
    CHECK(faults_text(run.report).empty());
    for (int64_t t = 0; t < 64; t++) {
      int64_t n = 0, turn = 0;
      for (int64_t f = t; f < end; f += step) {
        turn = (turn + 1) % 3;
        for (int64_t g = f; g < f + t % most; g++)
          n += g * turn;
        if (f % 5 == 1) n -= f / 3;
      }
      CHECK(run.arrays.at("y").at(t).i == n);
      CHECK(run.arrays.at("z").at(t).i == turn);
    }
    count("random programs agreed");
  }
}

TEST_CASE("5.9 an index that is loaded", "[5.9]") {
  Run run = simulate_text(R"(sextant kernel
buffer row: int64[8] input
buffer x: float32[100, 32] input
buffer y: float32[8, 32] output
launch k

kernel k grid=8 block=32:
  Global row[8] (int64)
  Global x[100, 32] (float32)
  Global y[8, 32] (float32)
  r = load row[bid]
  v = load x[r*32 + tid]
  store y[bid*32 + tid] = v
)");
  CHECK(faults_text(run.report).empty());
  for (int64_t i = 0; i < 8 * 32; i++) {
    int64_t row = run.arrays.at("row").at(i / 32).i;
    CHECK(run.arrays.at("y").at(i).f ==
          run.arrays.at("x").at(row * 32 + i % 32).f);
  }
}

}  // namespace sextant::test
