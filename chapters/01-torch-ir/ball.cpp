#include "chapters/01-torch-ir/ball.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sextant::torch {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double largest(DType dtype) {
  switch (dtype) {
    case DType::Float16: return 65504;
    case DType::BFloat16: return 0x1.fep127;
    default: return std::numeric_limits<float>::max();
  }
}

// Half the distance of two numbers next to zero.
double half_tiny(DType dtype) {
  switch (dtype) {
    case DType::Float16: return 0x1p-25;
    case DType::BFloat16: return 0x1p-134;
    default: return 0x1p-150;
  }
}

}  // namespace

Ball rounded(Ball x, DType dtype, double ulp) {
  if (ulp == 0 || std::isnan(x.value) || std::isinf(x.value)) return x;
  double nearest = round_to(dtype, x.value);
  if (x.bound == 0 && ulp <= 0.5 && nearest == x.value) return x;
  double top = std::fabs(x.value) + x.bound;
  x.bound += 2 * ulp * (unit_roundoff(dtype) * top + half_tiny(dtype));
  // What is computed in steps may lose what is smaller than a normal number:
  // exp(89) is infinite, and 1/(1 + exp(89)) is 0.
  if (ulp > 1) x.bound += 0x1p-126;
  // Near the largest number the device may overflow; beyond, it must.
  double limit = largest(dtype) * (1 + unit_roundoff(dtype));
  if (std::fabs(x.value) - x.bound >= limit) return {nearest, 0};
  if (top >= largest(dtype)) x.bound = kInf;
  return x;
}

Ball converted(Ball x, DType from, DType to) {
  if (from == to) return x;
  if (is_float(to)) {
    if (from == DType::Bool) return x;
    // What is known exactly is rounded exactly: a conversion has one result.
    if (x.bound == 0) return {round_to(to, x.value), 0};
    bool widens = is_float(from) && to == DType::Float32;
    return widens ? x : rounded(x, to);
  }
  auto whole = [&](double value) {
    Scalar s = convert({value, static_cast<int64_t>(value)},
                       is_float(from) ? DType::Float32 : DType::Int64, to);
    return static_cast<double>(s.i);
  };
  if (x.bound == 0 && !is_float(from)) return {whole(x.value), 0};
  double middle = whole(x.value);
  if (std::isinf(x.bound)) return {middle, kInf};
  // A truth value is open when the ball holds zero and more.
  if (to == DType::Bool) {
    return {middle, double(x.bound > 0 && std::fabs(x.value) <= x.bound)};
  }
  double off = std::max(std::fabs(whole(x.value + x.bound) - middle),
                        std::fabs(whole(x.value - x.bound) - middle));
  return {middle, off};
}

double sum_bound(int64_t n, double terms, double errors) {
  double count = static_cast<double>(n);
  double steps = std::min(count - 1, 6 * std::sqrt(count));
  return errors + steps * unit_roundoff(DType::Float32) * (terms + errors);
}

namespace {

double evaluate_once(const ScalarOp& op, const double* x, bool floats) {
  if (floats) return op.eval(x);
  int64_t i[3] = {0, 0, 0};
  for (int k = 0; k < op.arity; k++)
    i[k] = static_cast<int64_t>(x[k]);
  return static_cast<double>(op.eval_int(i));
}

// Whether the function leaves the finite numbers inside the box of operands:
// where a divisor may be zero.
bool has_pole(const ScalarOp& op, const Ball* x) {
  auto holds_zero = [](const Ball& b) {
    return b.bound > 0 && std::fabs(b.value) <= b.bound;
  };
  if (op.name == "divide") return holds_zero(x[1]);
  bool negative_power = op.name == "pow" && x[1].value < 0;
  return (op.name == "reciprocal" || negative_power) && holds_zero(x[0]);
}

// How far the result may move when operands move within their bounds. Every
// row's function is monotone in each operand near enough, or moves less than
// its operand: the corners of the box bound what is inside. In the limit of
// small bounds this is the first derivative.
double corners(const ScalarOp& op, const Ball* x, double middle, bool floats) {
  if (has_pole(op, x)) return kInf;
  for (int k = 0; k < op.arity; k++) {
    if (std::isinf(x[k].bound)) return kInf;
  }
  double off = 0;
  for (int corner = 0; corner < (1 << op.arity); corner++) {
    double at[3] = {0, 0, 0};
    bool twice = false;  // an exact operand has one corner
    for (int k = 0; k < op.arity; k++) {
      bool up = (corner >> k & 1) != 0;
      twice = twice || (up && x[k].bound == 0);
      at[k] = x[k].value + (up ? x[k].bound : -x[k].bound);
    }
    if (twice) continue;
    double value = evaluate_once(op, at, floats);
    if (std::isnan(value) && !std::isnan(middle)) return kInf;
    if (value != middle) off = std::max(off, std::fabs(value - middle));
  }
  return off;
}

Ball choose(const Ball* x) {
  const Ball& taken = x[0].value != 0 ? x[1] : x[2];
  if (x[0].bound == 0) return taken;
  const Ball& other = x[0].value != 0 ? x[2] : x[1];
  double apart =
      taken.value == other.value ? 0 : std::fabs(taken.value - other.value);
  return {taken.value, std::max(taken.bound, apart + other.bound)};
}

// A comparison whose operands are within their bounds of each other is open.
Ball decide(const ScalarOp& op, const Ball* x, double answer, bool floats) {
  bool equality = op.name == "equal" || op.name == "not_equal";
  bool open = corners(op, x, answer, floats) != 0;
  if (equality && std::isfinite(x[0].value) && std::isfinite(x[1].value)) {
    double slack = x[0].bound + x[1].bound;
    open = slack > 0 && std::fabs(x[0].value - x[1].value) <= slack;
  }
  return {answer, double(open)};
}

}  // namespace

Ball apply(const ScalarOp& op, const Ball* x, bool floats) {
  if (op.name == "where") return choose(x);
  double v[3] = {0, 0, 0};
  bool exact = true;
  for (int k = 0; k < op.arity; k++) {
    v[k] = x[k].value;
    exact = exact && x[k].bound == 0;
  }
  Ball result{evaluate_once(op, v, floats), 0};
  if (!exact && op.result == ScalarOp::Result::Bool) {
    return decide(op, x, result.value, floats);
  }
  if (!exact) result.bound = corners(op, x, result.value, floats);
  if (op.result == ScalarOp::Result::Bool) return result;
  if (floats) return rounded(result, DType::Float32, op.ulp);
  if (std::fabs(result.value) > 0x1p53) {
    fail({}, "the reference computes int64 values up to 2^53, not {}",
         result.value);
  }
  return result;
}

// --- programs ----------------------------------------------------------------

BallProgram::BallProgram(const Tables& tables, const Expr& e,
                         const Scope& scope) {
  compile(tables, e, scope);
}

DType BallProgram::compile(const Tables& tables, const Expr& e,
                           const Scope& scope) {
  auto constant = [&](double value, DType type) {
    steps_.push_back({.kind = Step::Constant, .constant = {value, 0}});
    return type;
  };
  switch (e.kind()) {
    case ExprKind::Int:
      return constant(static_cast<double>(e.get<Int>().value), DType::Int64);
    case ExprKind::Float:
      return constant(round_to(DType::Float32, e.get<Float>().value),
                      DType::Float32);
    case ExprKind::Var: return compile_var(tables, e.get<Var>(), scope);
    case ExprKind::Call: return compile_call(tables, e.get<Call>(), scope);
    case ExprKind::Binary: {
      const Binary& b = e.get<Binary>();
      compile(tables, b.a, scope);
      compile(tables, b.b, scope);
      steps_.push_back({.kind = Step::Binary, .binary = b.op});
      return b.op >= BinaryOp::Lt ? DType::Bool : DType::Int64;
    }
    case ExprKind::Cast: break;
  }
  DType from = compile(tables, e.get<Cast>().value, scope);
  DType to = e.get<Cast>().to;
  steps_.push_back({.kind = Step::Cast, .from = from, .to = to});
  return to;
}

DType BallProgram::compile_var(const Tables& tables, const Var& v,
                               const Scope& scope) {
  auto position = [](const std::vector<Name>& list, const Name& name) {
    auto found = std::find(list.begin(), list.end(), name);
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
  };
  Step step{};
  for (const Expr& index : v.index)
    compile(tables, index, scope);
  step.arity = static_cast<int>(v.index.size());
  int index = v.index.empty() ? position(scope.index, v.name) : -1;
  auto symbol = scope.symbols.find(v.name);
  if (index >= 0) {
    step.kind = Step::Index;
    step.number = index;
  } else if (v.index.empty() && symbol != scope.symbols.end()) {
    step.constant.value = static_cast<double>(symbol->second);
  } else {
    step.kind = v.index.empty() ? Step::Operand : Step::Cell;
    step.number = position(scope.operands, v.name);
    INVARIANT(step.number >= 0, "nothing is named '{}'", v.name);
  }
  steps_.push_back(step);
  bool value = step.kind == Step::Operand || step.kind == Step::Cell;
  return value ? scope.type(v.name) : DType::Int64;
}

DType BallProgram::compile_call(const Tables& tables, const Call& c,
                                const Scope& scope) {
  const ScalarOp& row = scalar_op(tables, c.op);
  DType type = DType::Float32;
  for (const Expr& arg : c.args)
    type = compile(tables, arg, scope);  // the last operand decides
  steps_.push_back({.kind = Step::Call,
                    .arity = row.arity,
                    .call = &row,
                    .floats = is_float(type)});
  return row.result == ScalarOp::Result::Bool ? DType::Bool : type;
}

Ball BallProgram::run(const int64_t* index, const Source& source) const {
  Ball stack[32];
  int top = 0;
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Constant: stack[top++] = step.constant; break;
      case Step::Index:
        stack[top++] = {static_cast<double>(index[step.number]), 0};
        break;
      case Step::Operand: stack[top++] = source.operand(step.number); break;
      case Step::Cell:
        top -= step.arity;
        stack[top] = source.cell(step.number, stack + top, step.arity);
        top++;
        break;
      case Step::Binary: {
        Ball& a = stack[top - 2];
        const Ball& b = stack[top - 1];
        int64_t value =
            sextant::apply(step.binary, static_cast<int64_t>(a.value),
                           static_cast<int64_t>(b.value));
        // An index that is open leaves everything open.
        a = {static_cast<double>(value), a.bound + b.bound > 0 ? kInf : 0};
        top--;
        break;
      }
      case Step::Call:
        top -= step.arity;
        stack[top] = apply(*step.call, stack + top, step.floats);
        top++;
        break;
      case Step::Cast:
        stack[top - 1] = converted(stack[top - 1], step.from, step.to);
        break;
    }
    INVARIANT(top < 32, "an expression is too deep");
  }
  return stack[0];
}

}  // namespace sextant::torch
