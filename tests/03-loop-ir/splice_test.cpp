#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/verify.h"
#include "chapters/03-loop-ir/interp.h"
#include "chapters/03-loop-ir/lower/build.h"
#include "chapters/03-loop-ir/passes.h"
#include "chapters/03-loop-ir/syntax.h"
#include "chapters/03-loop-ir/verify.h"
#include "tests/03-loop-ir/programs.h"
#include "tests/report.h"

namespace sextant::loop {
namespace {

const Tables& tables() {
  static const Tables all = all_tables();
  return all;
}

Arrays inputs_of(const tensor::Graph& graph, uint64_t seed) {
  Arrays arrays;
  for (const tensor::Value& v : graph.values) {
    if (v.op.as<tensor::Input>() == nullptr) continue;
    std::vector<int64_t> shape = tensor::evaluate_shape(v.shape, {});
    arrays.emplace(v.name, random_array(v.dtype, shape, seed, v.name));
  }
  return arrays;
}

// Bit for bit: fusion changes no rounding and no order of a sum.
void expect_same(const tensor::Graph& graph, const Arrays& expected,
                 const Program& program, const Arrays& inputs) {
  std::string text = print_program(program, "loop").text;
  INFO(text);
  verify(program, tables());
  REQUIRE(parse_program<Kernel>(text, "loop", "t") == program);
  Arrays out = interpret(program, tables(), inputs);
  for (const Name& name : graph.outputs) {
    INFO(name);
    REQUIRE(out.at(name).bytes() == expected.at(name).bytes());
  }
}

void check_all_passes(const tensor::Graph& graph, const Stored& stored,
                      const Flow& flow, uint64_t seed) {
  INFO(to_string(flow, stored));
  Arrays inputs = inputs_of(graph, seed);
  Arrays expected = tensor::interpret(graph, tables(), inputs);
  std::optional<Program> program = build(flow, stored);
  REQUIRE(program);
  expect_same(graph, expected, *program, inputs);
  PassContext context;
  for (const Pass<Program>& pass : passes()) {
    program = pass.run(*program, context);
    expect_same(graph, expected, *program, inputs);
  }
}

TEST_CASE("3.2 every program means the same, nothing and everything fused",
          "[3.2]") {
  for (const test::TensorProgram& p : test::kTensorPrograms) {
    INFO(p.name);
    tensor::Graph graph = tensor::parse_graph(p.text, p.name);
    tensor::verify(graph, tables());
    Flow flow(graph);
    check_all_passes(graph, store_all(flow), flow, 1);
    check_all_passes(graph, parse_stored(flow, ""), flow, 2);
  }
}

TEST_CASE("3.2 print", "[.print]") {
  for (const test::TensorProgram& p : test::kTensorPrograms) {
    tensor::Graph graph = tensor::parse_graph(p.text, p.name);
    Flow flow(graph);
    PassContext context;
    for (bool all : {true, false}) {
      Program program =
          *build(flow, all ? store_all(flow) : parse_stored(flow, ""));
      for (const Pass<Program>& pass : passes())
        program = pass.run(program, context);
      printf("---- %s\n%s", p.name,
             print_program(program, "loop").text.c_str());
    }
  }
}

}  // namespace
}  // namespace sextant::loop
