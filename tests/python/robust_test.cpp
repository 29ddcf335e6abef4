// No text makes the front end fall over: it builds a graph or says an error.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/python/python_support.h"

namespace sextant::python {
namespace {

const char* const kPrograms[] = {
    "x = torch.randn(2, 3); y = x.view(3, 2) @ x; F.softmax(y, dim=-1)[0, "
    "None]",
    "class B(nn.Module):\n"
    "  def __init__(self, n):\n"
    "    super().__init__()\n"
    "    self.l = nn.ModuleList([nn.Linear(n, n) for i in range(2)])\n"
    "  def forward(self, x):\n"
    "    for l in self.l: x = x + l(x) if True else -x\n"
    "    return x\n"
    "B(4)(torch.randn(1, 4))\n",
    "def f(a, *b, c=1, **d):\n"
    "  while a < 10 and not b:\n"
    "    a += 1\n"
    "  return [g * 2 for g in (a, *b) if g is not None], {'k': c, **d}\n"
    "t, u = f(1, c=2, e=f'{3}x')\n"
    "torch.full((t[0], 2), u['k'] // 1 ** 2) * 0.5e1\n"};

// Builds, or says what is wrong; anything else fails the test.
bool stands(const std::string& code) {
  try {
    graph_of(code);
    return true;
  } catch (const Error& e) {
    return !std::string(e.what()).empty();
  }
}

TEST_CASE("random bytes", "[A]") {
  std::mt19937 random(1);
  const std::string likely = " \n\t()[]{}:,.=+-*/'\"\\#@0123456789abcdefxyz_";
  for (int i = 0; i < 600; i++) {
    std::string code;
    for (std::size_t n = random() % 60; n > 0; n--) {
      code += random() % 8 == 0 ? static_cast<char>(random() % 256)
                                : likely[random() % likely.size()];
    }
    INFO(code);
    REQUIRE(stands(code));
  }
}

TEST_CASE("programs with a few changes", "[A]") {
  std::mt19937 random(2);
  int built = 0;
  for (int i = 0; i < 300; i++) {
    std::string code = kPrograms[i % 3];
    std::string other = kPrograms[random() % 3];
    for (std::size_t n = random() % 3 + 1; n > 0; n--) {
      std::size_t at = random() % code.size();
      std::size_t from = random() % other.size();
      std::string piece = other.substr(from, random() % 6);
      switch (random() % 3) {
        case 0: code.insert(at, piece); break;
        case 1: code.erase(at, random() % 4 + 1); break;
        default: code.replace(at, piece.size(), piece); break;
      }
    }
    INFO(code);
    REQUIRE(stands(code));
    built += error_of(code).empty();
  }
  // Some survive: the changes are small enough to reach deep.
  CHECK(built > 20);
}

}  // namespace
}  // namespace sextant::python
