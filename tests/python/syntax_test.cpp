// Lines, tokens and the grammar: what is refused, with the exact text.
#include <catch2/catch.hpp>

#include "tests/python/python_support.h"

namespace sextant::python {
namespace {

TEST_CASE("what is no Python is pointed at", "[A]") {
  CHECK(error_of("x = (1") ==
        "-c:1:5: error: '(' was never closed\n  x = (1\n      ^");
  CHECK(error_of("x = 1]") ==
        "-c:1:6: error: unmatched ']'\n  x = 1]\n       ^");
  CHECK(error_of("x = (1]") ==
        "-c:1:7: error: closing ']' does not match opening '('\n"
        "  x = (1]\n        ^");
  CHECK(error_of("x = 'abc") ==
        "-c:1:5: error: unterminated string literal\n  x = 'abc\n      ^");
  CHECK(error_of("x $ 1") ==
        "-c:1:3: error: unexpected character '$'\n  x $ 1\n    ^");
  CHECK(error_of("a b") ==
        "-c:1:3: error: invalid syntax at 'b'\n  a b\n    ^");
  CHECK(error_of("f(1, = 2)") ==
        "-c:1:6: error: invalid syntax at '='\n  f(1, = 2)\n       ^");
  CHECK(error_of("a if b") ==
        "-c:1:7: error: invalid syntax: the line ends too early\n"
        "  a if b\n        ^");
  CHECK(error_of("1 = 2") ==
        "-c:1:1: error: cannot assign to this expression\n  1 = 2\n  ^");
  CHECK(error_of("return 1") ==
        "-c:1:1: error: 'return' outside function\n  return 1\n  ^");
}

TEST_CASE("indentation makes blocks", "[A]") {
  CHECK(error_of("if 1:\nx") ==
        "-c:2:1: error: expected an indented block\n  x\n  ^");
  CHECK(error_of("  x") == "-c:1:3: error: unexpected indent\n    x\n    ^");
  CHECK(error_of("if 1:\n    x\n  y") ==
        "-c:3:3: error: unindent does not match any outer indentation level\n"
        "    y\n    ^");
  CHECK(int_of("if 1:\n  if 0:\n\tx = 1\n  # comment\n\n  else: x = 2; x += 1",
               "x") == 3);
  CHECK(int_of("x = (1 +\n# in brackets lines mean nothing\n  2)", "x") == 3);
  CHECK(int_of("x = 1 + \\\n 2", "x") == 3);
  CHECK(int_of("x = 1\r\ny = 2\r", "x + y") == 3);
}

TEST_CASE("numbers and strings", "[A]") {
  CHECK(int_of("", "1_000 + 0x10 + 0o17 + 0b11") == 1034);
  CHECK(int_of("", "1.5e1 + .5 + 2.") == 17);
  CHECK(int_of("", "len('a\\'b' \"c\" '''d\ne''')") == 7);
  CHECK(int_of("", "len(r'\\n') + len('\\n')") == 3);
  CHECK(int_of("n = 3", "len(f'{n}{n + 1}{{x}}' 'abc')") == 8);
  CHECK(error_of("0x") == "-c:1:1: error: invalid number '0x'\n  0x\n  ^");
  CHECK(error_of("9223372036854775808") ==
        "-c:1:1: error: the number 9223372036854775808 does not fit into 64 "
        "bits\n  9223372036854775808\n  ^");
}

TEST_CASE("what is left out is refused by name", "[A]") {
  auto refused = [](const std::string& code, const std::string& text) {
    INFO(code);
    CHECK_THAT(error_of(code), Catch::Contains("error: " + text + "\n"));
  };
  refused("try: pass", "'try' is not supported");
  refused("global x", "'global' is not supported");
  refused("async def f(): pass", "'async' is not supported");
  refused("(x := 1)", "assignment expressions are not supported");
  refused("{1, 2}", "sets are not supported");
  refused("1j", "complex numbers are not supported");
  refused("b'abc'", "bytes literals are not supported");
  refused("f'{1:>3}'",
          "f-strings with a format, as in '{1:>3}', are not supported");
  refused("from torch import *", "module 'torch' has no attribute '*'");
}

TEST_CASE("what binds how tightly", "[A]") {
  CHECK(int_of("", "2 + 3*4 - -1") == 15);
  CHECK(int_of("", "-2**2 + 2**3**1 + 2**-1*2") == 5);
  CHECK(int_of("", "7 // 2 * 2 + 7 % 4 + (1 << 2 | 1 ^ 3 & 1)") == 13);
  CHECK(int_of("", "1 if 1 < 2 < 3 and not 3 < 2 or 1/0 else 2") == 1);
  CHECK(int_of("", "(1 not in [2]) + (None is None) + (2 in (1, 2))") == 3);
  CHECK(int_of("f = lambda a, b=2, *c, **d: a + b + len(c) + len(d)",
               "f(1) + f(1, 1, 1, x=1)") == 7);
}

}  // namespace
}  // namespace sextant::python
