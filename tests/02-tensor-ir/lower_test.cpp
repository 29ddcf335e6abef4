// The lowering: goldens, and agreement with the Torch reference within its
// bound, before and after every pass.
#include "chapters/02-tensor-ir/lower.h"

#include <catch2/catch.hpp>

#include "chapters/01-torch-ir/evaluate.h"
#include "chapters/01-torch-ir/syntax.h"
#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/passes.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/02-tensor-ir/verify.h"
#include "tests/folders.h"
#include "tests/golden.h"
#include "tests/report.h"

namespace sextant {
namespace {

torch::Graph read(const Tables& tables, const std::string& text) {
  torch::Graph graph = torch::parse_graph(tables, text, "test");
  torch::verify(tables, graph);
  return graph;
}

Arrays inputs_for(const torch::Graph& graph, const Values& symbols,
                  uint64_t seed) {
  Arrays arrays;
  for (const torch::Node& n : graph.nodes) {
    if (n.op != "input" && n.op != "weight") continue;
    std::vector<int64_t> shape = tensor::evaluate_shape(n.type.shape, symbols);
    arrays[n.name] = random_array(n.type.dtype, shape, seed, n.name);
  }
  return arrays;
}

// Lowers, and compares what every text on the way means with the reference.
void agrees(const Tables& tables, const torch::Graph& graph,
            const Values& symbols = {}) {
  Arrays inputs = inputs_for(graph, symbols, 1);
  std::vector<torch::Reference> expected =
      torch::evaluate(tables, graph, inputs, symbols);
  PassContext context;
  context.tables = &tables;
  int texts = 0;
  context.observe = [&](const std::string&, const std::string& pass,
                        const std::string& text) {
    INFO(pass << "\n" << text);
    texts++;
    tensor::Graph read_back = tensor::parse_graph(text, "test");
    REQUIRE(tensor::print_graph(read_back).text == text);
    Arrays got = tensor::interpret(read_back, tables, inputs, symbols);
    for (std::size_t i = 0; i < expected.size(); i++) {
      torch::Comparison c =
          torch::compare(got.at(read_back.outputs[i]), expected[i]);
      INFO(torch::to_string(c));
      REQUIRE(c.pass);
    }
  };
  tensor::compile(graph, context);
  REQUIRE(texts == static_cast<int>(tensor::passes().size()) + 1);
}

// Elements of the largest value: what interpreting costs.
int64_t largest(const tensor::Graph& graph) {
  int64_t most = 0;
  for (const tensor::Value& v : graph.values) {
    int64_t n = 1;
    for (const Dim& d : v.shape)
      n *= constant(d).value_or(1);
    most = std::max(most, n);
  }
  return most;
}

}  // namespace

TEST_CASE("2.4 every golden program", "[2.4][golden]") {
  Tables tables = all_tables();
  for (const std::string& folder : test::golden_with("1_torch.txt")) {
    INFO(folder);
    std::string text = test::read_golden(folder + "/1_torch.txt");
    torch::Graph graph = read(tables, text);
    CHECK(torch::print_graph(tables, graph).text == text);
    PassContext context;
    context.tables = &tables;
    tensor::Graph lowered = tensor::compile(graph, context);
    std::string printed = tensor::print_graph(lowered).text;
    CHECK(tensor::parse_graph(printed, folder) == lowered);
    test::expect_golden(folder + "/2_tensor.txt", printed);
    if (largest(lowered) > 1 << 18) continue;
    if (graph.symbols.empty()) {
      agrees(tables, graph);
    } else {
      for (int64_t rows : {1, 7, 64})
        agrees(tables, graph, {{graph.symbols[0].name, rows}});
    }
  }
}

TEST_CASE("2.4 one operation of each kind", "[2.4]") {
  const std::string inputs =
      "sextant torch\n"
      "x = input() -> (4, 6) float32\n"
      "y = input() -> (4, 6) float32\n"
      "h = input() -> (4, 6) bfloat16\n"
      "g = input() -> (6, 5) bfloat16\n"
      "e = input() -> (2, 3, 4, 6) float16\n"
      "n = input() -> (4, 6) int64\n"
      "b = input() -> (4, 6) bool\n"
      "v = input() -> (6) float32\n"
      "i = input() -> (2) int64\n"
      "s = input() -> () float32\n"
      "t = weight() -> (100, 3) float32\n"
      "m = input() -> (5, 1, 6, 2) float32\n"
      "w = input() -> (3, 4, 6) float32\n";
  const std::vector<std::string> lines = {
      "sub(x, y, alpha=2) -> (4, 6) float32",
      "div(n, 3) -> (4, 6) float32",
      "add(n, 3) -> (4, 6) int64",
      "mul(h, 0.3) -> (4, 6) bfloat16",
      "lt(x, y) -> (4, 6) bool",
      "where(b, x, y) -> (4, 6) float32",
      "logical_or(b, x) -> (4, 6) bool",
      "to(h, dtype=float32) -> (4, 6) float32",
      "to(x, dtype=int64) -> (4, 6) int64",
      "sum(x) -> () float32",
      "sum(x, dim=[0]) -> (6) float32",
      "sum(h, dim=[1], keepdim=True) -> (4, 1) bfloat16",
      "sum(b, dim=[1]) -> (4) int64",
      "sum(s) -> () float32",
      "amax(h, dim=[0, 1]) -> () bfloat16",
      "amin(n, dim=[-1]) -> (4) int64",
      "any(b, dim=[0]) -> (6) bool",
      "all(x) -> () bool",
      "mean(h, dim=[1]) -> (4) bfloat16",
      "var(x, dim=[1]) -> (4) float32",
      "std(x) -> () float32",
      "matmul(h, g) -> (4, 5) bfloat16",
      "matmul(v, v) -> () float32",
      "matmul(x, v) -> (4) float32",
      "matmul(w, m) -> (5, 3, 4, 2) float32",
      "linear(h, h) -> (4, 4) bfloat16",
      "softmax(h, dim=0) -> (4, 6) bfloat16",
      "log_softmax(x, dim=1) -> (4, 6) float32",
      "logsumexp(x, dim=[1]) -> (4) float32",
      "gelu(h) -> (4, 6) bfloat16",
      "view(x, size=[2, 12]) -> (2, 12) float32",
      "permute(w, dims=[2, 0, 1]) -> (6, 3, 4) float32",
      "expand(v, size=[3, 6]) -> (3, 6) float32",
      "squeeze(m, dim=[1]) -> (5, 6, 2) float32",
      "slice(x, dim=1, start=1, end=6, step=2) -> (4, 3) float32",
      "select(x, dim=0, index=-1) -> (6) float32",
      "cat([x, y, x], dim=0) -> (12, 6) float32",
      "tril(x) -> (4, 6) float32",
      "triu(x, diagonal=1) -> (4, 6) float32",
      "stack([x, y], dim=1) -> (4, 2, 6) float32",
      "repeat_interleave(x, 3, dim=0) -> (12, 6) float32",
      "repeat(x, repeats=[2, 2]) -> (8, 12) float32",
      "flip(x, dims=[1]) -> (4, 6) float32",
      "constant_pad_nd(x, pad=[1, 2], value=0.5) -> (4, 9) float32",
      "embedding(t, n) -> (4, 6, 3) float32",
      "index_select(t, dim=0, index=i) -> (2, 3) float32",
      "full(size=[2, 3], fill_value=0.1, dtype=float16) -> (2, 3) float16",
      "full(size=[2], fill_value=True) -> (2) bool",
      "arange(start=2, end=9, step=3) -> (3) int64",
      "arange(start=0, end=5, dtype=float32) -> (5) float32",
      "scaled_dot_product_attention(e, e, e) -> (2, 3, 4, 6) float16",
      "scaled_dot_product_attention(x, x, x, attn_mask=b, scale=2.0) -> "
      "(4, 6) float32",
  };
  Tables tables = all_tables();
  for (const std::string& line : lines) {
    INFO(line);
    std::string mask = line.find("attn_mask") == std::string::npos
                           ? ""
                           : "c = slice(b, dim=1, start=0, end=4) -> (4, 4) "
                             "bool\n";
    std::string use = line;
    if (!mask.empty()) use.replace(use.find("=b"), 2, "=c");
    agrees(tables,
           read(tables, inputs + mask + "out = " + use + "\nreturn out\n"));
    test::count("operations agreed");
  }
}

TEST_CASE("2.4 values come from the lines that made them", "[2.4]") {
  Tables tables = all_tables();
  torch::Graph graph =
      read(tables, test::read_golden("golden/seed/1_torch.txt"));
  PassContext context;
  context.tables = &tables;
  tensor::Graph lowered = tensor::compile(graph, context);
  std::vector<Name> made;
  for (const tensor::Value& v : lowered.values) {
    for (int source : v.op.origin()) {
      if (graph.sources.at(static_cast<std::size_t>(source)).value == "matmul")
        made.push_back(v.name);
    }
  }
  CHECK(made == std::vector<Name>{"add_bc", "w_bc", "prod", "red", "matmul"});
}

}  // namespace sextant
