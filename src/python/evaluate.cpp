// Expressions.
#include "src/python/interpreter.h"

namespace sextant::python {

constexpr int64_t kMaxSteps = 1'000'000;
constexpr int kMaxDepth = 900;

Step::Step(Interpreter& in, Place at) : in(in), before(in.at_) {
  if (at.line > 0) in.at_ = at;
  in.tick();
  if (in.depth_ == kMaxDepth) in.error("maximum recursion depth exceeded");
  in.depth_++;
}
Step::~Step() {
  in.depth_--;
  in.at_ = before;
}

void Interpreter::tick(int64_t steps) {
  steps_ += steps;
  if (steps_ > kMaxSteps)
    error("the program takes more than {} steps", kMaxSteps);
}

Value Interpreter::eval(const Expression& e) {
  Step step(*this, place_of(e));
  return std::visit([&](const auto& node) { return eval(node); }, e.variant());
}

Value Interpreter::eval(const Variable& e) {
  for (Scope* s = scope_; s != nullptr; s = s->around) {
    if (Value* found = s->find(e.name)) return *found;
    if (s->locals != nullptr && s->locals->count(e.name) > 0)
      error(
          "cannot access local variable '{}' where it is not associated with "
          "a value",
          e.name);
  }
  if (Value* found = builtins_.find(e.name)) return *found;
  error("name '{}' is not defined", e.name);
}

Value Interpreter::eval(const Constant& e) {
  return std::visit([](const auto& v) { return Value(v); }, e.value);
}

Value Interpreter::eval(const FormatString& e) {
  std::string text;
  for (const Expression& part : e.parts)
    text += text_of(eval(part));
  tick(static_cast<int64_t>(text.size()) / 64);
  return text;
}

Value Interpreter::eval(const Display& e) {
  std::vector<Value> items;
  for (const Expression& item : e.items) {
    if (const auto* star = item.as<Starred>()) {
      for (Value& v : items_of(eval(star->value)))
        items.push_back(std::move(v));
    } else {
      items.push_back(eval(item));
    }
  }
  return make_list(e.is_tuple ? List::Kind::Tuple : List::Kind::List,
                   std::move(items));
}

Value Interpreter::eval(const DictDisplay& e) {
  Value dict = make(Dict{});
  for (std::size_t i = 0; i < e.keys.size(); i++) {
    Value value = eval(e.values[i]);
    if (e.keys[i]) {
      set_item(dict, eval(e.keys[i]), value);
      continue;
    }
    Dict* more = object<Dict>(value);
    if (more == nullptr)
      error("'{}' object is not a mapping", type_name(value));
    for (const auto& [key, v] : more->items)
      set_item(dict, key, v);
  }
  return dict;
}

Value Interpreter::eval(const Starred&) {
  error("can't use starred expression here");
}

Value Interpreter::eval(const Attribute& e) {
  Value object_ = eval(e.object);
  if (e.at.line > 0 && object<Tensor>(object_)) written_ = "Tensor." + e.name;
  return get(object_, e.name);
}

Value Interpreter::eval(const Subscript& e) {
  Value object = eval(e.object), index = eval(e.index);
  if (e.at.line > 0) written_ = "[]";
  return item(object, index);
}

Value Interpreter::eval(const SliceOf& e) {
  auto part = [&](const Expression& x) { return x ? eval(x) : Value(); };
  Value start = part(e.start), stop = part(e.stop);
  return make(Slice{start, stop, part(e.step)});
}

// How the user would name the operation: torch.relu, Tensor.view, nn.Linear.
Name Interpreter::written(const CallOf& e, const Value& callee) const {
  if (const Instance* module = object<Instance>(callee))
    return (module->type->is_ours ? "nn." : "") + module->type->name;
  const auto* attribute = e.callee.as<Attribute>();
  if (attribute == nullptr) {
    const auto* variable = e.callee.as<Variable>();
    return variable ? variable->name : type_name(callee);
  }
  const Method* method = object<Method>(callee);
  if (method != nullptr) return type_name(method->self) + "." + attribute->name;
  Name path = attribute->name;
  Expression object = attribute->object;
  while (const auto* outer = object.as<Attribute>()) {
    path = outer->name + "." + path;
    object = outer->object;
  }
  const auto* root = object.as<Variable>();
  return root ? root->name + "." + path : path;
}

Value Interpreter::eval(const CallOf& e) {
  Value callee = eval(e.callee);
  Args args;
  for (const Argument& arg : e.args) {
    const auto* star = arg.value.as<Starred>();
    if (star != nullptr && arg.keyword.empty()) {
      for (Value& v : items_of(eval(star->value)))
        args.positional.push_back(std::move(v));
      continue;
    }
    Value value = eval(arg.value);
    Dict* dict = object<Dict>(value);
    if (arg.keyword == "**" && dict == nullptr)
      error("argument after ** must be a mapping, not {}", type_name(value));
    if (arg.keyword.empty()) {
      args.positional.push_back(std::move(value));
    } else if (arg.keyword != "**") {
      args.keywords.emplace_back(arg.keyword, std::move(value));
    } else {
      for (const auto& [key, v] : dict->items)
        args.keywords.emplace_back(text_of(key), v);
    }
  }
  if (e.at.line == 0) return call(callee, std::move(args));
  Name before = std::exchange(written_, written(e, callee));
  Value value = call(callee, std::move(args));
  written_ = before;
  return value;
}

Value Interpreter::eval(const Unary& e) {
  Value v = eval(e.operand);
  if (e.op == "not") return !truth(v);
  if (object<Tensor>(v)) {
    if (e.op == "+") return v;
    written_ = e.at.line > 0 ? e.op : written_;
    return call_op(e.op == "-" ? "neg" : "bitwise_not", {{v}, {}});
  }
  std::optional<int64_t> i = as_int(v);
  if (e.op == "~" && i) return ~*i;
  if (e.op == "+" && as_float(v)) return i ? Value(*i) : v;
  if (const double* x = std::get_if<double>(&v); x && e.op == "-") return -*x;
  if (e.op == "-" && as_dim(v)) return binary("-", int64_t{0}, v);
  error("bad operand type for unary {}: '{}'", e.op, type_name(v));
}

Value Interpreter::eval(const Binary& e) {
  Value a = eval(e.a), b = eval(e.b);
  if (e.at.line > 0) written_ = e.op;
  return binary(e.op, a, b);
}

Value Interpreter::eval(const Logical& e) {
  Value a = eval(e.a);
  return truth(a) == e.is_and ? eval(e.b) : a;
}

Value Interpreter::eval(const Comparison& e) {
  Value left = eval(e.first), result;
  for (std::size_t i = 0; i < e.links.size(); i++) {
    Value right = eval(e.links[i].right);
    if (e.at.line > 0) written_ = e.links[i].op;
    result = link(e.links[i].op, left, right);
    bool more = i + 1 < e.links.size();
    if (more && !truth(result)) return result;
    left = right;
  }
  return result;
}

Value Interpreter::link(const std::string& op, const Value& a, const Value& b) {
  static const std::map<std::string, Name> kRows = {{"<", "lt"},  {"<=", "le"},
                                                    {">", "gt"},  {">=", "ge"},
                                                    {"==", "eq"}, {"!=", "ne"}};
  bool tensors = object<Tensor>(a) || object<Tensor>(b);
  auto row = kRows.find(op);
  bool sensible = !is_none(a) && !is_none(b);
  if (tensors && row != kRows.end() && sensible)
    return call_op(row->second, {{a, b}, {}});
  return compare(op, a, b);
}

Value Interpreter::eval(const Conditional& e) {
  return truth(eval(e.test)) ? eval(e.yes) : eval(e.no);
}

Value Interpreter::eval(const Lambda& e) {
  return define(e.code);
}

Value Interpreter::eval(const Comprehension& e) {
  Value out = e.key ? Value(make(Dict{})) : Value(make(List{}));
  Scope* before = scope_;
  scope_ = make(Scope{{}, before, nullptr});
  comprehend(e, 0, out);
  scope_ = before;
  return out;
}

void Interpreter::comprehend(const Comprehension& e, std::size_t at,
                             const Value& out) {
  if (at == e.clauses.size()) {
    if (e.key) {
      Value key = eval(e.key);
      set_item(out, key, eval(e.element));
    } else {
      object<List>(out)->items.push_back(eval(e.element));
    }
    return;
  }
  const Clause& clause = e.clauses[at];
  for (const Value& v : items_of(eval(clause.iterable))) {
    tick();
    assign(clause.target, v);
    bool wanted = true;
    for (const Expression& condition : clause.conditions)
      wanted = wanted && truth(eval(condition));
    if (wanted) comprehend(e, at + 1, out);
  }
}

}  // namespace sextant::python
