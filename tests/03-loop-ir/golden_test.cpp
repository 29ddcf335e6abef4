#include "tests/golden.h"

#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/03-loop-ir/lower.h"
#include "chapters/03-loop-ir/lower/build.h"
#include "chapters/03-loop-ir/syntax.h"
#include "tests/02-tensor-ir/random_graph.h"
#include "tests/03-loop-ir/support.h"
#include "tests/folders.h"
#include "tests/report.h"

namespace sextant::loop {
namespace {

Program lowered(const tensor::Graph& graph, const std::string& fuse) {
  PassContext context;
  context.tables = &test::tables();
  return lower(graph, fuse, "sm_90a", context);
}

TEST_CASE("3 Loop IR of the golden programs", "[3][golden]") {
  for (const std::string& folder : test::golden_with("2_tensor.txt")) {
    INFO(folder);
    std::string path = folder + "/2_tensor.txt";
    tensor::Graph graph = tensor::parse_graph(test::read_golden(path), path);
    test::expect_golden(folder + "/3_loop.txt",
                        print_program(lowered(graph, "auto"), "loop").text);
  }
}

TEST_CASE("3 golden programs compute the same, fused or not", "[3]") {
  for (const std::string& folder : test::golden_with("2_tensor.txt")) {
    INFO(folder);
    std::string path = folder + "/2_tensor.txt";
    tensor::Graph graph = tensor::parse_graph(test::read_golden(path), path);
    Values symbols;
    for (const Symbol& s : graph.symbols)
      symbols[s.name] = std::max<int64_t>(s.lo, 7);
    // The seed's softmax, a gigabyte, is left to a GPU.
    if (test::executed(lowered(graph, "none"), symbols) > 1e7) continue;
    Arrays inputs = test::random_inputs(graph, 3, symbols);
    Arrays expected = tensor::interpret(graph, test::tables(), inputs, symbols);
    // Beside both ends, a list: every second value that `none` would store.
    Flow flow(graph);
    std::string list;
    for (const std::vector<int>& roots : store_all(flow).kernels) {
      if (roots[0] % 2 == 0) list += flow.value(roots[0]).name + ",";
    }
    for (const std::string& fuse :
         {std::string("none"), std::string("auto"), std::string(), list}) {
      INFO("--fuse '" << fuse << "'");
      test::expect_same(graph, expected, lowered(graph, fuse), inputs, symbols);
      test::count("random programs agreed");
    }
  }
}

}  // namespace
}  // namespace sextant::loop
