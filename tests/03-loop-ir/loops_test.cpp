// Where statements go, what they cost, and how axes are tidied up: each on the
// smallest program that shows it.
#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/03-loop-ir/lower.h"
#include "chapters/03-loop-ir/price.h"
#include "chapters/03-loop-ir/syntax.h"
#include "tests/03-loop-ir/programs.h"
#include "tests/03-loop-ir/support.h"

namespace sextant::loop {
namespace {

Program lowered(const std::string& text, const std::string& fuse) {
  PassContext context;
  context.tables = &test::tables();
  tensor::Graph graph = tensor::parse_graph("sextant tensor\n" + text, "test");
  return lower(graph, fuse, "sm_90a", context);
}

// The first kernel's text.
std::string kernel(const Program& program) {
  std::string text = print_program(program, "loop").text;
  return text.substr(text.find("kernel "));
}

TEST_CASE("3.4 two sums over one row share its loop", "[3.4]") {
  CHECK(kernel(lowered(R"(x = input -> (8, 64) float32
s = sum(x, axis=-1) -> (8, 1) float32
sq = multiply(x, x) -> (8, 64) float32
q = sum(sq, axis=-1) -> (8, 1) float32
y = add(s, q) -> (8, 1) float32
return y
)",
                       "")) == R"(kernel k_y:
  for a0 in 0..8:
    for a1 in 0..64:  # reduce acc0=add, acc1=add
      in0 = load x[a0, a1]
      acc0 <- add(acc0, in0)
      v0 = multiply(in0, in0)
      acc1 <- add(acc1, v0)
    v1 = add(acc0, acc1)
    store y[a0] = v1
)");
}

TEST_CASE("3.4 one sum after another has a loop of its own", "[3.4]") {
  std::string text = kernel(lowered(R"(x = input -> (8, 64) float32
s = sum(x, axis=-1) -> (8, 1) float32
s_bc = s[i, 0] -> (8, 64) float32
d = subtract(x, s_bc) -> (8, 64) float32
q = sum(d, axis=-1) -> (8, 1) float32
return q
)",
                                    ""));
  INFO(text);
  CHECK(text.find("# reduce acc0=add\n") < text.find("# reduce acc1=add\n"));
}

TEST_CASE("3.4 what does not depend on a loop stands outside it", "[3.4]") {
  CHECK(kernel(lowered(R"(x = input -> (8, 64) float32
g = input -> (8) float32
e = exp(g) -> (8) float32
e_bc = e[i] -> (8, 64) float32
y = multiply(x, e_bc) -> (8, 64) float32
return y
)",
                       "")) == R"(kernel k_y:
  for a0 in 0..8:
    in0 = load g[a0]
    v0 = exp(in0)
    for a1 in 0..64:
      in1 = load x[a0, a1]
      v1 = multiply(in1, v0)
      store y[a0, a1] = v1
)");
}

TEST_CASE("3.6 bytes of the seed's program by what is stored", "[3.6]") {
  // Read once and written once, 4 bytes each.
  const double x = 16 * 64, bias = 64, w = 64 * 16, out = 16 * 16;
  const double add = 16 * 64, prod = 16 * 64 * 16, matmul = 16 * 16;
  for (int choice = 0; choice < 8; choice++) {
    double expected = x + bias + w + out;
    std::string list;
    auto also = [&](int bit, const std::string& name, double elements) {
      if ((choice & bit) == 0) return;
      list += name + ",";
      expected += 2 * elements;
    };
    also(1, "add", add);
    also(2, "prod", prod);
    also(4, "matmul", matmul);
    INFO(list);
    std::string seed = test::kTensorPrograms[0].text;
    Program p = lowered(seed.substr(seed.find('\n') + 1), list);
    const Target& target = target_named(test::tables(), "sm_90a");
    double bytes = 0;
    for (const Kernel& k : p.kernels)
      bytes += price(p, k, role(k), test::tables(), target).bytes;
    CHECK(bytes == 4 * expected);
  }
}

TEST_CASE("3.9 axes that are walked as one become one", "[3.9]") {
  Program p = lowered(R"(x = input -> (7, 130) float32
b = input -> (130) float32
e = exp(x) -> (7, 130) float32
b_bc = b[j] -> (7, 130) float32
y = add(x, b_bc) -> (7, 130) float32
return e, y
)",
                      "e,y");
  INFO(print_program(p, "loop").text);
  // One kernel would join them; the other has a bias for each column.
  CHECK(p.buffer("x")->shape.size() == 2);
  CHECK(lowered(R"(x = input -> (7, 130) float32
e = exp(x) -> (7, 130) float32
return e
)",
                "")
            .buffer("x")
            ->shape == std::vector<Dim>{910});
}

TEST_CASE("3.10 a temporary lies as its readers take it", "[3.10]") {
  Program p = lowered(R"(x = input -> (4, 16, 64) float32
w = input -> (256) float32
e = exp(x) -> (4, 16, 64) float32
r = e[j/64, i, j%64] -> (16, 256) float32
w_bc = w[j] -> (16, 256) float32
p = multiply(r, w_bc) -> (16, 256) float32
y = sum(p, axis=-1) -> (16, 1) float32
return y
)",
                      "e");
  INFO(print_program(p, "loop").text);
  CHECK(p.buffer("e")->shape == std::vector<Dim>{16, 256});
}

}  // namespace
}  // namespace sextant::loop
