// What programs compute before they touch a tensor.
#include <catch2/catch.hpp>

#include "tests/python/python_support.h"

namespace sextant::python {
namespace {

void says(const std::string& code, const std::string& text) {
  INFO(code);
  // The first line ends with the text; the source line may be too long.
  CHECK_THAT(error_of(code) + "\n", Catch::Contains("error: " + text + "\n"));
}

TEST_CASE("numbers follow Python", "[A]") {
  CHECK(int_of("", "(-7) // 2 + 10") == 6);
  CHECK(int_of("", "(-7) % 3") == 2);
  CHECK(int_of("", "7 % -3 + 10") == 8);
  CHECK(int_of("", "7.5 // 2 + (-7.5) % 2 * 2") == 4);
  CHECK(int_of("", "6 / 4 * 2") == 3);
  CHECK(int_of("", "True + True") == 2);
  CHECK(int_of("import math", "math.sqrt(16) + math.floor(-0.5)") == 3);
  says("2**63", "2 ** 63 does not fit into 64 bits");
  says("-9223372036854775807 - 2",
       "-9223372036854775807 - 2 does not fit into 64 bits");
  says("1 // 0", "division by zero");
  says("1.0 % 0", "float division by zero");
  says("1 << 70", "1 << 70 does not fit into 64 bits");
  says("1 + 'a'", "unsupported operand type(s) for +: 'int' and 'str'");
  says("1 < 'a'", "'<' not supported between instances of 'int' and 'str'");
}

TEST_CASE("sequences", "[A]") {
  CHECK(int_of("a = [1, 2, 3]; b = a; b.append(4)", "len(a)") == 4);
  CHECK(int_of("a = list(range(10))", "a[-1] + a[2:5][1] + a[::-3][1]") == 18);
  CHECK(int_of("a, (b, *c), d = 1, (2, 3, 4), 5", "a + b + sum(c) + d") == 15);
  CHECK(int_of("d = {'a': 1, **{'b': 2}}; d['c'] = 3",
               "sum(d.values()) + d.get('z', 10)") == 16);
  CHECK(int_of("", "sum([x * y for x in range(3) for y in (1, 2) if x])") == 9);
  CHECK(int_of("", "sum(i * v for i, v in enumerate([5, 6, 7]))") == 20);
  CHECK(int_of("", "sum({k: k for k in range(4)})") == 6);
  CHECK(int_of("a = [1, 2]; a += (3,); a[0] = 9", "a[0] + len(a * 2)") == 15);
  CHECK(int_of("",
               "max(3, 7, 5) + min([4, 2]) + max([])"
               " if False else max(3, 7, 5) + min([4, 2])") == 9);
  says("[1][1]", "list index out of range");
  says("a, b = 1, 2, 3", "too many values to unpack (expected 2)");
  says("a, b, *c = [1]",
       "not enough values to unpack (expected at least 2, got 1)");
  says("{}['x']", "key 'x' is not in the dict");
  says("(1, 2)[0] = 3; 1", "'tuple' object does not support item assignment");
}

TEST_CASE("functions", "[A]") {
  CHECK(int_of("def f(a, b=10, *c, d, **e):\n"
               "  return a + b + len(c) + d + len(e)\n",
               "f(1, 2, 3, 4, d=5, x=6)") == 11);
  CHECK(int_of("def make(n):\n  def add(m): return n + m\n  return add\n",
               "make(3)(4)") == 7);
  CHECK(int_of("def f(n): return 1 if n == 0 else n * f(n - 1)", "f(5)") ==
        120);
  says("def f(a, b): pass\nf(1)",
       "f() missing 1 required positional argument: 'b'");
  says("def f(a): pass\nf(1, 2)",
       "f() takes 1 positional argument but 2 were given");
  says("def f(a): pass\nf(1, a=2)", "f() got multiple values for argument 'a'");
  says("def f(a): pass\nf(b=2)", "f() got an unexpected keyword argument 'b'");
  says("def f():\n  x = x + 1\nx = 1\nf()",
       "cannot access local variable 'x' where it is not associated with a "
       "value");
  says("f(1)", "name 'f' is not defined");
  says("3(1)", "'int' object is not callable");
}

TEST_CASE("classes", "[A]") {
  const char* code =
      "class A:\n"
      "  k = 3\n"
      "  def __init__(self, n): self.n = n\n"
      "  @property\n"
      "  def twice(self): return self.n * 2\n"
      "  @staticmethod\n"
      "  def one(): return 1\n"
      "  def __len__(self): return 4\n"
      "class B(A):\n"
      "  def __init__(self): super().__init__(5)\n"
      "  def more(self): return self.twice + self.k + self.one() + len(self)\n";
  CHECK(int_of(code, "B().more() + isinstance(B(), A)") == 19);
  says("class A:\n  pass\nA(1)", "A() takes no arguments");
  says("class A:\n  pass\nA().x", "'A' object has no attribute 'x'");
}

TEST_CASE("control flow is run", "[A]") {
  CHECK(int_of("s = 0\n"
               "for i in range(10):\n"
               "  if i == 7: break\n"
               "  elif i % 2: continue\n"
               "  else: s += i\n",
               "s") == 12);
  CHECK(int_of("n = 0\nwhile n < 5: n += 2", "n") == 6);
  CHECK(int_of("for i in (1, 2): pass\nelse: i = 7", "i") == 7);
  CHECK(int_of("for i in (1, 2): break\nelse: i = 7", "i") == 1);
  CHECK(int_of("with torch.no_grad() as g:\n  x = 3", "x") == 3);
  CHECK(int_of("assert 1 + 1 == 2, 'sums'", "1") == 1);
  says("assert 1 == 2, f'{1} is not {2}'", "assertion failed: 1 is not 2");
  says("raise ValueError('too wide')", "too wide");
  says("if torch.randn(2).sum() > 0: pass\n1",
       "control flow on tensor values is not supported");
}

TEST_CASE("everything is bounded", "[A]") {
  says("def f(n): return f(n + 1)\nf(0)", "maximum recursion depth exceeded");
  says("while True: pass\n1", "the program takes more than 1000000 steps");
  says("[0] * 10**9", "the program takes more than 1000000 steps");
  says("'a' * 10**9", "the program takes more than 1000000 steps");
  says("list(range(10**9))", "the program takes more than 1000000 steps");
  std::string deep(400, '(');
  says(deep + std::string(400, ')'), "this is nested too deeply");
  std::string sum = "1";
  for (int i = 0; i < 400; i++)
    sum += "+1";
  CHECK_THAT(error_of(sum), Catch::Contains("nested too deeply"));
  std::string loops = "a = []\na.append(a)\nb = [a, a]\n";
  CHECK(int_of(loops, "len(str(b)) < 10000") == 1);
  CHECK_THAT(error_of(loops + "c = []\nc.append(c)\na == c"),
             Catch::Contains("too large to compare"));
  CHECK_THAT(error_of(std::string(1 << 20, ' ')), Catch::Contains("bytes"));
}

}  // namespace
}  // namespace sextant::python
