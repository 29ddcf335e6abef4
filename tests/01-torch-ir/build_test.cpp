// Building graphs: schemas, binding, inference, names, broadcasts.
#include <catch2/catch.hpp>

#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/syntax.h"

using namespace sextant;         // NOLINT: tests
using namespace sextant::torch;  // NOLINT

namespace {

const Tables& tables() {
  static const Tables all = all_tables();
  return all;
}

std::string text_of_graph(const Graph& graph) {
  return print_graph(tables(), graph).text;
}

}  // namespace

TEST_CASE("1.1 the seed's program is six lines and its result", "[1.1]") {
  GraphBuilder b(tables());
  Name x = b.input("x", {{16, 64}, DType::Float32});
  Name bias = b.input("bias", {{64}, DType::Float32});
  Name w = b.input("w", {{64, 16}, DType::Float32});
  Name add = b.call("add", {Arg::of(x), Arg::of(bias)})[0];
  Name mm = b.call("matmul", {Arg::of(add), Arg::of(w)})[0];
  Name relu = b.call("relu", {Arg::of(mm)})[0];
  Graph graph = b.finish({relu});
  std::string expected =
      "sextant torch\n"
      "x = input() -> (16, 64) float32\n"
      "bias = input() -> (64) float32\n"
      "w = input() -> (64, 16) float32\n"
      "bias_bc = expand(bias, size=[16, 64]) -> (16, 64) float32\n"
      "add = add(x, bias_bc) -> (16, 64) float32\n"
      "matmul = matmul(add, w) -> (16, 16) float32\n"
      "relu = relu(matmul) -> (16, 16) float32\n"
      "return relu\n";
  CHECK(text_of_graph(graph) == expected);
  verify(tables(), graph);
  CHECK(parse_graph(tables(), expected, "t") == graph);
}

TEST_CASE("1.4 softmax becomes its definition", "[1.4]") {
  GraphBuilder b(tables());
  Name x = b.input("", {{2, 8}, DType::Float16});
  Name y = b.call("softmax", {Arg::of(x)}, {{"dim", Arg::of(-1)}})[0];
  Graph graph = b.finish({y});
  verify(tables(), graph);
  Graph expanded = expand_composites(tables(), graph);
  verify(tables(), expanded);
  CHECK(text_of_graph(expanded) ==
        "sextant torch\n"
        "x0 = input() -> (2, 8) float16\n"
        "softmax_to = to(x0, dtype=float32) -> (2, 8) float32\n"
        "softmax_amax = amax(softmax_to, dim=[-1], keepdim=True) -> (2, 1) "
        "float32\n"
        "softmax_amax_bc = expand(softmax_amax, size=[2, 8]) -> (2, 8) "
        "float32\n"
        "softmax_sub = sub(softmax_to, softmax_amax_bc) -> (2, 8) float32\n"
        "softmax_exp = exp(softmax_sub) -> (2, 8) float32\n"
        "softmax_sum = sum(softmax_exp, dim=[-1], keepdim=True) -> (2, 1) "
        "float32\n"
        "softmax_sum_bc = expand(softmax_sum, size=[2, 8]) -> (2, 8) "
        "float32\n"
        "softmax_div = div(softmax_exp, softmax_sum_bc) -> (2, 8) float32\n"
        "softmax = to(softmax_div, dtype=float16) -> (2, 8) float16\n"
        "return softmax\n");
}
