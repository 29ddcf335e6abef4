#include "tests/03-loop-ir/support.h"

#include <catch2/catch.hpp>

#include "chapters/03-loop-ir/interp.h"
#include "chapters/03-loop-ir/syntax.h"
#include "chapters/03-loop-ir/verify.h"

namespace sextant::test {
namespace {

double executed(const std::vector<loop::Stmt>& body, const Values& symbols) {
  double n = 0;
  for (const loop::Stmt& stmt : body) {
    const loop::For* f = stmt.as<loop::For>();
    n += f == nullptr ? 1
                      : executed(f->body, symbols) *
                            static_cast<double>(evaluate(f->extent, symbols));
  }
  return n;
}

}  // namespace

const Tables& tables() {
  static const Tables all = all_tables();
  return all;
}

void expect_same(const tensor::Graph& graph, const Arrays& expected,
                 const loop::Program& program, const Arrays& inputs,
                 const Values& symbols) {
  std::string text = print_program(program, "loop").text;
  INFO(text);
  loop::verify(program, tables());
  REQUIRE(parse_program<loop::Kernel>(text, "loop", "t") == program);
  Arrays out = loop::interpret(program, tables(), inputs, symbols);
  for (const Name& name : graph.outputs) {
    INFO(name);
    REQUIRE(out.at(name).bytes() == expected.at(name).bytes());
  }
}

double executed(const loop::Program& program, const Values& symbols) {
  double n = 0;
  for (const loop::Kernel& kernel : program.kernels)
    n += executed(kernel.body, symbols);
  return n;
}

}  // namespace sextant::test
