#include <cmath>

#include "chapters/06-cuda/emit.h"

namespace sextant::cuda {
namespace {

using Types = std::function<DType(const Name&)>;

struct Infix {
  BinaryOp op;
  const char* text;
  int precedence;  // C++'s, higher binds tighter
};
constexpr Infix kInfix[] = {
    {BinaryOp::Or, " || ", 4},  {BinaryOp::And, " && ", 5},
    {BinaryOp::Xor, " ^ ", 7},  {BinaryOp::Eq, " == ", 9},
    {BinaryOp::Ne, " != ", 9},  {BinaryOp::Lt, " < ", 10},
    {BinaryOp::Le, " <= ", 10}, {BinaryOp::Add, " + ", 12},
    {BinaryOp::Sub, " - ", 12}, {BinaryOp::Mul, "*", 13},
    {BinaryOp::Div, "/", 13},   {BinaryOp::Mod, "%", 13},
};
constexpr int kUnary = 15, kCall = 17;

std::string float_literal(double value) {
  float f = static_cast<float>(value);
  if (std::isnan(f)) return "__int_as_float(0x7fffffff)";
  if (std::isinf(f)) {
    return f > 0 ? "__int_as_float(0x7f800000)" : "__int_as_float(0xff800000)";
  }
  std::string text = fmt::format("{}", f);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + "f";
}

class Spelling {
 public:
  Spelling(const Tables& tables, const Types& type, bool wide)
      : tables_(tables), type_(type), wide_(wide) {}

  std::string at(const Expr& e, int level) const {
    switch (e.kind()) {
      case ExprKind::Int: return integer(e.get<Int>().value, level);
      case ExprKind::Float: {
        std::string text = float_literal(e.get<Float>().value);
        return text[0] == '-' ? wrap(text, kUnary, level) : text;
      }
      case ExprKind::Var: return variable(e.get<Var>(), level);
      case ExprKind::Binary: return binary(e.get<Binary>(), level);
      case ExprKind::Call: return call(e.get<Call>(), level);
      case ExprKind::Cast: return cast(e.get<Cast>(), level);
    }
    return "";
  }

 private:
  static std::string wrap(const std::string& text, int precedence, int level) {
    return precedence < level ? "(" + text + ")" : text;
  }

  static std::string integer(int64_t value, int level) {
    std::string text = std::to_string(value);
    if (value != static_cast<int32_t>(value)) text += "ll";
    return value < 0 ? wrap(text, kUnary, level) : text;
  }

  std::string variable(const Var& v, int level) const {
    if (!v.index.empty()) {
      return v.name + "[" + Spelling(tables_, type_, false).at(v.index[0], 0) +
             "]";
    }
    if (!wide_) return v.name;
    return wrap("(long long)" + v.name, kUnary, level);
  }

  std::string binary(const Binary& b, int level) const {
    for (const Infix& row : kInfix) {
      if (row.op != b.op) continue;
      return wrap(
          at(b.a, row.precedence) + row.text + at(b.b, row.precedence + 1),
          row.precedence, level);
    }
    // min and max of indices: a choice, spelled without a function.
    std::string x = at(b.a, 11), y = at(b.b, 11);
    const char* op = b.op == BinaryOp::Min ? " < " : " > ";
    return wrap(x + op + y + " ? " + x + " : " + y, 3, level);
  }

  std::string call(const Call& c, int level) const {
    const ScalarOp& row = scalar_op(tables_, c.op);
    std::string text, form = row.cuda;
    for (std::size_t i = 0; i < form.size(); i++) {
      if (form[i] != '{') {
        text += form[i];
        continue;
      }
      int operand = form[i + 1] - '0';
      // Inside a function's parentheses anything may stand; the left operand
      // of an infix operator may bind as tightly as the operator.
      int inner = row.precedence == kCall ? 0
                  : i == 0                ? row.precedence
                                          : row.precedence + 1;
      text += at(c.args[operand], inner);
      i += 2;
    }
    return wrap(text, row.precedence, level);
  }

  std::string cast(const Cast& c, int level) const {
    DType from = type_of(tables_, c.value, type_);
    bool half = from == DType::Float16 || from == DType::BFloat16;
    if (from == c.to) return at(c.value, level);
    std::string inner = at(c.value, 0);
    if (half) {
      std::string f =
          (from == DType::Float16 ? "f16_to_f32(" : "bf16_to_f32(") + inner +
          ")";
      return c.to == DType::Float32
                 ? f
                 : wrap("(" + type_text(c.to) + ")" + f, kUnary, level);
    }
    if (c.to == DType::Float16)
      return "f32_to_f16((float)" + at(c.value, kUnary) + ")";
    if (c.to == DType::BFloat16)
      return "f32_to_bf16((float)" + at(c.value, kUnary) + ")";
    if (c.to == DType::Bool) return wrap(at(c.value, 10) + " != 0", 9, level);
    return wrap("(" + type_text(c.to) + ")" + at(c.value, kUnary), kUnary,
                level);
  }

  const Tables& tables_;
  const Types& type_;
  bool wide_;
};

}  // namespace

std::string type_text(DType dtype) {
  switch (dtype) {
    case DType::Float32: return "float";
    // The bits; no header is needed to move them.
    case DType::Float16:
    case DType::BFloat16: return "unsigned short";
    case DType::Int64: return "long long";
    case DType::Bool: return "bool";
  }
  return "";
}

std::string expr_text(const Tables& tables, const Expr& e, const Types& type,
                      bool wide) {
  return Spelling(tables, type, wide).at(e, 0);
}

}  // namespace sextant::cuda
