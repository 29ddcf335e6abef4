#include "chapters/01-torch-ir/op_table.h"

#include "chapters/01-torch-ir/infer.h"
#include "src/base/scalar_op.h"

namespace sextant::torch {

OpRow row(std::string schema, std::string doc, Meaning meaning,
          void (*check)(const BoundCall&)) {
  OpRow made;
  made.name = schema.substr(0, schema.find('('));
  made.params = parse_schema(schema);
  made.schema = std::move(schema);
  made.doc = std::move(doc);
  made.meaning = std::move(meaning);
  made.check = check;
  return made;
}

OpRow elementwise(std::string schema, std::string doc, Promote promote,
                  std::string_view text, void (*check)(const BoundCall&)) {
  return row(std::move(schema), std::move(doc),
             Elementwise{promote, parse_expr(text)}, check);
}

OpRow composite(std::string schema, std::string doc, Precision precision,
                std::string_view text, void (*check)(const BoundCall&)) {
  return row(std::move(schema), std::move(doc),
             Composite{precision, parse_definition(text)}, check);
}

const OpRow& op_row(const Tables& tables, const Name& name) {
  const OpRow* found = tables.find<OpRow>(name);
  if (found == nullptr) fail({}, "no operation '{}' in the op table", name);
  return *found;
}

const Arg& BoundCall::arg(std::string_view param) const {
  for (std::size_t i = 0; i < args_.size(); i++) {
    if (row_->params[i].name == param) return args_[i];
  }
  INVARIANT(false, "{} has no parameter '{}'", row_->name, param);
  return args_[0];
}

bool BoundCall::given(std::string_view param) const {
  return arg(param).kind != Arg::Kind::None;
}

const Name& BoundCall::value(std::string_view param) const {
  const Arg& a = arg(param);
  if (a.kind != Arg::Kind::Value) {
    fail({}, "{}(): argument '{}' must be Tensor", row_->name, param);
  }
  return a.values[0];
}

const Type& BoundCall::type(std::string_view param) const {
  return type_of_(value(param));
}

const std::vector<Dim>& BoundCall::ints(std::string_view param) const {
  return arg(param).ints;
}

int64_t BoundCall::integer(std::string_view param) const {
  const Dim& dim = arg(param).ints.at(0);
  if (!constant(dim)) {
    fail({}, "{}(): argument '{}' must be a known number, not '{}'", row_->name,
         param, sextant::to_string(dim));
  }
  return value_of(dim);
}

bool BoundCall::flag(std::string_view param) const {
  return arg(param).flag;
}

std::vector<Name> BoundCall::operands() const {
  std::vector<Name> names;
  for (const Arg& a : args_)
    names.insert(names.end(), a.values.begin(), a.values.end());
  return names;
}

std::vector<Arg> BoundCall::deciding() const {
  const Elementwise* kind = row_->as<Elementwise>();
  bool chooses = kind != nullptr && kind->promote == Promote::Choose;
  std::vector<Arg> list;
  for (std::size_t i = chooses ? 1 : 0; i < args_.size(); i++) {
    if (row_->params[i].type == ParamType::Tensor) list.push_back(args_[i]);
  }
  return list;
}

namespace {

// An expression converted from one type to another. Constants are converted
// at once, so that `x * 2` on floats reads multiply(x, 2.0).
Expr converted(const Expr& e, DType from, DType to) {
  if (from == to) return e;
  const Int* i = e.as<Int>();
  if (i != nullptr && to == DType::Float32) {
    return Float{static_cast<double>(i->value)};
  }
  return Cast{e, to};
}

// An argument as an expression, and its type.
std::pair<Expr, DType> operand(const BoundCall& call, const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::Value:
      return {var(arg.values[0]), call.type_of(arg.values[0]).dtype};
    case Arg::Kind::Int: return {arg.ints[0], DType::Int64};
    case Arg::Kind::Float: return {Float{arg.number}, DType::Float32};
    case Arg::Kind::Bool: return {Int{arg.flag}, DType::Int64};
    default: break;
  }
  fail({}, "{}(): '{}' is no operand", call.row().name,
       std::string_view("None"));
}

// multiply(1, x) is x, to the bit: `add` with its usual alpha is one addition.
Expr fold_ones(const Expr& e) {
  Expr mapped = map_handles<Expr>(e, fold_ones);
  const Call* c = mapped.as<Call>();
  if (c == nullptr || c->op != "multiply") return mapped;
  bool one = c->args[0] == Expr(1) || c->args[0] == Expr(Float{1});
  return one ? c->args[1] : mapped;
}

// The type that operands are converted to before anything is computed.
DType compute_type(Promote rule, DType common) {
  if (is_float(common) || rule == Promote::Float) return DType::Float32;
  return rule == Promote::Logical ? DType::Bool : DType::Int64;
}

}  // namespace

Expr elementwise_value(const Tables& tables, const BoundCall& call) {
  const Elementwise& kind = *call.row().as<Elementwise>();
  DType result = infer(tables, call).dtype;
  DType common = promote(call, call.deciding());
  DType compute = compute_type(kind.promote, common);
  if (kind.promote == Promote::Logical) compute = DType::Bool;
  Substitution by;
  for (std::size_t i = 0; i < call.args().size(); i++) {
    const Param& param = call.row().params[i];
    if (param.type == ParamType::DType) continue;
    auto [value, type] = operand(call, call.args()[i]);
    bool condition = kind.promote == Promote::Choose && i == 0;
    DType to = condition ? DType::Bool : compute;
    if (kind.promote == Promote::Given) to = type;
    by[param.name] = converted(value, type, to);
  }
  Expr value = fold_ones(substitute(kind.value, by));
  auto of = [&](const Name& name) { return call.type_of(name).dtype; };
  return converted(value, type_of(tables, value, of), result);
}

Reduced reduction_of(const BoundCall& call) {
  Reduced reduced;
  reduced.combiner = call.row().as<Reduction>()->combiner;
  reduced.operand = call.value("self");
  reduced.keepdim = call.flag("keepdim");
  const Type& type = call.type("self");
  std::vector<bool> chosen(type.shape.size(), false);
  const std::vector<Dim>& dims = call.ints("dim");
  for (const Dim& dim : dims) {
    std::size_t axis = wrap_dim(value_of(dim), type.shape.size());
    if (type.shape.empty()) break;
    if (chosen[axis]) {
      fail({}, "dim {} appears multiple times in the list of dims", axis);
    }
    chosen[axis] = true;
  }
  for (std::size_t axis = 0; axis < chosen.size(); axis++) {
    if (dims.empty() || chosen[axis]) reduced.axes.push_back(axis);
  }
  bool logical = reduced.combiner.rfind("logical_", 0) == 0;
  reduced.compute = is_float(type.dtype) ? DType::Float32 : DType::Int64;
  if (logical) reduced.compute = DType::Bool;
  return reduced;
}

}  // namespace sextant::torch
