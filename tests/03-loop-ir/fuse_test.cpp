#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/03-loop-ir/interp.h"
#include "chapters/03-loop-ir/lower.h"
#include "chapters/03-loop-ir/lower/search.h"
#include "src/base/text.h"
#include "tests/03-loop-ir/programs.h"
#include "tests/03-loop-ir/support.h"

namespace sextant::loop {
namespace {

Program lowered(const std::string& text, const std::string& fuse) {
  Tables tables = all_tables();
  PassContext context;
  context.tables = &tables;
  return lower(tensor::parse_graph(text, "test"), fuse, "sm_90a", context);
}

struct Launches {
  const char* name;
  std::size_t at_most;
};

TEST_CASE("3.8 how many kernels are left", "[3.8]") {
  const Launches kExpected[] = {
      {"seed", 1},      {"softmax", 1},   {"softmax of columns", 1},
      {"rms_norm", 1},  {"gated mlp", 1}, {"layer_norm over two axes", 1},
      {"attention", 3}, {"rope", 1},      {"a sum over everything", 1},
  };
  for (const Launches& expected : kExpected) {
    INFO(expected.name);
    for (const test::TensorProgram& p : test::kTensorPrograms) {
      if (std::string(p.name) != expected.name) continue;
      CHECK(lowered(p.text, "auto").launches.size() == expected.at_most);
    }
  }
}

TEST_CASE("3.3 a list of stored values is obeyed", "[3.3]") {
  const char* seed = test::kTensorPrograms[0].text;
  CHECK(lowered(seed, "none").launches.size() == 3);
  CHECK(lowered(seed, "add").launches.size() == 2);
  CHECK(lowered(seed, "add,prod,matmul").launches.size() == 4);
  CHECK_THROWS_WITH(lowered(seed, "ad"),
                    Catch::Contains("'ad' is no value of the program"));
  CHECK_THROWS_WITH(lowered(seed, "w"), Catch::Contains("'w' is a parameter"));
  CHECK_THROWS_WITH(lowered(seed, "add+matmul"),
                    Catch::Contains("different extents"));
}

TEST_CASE("3.3 no kernel makes a parameter", "[3.3]") {
  const char* text = R"(sextant tensor
x = input -> (4) float32
return x
)";
  for (const char* fuse : {"auto", "none", ""}) {
    CHECK_THROWS_WITH(lowered(text, fuse),
                      Catch::Contains("returns its parameter 'x'"));
  }
}

// F.linear(F.silu(g)*u, w): the prologue is worth a kernel of its own as soon
// as a launch costs less than computing it again for each tile.
const char* kPrologue = R"(sextant tensor
g = input -> (512, 5632) float32
u = input -> (512, 5632) float32
w = weight -> (2048, 5632) float32
sig = sigmoid(g) -> (512, 5632) float32
silu = multiply(g, sig) -> (512, 5632) float32
h = multiply(silu, u) -> (512, 5632) float32
h_bc = h[i, k] -> (512, 2048, 5632) float32
w_bc = w[j, k] -> (512, 2048, 5632) float32
prod = multiply(h_bc, w_bc) -> (512, 2048, 5632) float32
red = sum(prod, axis=-1) -> (512, 2048, 1) float32
y = red[i, j, 0] -> (512, 2048) float32
return y
)";

TEST_CASE("3.8 one number of the target flips a decision", "[3.8]") {
  tensor::Graph graph = tensor::parse_graph(kPrologue, "test");
  Flow flow(graph);
  const Target& h200 = target_named(test::tables(), "sm_90a");
  auto kernels = [&](const Target& target) {
    Fusion f = search(flow, store_all(flow), test::tables(), target);
    return f.stored.kernels.size();
  };
  CHECK(kernels(h200) == 2);
  Target slow_launch = h200;
  slow_launch.launch_us = 500;
  CHECK(kernels(slow_launch) == 1);
  Target slow_memory = h200;
  slow_memory.bandwidth = 1e4;
  CHECK(kernels(slow_memory) == 1);
}

TEST_CASE("3.8 the trace has both prices, a reason, and 80 columns", "[3.8]") {
  for (const test::TensorProgram& p : test::kTensorPrograms) {
    INFO(p.name);
    tensor::Graph graph = tensor::parse_graph(p.text, "test");
    Flow flow(graph);
    const Target& target = target_named(test::tables(), "sm_90a");
    Fusion fusion = search(flow, store_all(flow), test::tables(), target);
    INFO(fusion.trace);
    // Each value that is worth a kernel and is no output was considered.
    for (const std::vector<int>& roots : store_all(flow).kernels) {
      if (flow.is_output[roots[0]]) continue;
      CHECK_THAT(fusion.trace,
                 Catch::Contains(" " + flow.value(roots[0]).name));
    }
    std::string move;
    auto check_move = [&] {
      if (move.empty()) return;
      CHECK(move.find(" -> ") == 9);
      CHECK(move.find(": ", 24) != std::string::npos);
    };
    for (const std::string& line : split(fusion.trace, '\n')) {
      CHECK(line.size() <= 80);
      CHECK((line.empty() || line.back() != ' '));
      if (line.substr(0, 23) == std::string(23, ' ')) {
        move += line;  // the move of the line before goes on
        continue;
      }
      check_move();
      move = line.substr(0, 2) == "  " ? line : "";
    }
    check_move();
  }
}

}  // namespace
}  // namespace sextant::loop
