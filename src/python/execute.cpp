// Statements.
#include "src/python/interpreter.h"

namespace sextant::python {

Interpreter::Flow Interpreter::run(const Block& block) {
  for (const Statement& statement : block) {
    Flow flow = run(statement);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const Statement& statement) {
  Step step(*this, {});
  return std::visit([&](const auto& node) { return run(node); },
                    statement.variant());
}

Interpreter::Flow Interpreter::run(const Assign& s) {
  Value value = eval(s.value);
  for (const Expression& target : s.targets)
    assign(target, value);
  return Flow::Next;
}

void Interpreter::assign(const Expression& target, const Value& value) {
  Step step(*this, place_of(target));
  if (const auto* variable = target.as<Variable>()) {
    assign_name(variable->name, value);
  } else if (const auto* attribute = target.as<Attribute>()) {
    set(eval(attribute->object), attribute->name, value);
  } else if (const auto* subscript = target.as<Subscript>()) {
    Value object = eval(subscript->object);
    set_item(object, eval(subscript->index), value);
  } else if (const auto* display = target.as<Display>()) {
    unpack(*display, value);
  } else {
    error("cannot assign to this expression");
  }
}

void Interpreter::assign_name(const Name& name, const Value& value) {
  scope_->set(name, value);
  Tensor* t = object<Tensor>(value);
  if (t != nullptr && t->value.empty() && t->wish.empty()) t->wish = name;
}

void Interpreter::unpack(const Display& targets, const Value& value) {
  std::vector<Value> items = items_of(value);
  std::size_t n = targets.items.size(), star = n;
  for (std::size_t i = 0; i < n; i++) {
    if (!targets.items[i].as<Starred>()) continue;
    if (star < n) error("multiple starred expressions in assignment");
    star = i;
  }
  std::size_t wanted = star < n ? n - 1 : n;
  if (items.size() < wanted)
    error("not enough values to unpack (expected {}{}, got {})",
          star < n ? "at least " : "", wanted, items.size());
  if (items.size() > wanted && star == n)
    error("too many values to unpack (expected {})", n);
  std::size_t extra = items.size() - wanted, next = 0;
  for (std::size_t i = 0; i < n; i++) {
    if (i != star) {
      assign(targets.items[i], items[next++]);
      continue;
    }
    auto first = items.begin() + static_cast<std::ptrdiff_t>(next);
    auto last = first + static_cast<std::ptrdiff_t>(extra);
    next += extra;
    assign(targets.items[i].get<Starred>().value,
           make_list(List::Kind::List, {first, last}));
  }
}

Interpreter::Flow Interpreter::run(const AugmentedAssign& s) {
  Value before = eval(s.target), by = eval(s.value);
  Step step(*this, s.at);
  if (s.at.line > 0) written_ = s.op + "=";
  List* list = object<List>(before);
  if (list != nullptr && list->kind == List::Kind::List && s.op == "+") {
    for (Value& v : items_of(by))
      list->items.push_back(std::move(v));
    return Flow::Next;
  }
  Value after = binary(s.op, before, by);
  // A tensor is updated in place: whoever holds it sees the new value.
  if (Tensor* t = object<Tensor>(before)) after = update(t, after);
  assign(s.target, after);
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const Evaluate& s) {
  Value value = eval(s.value);
  if (scope_ == &globals_) last_ = value;
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const Return& s) {
  returned_ = s.value ? eval(s.value) : Value();
  return Flow::Return;
}

Interpreter::Flow Interpreter::run(const Jump& s) {
  switch (s.kind) {
    case Jump::Kind::Pass: return Flow::Next;
    case Jump::Kind::Break: return Flow::Break;
    case Jump::Kind::Continue: return Flow::Continue;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const Import& s) {
  Step step(*this, s.at);
  // What annotations need has no meaning here.
  for (const char* name : {"typing", "__future__", "dataclasses"}) {
    if (s.module != name) continue;
    for (const auto& imported : s.names)
      scope_->set(imported.second, Value());
    return Flow::Next;
  }
  std::vector<Name> path;
  Name rest = s.module + ".";
  for (std::size_t dot; (dot = rest.find('.')) < rest.size();
       rest = rest.substr(dot + 1))
    path.push_back(rest.substr(0, dot));
  Namespace* root = space(path[0]);
  if (root == nullptr) error("No module named '{}'", path[0]);
  Value module = root;
  for (std::size_t i = 1; i < path.size(); i++)
    module = get(module, path[i]);
  for (const auto& [what, as] : s.names)
    scope_->set(as, get(module, what));
  if (!s.as.empty()) {
    scope_->set(s.as, module);
  } else if (s.names.empty()) {
    scope_->set(path[0], root);
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const Assert& s) {
  Step step(*this, s.at);
  if (!truth(eval(s.test)))
    error("assertion failed{}",
          s.message ? ": " + text_of(eval(s.message)) : std::string());
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const Raise& s) {
  Step step(*this, s.at);
  const auto* made = s.value ? s.value.as<CallOf>() : nullptr;
  if (made == nullptr || made->args.empty()) error("an exception was raised");
  error("{}", text_of(eval(made->args[0].value)));
}

Interpreter::Flow Interpreter::run(const Delete& s) {
  for (const Expression& target : s.targets) {
    const auto* variable = target.as<Variable>();
    if (variable == nullptr) {
      Step step(*this, place_of(target));
      error("'del' of anything but a name is not supported");
    }
    eval(target);
    auto& entries = scope_->entries;
    for (std::size_t i = 0; i < entries.size(); i++) {
      if (entries[i].first == variable->name)
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const If& s) {
  Value test = eval(s.test);
  Step step(*this, place_of(s.test));
  return run(truth(test) ? s.yes : s.no);
}

Interpreter::Flow Interpreter::run(const For& s) {
  for (const Value& v : items_of(eval(s.iterable))) {
    tick();
    assign(s.target, v);
    Flow flow = run(s.body);
    if (flow == Flow::Break) break;
    if (flow == Flow::Return) return flow;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const While& s) {
  while (truth(eval(s.test))) {
    Flow flow = run(s.body);
    if (flow == Flow::Break) break;
    if (flow == Flow::Return) return flow;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const With& s) {
  Value context = eval(s.context);
  Step step(*this, place_of(s.context));
  std::optional<Value> enter = find(context, "__enter__");
  if (!enter)
    error("'{}' object does not support the context manager protocol",
          type_name(context));
  Value entered = call(*enter, {});
  if (s.target) assign(s.target, entered);
  return run(s.body);
}

Interpreter::Flow Interpreter::run(const Define& s) {
  Value f = define(s.code);
  Step step(*this, s.at);
  for (auto d = s.decorators.rbegin(); d != s.decorators.rend(); ++d)
    f = call(eval(*d), {{f}, {}});
  scope_->set(s.code->name, f);
  return Flow::Next;
}

Value Interpreter::define(const FunctionCodePtr& code) {
  Function f{code, code->name, scope_, {}, nullptr, Function::Kind::Plain};
  for (const Parameter& p : code->parameters)
    f.usual.push_back(p.otherwise ? eval(p.otherwise) : Value());
  return make(std::move(f));
}

Interpreter::Flow Interpreter::run(const DefineClass& s) {
  Step step(*this, s.at);
  if (s.bases.size() > 1) error("a class may have one base class here");
  Class made{s.name, nullptr, make(Scope{}), s.at.line == 0};
  if (!s.bases.empty()) {
    Value base = eval(s.bases[0]);
    made.base = object<Class>(base);
    if (made.base == nullptr)
      error("a {} cannot be a base class", type_name(base));
  }
  Class* type = make(made);
  // The class body sees what is around it; its methods do not see its names.
  Scope* before = scope_;
  type->members->around = before;
  scope_ = type->members;
  run(s.body);
  scope_ = before;
  type->members->around = nullptr;
  for (auto& [name, member] : type->members->entries) {
    Function* f = object<Function>(member);
    if (f == nullptr || f->owner != nullptr) continue;
    f->owner = type;
    f->name = s.name + "." + f->name;
    if (f->around == type->members) f->around = before;
  }
  scope_->set(s.name, type);
  return Flow::Next;
}

}  // namespace sextant::python
