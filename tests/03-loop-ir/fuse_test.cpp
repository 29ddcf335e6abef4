#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/03-loop-ir/interp.h"
#include "chapters/03-loop-ir/lower.h"
#include "tests/03-loop-ir/programs.h"

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

TEST_CASE("3.5 how many kernels are left", "[3.5]") {
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

TEST_CASE("3.2 a list of stored values is obeyed", "[3.2]") {
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

TEST_CASE("3.2 no kernel makes a parameter", "[3.2]") {
  const char* text = R"(sextant tensor
x = input -> (4) float32
return x
)";
  for (const char* fuse : {"auto", "none", ""}) {
    CHECK_THROWS_WITH(lowered(text, fuse),
                      Catch::Contains("returns its parameter 'x'"));
  }
}

}  // namespace
}  // namespace sextant::loop
