#include "src/base/scalar_op.h"

#include <cmath>
#include <limits>

namespace sextant {
namespace {

using R = ScalarOp::Result;
using D = double;
using I = int64_t;

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// NaN wins, as in PyTorch's maximum and amax.
double maximum(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}
double minimum(double a, double b) {
  return a < b || std::isnan(a) ? a : b;
}

// Integer arithmetic wraps, as it does on the device.
I wrap(uint64_t x) {
  return static_cast<I>(x);
}
uint64_t u(I x) {
  return static_cast<uint64_t>(x);
}

// clang-format off
std::vector<ScalarOp> arithmetic_rows() {
  return {
    {"add", 2, R::Same, "{0} + {1}", 12,
     [](const D* x) { return x[0] + x[1]; },
     [](const I* x) { return wrap(u(x[0]) + u(x[1])); },
     [](const D*, D* d) { d[0] = d[1] = 1; }},
    {"subtract", 2, R::Same, "{0} - {1}", 12,
     [](const D* x) { return x[0] - x[1]; },
     [](const I* x) { return wrap(u(x[0]) - u(x[1])); },
     [](const D*, D* d) { d[0] = 1; d[1] = -1; }},
    {"multiply", 2, R::Same, "{0} * {1}", 13,
     [](const D* x) { return x[0] * x[1]; },
     [](const I* x) { return wrap(u(x[0]) * u(x[1])); },
     [](const D* x, D* d) { d[0] = x[1]; d[1] = x[0]; }},
    {"divide", 2, R::Same, "{0} / {1}", 13,
     [](const D* x) { return x[0] / x[1]; }, nullptr,
     [](const D* x, D* d) { d[0] = 1 / x[1]; d[1] = -x[0] / (x[1] * x[1]); },
     0.5, 8, 1},
    {"negative", 1, R::Same, "-{0}", 15,
     [](const D* x) { return -x[0]; },
     [](const I* x) { return wrap(-u(x[0])); },
     [](const D*, D* d) { d[0] = -1; }, 0},
    {"abs", 1, R::Same, "fabsf({0})", 17,
     [](const D* x) { return std::fabs(x[0]); },
     [](const I* x) { return x[0] < 0 ? wrap(-u(x[0])) : x[0]; },
     [](const D*, D* d) { d[0] = 1; }, 0},
    {"maximum", 2, R::Same, "sx_max({0}, {1})", 17,
     [](const D* x) { return maximum(x[0], x[1]); },
     [](const I* x) { return x[0] > x[1] ? x[0] : x[1]; },
     [](const D*, D* d) { d[0] = d[1] = 1; }, 0},
    {"minimum", 2, R::Same, "sx_min({0}, {1})", 17,
     [](const D* x) { return minimum(x[0], x[1]); },
     [](const I* x) { return x[0] < x[1] ? x[0] : x[1]; },
     [](const D*, D* d) { d[0] = d[1] = 1; }, 0},
    {"relu", 1, R::Same, "sx_max({0}, 0.0f)", 17,
     [](const D* x) { return maximum(x[0], 0); },
     [](const I* x) { return x[0] > 0 ? x[0] : 0; },
     [](const D*, D* d) { d[0] = 1; }, 0},
  };
}

std::vector<ScalarOp> function_rows() {
  return {
    {"exp", 1, R::Same, "expf({0})", 17,
     [](const D* x) { return std::exp(x[0]); }, nullptr,
     [](const D* x, D* d) { d[0] = std::exp(x[0]); }, 2, 4, 1},
    {"log", 1, R::Same, "logf({0})", 17,
     [](const D* x) { return std::log(x[0]); }, nullptr,
     [](const D* x, D* d) { d[0] = 1 / x[0]; }, 1, 12, 1},
    {"sqrt", 1, R::Same, "sqrtf({0})", 17,
     [](const D* x) { return std::sqrt(x[0]); }, nullptr,
     [](const D* x, D* d) { d[0] = 0.5 / std::sqrt(x[0]); }, 0.5, 6, 1},
    {"rsqrt", 1, R::Same, "rsqrtf({0})", 17,
     [](const D* x) { return 1 / std::sqrt(x[0]); }, nullptr,
     [](const D* x, D* d) { d[0] = -0.5 / (x[0] * std::sqrt(x[0])); },
     2, 2, 1},
    {"reciprocal", 1, R::Same, "1.0f / {0}", 13,
     [](const D* x) { return 1 / x[0]; }, nullptr,
     [](const D* x, D* d) { d[0] = -1 / (x[0] * x[0]); }, 0.5, 6, 1},
    {"tanh", 1, R::Same, "tanhf({0})", 17,
     [](const D* x) { return std::tanh(x[0]); }, nullptr,
     [](const D* x, D* d) { D t = std::tanh(x[0]); d[0] = 1 - t * t; },
     2, 12, 2},
    {"sigmoid", 1, R::Same, "1.0f / (1.0f + expf(-{0}))", 13,
     [](const D* x) { return sigmoid(x[0]); }, nullptr,
     [](const D* x, D* d) { D s = sigmoid(x[0]); d[0] = s * (1 - s); },
     4, 12, 2},
    {"erf", 1, R::Same, "erff({0})", 17,
     [](const D* x) { return std::erf(x[0]); }, nullptr,
     [](const D* x, D* d) {
       d[0] = 1.1283791670955126 * std::exp(-x[0] * x[0]);
     }, 2, 20, 1},
    {"sin", 1, R::Same, "sinf({0})", 17,
     [](const D* x) { return std::sin(x[0]); }, nullptr,
     [](const D* x, D* d) { d[0] = std::cos(x[0]); }, 2, 20, 0},
    {"cos", 1, R::Same, "cosf({0})", 17,
     [](const D* x) { return std::cos(x[0]); }, nullptr,
     [](const D* x, D* d) { d[0] = std::sin(x[0]); }, 2, 20, 0},
    {"pow", 2, R::Same, "powf({0}, {1})", 17,
     [](const D* x) { return std::pow(x[0], x[1]); }, nullptr,
     [](const D* x, D* d) {
       d[0] = x[1] * std::pow(x[0], x[1] - 1);
       d[1] = x[0] > 0 ? std::pow(x[0], x[1]) * std::log(x[0]) : 0;
     }, 8, 40, 2},
    {"floor", 1, R::Same, "floorf({0})", 17,
     [](const D* x) { return std::floor(x[0]); }, nullptr, nullptr, 0},
  };
}

std::vector<ScalarOp> logic_rows() {
  return {
    {"less", 2, R::Bool, "{0} < {1}", 10,
     [](const D* x) { return D(x[0] < x[1]); },
     [](const I* x) { return I(x[0] < x[1]); }},
    {"less_equal", 2, R::Bool, "{0} <= {1}", 10,
     [](const D* x) { return D(x[0] <= x[1]); },
     [](const I* x) { return I(x[0] <= x[1]); }},
    {"greater", 2, R::Bool, "{0} > {1}", 10,
     [](const D* x) { return D(x[0] > x[1]); },
     [](const I* x) { return I(x[0] > x[1]); }},
    {"greater_equal", 2, R::Bool, "{0} >= {1}", 10,
     [](const D* x) { return D(x[0] >= x[1]); },
     [](const I* x) { return I(x[0] >= x[1]); }},
    {"equal", 2, R::Bool, "{0} == {1}", 9,
     [](const D* x) { return D(x[0] == x[1]); },
     [](const I* x) { return I(x[0] == x[1]); }},
    {"not_equal", 2, R::Bool, "{0} != {1}", 9,
     [](const D* x) { return D(x[0] != x[1]); },
     [](const I* x) { return I(x[0] != x[1]); }},
    {"logical_and", 2, R::Bool, "{0} && {1}", 5,
     [](const D* x) { return D(x[0] != 0 && x[1] != 0); },
     [](const I* x) { return I(x[0] != 0 && x[1] != 0); }},
    {"logical_or", 2, R::Bool, "{0} || {1}", 4,
     [](const D* x) { return D(x[0] != 0 || x[1] != 0); },
     [](const I* x) { return I(x[0] != 0 || x[1] != 0); }},
    {"logical_not", 1, R::Bool, "!{0}", 15,
     [](const D* x) { return D(x[0] == 0); },
     [](const I* x) { return I(x[0] == 0); }},
    // where(c, x, y): c is a truth value, x and y decide the type.
    {"where", 3, R::Same, "{0} ? {1} : {2}", 3,
     [](const D* x) { return x[0] != 0 ? x[1] : x[2]; },
     [](const I* x) { return x[0] != 0 ? x[1] : x[2]; },
     [](const D* x, D* d) { d[0] = 0; d[1] = x[0] != 0; d[2] = x[0] == 0; },
     0},
  };
}
// clang-format on

Combiner simple_combiner(const Name& op, Expr identity) {
  return {op, {identity}, {call(op, {var("s0"), var("x0")})}};
}

}  // namespace

void add_base_tables(Tables& tables) {
  tables.add(arithmetic_rows());
  tables.add(function_rows());
  tables.add(logic_rows());
  constexpr double inf = std::numeric_limits<double>::infinity();
  tables.add(std::vector<Combiner>{
      simple_combiner("add", Float{0}),
      simple_combiner("multiply", Float{1}),
      simple_combiner("maximum", Float{-inf}),
      simple_combiner("minimum", Float{inf}),
      simple_combiner("logical_and", Int{1}),
      simple_combiner("logical_or", Int{0}),
  });
}

const ScalarOp& scalar_op(const Tables& tables, const Name& name) {
  const ScalarOp* row = tables.find<ScalarOp>(name);
  INVARIANT(row != nullptr, "no scalar operation '{}'", name);
  return *row;
}

const Combiner& combiner(const Tables& tables, const Name& name) {
  const Combiner* row = tables.find<Combiner>(name);
  INVARIANT(row != nullptr, "no combiner '{}'", name);
  return *row;
}

Expr identity_of(const Combiner& row, DType dtype) {
  const Float* f = row.identity[0].as<Float>();
  if (is_float(dtype) || f == nullptr) return row.identity[0];
  if (std::isinf(f->value)) {
    return Int{f->value < 0 ? std::numeric_limits<int64_t>::min()
                            : std::numeric_limits<int64_t>::max()};
  }
  return Int{static_cast<int64_t>(f->value)};
}

Scalar convert(Scalar x, DType from, DType to) {
  if (is_float(from) && is_float(to)) return {round_to(to, x.f), 0};
  if (is_float(to)) return {round_to(to, static_cast<double>(x.i)), 0};
  if (to == DType::Bool) return {0, is_float(from) ? x.f != 0 : x.i != 0};
  if (!is_float(from)) return x;
  // Out of range is undefined in C++; the device saturates.
  if (std::isnan(x.f)) return {0, 0};
  if (x.f >= 0x1p63) return {0, std::numeric_limits<int64_t>::max()};
  if (x.f < -0x1p63) return {0, std::numeric_limits<int64_t>::min()};
  return {0, static_cast<int64_t>(x.f)};
}

Scalar apply(const ScalarOp& row, DType operands, const Scalar* args) {
  int64_t i[3] = {0, 0, 0};
  double f[3] = {0, 0, 0};
  for (int k = 0; k < row.arity; k++) {
    i[k] = args[k].i;
    f[k] = args[k].f;
  }
  if (!is_float(operands)) return {0, row.eval_int(i)};
  if (row.name == "where") f[0] = static_cast<double>(i[0]);
  double result = row.eval(f);
  if (row.result == ScalarOp::Result::Bool) return {0, result != 0};
  return {round_to(DType::Float32, result), 0};
}

namespace {

bool is_predicate(BinaryOp op) {
  return op >= BinaryOp::Lt;
}

DType type_of_call(const Tables& tables, const Call& c,
                   const std::function<DType(const Name&)>& of) {
  const ScalarOp* row = tables.find<ScalarOp>(c.op);
  if (row == nullptr) fail({}, "no scalar operation '{}'", c.op);
  if (static_cast<int>(c.args.size()) != row->arity) {
    fail({}, "{} takes {} operands, not {}", c.op, row->arity, c.args.size());
  }
  std::size_t first = c.op == "where" ? 1 : 0;
  DType type = type_of(tables, c.args[first], of);
  for (std::size_t i = 0; i < c.args.size(); i++) {
    DType t = type_of(tables, c.args[i], of);
    if (i < first) {
      if (t != DType::Bool)
        fail({}, "where chooses by bool, not {}", name_of(t));
    } else if (t != type) {
      fail({}, "'{}' mixes {} and {}", to_string(c), name_of(type), name_of(t));
    }
  }
  bool halves = type == DType::Float16 || type == DType::BFloat16;
  if (halves && c.op != "where") {
    fail({}, "'{}' computes in {}; cast to float32 first", to_string(c),
         name_of(type));
  }
  if (is_float(type) ? row->eval == nullptr : row->eval_int == nullptr) {
    fail({}, "{} has no meaning on {}", c.op, name_of(type));
  }
  return row->result == ScalarOp::Result::Bool ? DType::Bool : type;
}

}  // namespace

DType type_of(const Tables& tables, const Expr& e,
              const std::function<DType(const Name&)>& of) {
  switch (e.kind()) {
    case ExprKind::Int: return DType::Int64;
    case ExprKind::Float: return DType::Float32;
    case ExprKind::Var: return of(e.get<Var>().name);
    case ExprKind::Binary:
      return is_predicate(e.get<Binary>().op) ? DType::Bool : DType::Int64;
    case ExprKind::Cast: return e.get<Cast>().to;
    case ExprKind::Call: return type_of_call(tables, e.get<Call>(), of);
  }
  return DType::Float32;
}

Scalar compute(const Tables& tables, const Expr& e,
               const std::function<DType(const Name&)>& type,
               const std::function<Scalar(const Var&)>& of) {
  switch (e.kind()) {
    case ExprKind::Int: return {0, e.get<Int>().value};
    case ExprKind::Float:
      return {round_to(DType::Float32, e.get<Float>().value), 0};
    case ExprKind::Var: return of(e.get<Var>());
    case ExprKind::Binary: {
      const Binary& b = e.get<Binary>();
      int64_t x = compute(tables, b.a, type, of).i;
      int64_t y = compute(tables, b.b, type, of).i;
      return {0, apply(b.op, x, y)};
    }
    case ExprKind::Cast: {
      const Cast& c = e.get<Cast>();
      return convert(compute(tables, c.value, type, of),
                     type_of(tables, c.value, type), c.to);
    }
    case ExprKind::Call: break;
  }
  const Call& c = e.get<Call>();
  Scalar args[3];
  for (std::size_t k = 0; k < c.args.size(); k++) {
    args[k] = compute(tables, c.args[k], type, of);
  }
  DType operands = type_of(tables, c.args.back(), type);
  return apply(scalar_op(tables, c.op), operands, args);
}

}  // namespace sextant
