// Running the definition of a composite row on a builder.
#include <cmath>

#include "chapters/01-torch-ir/builder.h"
#include "chapters/01-torch-ir/infer.h"

namespace sextant::torch {
namespace {

bool is_half(DType t) {
  return is_float(t) && t != DType::Float32;
}

class Runner {
 public:
  Runner(GraphBuilder& builder, const BoundCall& call)
      : builder_(builder), call_(call) {}

  Name run() {
    const Composite& kind = *call_.row().as<Composite>();
    bool once = kind.precision == Precision::Once;
    if (once) type_ = float_type();
    for (std::size_t i = 0; i < call_.args().size(); i++) {
      Arg arg = call_.args()[i];
      for (Name& value : arg.values) {
        if (once && is_half(builder_.type(value).dtype)) {
          value = to(value, DType::Float32);
        }
      }
      known_[call_.row().params[i].name] = arg;
    }
    const Definition& d = kind.definition;
    for (std::size_t i = 0; i < d.names.size(); i++)
      known_[d.names[i]] = evaluate(d.terms[i]);
    Arg result = evaluate(d.terms.back());
    INVARIANT(result.kind == Arg::Kind::Value, "{} makes no tensor",
              call_.row().name);
    Name made = result.values[0];
    return once && builder_.type(made).dtype != type_ ? to(made, type_) : made;
  }

 private:
  // The type of the result: the first tensor's, or what `dtype` says.
  DType float_type() {
    Name first = call_.operands().at(0);
    DType type = builder_.type(first).dtype;
    for (std::size_t i = 0; i < call_.args().size(); i++) {
      const Arg& arg = call_.args()[i];
      if (arg.kind == Arg::Kind::DType) type = arg.dtype;
    }
    if (!is_float(type)) {
      fail({}, "\"{}\" not implemented for '{}'", call_.row().name,
           type == DType::Bool ? "Bool" : "Long");
    }
    return type;
  }

  Name to(const Name& value, DType type) {
    const OpRow& row = op_row(builder_.tables(), "to");
    return builder_.call_bound(row,
                               bind_args(row, {Arg::of(value), Arg::of(type)}));
  }

  Arg evaluate(const Expr& term) {
    if (const Var* v = term.as<Var>()) {
      auto found = known_.find(v->name);
      return found == known_.end() ? Arg::of_string(v->name) : found->second;
    }
    if (const Float* x = term.as<Float>()) return Arg::of_float(x->value);
    const Call* c = term.as<Call>();
    if (c == nullptr) return Arg::of(term);
    if (c->op == "if") {  // the branch that is not taken is not made
      return evaluate(c->args[evaluate(c->args[0]).flag ? 1 : 2]);
    }
    std::vector<Arg> args;
    for (const Expr& arg : c->args)
      args.push_back(evaluate(arg));
    if (std::optional<Arg> arg = function(c->op, args)) return *arg;
    const OpRow& row = op_row(builder_.tables(), c->op);
    return Arg::of(builder_.call_bound(row, bind_args(row, args, {}, true)));
  }

  const Shape& shape(const Arg& tensor) {
    return builder_.type(tensor.values.at(0)).shape;
  }

  Dim size(const Arg& tensor, const Dim& dim) {
    const Shape& s = shape(tensor);
    std::size_t axis = wrap_dim(value_of(dim), s.size());
    return s.empty() ? Dim(1) : s[axis];
  }

  // Elements of a tensor along some dimensions; along all if none is named.
  Dim count(const Arg& tensor, const Arg& dims) {
    Dim product = 1;
    if (dims.ints.empty()) {
      for (const Dim& extent : shape(tensor))
        product = product * extent;
    }
    for (const Dim& dim : dims.ints)
      product = product * size(tensor, dim);
    return product;
  }

  // What definitions ask beside calling rows.
  std::optional<Arg> function(const Name& name, const std::vector<Arg>& a) {
    // given(x): whether x is not None. default(x, y): x unless it is None.
    if (name == "given") return Arg::of_bool(a[0].kind != Arg::Kind::None);
    if (name == "default") return a[0].kind != Arg::Kind::None ? a[0] : a[1];
    // is(x, y): whether the arguments are the same; 2 and 2.0 are.
    if (name == "is") return Arg::of_bool(plain(a[0]) == plain(a[1]));
    if (name == "is_bool") {
      return Arg::of_bool(builder_.type(a[0].values.at(0)).dtype ==
                          DType::Bool);
    }
    if (name == "size") return Arg::of(size(a[0], a[1].ints.at(0)));
    if (name == "count") return Arg::of(count(a[0], a[1]));
    // quotient(m, n): m/n, a whole number.
    if (name == "quotient") {
      return Arg::of(simplify(floor_div(a[0].ints.at(0), a[1].ints.at(0))));
    }
    if (name == "difference") return Arg::of(a[0].ints[0] - a[1].ints[0]);
    // last(l): as many dimensions at the end as the list has entries.
    if (name == "last") {
      std::vector<Dim> dims;
      for (std::size_t i = a[0].ints.size(); i > 0; i--)
        dims.push_back(-static_cast<int64_t>(i));
      return Arg::of_ints(std::move(dims));
    }
    if (name == "inverse_sqrt") return inverse_sqrt(a[0].ints.at(0));
    // rounded(x): x as the result's type holds it.
    if (name == "rounded") {
      if (!is_half(type_)) return a[0];
      return Arg::of(to(to(a[0].values.at(0), type_), DType::Float32));
    }
    return std::nullopt;
  }

  Arg inverse_sqrt(const Dim& n) {
    if (!constant(n)) {
      fail({}, "{}: the size '{}' must be known here", call_.row().name,
           sextant::to_string(n));
    }
    return Arg::of_float(1 / std::sqrt(static_cast<double>(value_of(n))));
  }

  static Arg plain(const Arg& arg) {
    if (arg.kind != Arg::Kind::Int || !constant(arg.ints[0])) return arg;
    return Arg::of_float(static_cast<double>(value_of(arg.ints[0])));
  }

  GraphBuilder& builder_;
  const BoundCall& call_;
  std::map<Name, Arg> known_ = {{"True", Arg::of_bool(true)}};
  DType type_ = DType::Float32;
};

}  // namespace

Name run_definition(GraphBuilder& builder, const BoundCall& call) {
  return Runner(builder, call).run();
}

}  // namespace sextant::torch
