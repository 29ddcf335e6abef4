// Checking some elements of a large output.
#include <catch2/catch.hpp>

#include "src/cli/run.h"
#include "tests/cli/binary.h"

namespace sextant::cli {
namespace {

// A program, run on the cpu.
struct Ran {
  Tables tables = all_tables();
  Command command;
  Compilation program;
  RunResult result;

  explicit Ran(const std::string& code, bool execute_it = true) {
    command.name = "run";
    command.code = code;
    command.device = "cpu";
    program = load(command, tables);
    if (execute_it) result = execute(program, command, tables);
  }
  const torch::Comparison& check(const TimeLimit& limit) {
    check_some(program, {}, 0, limit, tables, result);
    return result.outputs.at(0).comparison;
  }
};

TEST_CASE("with time enough, every element is compared, once", "[cli]") {
  for (int n : {1, 2, 3, 64, 97}) {
    Ran ran(fmt::format("torch.relu(torch.randn({}))", n));
    CHECK(ran.check({}).pass);
    CHECK(exit_code(ran.result) == 0);
    CHECK(ran.check({}).checked == n);
    // Whichever is wrong is found.
    for (int at = 0; at < n; at++) {
      Array& array = ran.result.outputs[0].array;
      Scalar right = array.at(at);
      array.set(at, {right.f + 1, 0});
      CHECK(!ran.check({}).pass);
      CHECK(ran.check({}).position == at);
      CHECK(ran.check({}).beyond == 1);
      CHECK(exit_code(ran.result) == 3);
      array.set(at, right);
    }
  }
}

TEST_CASE("the time that a check takes is kept", "[cli]") {
  // A product of 2^33 terms, and one of which an element is too much.
  for (const char* code :
       {"torch.randn(2048, 2048) @ torch.randn(2048, 2048)",
        "x = torch.randn(1 << 20)\ny = torch.randn(1 << 20)\n(x * y).sum()"}) {
    Ran ran(code, false);
    OutputResult o;
    o.name = ran.program.torch.outputs.at(0);
    const torch::Type& type = ran.program.torch.node(o.name)->type;
    std::vector<int64_t> shape;
    for (const Dim& d : type.shape)
      shape.push_back(evaluate(d, {}));
    o.array = Array(type.dtype, shape);
    ran.result.outputs = {o};
    // Of a clock that moves by a second at each look, a hundred looks.
    int looks = 0;
    const torch::Comparison& found =
        ran.check({100, [&] { return static_cast<double>(looks++); }});
    CHECK(looks < 105);
    if (shape.empty()) {
      CHECK(ran.result.reference == "");
      CHECK_THAT(ran.result.why, Catch::Matchers::Contains("not checked"));
    } else {
      CHECK(found.checked > 0);
      CHECK(found.checked < 2048 * 2048);
      CHECK(!found.pass);  // it was never computed
    }
  }
}

}  // namespace
}  // namespace sextant::cli
