// Statements: one function for each kind of node.
#include "src/base/text.h"
#include "src/python/interpreter.h"

namespace sextant::python {
namespace {

using Flow = Interpreter::Flow;

Flow evaluate(Interpreter& in, const Node& n) {
  Value value = in.eval(n.parts[0]);
  if (in.scope == &in.globals) in.last = value;
  return Flow::Next;
}

Flow assign(Interpreter& in, const Node& n) {
  Value value = in.eval(n.parts.back());
  for (std::size_t i = 0; i + 1 < n.parts.size(); i++)
    in.assign(*n.parts[i], value);
  return Flow::Next;
}

Flow annotated(Interpreter& in, const Node& n) {
  if (n.parts.size() == 3) in.assign(*n.parts[0], in.eval(n.parts[2]));
  return Flow::Next;
}

Flow augmented(Interpreter& in, const Node& n) {
  Value before = in.eval(n.parts[0]), by = in.eval(n.parts[1]);
  if (n.at.line > 0) in.written = n.text;
  std::string op = n.text.substr(0, n.text.size() - 1);
  List* list = object<List>(before);
  if (list != nullptr && list->kind == List::Kind::List && op == "+") {
    for (Value& v : in.items_of(by))
      list->items.push_back(std::move(v));
    return Flow::Next;
  }
  Value after = in.binary(op, before, by);
  // A tensor is updated in place: whoever holds it sees the new value.
  if (Tensor* t = object<Tensor>(before)) after = in.update(t, after);
  in.assign(*n.parts[0], after);
  return Flow::Next;
}

Flow give_back(Interpreter& in, const Node& n) {
  if (in.functions.empty()) in.error("'return' outside function");
  in.returned = n.parts[0] ? in.eval(n.parts[0]) : Value();
  return Flow::Return;
}

Flow check(Interpreter& in, const Node& n) {
  if (in.truth(in.eval(n.parts[0]))) return Flow::Next;
  in.error("assertion failed{}",
           n.parts[1] ? ": " + text_of(in.eval(n.parts[1])) : std::string());
}

// `raise Kind(text)` ends the program with the text.
Flow raise(Interpreter& in, const Node& n) {
  const Node* made = n.parts[0].get();
  if (!made || made->kind != "call" || made->parts[1]->parts.empty())
    in.error("an exception was raised");
  in.error("{}", text_of(in.eval(made->parts[1]->parts[0])));
}

Flow remove(Interpreter& in, const Node& n) {
  const Node& target = *n.parts[0];
  if (target.kind != "variable" || !in.scope->find(target.text))
    in.error("'del' of anything but a name that is there is not supported");
  auto& entries = in.scope->entries;
  for (std::size_t i = 0; i < entries.size(); i++) {
    if (entries[i].first == target.text)
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return Flow::Next;
}

// The module that a dotted name stands for. What only annotations need is
// nothing here.
Value module_of(Interpreter& in, const Name& path) {
  if (listed("typing __future__ dataclasses ", path)) return {};
  std::vector<std::string> names = split(path, '.');
  bool known = names[0] == "torch" || path == "math";
  if (!known) in.error("No module named '{}'", path);
  Value module = in.space(names[0]);
  for (std::size_t i = 1; i < names.size(); i++)
    module = in.get(module, names[i]);
  return module;
}

Flow import(Interpreter& in, const Node& n) {
  const Name& path = n.parts[0]->text;
  Name root = path.substr(0, path.find('.'));
  Value module = module_of(in, path);
  if (n.kind == "from") {
    for (std::size_t i = 1; i < n.parts.size(); i++) {
      const Node& alias = *n.parts[i];
      const Node* as = alias.parts[0].get();
      in.scope->set(as ? as->text : alias.text,
                    is_none(module) ? module : in.get(module, alias.text));
    }
  } else if (n.parts[1]) {
    in.scope->set(n.parts[1]->text, module);
  } else {
    in.scope->set(root, module_of(in, root));
  }
  return Flow::Next;
}

Flow branch(Interpreter& in, const Node& n) {
  Value test = in.eval(n.parts[0]);
  Step step(in, n.parts[0]->at);
  if (in.truth(test)) return in.run_all(*n.parts[1]);
  if (n.parts.size() == 2) return Flow::Next;
  const Node& no = *n.parts[2];
  return no.kind == "if" ? in.run(no) : in.run_all(no);
}

Flow repeat(Interpreter& in, const Node& n) {
  bool counted = n.kind == "for";
  std::size_t body = counted ? 2 : 1;
  std::vector<Value> items;
  if (counted) items = in.items_of(in.eval(n.parts[1]));
  auto goes_on = [&](std::size_t i) {
    return counted ? i < items.size() : in.truth(in.eval(n.parts[0]));
  };
  for (std::size_t i = 0; goes_on(i); i++) {
    in.tick();
    if (counted) in.assign(*n.parts[0], items[i]);
    Flow flow = in.run_all(*n.parts[body]);
    if (flow == Flow::Break) return Flow::Next;
    if (flow == Flow::Return) return flow;
  }
  bool otherwise = n.parts.size() > body + 1;  // `else`: there was no break
  return otherwise ? in.run_all(*n.parts[body + 1]) : Flow::Next;
}

Flow with(Interpreter& in, const Node& n) {
  Value context = in.eval(n.parts[0]);
  std::optional<Value> enter = in.find(context, "__enter__");
  if (!enter)
    in.error("'{}' object does not support the context manager protocol",
             type_name(context));
  Value entered = in.call(*enter, {});
  if (n.parts[1]) in.assign(*n.parts[1], entered);
  return in.run_all(*n.parts[2]);
}

Flow define_function(Interpreter& in, const Tree& n) {
  Value f = in.define(n);
  for (auto part = n->parts.rbegin(); part != n->parts.rend(); ++part) {
    if ((*part)->kind == "decorator")
      f = in.call(in.eval((*part)->parts[0]), {{f}, {}});
  }
  in.scope->set(n->text, f);
  return Flow::Next;
}

Flow define_class(Interpreter& in, const Node& n) {
  Class made{n.text, nullptr, in.make(Scope{}), n.at.line == 0};
  if (n.parts.size() > 1 && !n.parts[0]->parts.empty()) {
    Value base = in.eval(n.parts[0]->parts[0]);
    made.base = object<Class>(base);
    if (made.base == nullptr || n.parts[0]->parts.size() > 1)
      in.error("a class may have one base, and that a class");
  }
  Class* type = in.make(made);
  // The class body sees what is around it; its methods do not see its names.
  Scope* before = std::exchange(in.scope, type->members);
  type->members->around = before;
  in.run_all(*n.parts.back());
  in.scope = before;
  type->members->around = nullptr;
  for (auto& entry : type->members->entries) {
    Function* f = object<Function>(entry.second);
    if (f == nullptr || f->owner != nullptr) continue;
    f->owner = type;
    f->name = n.text + "." + f->name;
    if (f->around == type->members) f->around = before;
  }
  in.scope->set(n.text, type);
  return Flow::Next;
}

template <Flow kFlow>
Flow jump(Interpreter&, const Node&) {
  return kFlow;
}

using Executor = Flow (*)(Interpreter&, const Node&);
const std::map<Name, Executor> kExecutors = {
    {"evaluate", evaluate},
    {"assign", assign},
    {"annotated", annotated},
    {"augmented", augmented},
    {"pass", jump<Flow::Next>},
    {"break", jump<Flow::Break>},
    {"continue", jump<Flow::Continue>},
    {"return", give_back},
    {"assert", check},
    {"raise", raise},
    {"del", remove},
    {"import", import},
    {"from", import},
    {"if", branch},
    {"for", repeat},
    {"while", repeat},
    {"with", with},
    {"class", define_class},
};

}  // namespace

Flow Interpreter::run_all(const Node& block) {
  for (const Tree& statement : block.parts) {
    Step step(*this, statement->at);
    Flow flow = statement->kind == "def" ? define_function(*this, statement)
                                         : run(*statement);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Flow Interpreter::run(const Node& statement) {
  auto found = kExecutors.find(statement.kind);
  INVARIANT(found != kExecutors.end(), "no way to run a {}", statement.kind);
  return found->second(*this, statement);
}

namespace {

void unpack(Interpreter& in, const Node& targets, const Value& value) {
  std::vector<Value> items = in.items_of(value);
  std::size_t n = targets.parts.size(), star = n;
  for (std::size_t i = 0; i < n; i++) {
    if (targets.parts[i]->kind != "starred") continue;
    if (star < n) in.error("multiple starred expressions in assignment");
    star = i;
  }
  std::size_t wanted = star < n ? n - 1 : n;
  if (items.size() < wanted)
    in.error("not enough values to unpack (expected {}{}, got {})",
             star < n ? "at least " : "", wanted, items.size());
  if (items.size() > wanted && star == n)
    in.error("too many values to unpack (expected {})", n);
  auto next = items.begin();
  for (std::size_t i = 0; i < n; i++) {
    if (i != star) {
      in.assign(*targets.parts[i], *next++);
      continue;
    }
    auto end = next + static_cast<std::ptrdiff_t>(items.size() - wanted);
    in.assign(*targets.parts[i]->parts[0],
              in.make_list(List::Kind::List, {next, end}));
    next = end;
  }
}

}  // namespace

void Interpreter::assign(const Node& target, const Value& value) {
  Step step(*this, target.at);
  if (target.kind == "variable") {
    scope->set(target.text, value);
    Tensor* t = object<Tensor>(value);
    if (t && t->value.empty() && t->wish.empty()) t->wish = target.text;
  } else if (target.kind == "attribute") {
    set(eval(target.parts[0]), target.text, value);
  } else if (target.kind == "subscript") {
    Value of = eval(target.parts[0]);
    set_item(of, eval(target.parts[1]), value);
  } else if (target.kind == "tuple" || target.kind == "list") {
    unpack(*this, target, value);
  } else {
    error("cannot assign to this expression");
  }
}

// --- the names that a function assigns ---------------------------------------

namespace {

void add_targets(const Node& target, std::set<Name>& names) {
  if (target.kind == "variable") names.insert(target.text);
  if (target.kind == "attribute" || target.kind == "subscript") return;
  for (const Tree& part : target.parts)
    add_targets(*part, names);
}

void add_assigned(const Node& n, std::set<Name>& names) {
  bool inner = n.kind == "def" || n.kind == "class";
  if (inner) names.insert(n.text);
  if (n.kind == "alias") names.insert(n.parts[0] ? n.parts[0]->text : n.text);
  if (n.kind == "import") {
    const Name& path = n.parts[0]->text;
    names.insert(n.parts[1] ? n.parts[1]->text
                            : path.substr(0, path.find('.')));
  }
  if (n.kind == "with" && n.parts[1]) add_targets(*n.parts[1], names);
  if (n.kind == "for" || n.kind == "augmented" || n.kind == "annotated" ||
      n.kind == "del")
    add_targets(*n.parts[0], names);
  if (n.kind == "assign") {
    for (std::size_t i = 0; i + 1 < n.parts.size(); i++)
      add_targets(*n.parts[i], names);
  }
  bool holds = n.kind == "block" || n.kind == "from" || n.kind == "if" ||
               n.kind == "for" || n.kind == "while" || n.kind == "with";
  if (!holds) return;
  for (const Tree& part : n.parts) {
    if (part) add_assigned(*part, names);
  }
}

}  // namespace

Value Interpreter::define(const Tree& code_) {
  Function f;
  f.code = code_;
  for (const Tree& part : code_->parts) {
    if (part->kind == "params") f.parameters = part;
  }
  f.body = code_->parts.back();
  f.name = code_->text.empty() ? "<lambda>" : code_->text;
  f.around = scope;
  for (const Tree& p : f.parameters->parts) {
    const Tree* usual = p->kind == "param" ? &p->parts.back() : nullptr;
    f.usual.push_back(usual && *usual ? eval(*usual) : Value());
    if (!p->text.empty() && !f.locals.insert(p->text).second)
      error("duplicate argument '{}' in function definition", p->text);
  }
  add_assigned(*f.body, f.locals);
  return make(std::move(f));
}

}  // namespace sextant::python
