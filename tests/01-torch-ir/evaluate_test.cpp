// The evaluator: values against loops written by hand, bounds that hold, and
// bounds that a wrong result does not pass.
#include <catch2/catch.hpp>
#include <cmath>

#include "chapters/01-torch-ir/syntax.h"
#include "tests/01-torch-ir/device.h"
#include "tests/report.h"

namespace {

using sextant::Array;
using sextant::Arrays;
using sextant::DType;
using sextant::Name;
using sextant::test::Device;
using sextant::test::parse;
using sextant::test::random_inputs;
using sextant::test::run_on;
using sextant::test::tables;
namespace torch = sextant::torch;
using torch::Ball;

std::vector<Ball> evaluate(const torch::Graph& graph, const Arrays& inputs) {
  return torch::evaluate(tables(), graph, inputs).at(0).elements;
}

// One output of float32 scalars, given by name and contents.
Arrays arrays(std::initializer_list<std::pair<Name, std::vector<double>>> in,
              DType dtype = DType::Float32) {
  Arrays made;
  for (const auto& [name, values] : in) {
    Array array(dtype, {static_cast<int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); i++) {
      array.set(static_cast<int64_t>(i),
                {values[i], static_cast<int64_t>(values[i])});
    }
    made[name] = array;
  }
  return made;
}

}  // namespace

TEST_CASE("1.4 a matrix product is a sum of products", "[1.4]") {
  torch::Graph graph = parse(
      "a = input() -> (2, 1, 3, 5) float32\n"
      "b = input() -> (4, 5, 2) float32\n"
      "c = matmul(a, b) -> (2, 4, 3, 2) float32\n"
      "return c\n");
  Arrays in = random_inputs(graph, 1);
  std::vector<Ball> c = evaluate(graph, in);
  std::size_t at = 0;
  for (int p = 0; p < 2; p++) {
    for (int q = 0; q < 4; q++) {
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) {
          double sum = 0;
          for (int k = 0; k < 5; k++) {
            sum += in["a"].at((p * 3 + i) * 5 + k).f *
                   in["b"].at((q * 5 + k) * 2 + j).f;
          }
          CHECK(c.at(at++).value == Approx(sum).margin(1e-12));
        }
      }
    }
  }
}

TEST_CASE("1.4 integers and truth values are exact", "[1.4]") {
  torch::Graph graph = parse(
      "i = input() -> (5) int64\n"
      "a = mul(i, 7) -> (5) int64\n"
      "s = sum(a) -> () int64\n"
      "p = gt(i, 2) -> (5) bool\n"
      "n = sum(p) -> () int64\n"
      "q = all(p) -> () bool\n"
      "m = amin(i) -> () int64\n"
      "f = to(i, dtype=float16) -> (5) float16\n"
      "return s, n, q, m, f\n");
  Arrays in = arrays({{"i", {3, -1, 4, 2049, 5}}}, DType::Int64);
  std::vector<torch::Reference> r = torch::evaluate(tables(), graph, in);
  double expected[] = {7.0 * 2060, 4, 0, -1};
  for (std::size_t k = 0; k < 4; k++) {
    CHECK(r[k].elements[0].value == expected[k]);
    CHECK(r[k].elements[0].bound == 0);
  }
  // 2049 lies between two numbers of float16 and rounds to the even one.
  CHECK(r[4].elements[3].value == 2048);
  CHECK(r[4].elements[3].bound == 0);
}

TEST_CASE("1.4 a comparison of what is not known exactly may be open",
          "[1.4]") {
  torch::Graph graph = parse(
      "x = input() -> (3) float32\n"
      "y = exp(x) -> (3) float32\n"
      "p = gt(y, 1.0) -> (3) bool\n"
      "w = where(p, 5.0, x) -> (3) float32\n"
      "b = to(p, dtype=float32) -> (3) float32\n"
      "return p, w, b\n");
  Arrays in = arrays({{"x", {1e-8, 0.5, -0.5}}});
  std::vector<torch::Reference> r = torch::evaluate(tables(), graph, in);
  CHECK(r[0].elements[0].bound == 1);
  CHECK(r[1].elements[0].bound == Approx(5).margin(1e-6));
  CHECK(r[2].elements[0].bound == 1);
  for (std::size_t i : {1u, 2u}) {
    CHECK(r[0].elements[i].bound == 0);
    CHECK(r[0].elements[i].value == (i == 1 ? 1 : 0));
    CHECK(r[2].elements[i].bound == 0);
  }
}

TEST_CASE("1.4 a bound grows as the function does", "[1.4]") {
  torch::Graph graph = parse(
      "x = input() -> (4) float32\n"
      "y = exp(x) -> (4) float32\n"
      "z = sub(y, 1.0) -> (4) float32\n"
      "l = log(z) -> (4) float32\n"
      "r = reciprocal(z) -> (4) float32\n"
      "return l, r\n");
  // exp(x) - 1 near 0 has lost all its digits: log and 1/x of it may be
  // anything.
  Arrays in = arrays({{"x", {1e-9, 1e-3, 1.0, 80.0}}});
  std::vector<torch::Reference> r = torch::evaluate(tables(), graph, in);
  CHECK(std::isinf(r[0].elements[0].bound));
  CHECK(std::isinf(r[1].elements[0].bound));
  double last = 1;
  for (std::size_t i = 1; i < 4; i++) {
    double relative = r[1].elements[i].bound / r[1].elements[i].value;
    CHECK(relative < 1e-3);
    CHECK(relative > 1e-8);
    CHECK(relative < last);
    last = relative;
  }
}

TEST_CASE("1.4 a sigmoid may be 0 where its exponential is infinite", "[1.4]") {
  torch::Graph graph = parse(
      "x = input() -> (3) float32\n"
      "y = silu(x) -> (3) float32\n"
      "return y\n");
  std::vector<Ball> y = evaluate(graph, arrays({{"x", {-89.5, -88.0, -20.0}}}));
  CHECK(y[0].value < 0);
  CHECK(y[0].bound >= -y[0].value);
  // Elsewhere that is no excuse.
  CHECK(y[2].bound < 1e-5 * -y[2].value);
}

TEST_CASE("1.4 what is too large for a half is infinite, or may be", "[1.4]") {
  torch::Graph graph = parse(
      "x = input() -> (3) float16\n"
      "y = mul(x, 3.0) -> (3) float16\n"
      "return y\n");
  Arrays in = arrays({{"x", {60000, 21824, 100}}}, DType::Float16);
  std::vector<Ball> y = evaluate(graph, in);
  CHECK(std::isinf(y[0].value));
  CHECK(y[0].bound == 0);
  CHECK(y[1].value == 65472);
  CHECK(y[2].value == 300);
}

TEST_CASE("1.4 elements that are asked for are those of the whole", "[1.4]") {
  torch::Graph graph = parse(
      "q = input() -> (1, 4, 6, 8) float32\n"
      "k = input() -> (1, 2, 6, 8) float32\n"
      "v = input() -> (1, 2, 6, 8) float32\n"
      "o = scaled_dot_product_attention(q, k, v, is_causal=True, "
      "enable_gqa=True) -> (1, 4, 6, 8) float32\n"
      "t = transpose(o, dim0=1, dim1=2) -> (1, 6, 4, 8) float32\n"
      "return t\n");
  Arrays in = random_inputs(graph, 7);
  std::vector<Ball> all = evaluate(graph, in);
  int64_t asked = 0;
  auto input = [&](const Name& name, int64_t i) {
    asked++;
    return in.at(name).at(i);
  };
  std::vector<int64_t> positions = {0, 5, 17};
  std::vector<Ball> some =
      torch::evaluate_at(tables(), graph, input, "t", positions);
  for (std::size_t i = 0; i < positions.size(); i++) {
    const Ball& whole = all[static_cast<std::size_t>(positions[i])];
    CHECK(some[i].value == whole.value);
    CHECK(some[i].bound == whole.bound);
  }
  // The first row of queries sees one key: little was computed.
  CHECK(asked < 100);
}

TEST_CASE("1.4 a symbol takes a size when a graph runs", "[1.4]") {
  torch::Graph graph = parse(
      "symbol rows in 1..100 hint=8\n"
      "x = input() -> (rows, 2) float32\n"
      "m = mean(x, dim=[0]) -> (2) float32\n"
      "f = flatten(x) -> (rows*2) float32\n"
      "s = sum(f) -> () float32\n"
      "return m, s\n");
  for (int64_t n : {1, 3, 100}) {
    Arrays in;
    in["x"] = sextant::random_array(DType::Float32, {n, 2}, 1, "x");
    std::vector<torch::Reference> r =
        torch::evaluate(tables(), graph, in, {{"rows", n}});
    double sum = 0, first = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
      sum += in["x"].at(i).f;
      if (i % 2 == 0) first += in["x"].at(i).f / static_cast<double>(n);
    }
    CHECK(r[0].elements[0].value == Approx(first).margin(1e-12));
    CHECK(r[1].elements[0].value == Approx(sum).margin(1e-12));
  }
}

TEST_CASE("1.4 a table is looked up; an index outside is refused", "[1.4]") {
  torch::Graph graph = parse(
      "w = weight() -> (5, 3) float32\n"
      "i = input() -> (2) int64\n"
      "e = embedding(w, i) -> (2, 3) float32\n"
      "return e\n");
  Arrays in = random_inputs(graph, 3);
  in["i"].set(0, {0, 4});
  in["i"].set(1, {0, 0});
  std::vector<Ball> e = evaluate(graph, in);
  for (int64_t k = 0; k < 3; k++) {
    CHECK(e[static_cast<std::size_t>(k)].value == in["w"].at(12 + k).f);
    CHECK(e[static_cast<std::size_t>(3 + k)].value == in["w"].at(k).f);
  }
  in["i"].set(1, {0, 5});
  CHECK_THROWS_AS(evaluate(graph, in), sextant::Error);
}

// --- bounds against a device
// --------------------------------------------------

namespace {

// A random program: values of a few shapes, operations of all kinds.
class Program {
 public:
  Program(torch::GraphBuilder& builder, uint64_t seed)
      : b_(builder), random_(seed) {
    DType half = random_.chance(50) ? DType::Float16 : DType::BFloat16;
    DType type = random_.chance(70) ? DType::Float32 : half;
    pool_.push_back(b_.input("x", {{4, 6}, type}));
    pool_.push_back(b_.input("y", {{4, 6}, type}));
    pool_.push_back(b_.input("w", {{6}, type}));
  }
  std::vector<Name> make(int count) {
    for (int i = 0; i < count; i++)
      pool_.push_back(step(random_.pick(pool_), random_.pick(pool_)));
    return {pool_.begin() + 3, pool_.end()};
  }

 private:
  using Arg = torch::Arg;
  Name call(const Name& op, std::vector<Arg> args,
            std::vector<torch::Keyword> words = {}) {
    Name made = b_.call(op, std::move(args), std::move(words))[0];
    b_.diagnostics().raise();
    return made;
  }
  // Everything is brought to (4, 6), or (6) where it is a row.
  Name step(const Name& a, const Name& b) {
    Arg x = Arg::of(a), y = Arg::of(b);
    switch (random_.below(14)) {
      case 0:
        return call(random_.pick<Name>({"exp", "tanh", "sigmoid", "erf", "sin",
                                        "cos", "relu", "neg", "abs", "silu",
                                        "gelu", "hardswish", "square"}),
                    {x});
      case 1: return call("sqrt", {Arg::of(call("abs", {x}))});
      case 2: {
        Name up = call("add", {Arg::of(call("abs", {x})), Arg::of_float(0.1)});
        return call(random_.pick<Name>({"log", "rsqrt", "reciprocal"}),
                    {Arg::of(up)});
      }
      case 3:
      case 4:
      case 5:
        return call(
            random_.pick<Name>({"add", "sub", "mul", "maximum", "minimum"}),
            {x, y});
      case 6: {
        Name down = call("add", {Arg::of(call("square", {y})), Arg::of(1)});
        return call("div", {x, Arg::of(down)});
      }
      case 7: {
        Name less = call(random_.pick<Name>({"lt", "ge", "ne"}), {x, y});
        return call("where", {Arg::of(less), x, y});
      }
      case 8: return call("softmax", {x, Arg::of(-1)});
      case 9: return call("rms_norm", {x, Arg::of_ints({6})});
      case 10: {
        Name op = random_.pick<Name>({"sum", "mean", "amax", "amin"});
        return call("add", {Arg::of(call(op, {x, Arg::of(-1)},
                                         {{"keepdim", Arg::of_bool(true)}})),
                            y});
      }
      case 11: return product(a, b);
      case 12: {
        Name flipped = call("flip", {x, Arg::of_ints({-1})});
        return call("mul", {Arg::of(flipped), Arg::of_float(0.75)});
      }
      default: {
        Name lower = call("to", {x, Arg::of(DType::BFloat16)});
        return call("to", {Arg::of(lower), Arg::of(b_.type(a).dtype)});
      }
    }
  }
  Name product(const Name& a, const Name& b) {
    if (b_.type(a).shape.size() != 2 || b_.type(b).shape.size() != 2 ||
        b_.type(a).dtype != b_.type(b).dtype) {
      return call("tanh", {Arg::of(a)});
    }
    Name t = call("t", {Arg::of(b)});
    Name square = call("matmul", {Arg::of(a), Arg::of(t)});
    return call("matmul", {Arg::of(square), Arg::of(b)});
  }

  torch::GraphBuilder& b_;
  sextant::Random random_;
  std::vector<Name> pool_;
};

}  // namespace

TEST_CASE("1.4 bounds hold on 1000 random programs", "[1.4]") {
  int64_t elements = 0, bounded = 0;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    torch::GraphBuilder b(tables());
    std::vector<Name> outputs = Program(b, seed).make(8);
    torch::Graph graph = b.finish(outputs);
    torch::verify(tables(), graph);
    Arrays in = random_inputs(graph, seed);
    Device device;
    device.lanes = seed % 3 == 0 ? 4 : 1;
    device.fused = seed % 2 == 0;
    Arrays out = run_on(device, tables(), graph, in);
    for (const torch::Reference& r : torch::evaluate(tables(), graph, in)) {
      torch::Comparison c = torch::compare(out.at(r.name), r);
      for (const Ball& ball : r.elements)
        bounded += std::isfinite(ball.bound) ? 1 : 0;
      elements += c.checked;
      if (c.pass) continue;
      INFO(torch::print_graph(tables(), graph).text);
      FAIL(r.name << " of seed " << seed << ": " << torch::to_string(c));
    }
    sextant::test::count("random programs agreed");
  }
  // A bound that is infinite says nothing: almost none may be.
  CHECK(static_cast<double>(bounded) > 0.97 * static_cast<double>(elements));
}

TEST_CASE("1.4 a sum that lacks one term is beyond its bound", "[1.4]") {
  for (int64_t n : {2, 3, 64, 1000, 8192}) {
    for (const char* type : {"float32", "bfloat16"}) {
      std::string size = std::to_string(n);
      torch::Graph graph =
          parse("x = input() -> (8, " + size + ") " + type + "\n" +
                "w = input() -> (" + size + ", 8) " + type + "\n" +
                "s = sum(x, dim=[1]) -> (8) " + type + "\n" +
                "m = matmul(x, w) -> (8, 8) " + type + "\n" + "return s, m\n");
      Arrays in = random_inputs(graph, static_cast<uint64_t>(n));
      std::vector<torch::Reference> r = torch::evaluate(tables(), graph, in);
      for (int64_t drop : {int64_t{-1}, int64_t{0}, n / 2, n - 1}) {
        INFO(type << " sums of " << n << " without term " << drop);
        Device device;
        device.lanes = 4;
        device.drop = drop;
        Arrays out = run_on(device, tables(), graph, in);
        CHECK(torch::compare(out["s"], r[0]).pass == (drop < 0));
        CHECK(torch::compare(out["m"], r[1]).pass == (drop < 0));
      }
    }
  }
}

TEST_CASE("1.4 a long sum that lacks a tile is beyond its bound", "[1.4]") {
  // One term of so many is within what rounding may do; what a tile of a row
  // in 64 tiles holds is not.
  for (int64_t n : {16384, 65536, 262144}) {
    std::string size = std::to_string(n);
    torch::Graph graph =
        parse("x = input() -> (4, " + size + ") float32\n" +
              "s = sum(x, dim=[1]) -> (4) float32\n" +
              "m = mean(x, dim=[1]) -> (4) float32\n" + "return s, m\n");
    Arrays in = random_inputs(graph, static_cast<uint64_t>(n));
    std::vector<torch::Reference> r = torch::evaluate(tables(), graph, in);
    for (int64_t drop : {int64_t{-1}, int64_t{0}, n / 2, n - n / 64}) {
      INFO("sums of " << n << " without a tile from term " << drop << " on");
      Device device;
      device.lanes = 32;
      device.drop = drop;
      device.dropped = n / 64;
      Arrays out = run_on(device, tables(), graph, in);
      CHECK(torch::compare(out["s"], r[0]).pass == (drop < 0));
      CHECK(torch::compare(out["m"], r[1]).pass == (drop < 0));
    }
  }
}

TEST_CASE("1.4 softmax and rms_norm notice one term of 8192", "[1.4]") {
  torch::Graph graph = parse(
      "x = input() -> (4, 8192) float32\n"
      "s = softmax(x, dim=1) -> (4, 8192) float32\n"
      "r = rms_norm(x, normalized_shape=[8192]) -> (4, 8192) float32\n"
      "return s, r\n");
  Arrays in = random_inputs(graph, 5);
  std::vector<torch::Reference> r = torch::evaluate(tables(), graph, in);
  for (int64_t drop : {-1, 100}) {
    Device device;
    device.lanes = 32;
    device.drop = drop;
    Arrays out = run_on(device, tables(), graph, in);
    CHECK(torch::compare(out["s"], r[0]).pass == (drop < 0));
    CHECK(torch::compare(out["r"], r[1]).pass == (drop < 0));
  }
}

TEST_CASE("1.4 sums in a half are beyond the bound", "[1.4]") {
  torch::Graph graph = parse(
      "a = input() -> (8, 512) float16\n"
      "b = input() -> (512, 8) float16\n"
      "c = matmul(a, b) -> (8, 8) float16\n"
      "return c\n");
  Arrays in = random_inputs(graph, 2);
  torch::Reference r = torch::evaluate(tables(), graph, in)[0];
  Device device;
  CHECK(torch::compare(run_on(device, tables(), graph, in)["c"], r).pass);
  device.half_sums = true;
  CHECK(!torch::compare(run_on(device, tables(), graph, in)["c"], r).pass);
}

TEST_CASE("1.4 bounds are not loose: within 100 times the worst error",
          "[1.4]") {
  torch::Graph graph = parse(
      "x = input() -> (32, 256) float32\n"
      "w = input() -> (256, 32) float32\n"
      "m = matmul(x, w) -> (32, 32) float32\n"
      "s = softmax(x, dim=1) -> (32, 256) float32\n"
      "return m, s\n");
  Arrays in = random_inputs(graph, 9);
  Arrays out = run_on(Device{}, tables(), graph, in);
  for (const torch::Reference& r : torch::evaluate(tables(), graph, in)) {
    torch::Comparison c = torch::compare(out[r.name], r);
    CHECK(c.pass);
    CHECK(c.error * 100 > c.bound);
  }
}

TEST_CASE("1.4 a comparison names the worst element", "[1.4]") {
  torch::Reference r{"y", DType::Float32, {3}, {{1, 0.1}, {2, 0.1}, {3, 0}}};
  Array got(DType::Float32, {3});
  got.set(0, {1.0, 0});
  got.set(1, {2.5, 0});
  got.set(2, {3.0, 0});
  torch::Comparison c = torch::compare(got, r);
  CHECK(!c.pass);
  CHECK(c.position == 1);
  CHECK(c.beyond == 1);
  CHECK(torch::to_string(c) ==
        "error 0.5 of 0.1 at element 1 of 3 compared: 2.5 instead of 2, 1 "
        "beyond their bound");
  got.set(1, {std::nan(""), 0});
  CHECK(!torch::compare(got, r).pass);
}

TEST_CASE("1.4 speed of a contraction", "[.speed]") {
  torch::Graph graph = parse(
      "a = input() -> (256, 1024) float32\n"
      "b = input() -> (1024, 256) float32\n"
      "c = matmul(a, b) -> (256, 256) float32\n"
      "return c\n");
  CHECK(evaluate(graph, random_inputs(graph, 1)).size() == 65536);
}
