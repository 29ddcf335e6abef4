// The text of expressions. Index arithmetic is infix with the usual
// precedences, scalar operations are calls; both read back to the same tree.
#include <cmath>

#include "src/base/expr.h"
#include "src/base/text.h"

namespace sextant {
namespace {

struct Infix {
  BinaryOp op;
  std::string_view text;
  int level;  // binds tighter the higher it is; all are left associative
};

constexpr int kPrimary = 7;
constexpr Infix kInfix[] = {
    {BinaryOp::Or, " or ", 1}, {BinaryOp::And, " and ", 2},
    {BinaryOp::Lt, " < ", 3},  {BinaryOp::Le, " <= ", 3},
    {BinaryOp::Eq, " == ", 3}, {BinaryOp::Ne, " != ", 3},
    {BinaryOp::Xor, " ^ ", 4}, {BinaryOp::Add, " + ", 5},
    {BinaryOp::Sub, " - ", 5}, {BinaryOp::Mul, "*", 6},
    {BinaryOp::Div, "/", 6},   {BinaryOp::Mod, "%", 6},
};

const Infix* infix(BinaryOp op) {
  for (const Infix& row : kInfix) {
    if (row.op == op) return &row;
  }
  return nullptr;  // min and max are written as functions
}

std::string list_text(const std::vector<Expr>& list) {
  std::vector<std::string> parts;
  for (const Expr& e : list)
    parts.push_back(to_string(e));
  return join(parts);
}

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // The shortest text that reads back as the same float32, with a point.
  std::string text = fmt::format("{}", static_cast<float>(value));
  bool plain = text.find_first_of(".en") == std::string::npos;
  return plain ? text + ".0" : text;
}

std::string text_at(const Expr& e, int level);

std::string binary_text(const Binary& b, int level) {
  const Infix* row = infix(b.op);
  if (row == nullptr) {
    std::string_view name = b.op == BinaryOp::Min ? "min" : "max";
    return fmt::format("{}({}, {})", name, to_string(b.a), to_string(b.b));
  }
  std::string text = text_at(b.a, row->level) + std::string(row->text) +
                     text_at(b.b, row->level + 1);
  return row->level < level ? "(" + text + ")" : text;
}

std::string text_at(const Expr& e, int level) {
  switch (e.kind()) {
    case ExprKind::Int: return fmt::format("{}", e.get<Int>().value);
    case ExprKind::Float: return float_text(e.get<Float>().value);
    case ExprKind::Var: {
      const Var& v = e.get<Var>();
      return v.index.empty() ? v.name : v.name + "[" + list_text(v.index) + "]";
    }
    case ExprKind::Binary: return binary_text(e.get<Binary>(), level);
    case ExprKind::Call:
      return e.get<Call>().op + "(" + list_text(e.get<Call>().args) + ")";
    case ExprKind::Cast:
      return fmt::format("cast({}, {})", to_string(e.get<Cast>().value),
                         name_of(e.get<Cast>().to));
  }
  return "";
}

}  // namespace

std::string to_string(const Expr& e) {
  return e ? text_at(e, 0) : "";
}

Expr parse_expr(std::string_view text) {
  Line line{0, std::string(text), {"expression", 1, 1, std::string(text)}};
  Cursor cursor(line);
  Expr out;
  if (!cursor.expr(out) || !cursor.at_end()) {
    fail(cursor.where(cursor.furthest()), "expected an expression");
  }
  return out;
}

bool Cursor::expr(Expr& out) {
  char c = peek();
  bool starts = std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                c == '(' || c == '-';
  if (!starts) return false;
  parts_ = depth_ = 0;
  out = parse_binary(1);
  return true;
}

bool Cursor::var(Var& out) {
  if (!name(out.name)) return false;
  out.index.clear();
  parts_ = depth_ = 0;
  if (literal("[")) out.index = parse_list(']');
  return true;
}

Expr Cursor::parse_bounded() {
  if (++parts_ > kMostParts) {
    fail(where(at_), "the expression has more than {} operands", kMostParts);
  }
  if (++depth_ > kDeepest) {
    fail(where(at_), "more than {} brackets are open here", kDeepest);
  }
  Expr e = parse_primary();
  depth_--;
  return e;
}

Expr Cursor::parse_binary(int level) {
  if (level == kPrimary) return parse_bounded();
  Expr left = parse_binary(level + 1);
  while (true) {
    const Infix* found = nullptr;
    std::size_t start = at_;
    for (const Infix& row : kInfix) {
      if (row.level != level) continue;
      // Spaces around an operator are free on the way in.
      skip_spaces();
      std::string_view bare = row.text;
      while (bare.front() == ' ')
        bare.remove_prefix(1);
      while (bare.back() == ' ')
        bare.remove_suffix(1);
      bool word = std::isalpha(static_cast<unsigned char>(bare[0]));
      std::string_view two = std::string_view(line_->text).substr(at_, 2);
      // `<=` is no `<`, and an arrow ends the expression.
      if ((bare == "<" && two == "<=") || two == "->") continue;
      if (literal(bare) && (!word || peek() == ' ' || peek() == '(')) {
        found = &row;
        break;
      }
      at_ = start;
    }
    if (found == nullptr) {
      at_ = start;
      return left;
    }
    skip_spaces();
    // As written, not folded: parse(print(e)) must be e.
    left = Binary{found->op, left, parse_binary(level + 1)};
  }
}

std::vector<Expr> Cursor::parse_list(char close) {
  std::vector<Expr> list;
  skip_spaces();
  while (peek() != close) {
    list.push_back(parse_binary(1));
    skip_spaces();
    if (peek() == ',') {
      advance(1);
      skip_spaces();
    } else if (peek() != close) {
      fail(where(at_), "expected ',' or '{}'", close);
    }
  }
  advance(1);
  return list;
}

Expr Cursor::parse_number() {
  std::size_t start = at_;
  double value = 0;
  bool is_integer = false;
  if (!number(value, is_integer)) {
    fail(where(at_), "expected a number, a name or '('");
  }
  if (!is_integer) return Float{value};
  at_ = start;
  int64_t i = 0;
  integer(i);
  return Int{i};
}

Expr Cursor::parse_primary() {
  if (literal("(")) {
    skip_spaces();
    Expr e = parse_binary(1);
    skip_spaces();
    if (!literal(")")) fail(where(at_), "expected ')'");
    return e;
  }
  std::size_t start = at_;
  double ignored = 0;
  bool is_integer = false;
  if (number(ignored, is_integer)) {
    at_ = start;
    return parse_number();
  }
  Name name_read;
  if (!name(name_read)) fail(where(at_), "expected a number, a name or '('");
  if (literal("[")) return Var{name_read, parse_list(']')};
  if (!literal("(")) return Var{name_read, {}};
  if (name_read == "cast") {
    Expr value = parse_binary(1);
    Name type;
    skip_spaces();
    bool comma = literal(",");
    skip_spaces();
    if (!comma || !name(type) || !dtype_named(type) || !literal(")")) {
      fail(where(at_), "expected an element type: cast(x, float32)");
    }
    return Cast{value, *dtype_named(type)};
  }
  std::vector<Expr> args = parse_list(')');
  if (name_read == "min" || name_read == "max") {
    if (args.size() != 2) fail(where(start), "{} takes two", name_read);
    BinaryOp op = name_read == "min" ? BinaryOp::Min : BinaryOp::Max;
    return Binary{op, args[0], args[1]};
  }
  return Call{name_read, args};
}

}  // namespace sextant
