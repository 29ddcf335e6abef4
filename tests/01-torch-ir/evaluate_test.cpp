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
using sextant::Random;
using sextant::test::Device;
using sextant::test::random_inputs;
using sextant::test::run_on;
using sextant::test::tables;
namespace torch = sextant::torch;

torch::Graph parse(const std::string& lines) {
  torch::Graph graph =
      torch::parse_graph(tables(), "sextant torch\n" + lines, "test");
  torch::verify(tables(), graph);
  return graph;
}

double ref(const torch::Reference& r, std::size_t i) {
  return r.elements.at(i).value;
}

}  // namespace

TEST_CASE("1.4 matmul is a sum of products", "[1.4]") {
  torch::Graph graph = parse(
      "a = input() -> (3, 5) float32\n"
      "b = input() -> (5, 4) float32\n"
      "c = matmul(a, b) -> (3, 4) float32\n"
      "return c\n");
  Arrays in = random_inputs(graph, 1);
  torch::Reference c = torch::evaluate(tables(), graph, in)[0];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) {
      double sum = 0;
      for (int k = 0; k < 5; k++)
        sum += in["a"].at(i * 5 + k).f * in["b"].at(k * 4 + j).f;
      CHECK(ref(c, static_cast<std::size_t>(i * 4 + j)) ==
            Approx(sum).margin(1e-12));
    }
  }
}

TEST_CASE("1.4 speed of a contraction", "[.speed]") {
  torch::Graph graph = parse(
      "a = input() -> (256, 1024) float32\n"
      "b = input() -> (1024, 256) float32\n"
      "c = matmul(a, b) -> (256, 256) float32\n"
      "return c\n");
  Arrays in = random_inputs(graph, 1);
  torch::Reference c = torch::evaluate(tables(), graph, in)[0];
  CHECK(c.elements.size() == 65536);
}

TEST_CASE("1.4 bounds hold", "[1.4]") {
  torch::Graph graph = parse(
      "x = input() -> (16, 64) float32\n"
      "w = input() -> (64) float32\n"
      "y = rms_norm(x, normalized_shape=[64], weight=w) -> (16, 64) float32\n"
      "s = softmax(y, dim=-1) -> (16, 64) float32\n"
      "return s\n");
  Arrays in = random_inputs(graph, 1);
  torch::Reference s = torch::evaluate(tables(), graph, in)[0];
  Arrays out = run_on(Device{4, -1, false, false}, tables(), graph, in);
  torch::Comparison c = torch::compare(out["s"], s);
  INFO(torch::to_string(c));
  CHECK(c.pass);
}
