// Expressions: one function for each kind of node.
#include <cstdlib>

#include "src/python/interpreter.h"

namespace sextant::python {

constexpr int64_t kMaxSteps = 1'000'000;
constexpr int kMaxDepth = 900;

Step::Step(Interpreter& in, Place at) : in(in), before(in.at) {
  if (at.line > 0) in.at = at;
  in.tick();
  if (in.depth == kMaxDepth) in.error("maximum recursion depth exceeded");
  in.depth++;
}
Step::~Step() {
  in.depth--;
  in.at = before;
}

void Interpreter::tick(int64_t more) {
  steps += more;
  if (steps > kMaxSteps)
    error("the program takes more than {} steps", kMaxSteps);
}

namespace {

// The operation that a node of the user's program stands for.
void note(Interpreter& in, const Node& n, const Name& written) {
  if (n.at.line > 0) in.written = written;
}

Value variable(Interpreter& in, const Node& n) {
  for (Scope* s = in.scope; s != nullptr; s = s->around) {
    if (Value* found = s->find(n.text)) return *found;
    if (s->locals != nullptr && s->locals->count(n.text) > 0)
      in.error(
          "cannot access local variable '{}' where it is not associated with a "
          "value",
          n.text);
  }
  if (Value* found = in.builtins.find(n.text)) return *found;
  in.error("name '{}' is not defined", n.text);
}

Value number(Interpreter& in, const Node& n) {
  std::string text;
  for (char c : n.text) {
    if (c != '_') text += c;
  }
  char mark = text.size() > 1 && text[0] == '0' ? text[1] | 32 : ' ';
  int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  char* end = nullptr;
  if (base == 10 && text.find_first_not_of("0123456789") < text.size()) {
    double value = std::strtod(text.c_str(), &end);
    if (*end == 'j') in.error("complex numbers are not supported");
    if (*end != '\0') in.error("invalid number '{}'", n.text);
    return value;
  }
  errno = 0;
  const char* digits = text.c_str() + (base == 10 ? 0 : 2);
  int64_t value = std::strtoll(digits, &end, base);
  if (*end != '\0' || end == digits || *digits == '-' || *digits == '+')
    in.error("invalid number '{}'", n.text);
  if (errno == ERANGE)
    in.error("the number {} does not fit into 64 bits", n.text);
  return value;
}

Value strings(Interpreter& in, const Node& n) {
  std::string text;
  for (const Tree& part : n.parts)
    text += part->kind == "string" ? part->text : text_of(in.eval(part));
  in.tick(static_cast<int64_t>(text.size()) / 64);
  return text;
}

// The items of a tuple or list, with `*items` spread out.
std::vector<Value> items(Interpreter& in, const Node& n) {
  std::vector<Value> out;
  for (const Tree& part : n.parts) {
    bool star = part->kind == "starred";
    if (!star) out.push_back(in.eval(part));
    if (star) {
      for (Value& v : in.items_of(in.eval(part->parts[0])))
        out.push_back(std::move(v));
    }
  }
  return out;
}

Value list(Interpreter& in, const Node& n) {
  if (!n.parts.empty() && n.parts[0]->kind == "comprehension")
    return in.eval(n.parts[0]);
  return in.make_list(List::Kind::List, items(in, n));
}
Value tuple(Interpreter& in, const Node& n) {
  return in.make_list(List::Kind::Tuple, items(in, n));
}

// One entry of a dict: `key: value`, or `**more`.
void enter(Interpreter& in, const Value& dict, const Node& n) {
  if (n.kind == "pair") {
    if (n.parts.size() == 1) in.error("sets are not supported");
    Value key = in.eval(n.parts[0]);
    return in.set_item(dict, key, in.eval(n.parts[1]));
  }
  Value more = in.eval(n.parts[0]);
  if (!object<Dict>(more))
    in.error("'{}' object is not a mapping", type_name(more));
  for (const auto& [key, value] : object<Dict>(more)->items)
    in.set_item(dict, key, value);
}

Value dict(Interpreter& in, const Node& n) {
  if (!n.parts.empty() && n.parts[0]->kind == "comprehension")
    return in.eval(n.parts[0]);
  Value made = in.make(Dict{});
  for (const Tree& part : n.parts)
    enter(in, made, *part);
  return made;
}

void comprehend(Interpreter& in, const Node& n, std::size_t at,
                const Value& out) {
  const Node& element = *n.parts[0];
  if (at == n.parts.size()) {
    if (object<Dict>(out)) return enter(in, out, element);
    return object<List>(out)->items.push_back(in.eval(n.parts[0]));
  }
  const Node& clause = *n.parts[at];
  for (const Value& v : in.items_of(in.eval(clause.parts[1]))) {
    in.tick();
    in.assign(*clause.parts[0], v);
    bool wanted = true;
    for (std::size_t i = 2; i < clause.parts.size(); i++)
      wanted = wanted && in.truth(in.eval(clause.parts[i]->parts[0]));
    if (wanted) comprehend(in, n, at + 1, out);
  }
}

// [element for target in items if condition ...] and the like.
Value comprehension(Interpreter& in, const Node& n) {
  bool pairs = n.parts[0]->kind == "pair";
  Value out = pairs ? Value(in.make(Dict{})) : Value(in.make(List{}));
  Scope* before = in.scope;
  in.scope = in.make(Scope{{}, before, nullptr});
  comprehend(in, n, 1, out);
  in.scope = before;
  return out;
}

Value attribute(Interpreter& in, const Node& n) {
  Value of = in.eval(n.parts[0]);
  if (object<Tensor>(of)) note(in, n, "Tensor." + n.text);
  return in.get(of, n.text);
}

Value subscript(Interpreter& in, const Node& n) {
  Value of = in.eval(n.parts[0]), index = in.eval(n.parts[1]);
  note(in, n, "[]");
  return in.item(of, index);
}

Value slice(Interpreter& in, const Node& n) {
  std::vector<Value> v;
  if (n.kind == "slice0") v.emplace_back();
  for (const Tree& part : n.parts)
    v.push_back(part ? in.eval(part) : Value());
  v.resize(3);
  return in.make(Slice{v[0], v[1], v[2]});
}

// How the user would name a call: torch.relu, Tensor.view, nn.Linear.
Name written_call(const Node& callee, const Value& value) {
  if (const Instance* module = object<Instance>(value))
    return (module->type->is_ours ? "nn." : "") + module->type->name;
  if (const Method* method = object<Method>(value))
    return type_name(method->self) + "." + callee.text;
  Name path = callee.text;
  for (const Node* n = &callee; n->kind == "attribute";) {
    n = n->parts[0].get();
    path = n->text + "." + path;
  }
  return path;
}

Value call(Interpreter& in, const Node& n) {
  Value callee = in.eval(n.parts[0]);
  Args args;
  for (const Tree& arg : n.parts[1]->parts) {
    if (arg->kind == "starred") {
      for (Value& v : in.items_of(in.eval(arg->parts[0])))
        args.positional.push_back(std::move(v));
      continue;
    }
    bool named = arg->kind == "keyword", many = arg->kind == "double";
    Value value = in.eval(named || many ? arg->parts[0] : arg);
    if (named) {
      args.keywords.emplace_back(arg->text, std::move(value));
    } else if (!many) {
      args.positional.push_back(std::move(value));
    } else if (Dict* more = object<Dict>(value)) {
      for (const auto& [key, v] : more->items)
        args.keywords.emplace_back(text_of(key), v);
    } else {
      in.error("argument after ** must be a mapping, not {}", type_name(value));
    }
  }
  if (n.at.line == 0) return in.call(callee, std::move(args));
  Name before = std::exchange(in.written, written_call(*n.parts[0], callee));
  Value value = in.call(callee, std::move(args));
  in.written = before;
  return value;
}

Value unary(Interpreter& in, const Node& n) {
  Value v = in.eval(n.parts[0]);
  note(in, n, n.text);
  if (object<Tensor>(v)) {
    if (n.text == "+") return v;
    return in.call_op(n.text == "-" ? "neg" : "bitwise_not", {{v}, {}});
  }
  const double* x = std::get_if<double>(&v);
  if (x && n.text != "~") return n.text == "-" ? -*x : *x;
  if (as_int(v) && n.text == "~") return ~*as_int(v);
  if (as_dim(v) && n.text != "~") return in.binary(n.text, int64_t{0}, v);
  in.error("bad operand type for unary {}: '{}'", n.text, type_name(v));
}

Value binary(Interpreter& in, const Node& n) {
  Value a = in.eval(n.parts[0]), b = in.eval(n.parts[1]);
  note(in, n, n.text);
  return in.binary(n.text, a, b);
}

Value compare(Interpreter& in, const Node& n) {
  Value left = in.eval(n.parts[0]), result = true;
  for (std::size_t i = 1; i < n.parts.size() && in.truth(result); i++) {
    const Node& link = *n.parts[i];
    Value right = in.eval(link.parts[0]);
    Step step(in, link.at);
    note(in, link, link.text);
    result = in.compare(link.text, left, right);
    left = right;
  }
  return result;
}

Value logical(Interpreter& in, const Node& n) {
  Value a = in.eval(n.parts[0]);
  return in.truth(a) == (n.kind == "and") ? in.eval(n.parts[1]) : a;
}
Value negation(Interpreter& in, const Node& n) {
  return !in.truth(in.eval(n.parts[0]));
}
Value conditional(Interpreter& in, const Node& n) {
  return in.eval(n.parts[in.truth(in.eval(n.parts[1])) ? 0 : 2]);
}
Value starred(Interpreter& in, const Node&) {
  in.error("can't use starred expression here");
}

using Evaluator = Value (*)(Interpreter&, const Node&);
const std::map<Name, Evaluator> kEvaluators = {
    {"variable", variable},
    {"number", number},
    {"strings", strings},
    {"fstring", strings},
    {"none", [](Interpreter&, const Node&) { return Value(); }},
    {"true", [](Interpreter&, const Node&) { return Value(true); }},
    {"false", [](Interpreter&, const Node&) { return Value(false); }},
    {"ellipsis", [](Interpreter&, const Node&) { return Value(Ellipsis{}); }},
    {"empty", tuple},
    {"tuple", tuple},
    {"list", list},
    {"dict", dict},
    {"comprehension", comprehension},
    {"generator", comprehension},
    {"attribute", attribute},
    {"subscript", subscript},
    {"slice", slice},
    {"slice0", slice},
    {"call", call},
    {"unary", unary},
    {"binary", binary},
    {"compare", compare},
    {"and", logical},
    {"or", logical},
    {"not", negation},
    {"conditional", conditional},
    {"starred", starred},
};

}  // namespace

Value Interpreter::eval(const Tree& e) {
  Step step(*this, e->at);
  if (e->kind == "lambda") return define(e);
  auto found = kEvaluators.find(e->kind);
  INVARIANT(found != kEvaluators.end(), "no way to evaluate a {}", e->kind);
  return found->second(*this, *e);
}

}  // namespace sextant::python
