#include "chapters/07-running/compiler.h"

#include "chapters/07-running/executable.h"
#include "tests/07-running/support.h"
#include "tests/report.h"

namespace sextant::running {
namespace {

using Catch::Matchers::Contains;

// Those that this machine has.
std::vector<Compiler> compilers() {
  std::vector<Compiler> found;
  if (auto nvcc = find_nvcc()) found.push_back(*nvcc);
  if (auto nvrtc = find_nvrtc()) found.push_back(*nvrtc);
  return found;
}

TEST_CASE("an NVRTC that lacks a function is too old", "[7.4]") {
  Lookup nothing = [](const char*) -> void* { return nullptr; };
  CHECK(message_of([&] { find_nvrtc(nothing); }) ==
        "NVRTC has no nvrtcVersion: it is too old");
}

TEST_CASE("nvcc comes first, then NVRTC, and without both none", "[7.4]") {
  auto named = [](const char* name) -> FindCompiler {
    return [name] { return Compiler{name, "", 0, nullptr}; };
  };
  FindCompiler none = [] { return std::nullopt; };
  CHECK(choose_compiler("", named("a"), named("b")).name == "a");
  CHECK(choose_compiler("", none, named("b")).name == "b");
  CHECK(choose_compiler("nvrtc", named("a"), named("b")).name == "b");
  CHECK_THAT(message_of([&] { choose_compiler("", none, none); }),
             Contains("no CUDA compiler, neither nvcc nor NVRTC"));
  CHECK_THAT(message_of([&] { choose_compiler("nvcc", none, named("b")); }),
             Contains("no nvcc here"));
  CHECK_THAT(message_of([&] { choose_compiler("nvrtc", named("a"), none); }),
             Contains("no nvrtc here"));
}

TEST_CASE("each compiler that is here compiles the filling kernels", "[7.4]") {
  for (const Compiler& compiler : compilers()) {
    INFO(compiler.name);
    CHECK(compiler.cuda >= 11000);
    std::string code = compiler.compile(kFillText, "sm_90a");
    CHECK_THAT(code.substr(0, 4), Contains("ELF"));
    CHECK_THAT(code, Contains("sextant_fill_bfloat16"));
    test::count("programs compiled for a GPU");
  }
}

TEST_CASE("what a compiler refuses comes with its log", "[7.4]") {
  for (const Compiler& compiler : compilers()) {
    INFO(compiler.name);
    std::string log = message_of([&] {
      compiler.compile("__global__ void k() { unknown_word(); }", "sm_90a");
    });
    CHECK_THAT(log, Contains("refuses the program"));
    CHECK_THAT(log, Contains("unknown_word"));
    CHECK_THAT(log, Contains("refuses the program: program.cu(1): error"));
    test::count("refusals checked");
  }
}

}  // namespace
}  // namespace sextant::running
