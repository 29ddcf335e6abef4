#include "chapters/03-loop-ir/syntax.h"

#include <catch2/catch.hpp>

namespace sextant::loop {
namespace {

// Every node, every optional part.
constexpr const char* kText = R"(sextant loop
symbol rows in 1..4096 multiple_of=8 hint=128
buffer x: float32[rows, 64] input
buffer ids: int64[rows] input
buffer y: bfloat16[rows, 64] output
launch k_y

kernel k_y:
  for a0 in 0..rows:
    in0 = load ids[a0]
    for a1 in 0..64:  # reduce acc0=add, acc1:int64=maximum
      in1 = load x[in0, a1 - 3] if 3 <= a1 and in0 < rows else 0.0
      v0 = multiply(in1, 0.5)
      acc0 <- add(acc0, v0)
      acc1 <- maximum(acc1, in0) if a1 < 3
    for a1 in 0..64:
      v1 = cast(add(acc0, cast(a1, float32)), bfloat16)
      store y[a0, a1] = v1 if a1 < 60
)";

TEST_CASE("3.1 a program prints as it was read", "[3.1]") {
  Program program = parse_program<Kernel>(kText, "loop", "y.txt");
  CHECK(print_program(program, "loop").text == kText);
  REQUIRE(program.kernels.size() == 1);
  const For& rows = program.kernels[0].body[0].get<For>();
  CHECK(rows.carries.empty());
  CHECK(rows.body[1].get<For>().carries.size() == 2);
  CHECK(rows.body[1].get<For>().carries[1].dtype == DType::Int64);
}

TEST_CASE("3.1 what is no statement is refused where it stands", "[3.1]") {
  std::string text = kText;
  text.replace(text.find("load x"), 6, "lead x");
  try {
    parse_program<Kernel>(text, "loop", "y.txt");
    FAIL("it was read");
  } catch (const Error& e) {
    CHECK(e.diagnostics()[0].where.line == 12);
  }
}

}  // namespace
}  // namespace sextant::loop
