// The passes: what each does to a text, and that none changes a bit.
#include "chapters/02-tensor-ir/passes.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "chapters/02-tensor-ir/compose.h"
#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/02-tensor-ir/verify.h"
#include "tests/02-tensor-ir/random_graph.h"
#include "tests/report.h"

namespace sextant {
namespace {

using tensor::Graph;

Graph parse(const std::string& body) {
  Graph graph = tensor::parse_graph("sextant tensor\n" + body, "test");
  tensor::verify(graph, all_tables());
  return graph;
}

using PassFunction = Graph (*)(const Graph&, PassContext&);

// The text after a pass, without its first line.
std::string after(PassFunction pass, const std::string& body) {
  Tables tables = all_tables();
  PassContext context;
  context.tables = &tables;
  Graph graph = pass(parse(body), context);
  tensor::verify(graph, tables);
  return tensor::print_graph(graph).text.substr(15);
}

const std::string kX = "x = input -> (4, 8) float32\n";

}  // namespace

TEST_CASE("maps of maps are one map", "[2.3]") {
  auto of = [](const std::string& lines) {
    std::string text = after(tensor::compose_maps, kX + lines);
    return text.substr(kX.size());
  };
  // The inner map stays for who else reads it; another pass removes it.
  CHECK(of("t = x[j, i] -> (8, 4) float32\n"
           "y = t[i + 2, j] -> (6, 4) float32\n"
           "return y\n") ==
        "t = x[j, i] -> (8, 4) float32\n"
        "y = x[j, i + 2] -> (6, 4) float32\n"
        "return y\n");
  // A reshape there and back moves nothing.
  CHECK(of("f = x[i/8, i%8] -> (32) float32\n"
           "y = f[i*8 + j] -> (4, 8) float32\n"
           "z = exp(y) -> (4, 8) float32\n"
           "return z\n") ==
        "f = x[i/8, i%8] -> (32) float32\n"
        "z = exp(x) -> (4, 8) float32\n"
        "return z\n");
  // Predicates meet; one that always holds goes.
  CHECK(of("p = x[i, j - 1] if 1 <= j else 0.0 -> (4, 9) float32\n"
           "y = p[i, j + 1] -> (4, 8) float32\n"
           "z = p[i, j + 4] if j <= i else 0.0 -> (4, 5) float32\n"
           "w = p[i, 0] -> (4) float32\n"
           "u = add(x, y) -> (4, 8) float32\n"
           "return z, w, u\n") ==
        "p = x[i, j - 1] if 1 <= j else 0.0 -> (4, 9) float32\n"
        "z = x[i, j + 3] if j <= i else 0.0 -> (4, 5) float32\n"
        "w = 0.0 -> (4) float32\n"
        "u = add(x, x) -> (4, 8) float32\n"
        "return z, w, u\n");
  // Halves put together again are the whole.
  CHECK(of("a = x[i, j] -> (4, 4) float32\n"
           "b = x[i, j + 4] -> (4, 4) float32\n"
           "c = a[i, j] if j < 4 else b[i, j - 4] -> (4, 8) float32\n"
           "r = b[i, j] if j < 4 else a[i, j - 4] -> (4, 8) float32\n"
           "y = exp(c) -> (4, 8) float32\n"
           "return y, r\n") ==
        "a = x[i, j] -> (4, 4) float32\n"
        "b = x[i, j + 4] -> (4, 4) float32\n"
        "r = x[i, j + 4] if j < 4 else x[i, j - 4] -> (4, 8) float32\n"
        "y = exp(x) -> (4, 8) float32\n"
        "return y, r\n");
  // Two different constants do not fit in one map.
  const std::string two =
      "a = x[i, j] if j <= i else 1.0 -> (4, 8) float32\n"
      "y = a[i, j] if j < 2 else 0.0 -> (4, 8) float32\n"
      "return y\n";
  CHECK(of(two) == two);
}

TEST_CASE("maps through loaded indices and iota", "[2.3]") {
  CHECK(after(tensor::compose_maps,
              "table = weight -> (10, 4) float32\n"
              "ids = input -> (2, 3) int64\n"
              "flat = ids[i/3, i%3] -> (6) int64\n"
              "y = table[flat[i], j] -> (6, 4) float32\n"
              "n = iota[i + 2] -> (4) int64\n"
              "m = n[i*2] -> (2) int64\n"
              "z = table[n[i], 1] -> (4) float32\n"
              "return y, z, m\n") ==
        "table = weight -> (10, 4) float32\n"
        "ids = input -> (2, 3) int64\n"
        "flat = ids[i/3, i%3] -> (6) int64\n"
        "y = table[ids[i/3, i%3], j] -> (6, 4) float32\n"
        "n = iota[i + 2] -> (4) int64\n"
        "m = iota[i*2 + 2] -> (2) int64\n"
        "z = table[i + 2, 1] -> (4) float32\n"
        "return y, z, m\n");
}

TEST_CASE("constants fold where no bit changes", "[2.5]") {
  auto of = [](const std::string& value, const std::string& type = "float32") {
    std::string text =
        after(tensor::fold_constants,
              kX +
                  "h = input -> (4, 8) bfloat16\nn = input -> (4, 8) int64\n"
                  "c = 3.0 -> () float32\nb = c[] -> (4, 8) float32\n"
                  "y = " +
                  value + " -> (4, 8) " + type +
                  "\n"
                  "z = cast(y, bool) -> (4, 8) bool\nreturn z\n");
    std::size_t at = text.find("\ny = ");
    std::size_t from = at == std::string::npos ? text.find("z = ") : at + 1;
    return text.substr(from, text.find(" ->", from) - from);
  };
  CHECK(of("multiply(x, b)") == "y = multiply(x, 3.0)");
  CHECK(of("multiply(x, divide(b, 3.0))") == "z = cast(x, bool)");
  CHECK(of("add(x, divide(1.0, b))") == "y = add(x, 0.33333334)");
  CHECK(of("subtract(x, 0.0)") == "z = cast(x, bool)");
  CHECK(of("add(x, 0.0)") == "y = add(x, 0.0)");
  CHECK(of("add(x, exp(1.0))") == "y = add(x, exp(1.0))");  // not exact
  CHECK(of("add(x, sqrt(4.0))") == "y = add(x, 2.0)");
  CHECK(of("cast(cast(h, float32), bfloat16)", "bfloat16") ==
        "z = cast(h, bool)");
  CHECK(of("cast(cast(x, bfloat16), float32)") ==
        "y = cast(cast(x, bfloat16), float32)");
  CHECK(of("add(n, multiply(2, 3))", "int64") == "y = add(n, 6)");
  CHECK(of("where(less(1, 2), x, b)") == "z = cast(x, bool)");
  CHECK(of("where(cast(x, bool), b, b)") == "y = 3.0");
}

TEST_CASE("scalar rules hold bit for bit", "[2.5]") {
  Tables tables = all_tables();
  const std::vector<double> floats = {0.0,        -0.0,      1.0,      -1.5,
                                      INFINITY,   -INFINITY, 0x1p-149, 0x1p127,
                                      0x1.8p-130, 3.4e38,    0.1};
  const std::vector<int64_t> integers = {0, 1, -1, 7, INT64_MAX, INT64_MIN};
  for (const Rule& rule : tensor::scalar_rules()) {
    Expr from = parse_expr(rule.from), to = parse_expr(rule.to);
    bool whole = std::string(rule.from).find(".0") == std::string::npos;
    auto same = [&](Scalar x, DType dtype, int64_t c) {
      auto type = [&](const Name& n) { return n == "c" ? DType::Bool : dtype; };
      auto value = [&](const Var& v) {
        return v.name == "c" ? Scalar{0, c} : x;
      };
      Scalar a = compute(tables, from, type, value);
      Scalar b = compute(tables, to, type, value);
      Array pair(dtype, {2});
      pair.set(0, a);
      pair.set(1, b);
      auto half =
          pair.bytes().begin() + static_cast<std::ptrdiff_t>(size_of(dtype));
      return std::equal(pair.bytes().begin(), half, half);
    };
    INFO(rule.from);
    for (int64_t c : {0, 1}) {
      if (!whole || std::string(rule.from).find("where") == 0) {
        for (double f : floats)
          CHECK(same({f, 0}, DType::Float32, c));
      }
      if (!whole) continue;
      for (int64_t i : integers)
        CHECK(same({0, i}, DType::Int64, c));
    }
  }
}

TEST_CASE("equal values merge, unused ones go", "[2.4]") {
  const std::string body = kX +
                           "a = exp(x) -> (4, 8) float32\n"
                           "b = exp(x) -> (4, 8) float32\n"
                           "c = add(a, b) -> (4, 8) float32\n"
                           "d = add(b, a) -> (4, 8) float32\n"
                           "e = sum(d, axis=-1) -> (4, 1) float32\n";
  CHECK(after(tensor::merge_equal, body + "return d\n") ==
        kX + "a = exp(x) -> (4, 8) float32\n"
             "c = add(a, a) -> (4, 8) float32\n"
             "d = add(a, a) -> (4, 8) float32\n"
             "e = sum(d, axis=-1) -> (4, 1) float32\n"
             "return d\n");
  CHECK(after(tensor::remove_unused, body + "return c\n") ==
        kX + "a = exp(x) -> (4, 8) float32\n"
             "b = exp(x) -> (4, 8) float32\n"
             "c = add(a, b) -> (4, 8) float32\n"
             "return c\n");
}

TEST_CASE("passes keep account of where values came from", "[2.4]") {
  Graph graph = parse(kX +
                      "t = x[j, i] -> (8, 4) float32\n"
                      "y = t[i, j] if j < 2 else 0.0 -> (8, 4) float32\n"
                      "a = exp(y) -> (8, 4) float32\n"
                      "b = exp(y) -> (8, 4) float32\n"
                      "c = add(a, b) -> (8, 4) float32\n"
                      "return c\n");
  for (std::size_t i = 0; i < graph.values.size(); i++) {
    tensor::Op& op = graph.values[i].op;
    op = op.with_origin({static_cast<int>(i)});
  }
  Tables tables = all_tables();
  PassContext context;
  context.tables = &tables;
  for (const auto& pass : tensor::passes())
    graph = pass.run(graph, context);
  CHECK(graph.value("y")->op.origin() == Origin{1, 2});
  CHECK(graph.value("a")->op.origin() == Origin{3, 4});
  CHECK(graph.value("c")->op.origin() == Origin{5});
}

TEST_CASE("300 random graphs mean the same after every pass", "[2.4]") {
  Tables tables = all_tables();
  int changed = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    Graph graph = test::random_graph(seed, 14);
    std::string text = tensor::print_graph(graph).text;
    INFO("seed " << seed << "\n" << text);
    REQUIRE_NOTHROW(tensor::verify(graph, tables));
    REQUIRE(tensor::parse_graph(text, "random") == graph);
    Arrays inputs = test::random_inputs(graph, seed);
    Arrays before = tensor::interpret(graph, tables, inputs);
    PassContext context;
    context.tables = &tables;
    for (const auto& pass : tensor::passes()) {
      Graph next = pass.run(graph, context);
      changed += !(next == graph);
      graph = next;
      INFO(pass.name << "\n" << tensor::print_graph(graph).text);
      REQUIRE_NOTHROW(tensor::verify(graph, tables));
      Arrays values = tensor::interpret(graph, tables, inputs);
      for (const Name& name : graph.outputs)
        REQUIRE(values.at(name) == before.at(name));
    }
  }
  CHECK(changed > 300);
  test::count("random programs agreed", 300);
}

}  // namespace sextant
