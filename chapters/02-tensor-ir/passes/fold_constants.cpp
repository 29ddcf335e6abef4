// Constants: what depends on numbers alone is computed here, as the device
// would, and only where the device's result is correctly rounded, so that no
// bit changes. The same holds for every rule of the table.
#include <cmath>
#include <map>

#include "chapters/02-tensor-ir/passes.h"
#include "chapters/02-tensor-ir/passes/rewrite.h"
#include "src/base/rules.h"

namespace sextant::tensor {

// Not among them: add(x, 0.0), which makes 0.0 of -0.0.
// clang-format off
const std::vector<Rule>& scalar_rules() {
  static const std::vector<Rule> kRules = {
    {"multiply(x, 1.0)",  "x", ""},
    {"multiply(1.0, x)",  "x", ""},
    {"divide(x, 1.0)",    "x", ""},
    {"subtract(x, 0.0)",  "x", ""},
    {"multiply(x, 1)",    "x", ""},
    {"multiply(1, x)",    "x", ""},
    {"add(x, 0)",         "x", ""},
    {"add(0, x)",         "x", ""},
    {"subtract(x, 0)",    "x", ""},
    {"where(c, x, x)",    "x", ""},
  };
  return kRules;
}
// clang-format on

namespace {

struct Number {
  Scalar value;
  DType dtype = DType::Float32;
};

class Folder {
 public:
  Folder(const Tables& tables, const Graph& graph)
      : tables_(tables), graph_(graph) {
    for (const Rule& rule : scalar_rules())
      rules_.push_back({parse_expr(rule.from), parse_expr(rule.to)});
  }

  // A constant, where an expression is one.
  std::optional<Number> number_of(const Expr& e) const {
    if (const Int* i = e.as<Int>()) return Number{{0, i->value}, DType::Int64};
    if (const Float* f = e.as<Float>()) {
      return Number{{round_to(DType::Float32, f->value), 0}, DType::Float32};
    }
    if (const Cast* c = e.as<Cast>()) {
      std::optional<Number> x = number_of(c->value);
      if (!x) return x;
      return Number{convert(x->value, x->dtype, c->to), c->to};
    }
    return std::nullopt;
  }

  Expr fold(const Expr& e) const {
    if (const Var* v = e.as<Var>()) {
      const Value* value = graph_.value(v->name);
      const Elementwise* x =
          value == nullptr ? nullptr : value->op.as<Elementwise>();
      return x != nullptr && number_of(x->value) ? x->value : e;
    }
    Expr mapped = map_handles<Expr>(e, [&](const Expr& x) { return fold(x); });
    if (const Cast* c = mapped.as<Cast>()) return fold_cast(mapped, *c);
    const Call* c = mapped.as<Call>();
    return c == nullptr ? mapped : fold_call(mapped, *c);
  }

 private:
  DType type(const Expr& e) const {
    return type_of(tables_, e, [&](const Name& name) {
      const Value* v = graph_.value(name);
      return v == nullptr ? DType::Int64 : v->dtype;
    });
  }

  static Expr constant(Scalar x, DType dtype) {
    return constant_of(is_float(dtype) ? Expr(Float{x.f}) : Expr(x.i), dtype);
  }

  Expr fold_call(const Expr& e, const Call& c) const {
    for (const auto& [from, to] : rules_) {
      Substitution by;
      if (match(from, e, by)) return substitute(to, by);
    }
    const ScalarOp& row = scalar_op(tables_, c.op);
    std::vector<Scalar> args;
    DType operands = DType::Float32;
    for (const Expr& a : c.args) {
      std::optional<Number> x = number_of(a);
      if (!x) return chosen(e, c);
      args.push_back(x->value);
      operands = x->dtype;  // the last decides, for `where` too
    }
    if (row.ulp > 0.5) return e;
    return constant(apply(row, operands, args.data()), type(e));
  }

  // x/512 is x*(1/512): of a power of two both round one and the same number.
  static Expr divided(const Expr& e, const Call& c) {
    const Float* by = c.op == "divide" ? c.args[1].as<Float>() : nullptr;
    int exponent = 0;
    if (by == nullptr || std::frexp(by->value, &exponent) != 0.5) return e;
    if (exponent < -100 || exponent > 100) return e;
    return call("multiply", {c.args[0], Float{1 / by->value}});
  }

  // where(1, x, y) is x.
  Expr chosen(const Expr& e, const Call& c) const {
    std::optional<Number> condition = number_of(c.args[0]);
    if (c.op != "where" || !condition) return divided(e, c);
    return c.args[condition->value.i != 0 ? 1 : 2];
  }

  // A conversion to the type that a value has or came from without loss.
  Expr fold_cast(const Expr& e, const Cast& c) const {
    if (type(c.value) == c.to) return c.value;
    std::optional<Number> x = number_of(c.value);
    if (x && c.to != DType::Bool && size_of(c.to) >= 4) {
      return constant(convert(x->value, x->dtype, c.to), c.to);
    }
    const Cast* inner = c.value.as<Cast>();
    bool there_and_back = inner != nullptr && type(inner->value) == c.to &&
                          inner->to == DType::Float32 && is_float(c.to);
    return there_and_back ? inner->value : e;
  }

  const Tables& tables_;
  const Graph& graph_;
  std::vector<std::pair<Expr, Expr>> rules_;
};

Rewritten fold_value(const Value& v, const Graph& so_far,
                     const Tables& tables) {
  Folder folder(tables, so_far);
  if (const Elementwise* e = v.op.as<Elementwise>()) {
    Expr value = folder.fold(e->value);
    const Var* same = value.as<Var>();
    if (same != nullptr && so_far.value(same->name)) return same->name;
    return value == e->value ? v.op : Op(Elementwise{value});
  }
  // A constant that is moved is the constant.
  const IndexMap* map = v.op.as<IndexMap>();
  if (map == nullptr || map->pieces[0].where) return v.op;
  Expr source = folder.fold(var(map->pieces[0].value));
  return source.as<Var>() != nullptr ? v.op : Op(Elementwise{source});
}

}  // namespace

Graph fold_constants(const Graph& graph, PassContext& context) {
  context.reason = "nothing depends on constants alone";
  return rewrite(graph, [&](const Value& v, const Graph& so_far) {
    return fold_value(v, so_far, *context.tables);
  });
}

}  // namespace sextant::tensor
