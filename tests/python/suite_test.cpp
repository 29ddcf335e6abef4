// The seed's programs, and every program of the performance suite.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "chapters/01-torch-ir/infer.h"
#include "tests/python/python_support.h"

namespace sextant::python {
namespace {

using Json = nlohmann::ordered_json;

torch::Type type_of(const Json& shape, DType dtype) {
  torch::Type type;
  type.dtype = dtype;
  for (const Json& extent : shape)
    type.shape.push_back(extent.get<int64_t>());
  return type;
}

TEST_CASE("the seed's program, unnamed and named", "[A]") {
  CHECK(text_of("torch.relu(torch.matmul(torch.randn(16,64) + "
                "torch.randn(64), torch.randn(64,16)))") ==
        "x0 = input() -> (16, 64) float32\n"
        "x1 = input() -> (64) float32\n"
        "x2 = input() -> (64, 16) float32\n"
        "x1_bc = expand(x1, size=[16, 64]) -> (16, 64) float32\n"
        "add = add(x0, x1_bc) -> (16, 64) float32\n"
        "matmul = matmul(add, x2) -> (16, 16) float32\n"
        "relu = relu(matmul) -> (16, 16) float32\n"
        "return relu\n");
  CHECK(
      text_of("x=torch.randn(16,64); bias=torch.randn(64); "
              "w=torch.randn(64,16); torch.relu(torch.matmul(x + bias, w))") ==
      "x = input() -> (16, 64) float32\n"
      "bias = input() -> (64) float32\n"
      "w = input() -> (64, 16) float32\n"
      "bias_bc = expand(bias, size=[16, 64]) -> (16, 64) float32\n"
      "add = add(x, bias_bc) -> (16, 64) float32\n"
      "matmul = matmul(add, w) -> (16, 16) float32\n"
      "relu = relu(matmul) -> (16, 16) float32\n"
      "return relu\n");
}

TEST_CASE("the seed's softmax and RMSNorm", "[A]") {
  CHECK(text_of("torch.nn.Softmax(dim=-1)(torch.randn(1,28,2048,2048))") ==
        "x0 = input() -> (1, 28, 2048, 2048) float32\n"
        "softmax = softmax(x0, dim=-1) -> (1, 28, 2048, 2048) float32\n"
        "return softmax\n");
  CHECK(text_of("nn.RMSNorm(2048)(torch.randn(1,32,2048))") ==
        "x0 = input() -> (1, 32, 2048) float32\n"
        "weight = weight() -> (2048) float32\n"
        "rms_norm = rms_norm(x0, normalized_shape=[2048], weight=weight) -> "
        "(1, 32,\n    2048) float32\n"
        "return rms_norm\n");
}

TEST_CASE("every program of the suite builds, in every type", "[A]") {
  std::ifstream file("bench/suite.jsonl");
  int programs = 0;
  for (std::string line; std::getline(file, line); programs++) {
    Json row = Json::parse(line);
    std::string name = row["name"];
    CAPTURE(name);
    for (const Json& word : row["dtypes"]) {
      DType dtype = word == "f32" ? DType::Float32 : DType::BFloat16;
      Options options;
      options.default_dtype = dtype;
      for (const auto& input : row["inputs"].items()) {
        options.inputs.emplace_back(input.key(), type_of(input.value(), dtype));
      }
      torch::Graph graph = graph_of(row["code"], options);
      torch::verify(tables(), graph);
      // Each input is used, and everything is of one type.
      std::size_t inputs = 0;
      for (const torch::Node& node : graph.nodes) {
        inputs += node.op == "input";
        CHECK(node.type.dtype == dtype);
        CHECK(!node.origin.empty());
      }
      CHECK(inputs == row["inputs"].size());
      CHECK(graph.outputs.size() == 1);
    }
  }
  CHECK(programs == 155);
}

}  // namespace
}  // namespace sextant::python
