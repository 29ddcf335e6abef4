// The text of Torch IR: what is printed is read back, and what cannot be read
// is told with its place.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/syntax.h"
#include "tests/01-torch-ir/device.h"
#include "tests/golden.h"

namespace {

using sextant::Error;
using sextant::Name;
using sextant::test::complaint;
using sextant::test::parse;
using sextant::test::tables;
namespace torch = sextant::torch;
using torch::Arg;

std::string text_of(const torch::Graph& graph) {
  return torch::print_graph(tables(), graph).text;
}

// The rendered error of reading a text.
std::string error_of(const std::string& text) {
  try {
    torch::parse_graph(tables(), text, "f.txt");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("1.1 the seed's program is its inputs, four values and a result",
          "[1.1]") {
  using sextant::DType;
  torch::GraphBuilder b(tables());
  Name x = b.input("x", {{16, 64}, DType::Float32});
  Name bias = b.input("bias", {{64}, DType::Float32});
  Name w = b.input("w", {{64, 16}, DType::Float32}, sextant::Role::Weight);
  Name add = b.call("add", {Arg::of(x), Arg::of(bias)})[0];
  Name product = b.call("matmul", {Arg::of(add), Arg::of(w)})[0];
  torch::Graph graph = b.finish(b.call("relu", {Arg::of(product)}));
  std::string expected =
      "sextant torch\n"
      "x = input() -> (16, 64) float32\n"
      "bias = input() -> (64) float32\n"
      "w = weight() -> (64, 16) float32\n"
      "bias_bc = expand(bias, size=[16, 64]) -> (16, 64) float32\n"
      "add = add(x, bias_bc) -> (16, 64) float32\n"
      "matmul = matmul(add, w) -> (16, 16) float32\n"
      "relu = relu(matmul) -> (16, 16) float32\n"
      "return relu\n";
  CHECK(text_of(graph) == expected);
  CHECK(torch::parse_graph(tables(), expected, "t") == graph);
}

TEST_CASE("1.1 every golden is legal and printed as it is", "[1.1][golden]") {
  // The first stage of each program is made by the language of -c, or written
  // by hand; here it is only read.
  const std::filesystem::path root = SEXTANT_SOURCE_DIR;
  std::set<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "golden")) {
    std::filesystem::path path = entry.path() / "1_torch.txt";
    if (std::filesystem::exists(path)) {
      paths.insert(std::filesystem::relative(path, root).string());
    }
  }
  CHECK(paths.count("golden/seed/1_torch.txt") == 1);
  for (const std::string& path : paths) {
    INFO(path);
    torch::Graph graph =
        torch::parse_graph(tables(), sextant::test::read_golden(path), path);
    torch::verify(tables(), graph);
    sextant::test::expect_golden(path, text_of(graph));
  }
}

TEST_CASE("1.1 names: the operation's, then numbered; unnamed inputs x0, x1",
          "[1.1]") {
  torch::GraphBuilder b(tables());
  CHECK(b.input("", {{2}, {}}) == "x0");
  CHECK(b.input("", {{2}, {}}) == "x1");
  CHECK(b.call("exp", {Arg::of("x0")})[0] == "exp");
  CHECK(b.call("exp", {Arg::of("x1")})[0] == "exp_1");
  CHECK(b.input("log", {{2}, {}}) == "log");
  CHECK(b.call("log", {Arg::of("x0")})[0] == "log_1");
}

TEST_CASE("1.1 what is printed is read back", "[1.1]") {
  torch::Graph graph = parse(
      "symbol rows in 1..4096 multiple_of=4 hint=32\n"
      "x = input() -> (rows, 64) float32\n"
      "w = weight() -> (64) float32\n"
      "ids = input() -> (3) int64\n"
      "flag = input() -> () bool\n"
      "w_bc = expand(w, size=[rows, 64]) -> (rows, 64) float32\n"
      "add = add(x, w_bc, alpha=2) -> (rows, 64) float32\n"
      "mul = mul(add, 0.125) -> (rows, 64) float32\n"
      "rms = rms_norm(mul, normalized_shape=[64], weight=w) -> (rows, 64) "
      "float32\n"
      "ln = layer_norm(mul, normalized_shape=[64], bias=w, eps=1e-06) -> "
      "(rows, 64) float32\n"
      "gelu = gelu(ln, approximate=\"tanh\") -> (rows, 64) float32\n"
      "to = to(gelu, dtype=float16) -> (rows, 64) float16\n"
      "cat = cat([rms, gelu], dim=1) -> (rows, 128) float32\n"
      "view = view(cat, size=[rows, -1, 32]) -> (rows, 4, 32) float32\n"
      "sum = sum(view, dim=[0, 2], keepdim=True) -> (1, 4, 1) float32\n"
      "all = sum(view) -> () float32\n"
      "inf = full(size=[2], fill_value=-inf) -> (2) float32\n"
      "last = slice(ids, start=1) -> (2) int64\n"
      "no = logical_not(flag) -> () bool\n"
      "return to, sum, all, inf, last, no\n");
  std::string text = text_of(graph);
  torch::Graph again = torch::parse_graph(tables(), text, "t");
  CHECK(again == graph);
  CHECK(text_of(again) == text);
}

TEST_CASE("1.1 a long line is broken and read back", "[1.1]") {
  torch::Graph graph = parse(
      "a_rather_long_name_of_an_input = input() -> (2, 3) float32\n"
      "another_rather_long_name_of_one = input() -> (2, 3) float32\n"
      "cat = cat([a_rather_long_name_of_an_input, "
      "another_rather_long_name_of_one], dim=1) -> (2, 6) float32\n"
      "return cat\n");
  std::string text = text_of(graph);
  std::size_t column = 0;
  for (char c : text) {
    column = c == '\n' ? 0 : column + 1;
    CHECK(column <= 80);
  }
  CHECK(torch::parse_graph(tables(), text, "t") == graph);
}

TEST_CASE("1.1 each line knows what it came from", "[1.1]") {
  torch::GraphBuilder b(tables());
  sextant::Source source;
  source.op = "torch.relu";
  source.module = "model.mlp";
  b.input("x", {{2}, {}});
  b.input("y", {{2, 2}, {}});
  torch::Graph graph =
      b.finish(b.call("add", {Arg::of("x"), Arg::of("y")}, {}, source));
  REQUIRE(graph.sources.size() == 3);
  CHECK(graph.sources[2].op == "torch.relu");
  CHECK(graph.sources[2].value == "add");
  // The broadcast that a call needs comes from the call.
  CHECK(graph.node("x_bc")->origin == sextant::Origin{2});
  sextant::Text text = torch::print_graph(tables(), graph);
  CHECK(text.origins.at(4) == sextant::Origin{2});
}

TEST_CASE("1.1 what cannot be read is told with its place", "[1.1]") {
  CHECK(error_of("sextant loop\n") ==
        "f.txt:1:1: error: expected 'sextant torch' in the first line\n"
        "  sextant loop\n"
        "  ^");
  CHECK(error_of("sextant torch\nx = input() -> (2] float32\nreturn x\n") ==
        "f.txt:2:18: error: expected a symbol, a value 'x = op(...) -> (16, "
        "64) float32', or return\n"
        "  x = input() -> (2] float32\n"
        "                   ^");
  CHECK(error_of("sextant torch\nx = input() -> (2) float32\n")
            .find("expected 'return'") != std::string::npos);
  CHECK(error_of("sextant torch\nx = inpt() -> (2) float32\nreturn x\n") ==
        "f.txt:2:1: error: no operation 'inpt' in the op table\n"
        "  x = inpt() -> (2) float32\n"
        "  ^");
}

TEST_CASE("1.1 several faults are told at once", "[1.1]") {
  try {
    parse(
        "x = input() -> (2) float32\n"
        "y = exp(z) -> (2) float32\n"
        "x = log(x) -> (2) float32\n"
        "s = softmax(x, dim=1) -> (2) float32\n"
        "return q\n");
    FAIL("accepted");
  } catch (const Error& e) {
    REQUIRE(e.diagnostics().size() == 4);
    CHECK(e.diagnostics()[0].message == "the value 'z' is not made before");
    CHECK(e.diagnostics()[0].where.line == 3);
    CHECK(e.diagnostics()[1].message == "two values named 'x'");
    CHECK(e.diagnostics()[2].message ==
          "Dimension out of range (expected to be in range of [-1, 0], but "
          "got 1)");
    CHECK(e.diagnostics()[3].message ==
          "the output 'q' is no value of the graph");
  }
}

TEST_CASE("1.1 a graph that lies about a type is refused", "[1.1]") {
  std::string x = "x = input() -> (2, 3) float32\n";
  CHECK(complaint(x + "y = exp(x) -> (2, 3) float16\nreturn y\n") ==
        "exp makes [2, 3] float32, not [2, 3] float16");
  CHECK(complaint(x + "y = exp(x) -> (3, 2) float32\nreturn y\n") ==
        "exp makes [2, 3] float32, not [3, 2] float32");
  CHECK(complaint(x + "w = input() -> (3) float32\n"
                      "y = add(x, w) -> (2, 3) float32\nreturn y\n") ==
        "operands of add have shapes [2, 3] and [3]: broadcast by expand");
  CHECK(complaint("x = input() -> (n, 3) float32\nreturn x\n") ==
        "no symbol named 'n'");
  CHECK(complaint("symbol k in 1..8 hint=4\n" + x + "return x\n") ==
        "a symbol may not be named 'k': an index is");
  CHECK(complaint(x + "y = chunk(x, chunks=2) -> (1, 3) float32\nreturn y\n") ==
        "chunk has several results: write slices");
}
