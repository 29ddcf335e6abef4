#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/verify.h"
#include "chapters/03-loop-ir/lower/build.h"
#include "chapters/03-loop-ir/lower/search.h"
#include "chapters/03-loop-ir/passes.h"
#include "chapters/03-loop-ir/roles.h"
#include "chapters/03-loop-ir/syntax.h"
#include "tests/02-tensor-ir/random_graph.h"
#include "tests/03-loop-ir/programs.h"
#include "tests/03-loop-ir/support.h"
#include "tests/report.h"

namespace sextant::loop {
namespace {

// As --fuse takes it.
std::string to_string(const Flow& flow, const Stored& stored) {
  std::string list;
  for (const std::vector<int>& roots : stored.kernels) {
    for (int v : roots)
      list += flow.value(v).name + (v == roots.back() ? "," : "+");
  }
  return list;
}

// The program of a graph and what it stores, before and after every pass.
// False if its kernels wait for each other, or it would run for too long.
bool check_all_passes(const tensor::Graph& graph, const Flow& flow,
                      const Stored& stored, uint64_t seed) {
  INFO(to_string(flow, stored));
  std::optional<Program> program = build(flow, stored);
  if (!program || test::executed(*program) > 3e5) return false;
  Arrays inputs = test::random_inputs(graph, seed);
  Arrays expected = tensor::interpret(graph, test::tables(), inputs);
  test::expect_same(graph, expected, *program, inputs);
  PassContext context;
  for (const Pass<Program>& pass : passes()) {
    program = pass.run(*program, context);
    test::expect_same(graph, expected, *program, inputs);
  }
  return true;
}

TEST_CASE("3.2 every program means the same with nothing and everything fused",
          "[3.2]") {
  for (const test::TensorProgram& p : test::kTensorPrograms) {
    INFO(p.name);
    tensor::Graph graph = tensor::parse_graph(p.text, p.name);
    tensor::verify(graph, test::tables());
    Flow flow(graph);
    CHECK(check_all_passes(graph, flow, store_all(flow), 1));
    CHECK(check_all_passes(graph, flow, parse_stored(flow, ""), 2));
  }
}

// Any values, some of them in one kernel.
Stored random_stored(const Flow& flow, Random& random) {
  std::vector<std::vector<int>> kernels;
  for (std::size_t i = 0; i < flow.readers.size(); i++) {
    int v = static_cast<int>(i);
    if (flow.is_parameter(v)) continue;
    if (!flow.is_output[i] && random.chance(50)) continue;
    std::vector<int>* joined = nullptr;
    for (std::vector<int>& roots : kernels) {
      bool fits = flow.extents[roots[0]] == flow.extents[v];
      if (fits && random.chance(20)) joined = &roots;
    }
    if (joined == nullptr) {
      kernels.push_back({v});
    } else {
      joined->push_back(v);
    }
  }
  return {kernels};
}

TEST_CASE("3.3 random graphs mean the same whatever is stored", "[3.3]") {
  int agreed = 0;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    Random random(seed);
    int size = static_cast<int>(random.in(3, 14));
    tensor::Graph graph = test::random_graph(seed, size);
    INFO("seed " << seed << "\n" << tensor::print_graph(graph).text);
    Flow flow(graph);
    std::vector<Stored> states = {store_all(flow), parse_stored(flow, "")};
    for (int i = 0; i < 3; i++)
      states.push_back(random_stored(flow, random));
    const Target& target = target_named(test::tables(), "sm_90a");
    Fusion fusion = search(flow, states[0], test::tables(), target);
    states.push_back(fusion.stored);
    for (const Stored& stored : states)
      agreed += check_all_passes(graph, flow, stored, seed);
  }
  CHECK(agreed > 600);
  test::count("random programs agreed", agreed);
}

TEST_CASE("3.5 every kernel that is built has a role", "[3.5]") {
  for (uint64_t seed = 1; seed <= 150; seed++) {
    tensor::Graph graph = test::random_graph(seed, 12);
    INFO("seed " << seed << "\n" << tensor::print_graph(graph).text);
    Flow flow(graph);
    const Target& target = target_named(test::tables(), "sm_90a");
    Stored all = store_all(flow);
    for (bool fused : {false, true}) {
      Stored stored = all;
      if (fused) stored = search(flow, all, test::tables(), target).stored;
      std::optional<Program> program = build(flow, stored);
      REQUIRE(program);
      PassContext context;
      for (const Pass<Program>& pass : passes())
        program = pass.run(*program, context);
      INFO(print_program(*program, "loop").text);
      for (const Kernel& kernel : program->kernels) {
        KernelRole r = role(kernel);
        INFO(kernel.name << ": " << r.reason);
        REQUIRE(r.kind != RoleKind::None);
      }
    }
  }
}

}  // namespace
}  // namespace sextant::loop
