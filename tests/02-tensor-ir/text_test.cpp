// The text of Tensor IR, what is legal in it, and what it means.
#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/02-tensor-ir/verify.h"
#include "tests/report.h"

namespace sextant {
namespace {

using tensor::Graph;

const char* const kSeed = R"(sextant tensor
x = input -> (16, 64) float32
bias = weight -> (64) float32
w = weight -> (64, 16) float32
bias_bc = bias[j] -> (16, 64) float32
add = add(x, bias_bc) -> (16, 64) float32
add_bc = add[i, j] -> (16, 64, 16) float32
w_bc = w[j, k] -> (16, 64, 16) float32
prod = multiply(add_bc, w_bc) -> (16, 64, 16) float32
red = sum(prod, axis=-2) -> (16, 1, 16) float32
matmul = red[i, 0, j] -> (16, 16) float32
relu = relu(matmul) -> (16, 16) float32
return relu
)";

const char* const kOdd = R"(sextant tensor
symbol rows in 1..4096 hint=512
input = input -> (rows, 8) float16
k = weight -> (10, 8) float16
ids = input -> (rows, 2) int64
s = weight -> () float32
low = input[i, 7 - j] if j < 4 else k[3, j] -> (rows, 8) float16
pad = s[] if 2 <= i and i < 5 else -inf -> (rows) float32
rope = iota[i*2 + 1] -> (rows) int64
rows_2 = k[ids[i/8, 1], i%8] -> (rows*8) float16
mask = less_equal(rope, cast(rows, int64)) -> (rows) bool
wide = cast(low, float32) -> (rows, 8) float32
most = max(wide, axis=(-2, -1)) -> (1, 1) float32
every = all(mask, axis=-1) -> (1) bool
zero = 0.0 -> () float32
return most, rows_2, pad, every
)";

Graph parse(const std::string& text) {
  return tensor::parse_graph(text, "test");
}

// The first line of what the verifier says of a text.
std::string complaint(const std::string& body) {
  try {
    tensor::verify(parse("sextant tensor\n" + body), all_tables());
  } catch (const Error& e) {
    test::count("refusals checked");
    return e.diagnostics()[0].message;
  }
  return "";
}

}  // namespace

TEST_CASE("what is printed reads back", "[2.2]") {
  for (const char* text : {kSeed, kOdd}) {
    Graph graph = parse(text);
    CHECK(tensor::print_graph(graph).text == text);
    tensor::verify(graph, all_tables());
  }
}

TEST_CASE("what does not parse is pointed at", "[2.2]") {
  auto message = [](const std::string& text) {
    try {
      parse(text);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(message("sextant loop\n") ==
        "test:1:1: error: expected 'sextant tensor' in the first line\n"
        "  sextant loop\n  ^");
  CHECK(message("sextant tensor\nx = input -> (4) float31\nreturn x\n") ==
        "test:2:25: error: expected a value, 'NAME = ... -> (SHAPE) TYPE', or "
        "'return NAMES'\n  x = input -> (4) float31\n                          "
        "^");
}

TEST_CASE("illegal graphs are refused by name", "[2.2]") {
  const std::string x = "x = input -> (4, 8) float32\n";
  auto of = [&](const std::string& line) {
    return complaint(x + line + "\nreturn x\n");
  };
  CHECK(of("") == "");
  CHECK(of("y = exp(z) -> (4, 8) float32") ==
        "value 'y': 'z' is not computed before it");
  CHECK(of("x = exp(x) -> (4, 8) float32") ==
        "value 'x': the name stands for something else already");
  CHECK(of("y = exp(x) -> (8, 4) float32") ==
        "value 'y': 'x' is (4, 8), not (8, 4)");
  CHECK(of("y = exp(x) -> (4, 8) float16") ==
        "value 'y': its type is float32, not float16");
  CHECK(of("y = add(x, cast(x, float16)) -> (4, 8) float32") ==
        "value 'y': 'add(x, cast(x, float16))' mixes float32 and float16");
  CHECK(of("y = exp(cast(x, float16)) -> (4, 8) float16") ==
        "value 'y': 'exp(cast(x, float16))' computes in float16; cast to "
        "float32 first");
  CHECK(of("y = sum(x, axis=-1) -> (4, 8) float32") ==
        "value 'y': its shape is (4, 1), not (4, 8)");
  CHECK(of("y = sum(x, axis=1) -> (4, 1) float32") ==
        "value 'y': axis 1 of rank 2: axes count from the end, ascending");
  CHECK(of("y = mean(x, axis=-1) -> (4, 1) float32") ==
        "value 'y': no combiner 'mean'");
  CHECK(of("y = x[j, i] -> (4, 8) float32") ==
        "value 'y': index j may lie outside of 4 in axis 0 of 'x'");
  CHECK(of("y = x[j, i] -> (8, 4) float32") == "");
  CHECK(of("y = x[i, j + 1] if j < 7 else 0.0 -> (4, 8) float32") == "");
  CHECK(of("y = x[i, j + 1] if j < 8 else 0.0 -> (4, 8) float32") ==
        "value 'y': index j + 1 may lie outside of 8 in axis 1 of 'x'");
  CHECK(of("y = x[i, j + k - 1] if 1 <= j + k and j + k < 9 else 0.0"
           " -> (4, 8, 3) float32") == "");
  CHECK(of("y = x[i, j] if j < 8 else x[i, j - 8] -> (4, 16) float32") == "");
  CHECK(of("y = x[i, j] if j < 7 else x[i, j - 8] -> (4, 16) float32") ==
        "value 'y': index j - 8 may lie outside of 8 in axis 1 of 'x'");
  CHECK(of("y = x[i, j] if j < 4 -> (4, 8) float32") ==
        "value 'y': no piece holds everywhere");
  CHECK(of("y = x[i, j] if j < 4 else 0 -> (4, 8) float32") ==
        "value 'y': '0' is no constant of type float32");
  CHECK(of("y = x[i, k] -> (4, 8) float32") ==
        "value 'y': 'k' is no index of 2 axes");
  CHECK(of("y = x[i] -> (4) float32") == "value 'y': 'x' has 2 axes, not 1");
  CHECK(of("y = x -> (4, 8) float32") ==
        "value 'y': a copy computes nothing; use 'x' itself");
  CHECK(of("y = x[x[i, j], j] -> (4, 8) float32") ==
        "value 'y': 'x' is float32, an index is int64");
}

TEST_CASE("the seed's program means matmul of x + bias", "[2.2]") {
  Arrays in = {{"x", random_array(DType::Float32, {16, 64}, 1, "x")},
               {"bias", random_array(DType::Float32, {64}, 1, "bias")},
               {"w", random_array(DType::Float32, {64, 16}, 1, "w")}};
  Arrays out = tensor::interpret(parse(kSeed), all_tables(), in);
  for (int64_t i = 0; i < 16; i++) {
    for (int64_t j = 0; j < 16; j++) {
      float sum = 0;
      for (int64_t k = 0; k < 64; k++) {
        auto x = static_cast<float>(in["x"].at(i * 64 + k).f);
        auto b = static_cast<float>(in["bias"].at(k).f);
        sum += (x + b) * static_cast<float>(in["w"].at(k * 16 + j).f);
      }
      CHECK(out["relu"].at(i * 16 + j).f == (sum > 0 ? sum : 0));
    }
  }
}

TEST_CASE("guards, gathers, symbols and halves mean what they say", "[2.2]") {
  Arrays in = {{"input", random_array(DType::Float16, {6, 8}, 1, "input")},
               {"k", random_array(DType::Float16, {10, 8}, 1, "k")},
               {"ids", Array(DType::Int64, {6, 2})},
               {"s", random_array(DType::Float32, {}, 1, "s")}};
  for (int64_t i = 0; i < 12; i++)
    in["ids"].set(i, {0, i % 10});
  Arrays out = tensor::interpret(parse(kOdd), all_tables(), in, {{"rows", 6}});
  CHECK(out["low"].at(8 + 1).f == in["input"].at(8 + 6).f);
  CHECK(out["low"].at(8 + 5).f == in["k"].at(3 * 8 + 5).f);
  CHECK(out["pad"].at(2).f == in["s"].at(0).f);
  CHECK(out["pad"].at(5).f == -INFINITY);
  CHECK(out["rope"].at(4).i == 9);
  CHECK(out["rows_2"].at(8 * 3 + 5).f == in["k"].at(7 * 8 + 5).f);
  CHECK(out["every"].at(0).i == 0);
  in["ids"].set(3, {0, 10});
  CHECK_THROWS_WITH(
      tensor::interpret(parse(kOdd), all_tables(), in, {{"rows", 6}}),
      "error: 'rows_2' reads index 10 of an axis of 10 of 'k'");
}

}  // namespace sextant
