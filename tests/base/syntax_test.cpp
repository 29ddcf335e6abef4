// The engine that prints and parses every IR, on a small one made for it.
#include "src/base/syntax.h"

#include <catch2/catch.hpp>

#include "src/base/array.h"
#include "tests/report.h"

namespace toy {

struct Block;
struct Leaf;
struct Choice;

class Stmt : public sextant::Handle<Stmt, Block, Choice, Leaf> {
 public:
  using Handle::Handle;
};

enum class Mode { Plain, Fast };

struct Block {
  sextant::Name axis;
  sextant::Dim extent;
  bool unroll = false;
  std::vector<Stmt> body;
  bool operator==(const Block&) const = default;
};

struct Choice {
  sextant::Expr cond;
  std::vector<Stmt> then, otherwise;
  bool operator==(const Choice&) const = default;
};

struct Leaf {
  sextant::Name out;
  std::vector<sextant::Expr> args;
  sextant::Expr guard;
  Mode mode = Mode::Plain;
  int64_t width = 1;
  bool operator==(const Leaf&) const = default;
};

inline constexpr const char* kModeWords[] = {"plain", "fast", ""};

}  // namespace toy

namespace sextant {
template <>
inline constexpr const char* const* words_of<toy::Mode> = toy::kModeWords;
template <>
inline constexpr const char* format_of<toy::Block> =
    "for {axis} in 0..{extent}{? unroll{unroll}?}:{body}";
template <>
inline constexpr const char* format_of<toy::Choice> =
    "if {cond}:{then}{?else:{otherwise}?}";
template <>
inline constexpr const char* format_of<toy::Leaf> =
    "{out} = f({args}){? if {guard}?}{? {mode}?}{? width={width}?}, {out}";
}  // namespace sextant

namespace sextant {
namespace {

using toy::Stmt;

Stmt parse(const std::string& text) {
  Parser p(text, "toy.txt");
  p.open_line();
  Stmt s;
  parse_field(p, s);
  if (!p.at_end()) fail(p.where(), "more than one statement");
  return s;
}

std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Expr random_expr(Random& random, int depth) {
  static const std::vector<Name> kNames = {"a0", "tid", "x_smem", "long_name"};
  if (depth == 0 || random.chance(20)) {
    switch (random.below(4)) {
      case 0: return random.in(-20, 100000);
      case 1: return Float{random.in(-8, 8) * 0.37};
      case 2: return var(random.pick(kNames), {random.in(0, 9), var("i")});
      default: return var(random.pick(kNames));
    }
  }
  Expr a = random_expr(random, depth - 1), b = random_expr(random, depth - 1);
  switch (random.below(4)) {
    case 0: return call("add", {a, b});
    case 1: return Cast{a, DType::BFloat16};
    default: return Binary{static_cast<BinaryOp>(random.below(14)), a, b};
  }
}

Stmt random_stmt(Random& random, int depth) {
  std::vector<Stmt> body;
  for (int64_t n = random.in(1, 3); n > 0 && depth > 0; n--)
    body.push_back(random_stmt(random, depth - 1));
  if (depth == 0 || random.chance(40)) {
    std::vector<Expr> args;
    for (int64_t n = random.below(5); n > 0; n--)
      args.push_back(random_expr(random, 3));
    Expr guard = random.chance(40) ? random_expr(random, 3) : Expr();
    auto mode = static_cast<toy::Mode>(random.below(2));
    return toy::Leaf{"v" + std::to_string(random.below(100)), args, guard, mode,
                     random.in(1, 2)};
  }
  if (random.chance(50)) {
    return toy::Block{"a0", random.in(1, 99), random.chance(50), body};
  }
  std::vector<Stmt> otherwise;
  if (random.chance(50)) otherwise.push_back(random_stmt(random, depth - 1));
  return toy::Choice{random_expr(random, 4), body, otherwise};
}

}  // namespace

TEST_CASE("groups are printed where a field differs from its default",
          "[1.2]") {
  toy::Leaf leaf{"y", {var("a"), 3}, {}, toy::Mode::Plain, 1};
  CHECK(print(Stmt(leaf)) == "y = f(a, 3), y\n");
  leaf.guard = less(var("a"), 4);
  leaf.mode = toy::Mode::Fast;
  leaf.width = 4;
  CHECK(print(Stmt(leaf)) == "y = f(a, 3) if a < 4 fast width=4, y\n");
  CHECK(parse("y = f(a, 3) if a < 4 fast width=4, y\n") == Stmt(leaf));
  leaf.guard = Expr();
  CHECK(parse("y = f(a, 3) fast width=4, y  # a comment\n") == Stmt(leaf));
}

TEST_CASE("a name that comes again must be the same", "[1.2]") {
  CHECK(complaint("y = f(), y\n").empty());
  CHECK(complaint("y = f(), z\n") ==
        "toy.txt:1:10: error: this is no statement of this IR\n"
        "  y = f(), z\n           ^");
}

TEST_CASE("blocks nest by indentation", "[1.2]") {
  const std::string text =
      "for a in 0..4:\n"
      "  if a < 2:\n"
      "    y = f(a), y\n"
      "    for b in 0..n*2 unroll:\n"
      "      z = f(b), z\n"
      "  else:\n"
      "    y = f(), y\n"
      "  w = f(), w\n";
  Stmt s = parse(text);
  CHECK(print(s) == text);
  const auto& loop = s.get<toy::Block>();
  REQUIRE(loop.body.size() == 2);
  CHECK(loop.body[0].get<toy::Choice>().then.size() == 2);
  CHECK(loop.body[0].get<toy::Choice>().otherwise.size() == 1);
  // Any indentation will do, as long as a block has one.
  CHECK(parse("for a in 0..4:\n     y = f(a), y\n     z = f(), z\n") ==
        parse("for a in 0..4:\n  y = f(a), y\n\n  # so\n  z = f(), z\n"));
  CHECK(complaint("for a in 0..4:\n  y = f(a), y\n   z = f(), z\n") ==
        "toy.txt:3:4: error: the indentation fits no block\n"
        "     z = f(), z\n     ^");
}

TEST_CASE("what is wrong inside an expression is pointed at", "[1.2]") {
  CHECK(complaint("y = f(a, 3*), y\n") ==
        "toy.txt:1:12: error: expected a number, a name or '('\n"
        "  y = f(a, 3*), y\n             ^");
  CHECK(complaint("y = f(cast(a, float31)), y\n").find("cast(x, float32)") !=
        std::string::npos);
  CHECK(complaint("y = f(99999999999999999999), y\n")
            .find("the number is too large") != std::string::npos);
}

TEST_CASE("random statements read back, in 80 columns", "[1.2]") {
  int folded = 0;
  for (uint64_t seed = 1; seed <= 1500; seed++) {
    Random random(seed);
    Stmt s = random_stmt(random, 3);
    std::string text = print(s);
    INFO(text);
    for (const std::string& line : split(text, '\n')) {
      CHECK(line.size() <= 80);
      folded += line.size() > 60;
    }
    REQUIRE(parse(text) == s);
  }
  CHECK(folded > 1000);
}

TEST_CASE("a line without a place to break stays whole", "[1.2]") {
  std::string name(100, 'x');
  CHECK(fold_line(name, 2) == "  " + name);
  CHECK(fold_line("short", 4) == "    short");
}

TEST_CASE("every printed line knows what it came from", "[1.2]") {
  Stmt inner = Stmt(toy::Leaf{"y", {}, {}, {}, 1}).with_origin({2});
  Stmt outer = Stmt(toy::Block{"a", 4, false, {inner}}).with_origin({1, 2});
  Printer p;
  print_field(p, outer);
  CHECK(p.take() == "for a in 0..4:\n  y = f(), y\n");
  CHECK(p.origins() == std::vector<Origin>{{1, 2}, {2}});
}

TEST_CASE("reflection maps every child and keeps what did not change",
          "[1.1]") {
  Stmt s = parse("for a in 0..n:\n  if a < n:\n    y = f(n), y\n");
  auto to_8 = [](const Expr& e) { return substitute(e, {{"n", 8}}); };
  std::function<Stmt(const Stmt&)> all = [&](const Stmt& x) {
    return map_handles<Expr>(map_handles<Stmt>(x, all), to_8);
  };
  CHECK(print(all(s)) == "for a in 0..8:\n  if a < 8:\n    y = f(8), y\n");
  CHECK(all(all(s)).same_as(all(s)) == false);
  Stmt same = map_handles<Expr>(s, [](const Expr& e) { return e; });
  CHECK(same.same_as(s));
  CHECK(Stmt(s).with_origin({7}) == s);  // no part of equality
}

}  // namespace sextant
