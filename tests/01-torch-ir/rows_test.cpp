// Rows against formulas written without the op table.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "chapters/01-torch-ir/syntax.h"
#include "tests/01-torch-ir/device.h"
#include "tests/golden.h"

namespace {

using sextant::Array;
using sextant::Arrays;
using sextant::DType;
using sextant::Name;
using sextant::test::parse;
using sextant::test::random_inputs;
using sextant::test::tables;
namespace torch = sextant::torch;

using Index = std::vector<int64_t>;

// A graph of one result, evaluated on random inputs.
struct Result {
  explicit Result(const std::string& lines, uint64_t seed = 4)
      : graph(parse(lines)), in(random_inputs(graph, seed)) {
    out = torch::evaluate(tables(), graph, in).at(0);
  }
  double input(const Name& name, const Index& index) const {
    const Array& array = in.at(name);
    int64_t at = 0;
    for (std::size_t d = 0; d < index.size(); d++)
      at = at * array.shape()[d] + index[d];
    sextant::Scalar x = array.at(at);
    return sextant::is_float(array.dtype()) ? x.f : static_cast<double>(x.i);
  }
  // Every element is what the formula says.
  void expect(const std::function<double(const Index&)>& formula) const {
    std::size_t at = 0;
    sextant::each_index(out.shape, [&](const Index& index) {
      double wanted = formula(index), got = out.elements[at++].value;
      if (wanted == got) return;
      INFO(out.name << " at element " << at - 1);
      CHECK(got == Approx(wanted).epsilon(1e-9).margin(1e-9));
    });
    CHECK(at == out.elements.size());
  }

  torch::Graph graph;
  Arrays in;
  torch::Reference out;
};

const std::string kX = "x = input() -> (3, 4, 6) float32\n";

// The result of one row on x.
Result on_x(const std::string& call, const std::string& type) {
  return Result(kX + "y = " + call + " -> " + type + "\nreturn y\n");
}

}  // namespace

TEST_CASE("1.2 a composite call becomes its definition", "[1.2][golden]") {
  torch::Graph graph = parse(
      "x = input() -> (2, 8) float16\n"
      "softmax = softmax(x, dim=-1) -> (2, 8) float16\n"
      "return softmax\n");
  torch::Graph expanded = torch::expand_composites(tables(), graph);
  torch::verify(tables(), expanded);
  sextant::test::expect_golden("golden/torch/softmax.txt",
                               torch::print_graph(tables(), expanded).text);
  // Nothing is left to expand.
  CHECK(torch::expand_composites(tables(), expanded) == expanded);
}

TEST_CASE("1.2 rows that move elements", "[1.2]") {
  Result permuted = on_x("permute(x, dims=[2, 0, 1])", "(6, 3, 4) float32");
  permuted.expect([&](const Index& i) {
    return permuted.input("x", {i[1], i[2], i[0]});
  });
  Result swapped = on_x("transpose(x, dim0=0, dim1=-1)", "(6, 4, 3) float32");
  swapped.expect([&](const Index& i) {
    return swapped.input("x", {i[2], i[1], i[0]});
  });
  Result reshaped = on_x("reshape(x, size=[9, 8])", "(9, 8) float32");
  reshaped.expect([&](const Index& i) {
    int64_t n = i[0] * 8 + i[1];
    return reshaped.input("x", {n / 24, n / 6 % 4, n % 6});
  });
  Result split =
      on_x("view(x, size=[3, 2, 2, 1, 6])", "(3, 2, 2, 1, 6) float32");
  split.expect([&](const Index& i) {
    return split.input("x", {i[0], i[1] * 2 + i[2], i[4]});
  });
  Result sliced =
      on_x("slice(x, dim=2, start=-5, step=2)", "(3, 4, 3) float32");
  sliced.expect([&](const Index& i) {
    return sliced.input("x", {i[0], i[1], 1 + 2 * i[2]});
  });
  Result selected = on_x("select(x, dim=1, index=-1)", "(3, 6) float32");
  selected.expect([&](const Index& i) {
    return selected.input("x", {i[0], 3, i[1]});
  });
  Result flipped = on_x("flip(x, dims=[0, 2])", "(3, 4, 6) float32");
  flipped.expect([&](const Index& i) {
    return flipped.input("x", {2 - i[0], i[1], 5 - i[2]});
  });
  Result repeated =
      on_x("repeat_interleave(x, repeats=3, dim=1)", "(3, 12, 6) float32");
  repeated.expect([&](const Index& i) {
    return repeated.input("x", {i[0], i[1] / 3, i[2]});
  });
  Result tiled =
      on_x("repeat(x, repeats=[2, 1, 1, 2])", "(2, 3, 4, 12) float32");
  tiled.expect([&](const Index& i) {
    return tiled.input("x", {i[1], i[2], i[3] % 6});
  });
}

TEST_CASE("1.2 rows that join and mask", "[1.2]") {
  Result joined(
      "x = input() -> (2, 3) float32\n"
      "y = input() -> (2, 1) float32\n"
      "z = input() -> (2, 2) float32\n"
      "c = cat([x, y, z], dim=-1) -> (2, 6) float32\n"
      "return c\n");
  joined.expect([&](const Index& i) {
    if (i[1] < 3) return joined.input("x", {i[0], i[1]});
    if (i[1] < 4) return joined.input("y", {i[0], 0});
    return joined.input("z", {i[0], i[1] - 4});
  });
  Result stacked(
      "x = input() -> (2, 3) float32\n"
      "y = input() -> (2, 3) float32\n"
      "s = stack([x, y], dim=1) -> (2, 2, 3) float32\n"
      "return s\n");
  stacked.expect([&](const Index& i) {
    return stacked.input(i[1] == 0 ? "x" : "y", {i[0], i[2]});
  });
  Result lower = on_x("tril(x, diagonal=1)", "(3, 4, 6) float32");
  lower.expect([&](const Index& i) {
    return i[2] <= i[1] + 1 ? lower.input("x", i) : 0;
  });
  Result upper = on_x("triu(x, diagonal=-1)", "(3, 4, 6) float32");
  upper.expect([&](const Index& i) {
    return i[2] >= i[1] - 1 ? upper.input("x", i) : 0;
  });
  Result padded = on_x("constant_pad_nd(x, pad=[1, 2, 3, 0], value=7.5)",
                       "(3, 7, 9) float32");
  padded.expect([&](const Index& i) {
    bool inside = i[1] >= 3 && i[2] >= 1 && i[2] < 7;
    return inside ? padded.input("x", {i[0], i[1] - 3, i[2] - 1}) : 7.5;
  });
  Result picked(
      "x = input() -> (3, 100) float32\n"
      "n = input() -> (3, 5) int64\n"
      "g = gather(x, dim=1, index=n) -> (3, 5) float32\n"
      "return g\n");
  picked.expect([&](const Index& i) {
    auto column = static_cast<int64_t>(picked.input("n", i));
    return picked.input("x", {i[0], column});
  });
}

TEST_CASE("1.2 rows that make values", "[1.2]") {
  Result counted(
      "a = arange(start=9, end=0, step=-2, dtype=float32) -> (5) float32\n"
      "return a\n");
  counted.expect([](const Index& i) { return 9.0 - 2.0 * double(i[0]); });
  Result full(
      "f = full(size=[2, 2], fill_value=0.1) -> (2, 2) float32\n"
      "return f\n");
  full.expect([](const Index&) { return double(0.1f); });
}

TEST_CASE("1.2 activations", "[1.2]") {
  struct Row {
    const char* call;
    double (*formula)(double);
  };
  const Row rows[] = {
      {"silu(x)", [](double x) { return x / (1 + std::exp(-x)); }},
      {"gelu(x)",
       [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2)); }},
      {"gelu(x, approximate=\"tanh\")",
       [](double x) {
         double y = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
         return 0.5 * x * (1 + std::tanh(y));
       }},
      {"hardswish(x)",
       [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }},
      {"softplus(x)", [](double x) { return std::log1p(std::exp(x)); }},
      {"mish(x)",
       [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"elu(x, alpha=2.0)",
       [](double x) { return x > 0 ? x : 2 * std::expm1(x); }},
      {"leaky_relu(x, negative_slope=0.25)",
       [](double x) { return x > 0 ? x : x / 4; }},
      {"clamp(x, min=-0.5, max=0.25)",
       [](double x) { return std::fmin(std::fmax(x, -0.5), 0.25); }},
      {"pow(x, 2)", [](double x) { return x * x; }},
      {"pow(x, 3.0)", [](double x) { return x * x * x; }},
      {"pow(x, -2)", [](double x) { return 1 / (x * x); }},
      {"rsub(x, 1.0)", [](double x) { return 1 - x; }},
      {"relu6(x)", [](double x) { return std::fmin(std::fmax(x, 0), 6); }},
  };
  for (const Row& row : rows) {
    INFO(row.call);
    Result r = on_x(row.call, "(3, 4, 6) float32");
    // Constants of a definition are float32.
    std::size_t at = 0;
    sextant::each_index(r.out.shape, [&](const Index& i) {
      CHECK(r.out.elements[at++].value ==
            Approx(row.formula(r.input("x", i))).epsilon(1e-6).margin(1e-6));
    });
  }
}

TEST_CASE("1.2 normalisations", "[1.2]") {
  const std::string inputs =
      "x = input() -> (5, 16) float32\n"
      "w = input() -> (16) float32\n"
      "b = input() -> (16) float32\n";
  auto run = [&](const std::string& call) {
    return Result(inputs + "y = " + call + " -> (5, 16) float32\nreturn y\n");
  };
  auto row_mean = [](const Result& r, int64_t i, auto&& f) {
    double sum = 0;
    for (int64_t k = 0; k < 16; k++)
      sum += f(r.input("x", {i, k}));
    return sum / 16;
  };
  Result rms = run("rms_norm(x, normalized_shape=[16], weight=w, eps=0.01)");
  rms.expect([&](const Index& i) {
    double m = row_mean(rms, i[0], [](double x) { return x * x; });
    return rms.input("x", i) / std::sqrt(m + double(0.01f)) *
           rms.input("w", {i[1]});
  });
  Result layer = run("layer_norm(x, normalized_shape=[16], weight=w, bias=b)");
  layer.expect([&](const Index& i) {
    double mean = row_mean(layer, i[0], [](double x) { return x; });
    double var = row_mean(layer, i[0],
                          [&](double x) { return (x - mean) * (x - mean); });
    return (layer.input("x", i) - mean) / std::sqrt(var + double(1e-5f)) *
               layer.input("w", {i[1]}) +
           layer.input("b", {i[1]});
  });
  Result soft = run("softmax(x, dim=0)");
  auto column_sum = [](const Result& r, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < 5; k++)
      sum += std::exp(r.input("x", {k, j}));
    return sum;
  };
  soft.expect([&](const Index& i) {
    return std::exp(soft.input("x", i)) / column_sum(soft, i[1]);
  });
  Result logs = run("log_softmax(x, dim=0)");
  logs.expect([&](const Index& i) {
    return logs.input("x", i) - std::log(column_sum(logs, i[1]));
  });
}

TEST_CASE("1.2 reductions", "[1.2]") {
  Result sum = on_x("sum(x, dim=[0, 2])", "(4) float32");
  sum.expect([&](const Index& i) {
    double total = 0;
    for (int64_t a = 0; a < 3; a++)
      for (int64_t c = 0; c < 6; c++)
        total += sum.input("x", {a, i[0], c});
    return total;
  });
  Result top = on_x("amax(x, dim=[1], keepdim=True)", "(3, 1, 6) float32");
  top.expect([&](const Index& i) {
    double best = -HUGE_VAL;
    for (int64_t b = 0; b < 4; b++)
      best = std::fmax(best, top.input("x", {i[0], b, i[2]}));
    return best;
  });
  Result var = on_x("var(x, dim=[2])", "(3, 4) float32");
  var.expect([&](const Index& i) {
    double mean = 0, square = 0;
    for (int64_t c = 0; c < 6; c++)
      mean += var.input("x", {i[0], i[1], c}) / 6;
    for (int64_t c = 0; c < 6; c++) {
      double d = var.input("x", {i[0], i[1], c}) - mean;
      square += d * d;
    }
    return square / 5;
  });
  Result std = on_x("std(x, dim=[2], correction=0)", "(3, 4) float32");
  std.expect([&](const Index& i) {
    auto at = static_cast<std::size_t>(i[0] * 4 + i[1]);
    return std::sqrt(var.out.elements[at].value * 5 / 6);
  });
  Result product = on_x("prod(x, dim=[0])", "(4, 6) float32");
  product.expect([&](const Index& i) {
    return product.input("x", {0, i[0], i[1]}) *
           product.input("x", {1, i[0], i[1]}) *
           product.input("x", {2, i[0], i[1]});
  });
  Result sums = on_x("logsumexp(x, dim=[1])", "(3, 6) float32");
  sums.expect([&](const Index& i) {
    double sum = 0;
    for (int64_t b = 0; b < 4; b++)
      sum += std::exp(sums.input("x", {i[0], b, i[1]}));
    return std::log(sum);
  });
}

namespace {

// Attention by its formula; `score` masks or moves a score.
void expect_attention(
    const Result& r, int64_t heads_per_kv, double scale,
    const std::function<double(const Index&, double)>& score) {
  const Index& q = r.in.at("q").shape();
  const Index& k = r.in.at("k").shape();
  r.expect([&](const Index& i) {
    double sum = 0, out = 0;
    for (int64_t s = 0; s < k[2]; s++) {
      double dot = 0;
      for (int64_t d = 0; d < q[3]; d++) {
        dot += r.input("q", {i[0], i[1], i[2], d}) *
               r.input("k", {i[0], i[1] / heads_per_kv, s, d});
      }
      double e = std::exp(score({i[0], i[1], i[2], s}, dot * scale));
      sum += e;
      out += e * r.input("v", {i[0], i[1] / heads_per_kv, s, i[3]});
    }
    return sum == 0 ? 0 : out / sum;
  });
}

}  // namespace

TEST_CASE("1.2 attention", "[1.2]") {
  const std::string grouped =
      "q = input() -> (2, 6, 5, 8) float32\n"
      "k = input() -> (2, 2, 7, 8) float32\n"
      "v = input() -> (2, 2, 7, 4) float32\n"
      "m = input() -> (5, 7) bool\n"
      "b = input() -> (1, 6, 5, 7) float32\n";
  auto run = [&](const std::string& arguments) {
    return Result(grouped + "y = scaled_dot_product_attention(q, k, v" +
                  arguments +
                  ", enable_gqa=True) -> (2, 6, 5, 4) float32\nreturn y\n");
  };
  // The scale is a float32 number.
  double root = double(static_cast<float>(1 / std::sqrt(8.0)));
  Result causal = run(", is_causal=True");
  expect_attention(causal, 3, root, [](const Index& i, double s) {
    return i[3] <= i[2] ? s : -HUGE_VAL;  // top-left
  });
  Result masked = run(", m, scale=0.5");
  expect_attention(masked, 3, 0.5, [&](const Index& i, double s) {
    return masked.input("m", {i[2], i[3]}) != 0 ? s : -HUGE_VAL;
  });
  Result moved = run(", b");
  expect_attention(moved, 3, root, [&](const Index& i, double s) {
    return s + moved.input("b", {0, i[1], i[2], i[3]});
  });
}

TEST_CASE("1.2 attention rounds its weights where the type is a half",
          "[1.2]") {
  for (auto [type, casts] : {std::pair<const char*, int>{"float32", 0},
                             std::pair<const char*, int>{"bfloat16", 2}}) {
    std::string q = std::string("q = input() -> (4, 8) ") + type + "\n";
    torch::Graph graph = torch::expand_composites(
        tables(), parse(q +
                        "y = scaled_dot_product_attention(q, q, q) -> "
                        "(4, 8) " +
                        type + "\nreturn y\n"));
    int down = 0;  // the weights, and the result
    for (const torch::Node& node : graph.nodes)
      down += node.op == "to" && node.type.dtype == DType::BFloat16;
    CHECK(down == casts);
  }
}

TEST_CASE("1.2 a row of scores that is masked entirely gives zeros", "[1.2]") {
  torch::Graph graph = parse(
      "q = input() -> (2, 4) float32\n"
      "k = input() -> (3, 4) float32\n"
      "m = input() -> (2, 3) bool\n"
      "y = scaled_dot_product_attention(q, k, k, m) -> (2, 4) float32\n"
      "return y\n");
  Arrays in = random_inputs(graph, 1);
  for (int64_t i = 0; i < 6; i++)
    in["m"].set(i, {0, i >= 3});
  torch::Reference y = torch::evaluate(tables(), graph, in)[0];
  for (std::size_t i = 0; i < 4; i++) {
    CHECK(y.elements[i].value == 0);
    CHECK(y.elements[i].bound < 1e-6);
    CHECK(y.elements[4 + i].value != 0);
  }
}

TEST_CASE("1.2 halves compute in float32 and round once", "[1.2]") {
  Result r(
      "x = input() -> (64) bfloat16\n"
      "y = silu(x) -> (64) bfloat16\n"
      "return y\n");
  Arrays out = sextant::test::run_on({}, tables(), r.graph, r.in);
  for (int64_t i = 0; i < 64; i++) {
    float x = static_cast<float>(r.input("x", {i}));
    double once = x * static_cast<float>(1 / (1 + std::exp(-double(x))));
    CHECK(out["y"].at(i).f ==
          sextant::round_to(DType::BFloat16, static_cast<float>(once)));
    // One rounding of bfloat16 and a little: two would allow 2^-7.
    const torch::Ball& ball = r.out.elements[static_cast<std::size_t>(i)];
    CHECK(ball.bound < 0x1.1p-8 * std::fabs(ball.value) + 1e-30);
  }
}
