// CUDA text: goldens, and the spelling of expressions.
#include "chapters/06-cuda/emit.h"

#include <catch2/catch.hpp>

#include "chapters/05-kernel-ir/syntax.h"
#include "tests/folders.h"
#include "tests/golden.h"

namespace sextant {
namespace {

TEST_CASE("6.1 every golden Kernel program has its CUDA text",
          "[6.1][golden]") {
  for (const std::string& folder : test::golden_with("5_kernel.txt")) {
    INFO(folder);
    std::string text = test::read_golden(folder + "/5_kernel.txt");
    auto program = parse_program<kernel::Kernel>(text, "kernel", folder);
    Text cuda = cuda::emit(all_tables(), program);
    test::expect_golden(folder + "/6_cuda.cu", cuda.text);
    CHECK(static_cast<std::size_t>(
              std::count(cuda.text.begin(), cuda.text.end(), '\n')) ==
          cuda.origins.size());
  }
}

TEST_CASE("6.3 a helper is there wherever it is called", "[6.3]") {
  // Behind a cast, behind a parenthesis, alone; and not for half of a name.
  for (const char* value :
       {"cast(maximum(cast(a, float32), 0.0), bfloat16)",
        "multiply(add(cast(a, float32), 1.0), maximum(cast(a, float32), 0.0))",
        "maximum(cast(a, float32), 0.0)"}) {
    std::string cuda =
        cuda::emit(all_tables(),
                   parse_program<kernel::Kernel>(
                       fmt::format("sextant kernel sm_90a\n"
                                   "buffer x: bfloat16[32] input\n"
                                   "buffer y: float32[32] output\n"
                                   "launch k\n\n"
                                   "kernel k grid=1 block=32:\n"
                                   "  Global x[32] (bfloat16)\n"
                                   "  Global y[32] (float32)\n"
                                   "  a = load x[tid]\n"
                                   "  store y[tid] = cast({}, float32)\n",
                                   value),
                       "kernel", "file"))
            .text;
    INFO(cuda);
    CHECK(cuda.find("float sx_max(float a") != std::string::npos);
    CHECK(cuda.find("float bf16_to_f32(unsigned") != std::string::npos);
    CHECK(cuda.find("float f16_to_f32(unsigned") == std::string::npos);
  }
}

TEST_CASE("6.1 a comment that is folded stays one", "[6.1]") {
  const std::string file = "golden/hand-seed/5_kernel.txt";
  std::string text = test::read_golden(file), name = "x_smem";
  const std::string longer(90, 'n');
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
    text.replace(at, name.size(), longer + "_smem");
  auto program = parse_program<kernel::Kernel>(text, "kernel", file);
  std::string cuda = cuda::emit(all_tables(), program).text;
  std::size_t begin = cuda.find("/* x to"), end = cuda.find("*/");
  REQUIRE(end != std::string::npos);
  CHECK(cuda.substr(begin, end - begin).find('\n') != std::string::npos);
  CHECK(cuda.find("// x to") == std::string::npos);
}

std::string spelled(const std::string& text, bool wide = false) {
  Tables tables = all_tables();
  auto type = [](const Name& name) {
    if (name[0] == 'h') return DType::BFloat16;
    return name[0] == 'f' ? DType::Float32 : DType::Int64;
  };
  return cuda::expr_text(tables, parse_expr(text), type, wide);
}

TEST_CASE("6.2 parentheses stand where precedence asks for them", "[6.2]") {
  CHECK(spelled("a - (b - c)") == "a - (b - c)");
  CHECK(spelled("a*b + c") == "a*b + c");
  CHECK(spelled("(a + b)*c%8") == "(a + b)*c%8");
  CHECK(spelled("multiply(add(f1, f2), f3)") == "(f1 + f2) * f3");
  CHECK(spelled("subtract(f1, subtract(f2, f3))") == "f1 - (f2 - f3)");
  CHECK(spelled("where(less(f1, f2), f1, add(f2, 1.0))") ==
        "f1 < f2 ? f1 : f2 + 1.0f");
  CHECK(spelled("multiply(where(less(f1, f2), f1, f2), f3)") ==
        "(f1 < f2 ? f1 : f2) * f3");
  CHECK(spelled("negative(add(f1, f2))") == "-(f1 + f2)");
  CHECK(spelled("exp(add(f1, f2))") == "expf(f1 + f2)");
}

TEST_CASE("6.2 constants keep their value", "[6.2]") {
  CHECK(spelled("add(f1, 1e-06)") == "f1 + 1e-06f");
  CHECK(spelled("add(f1, 2.0)") == "f1 + 2.0f");
  CHECK(spelled("maximum(f1, -inf)") ==
        "sx_max(f1, __int_as_float(0xff800000))");
  CHECK(spelled("5000000000") == "5000000000ll");
}

TEST_CASE("6.2 halves are cast by name, and wide indices are 64-bit", "[6.2]") {
  CHECK(spelled("add(cast(h1, float32), f1)") == "bf16_to_f32(h1) + f1");
  CHECK(spelled("cast(add(f1, f2), bfloat16)") ==
        "f32_to_bf16((float)(f1 + f2))");
  CHECK(spelled("a*64 + b", true) == "(long long)a*64 + (long long)b");
}

}  // namespace
}  // namespace sextant
