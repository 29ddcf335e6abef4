// Strangers' command lines and files: an answer and an exit code, never a
// crash. What a stage means is tested in its chapter.
#include <catch2/catch.hpp>

#include "src/base/array.h"
#include "tests/cli/binary.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

using Catch::Matchers::Contains;

const std::string kLoop =
    "sextant loop\n"
    "buffer x: float32[8] input\n"
    "buffer y: float32[8] output\n"
    "launch copy\n"
    "\n"
    "kernel copy:\n"
    "  for a0 in 0..8:\n"
    "    in0 = load x[a0]\n"
    "    store y[a0] = in0\n";

// The answer to a file at its own stage.
Ran compile_text(const std::string& text) {
  count("refusals checked");
  return sextant({"compile", temporary("hostile.txt", text), "--ir", "loop"});
}

TEST_CASE("usage errors are 2, with what was wanted", "[cli]") {
  CHECK(sextant({}).code == 2);
  CHECK(sextant({"conjure"}).code == 2);
  CHECK(sextant({"compile"}).code == 2);
  CHECK(sextant({"compile", "a", "b"}).code == 2);
  CHECK(sextant({"compile", "a", "-c", "b"}).code == 2);
  CHECK(sextant({"compile", ""}).code == 2);
  CHECK(sextant({"compile", "a", "--unknown"}).code == 2);
  CHECK(sextant({"compile", "a", "--ir"}).code == 2);
  Ran stage = sextant({"compile", "a", "--ir", "lop"});
  CHECK(stage.code == 2);
  CHECK_THAT(stage.err, Contains("torch, tensor, loop, tile, kernel"));
  CHECK(sextant({"--help"}).code == 0);
}

TEST_CASE("a file that is no IR file is the user's fault", "[cli]") {
  CHECK(sextant({"compile", "no/such/file.txt"}).code == 1);
  CHECK(sextant({"compile", "."}).code == 1);
  CHECK(compile_text("").code == 1);
  CHECK(compile_text("hello\n").code == 1);
  CHECK(compile_text("sextant conjure\n").code == 1);
}

TEST_CASE("what is asked for in vain is an error", "[cli]") {
  std::string file = temporary("loop.txt", kLoop);
  CHECK(sextant({"compile", file, "--ir", "torch"}).code == 2);
  CHECK(sextant({"compile", file, "--ir", "loop", "--fuse", "none"}).code == 2);
  CHECK(sextant({"compile", file, "--ir", "loop", "--dynamic", "n@x:0"}).code ==
        2);
}

TEST_CASE("a file is the same at its own stage", "[cli]") {
  std::string text = "# a comment\n\n" + kLoop;
  Ran ran = compile_text(text);
  CHECK(ran.code == 0);
  CHECK(ran.out == text);
  CHECK(ran.err.empty());
}

TEST_CASE("an error has a place, its line and a caret", "[cli]") {
  std::string text = kLoop;
  text.replace(text.find("load x[a0]"), 10, "load z[a0]");
  Ran ran = compile_text(text);
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK_THAT(ran.err, Contains("z"));
  Ran syntax = compile_text(kLoop + "    store y[a0] = = in0\n");
  CHECK(syntax.code == 1);
  CHECK_THAT(syntax.err, Contains("hostile.txt:10:"));
  CHECK_THAT(syntax.err, Contains("    store y[a0] = = in0\n"));
}

TEST_CASE("every prefix of a file is read or refused", "[cli]") {
  for (std::size_t n = 0; n < kLoop.size(); n += 7) {
    int code = compile_text(kLoop.substr(0, n)).code;
    CAPTURE(kLoop.substr(0, n), code);
    CHECK((code == 0 || code == 1));
  }
}

TEST_CASE("random bytes are refused", "[cli]") {
  Random random(1);
  for (int i = 0; i < 20; i++) {
    std::string text = i % 2 == 0 ? kLoop.substr(0, 60) : "";
    for (int64_t n = random.in(1, 400); n > 0; n--)
      text += static_cast<char>(random.below(256));
    int code = compile_text(text).code;
    CAPTURE(i, code);
    CHECK(code == 1);
  }
}

TEST_CASE("a changed byte is read or refused", "[cli]") {
  Random random(2);
  for (int i = 0; i < 40; i++) {
    std::string text = kLoop;
    text[random.below(static_cast<int64_t>(text.size()))] =
        static_cast<char>(random.in(32, 126));
    int code = compile_text(text).code;
    CAPTURE(text, code);
    CHECK((code == 0 || code == 1));
  }
}

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; i++)
    out += text;
  return out;
}

TEST_CASE("nesting is bounded", "[cli]") {
  auto store = [](const std::string& value) {
    std::string text = kLoop;
    return text.replace(text.find("= in0"), 5, "= " + value);
  };
  for (int n : {1000, 1000000}) {
    CAPTURE(n);
    CHECK(compile_text(store(repeat("(", n) + "in0" + repeat(")", n))).code ==
          1);
    CHECK(compile_text(store(repeat("(", n))).code == 1);
    CHECK(
        compile_text(store(repeat("neg(", n) + "in0" + repeat(")", n))).code ==
        1);
    CHECK(compile_text(store("x" + repeat("[x", n))).code == 1);
    CHECK(compile_text(store("a0" + repeat(" + a0", n))).code == 1);
  }
}

TEST_CASE("blocks in blocks are bounded", "[cli]") {
  std::string text = "sextant loop\nkernel k:\n";
  for (int i = 0; i < 3000; i++)
    text +=
        std::string(static_cast<std::size_t>(i) + 1, ' ') + "for a in 0..2:\n";
  CHECK(compile_text(text).code == 1);
}

TEST_CASE("a line of ten megabytes is told in a few", "[cli]") {
  std::string big(10000000, 'x');
  for (const std::string& text :
       {big, kLoop + big, "sextant loop\n" + big + "\n",
        "sextant loop\nbuffer x: float32[" + repeat("8, ", 3000000) +
            "8] input",
        kLoop + "    " + repeat("(in0) ", 1500000)}) {
    Ran ran = compile_text(text);
    CHECK((ran.code == 0 || ran.code == 1));
    CHECK(ran.err.size() < 1000);
  }
}

TEST_CASE("numbers beyond all bounds are refused", "[cli]") {
  std::string text = kLoop;
  text.replace(text.find("0..8"), 4, "0..99999999999999999999");
  CHECK(compile_text(text).code == 1);
}

}  // namespace
}  // namespace sextant::test
