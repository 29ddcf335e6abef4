// Calls: binding of arguments, classes, modules; and attributes.
#include <algorithm>

#include "src/base/text.h"
#include "src/python/interpreter.h"

namespace sextant::python {

Value Interpreter::call(const Value& callee, Args args) {
  Step step(*this, {});
  if (const Builtin* b = object<Builtin>(callee))
    return b->call(*this, *b, args);
  if (const Function* f = object<Function>(callee))
    return call_function(*f, args);
  if (const Method* m = object<Method>(callee)) {
    args.positional.insert(args.positional.begin(), m->self);
    return call(m->function, std::move(args));
  }
  if (Class* type = object<Class>(callee)) {
    Value made = make(Instance{type, {}, "", false});
    if (std::optional<Value> init = find(made, "__init__")) {
      call(*init, std::move(args));
    } else if (!args.positional.empty() || !args.keywords.empty()) {
      error("{}() takes no arguments", type->name);
    }
    return made;
  }
  if (const Tensor* t = object<Tensor>(callee); t && t->wrong) return callee;
  if (is_module(callee)) return call_module(object<Instance>(callee), args);
  if (std::optional<Value> f = find(callee, "__call__")) return call(*f, args);
  error("'{}' object is not callable", type_name(callee));
}

Value Interpreter::call_function(const Function& f, Args& args) {
  Scope* inside = make(Scope{{}, f.around, &f.locals});
  bind(f, args, *inside);
  Scope* before = std::exchange(scope, inside);
  functions.push_back(&f);
  bool is_lambda = f.code->kind == "lambda";
  Value value;
  if (is_lambda) value = eval(f.body);
  Flow flow = is_lambda ? Flow::Next : run_all(*f.body);
  functions.pop_back();
  scope = before;
  if (flow == Flow::Break || flow == Flow::Continue)
    error("'break' or 'continue' outside a loop");
  return flow == Flow::Return ? std::exchange(returned, None{}) : value;
}

void Interpreter::bind(const Function& f, Args& args, Scope& inside) {
  const std::vector<Tree>& parameters = f.parameters->parts;
  std::vector<Value>& given = args.positional;
  std::size_t next = 0, room = 0;
  const Node *star = nullptr, *star2 = nullptr;
  for (const Tree& p : parameters) {
    if (p->kind == "star") star = p.get();
    if (p->kind == "star2") star2 = p.get();
    if (p->kind != "param" || star) continue;
    room++;
    if (next < given.size()) inside.set(p->text, given[next++]);
  }
  auto count = [](std::size_t n) { return n == 1 ? "" : "s"; };
  bool takes_rest = star && !star->text.empty();
  if (next < given.size() && !takes_rest)
    error("{}() takes {} positional argument{} but {} {} given", f.name, room,
          count(room), given.size(), given.size() == 1 ? "was" : "were");
  given.erase(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(next));
  if (takes_rest) inside.set(star->text, make_list(List::Kind::Tuple, given));
  Dict* more = star2 ? make(Dict{}) : nullptr;
  if (star2) inside.set(star2->text, more);
  for (auto& [key, value] : args.keywords) {
    auto takes = [&](const Name& word) {
      return std::any_of(
          parameters.begin(), parameters.end(),
          [&](const Tree& p) { return p->kind == "param" && p->text == word; });
    };
    Name name = key;
    // NumPy's words are PyTorch's as well.
    bool ours_ = f.code->at.line == 0;
    if (ours_ && name == "axis" && takes("dim")) name = "dim";
    if (ours_ && name == "keepdims") name = "keepdim";
    bool known = takes(name);
    if (known && inside.find(name))
      error("{}() got multiple values for argument '{}'", f.name, name);
    if (!known && !more)
      error("{}() got an unexpected keyword argument '{}'", f.name, name);
    known ? inside.set(name, value) : set_item(more, name, value);
  }
  std::vector<Name> missing;
  for (std::size_t i = 0; i < parameters.size(); i++) {
    const Node& p = *parameters[i];
    if (p.kind != "param" || inside.find(p.text)) continue;
    if (!p.parts.back()) missing.push_back("'" + p.text + "'");
    inside.set(p.text, f.usual[i]);
  }
  if (!missing.empty())
    error("{}() missing {} required positional argument{}: {}", f.name,
          missing.size(), count(missing.size()), join(missing, " and "));
}

// --- classes and modules -----------------------------------------------------

bool Interpreter::is_module(const Value& v) const {
  const Instance* i = object<Instance>(v);
  return i != nullptr && i->type->derives_from(module_class);
}

// A module that is called by no other one is the root of its parameters'
// names: `norm1.weight` below it is the weight norm1_weight.
Value Interpreter::call_module(Instance* module, Args args) {
  if (!module->named) name_parameters(module, "");
  Value* forward = module->type->find("forward");
  if (forward == nullptr)
    error("Module [{}] is missing the required \"forward\" function",
          module->type->name);
  modules.push_back(module);
  args.positional.insert(args.positional.begin(), module);
  Value result = call(*forward, std::move(args));
  modules.pop_back();
  return result;
}

void Interpreter::name_parameters(Instance* module, const Name& path) {
  Step step(*this, {});
  module->path = path;
  module->named = true;
  for (auto& [name, value] : module->attributes.entries) {
    Name below = path.empty() ? name : path + "." + name;
    Instance* child = object<Instance>(value);
    if (child && is_module(value) && !child->named)
      name_parameters(child, below);
    Tensor* t = object<Tensor>(value);
    if (t == nullptr || t->role != Role::Weight || !t->value.empty()) continue;
    std::replace(below.begin(), below.end(), '.', '_');
    t->wish = below;
  }
}

// --- attributes --------------------------------------------------------------

Value Interpreter::get(const Value& object_, const Name& name) {
  if (std::optional<Value> found = find(object_, name)) return *found;
  const Namespace* space = object<Namespace>(object_);
  if (space == nullptr && !object<Tensor>(object_))
    error("'{}' object has no attribute '{}'", type_name(object_), name);
  // Go on, so that all names that are missing are told at once.
  Name owner = space ? space->name : "Tensor";
  const Value& known = *this->space("torch")->members->find("_known");
  if (listed(std::get<std::string>(known), name))
    return complain(fmt::format("{}.{} is not supported", owner, name));
  if (space == nullptr)
    return complain(fmt::format("'Tensor' object has no attribute '{}'", name));
  return complain(
      fmt::format("module '{}' has no attribute '{}'", owner, name));
}

std::optional<Value> Interpreter::find(const Value& v, const Name& name) {
  if (Tensor* t = object<Tensor>(v)) return find_tensor(t, name);
  if (Instance* i = object<Instance>(v)) {
    if (Value* own = i->attributes.find(name)) return *own;
    if (name == "__class__") return Value(i->type);
    Value* found = i->type->find(name);
    return found ? std::optional<Value>(bound(i, *found)) : std::nullopt;
  }
  if (Namespace* space = object<Namespace>(v)) return find_in(space, name);
  if (Class* type = object<Class>(v)) {
    if (name == "__name__") return type->name;
    Value* found = type->find(name);
    return found ? std::optional<Value>(*found) : std::nullopt;
  }
  // What `super()` gives: the object, seen from above its class.
  const Method* m = object<Method>(v);
  if (Class* type = m ? object<Class>(m->function) : nullptr) {
    Value* found = type->base ? type->base->find(name) : nullptr;
    if (found != nullptr) return Value(make(Method{m->self, *found}));
    if (name == "__init__" && type->base == nullptr)
      return make_builtin(
          name, [](Interpreter&, const Builtin&, Args&) { return Value(); });
    return {};
  }
  // Methods of lists, dicts and strings are Sextant's own code.
  Namespace* methods = space(type_name(v));
  Value* found = methods ? methods->members->find(name) : nullptr;
  return found ? std::optional<Value>(bound(v, *found)) : std::nullopt;
}

// A member seen through its object.
Value Interpreter::bound(const Value& self, const Value& member) {
  Function* f = object<Function>(member);
  if (f == nullptr && !object<Builtin>(member)) return member;
  if (f && f->kind == Function::Kind::Static) return member;
  if (f && f->kind == Function::Kind::Property) return call(f, {{self}, {}});
  return make(Method{self, member});
}

void Interpreter::set(const Value& object_, const Name& name, Value value) {
  Instance* i = object<Instance>(object_);
  if (i == nullptr)
    error("attributes of a '{}' cannot be assigned", type_name(object_));
  bool registers = is_module(value) || object<Tensor>(value);
  if (is_module(object_) && registers && !i->attributes.find("training"))
    error("cannot assign modules or parameters before Module.__init__() call");
  tick(static_cast<int64_t>(i->attributes.entries.size()) / 8);
  i->attributes.set(name, std::move(value));
}

}  // namespace sextant::python
