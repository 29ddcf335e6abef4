// Calls: binding of arguments, classes, modules; and attributes.
#include <algorithm>

#include "src/python/interpreter.h"

namespace sextant::python {

Value Interpreter::call(const Value& callee, Args args) {
  Step step(*this, {});
  if (const Builtin* b = object<Builtin>(callee))
    return b->call(*this, *b, args);
  if (const Function* f = object<Function>(callee))
    return call_function(*f, args);
  if (Class* type = object<Class>(callee))
    return instantiate(type, std::move(args));
  if (const Method* m = object<Method>(callee)) {
    args.positional.insert(args.positional.begin(), m->self);
    return call(m->function, std::move(args));
  }
  if (const Tensor* t = object<Tensor>(callee); t && t->wrong) return callee;
  if (is_module(callee)) return call_module(object<Instance>(callee), args);
  if (std::optional<Value> f = find(callee, "__call__")) return call(*f, args);
  error("'{}' object is not callable", type_name(callee));
}

Value Interpreter::call_function(const Function& f, Args& args) {
  Scope* scope = make(Scope{{}, f.around, &f.code->locals});
  bind(f, args, *scope);
  Scope* before = std::exchange(scope_, scope);
  functions_.push_back(&f);
  Flow flow = run(f.code->body);
  functions_.pop_back();
  scope_ = before;
  if (flow == Flow::Break || flow == Flow::Continue)
    error("'break' or 'continue' outside a loop");
  return flow == Flow::Return ? std::exchange(returned_, None{}) : Value();
}

namespace {

std::string quoted_list(const std::vector<Name>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); i++) {
    bool last = i + 1 == names.size();
    out += i == 0 ? "" : last ? " and " : ", ";
    out += "'" + names[i] + "'";
  }
  return out;
}

}  // namespace

void Interpreter::bind(const Function& f, Args& args, Scope& scope) {
  const Parameters& parameters = f.code->parameters;
  using Kind = Parameter::Kind;
  std::vector<Value> rest;
  std::size_t next = 0, room = 0;
  bool star = false;
  for (const Parameter& p : parameters) {
    star = star || (p.kind == Kind::Star && !p.name.empty());
    if (p.kind != Kind::Plain) continue;
    room++;
    if (next < args.positional.size())
      scope.set(p.name, args.positional[next++]);
  }
  if (next < args.positional.size() && !star)
    error("{}() takes {} positional argument{} but {} {} given", f.name, room,
          room == 1 ? "" : "s", args.positional.size(),
          args.positional.size() == 1 ? "was" : "were");
  rest.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(next),
              args.positional.end());
  Dict* more = nullptr;
  for (const Parameter& p : parameters) {
    if (p.kind == Kind::StarStar) scope.set(p.name, more = make(Dict{}));
    if (p.kind == Kind::Star)
      scope.set(p.name, make_list(List::Kind::Tuple, rest));
  }
  for (const auto& [name, value] : args.keywords) {
    auto named = [&, key = &name](const Parameter& p) {
      return p.name == *key && p.kind != Kind::Star && p.kind != Kind::StarStar;
    };
    bool known = std::any_of(parameters.begin(), parameters.end(), named);
    if (known && scope.find(name))
      error("{}() got multiple values for argument '{}'", f.name, name);
    if (!known && !more)
      error("{}() got an unexpected keyword argument '{}'", f.name, name);
    known ? scope.set(name, value) : set_item(more, name, value);
  }
  std::vector<Name> missing;
  for (std::size_t i = 0; i < parameters.size(); i++) {
    const Parameter& p = parameters[i];
    if (scope.find(p.name)) continue;
    if (!p.otherwise) missing.push_back(p.name);
    scope.set(p.name, f.usual[i]);
  }
  if (!missing.empty())
    error("{}() missing {} required positional argument{}: {}", f.name,
          missing.size(), missing.size() == 1 ? "" : "s", quoted_list(missing));
}

Value Interpreter::instantiate(Class* type, Args args) {
  Instance* made = make(Instance{type, {}, "", false});
  Value* init = type->find("__init__");
  if (init != nullptr) {
    args.positional.insert(args.positional.begin(), made);
    call(*init, std::move(args));
  } else if (!args.positional.empty() || !args.keywords.empty()) {
    error("{}() takes no arguments", type->name);
  }
  return made;
}

// --- modules -----------------------------------------------------------------

bool Interpreter::is_module(const Value& v) const {
  const Instance* i = object<Instance>(v);
  return i != nullptr && i->type->derives_from(module_class_);
}

// A module that is called by no other one is the root of its parameters'
// names: `norm1.weight` below it is the weight norm1_weight.
Value Interpreter::call_module(Instance* module, Args args) {
  if (!module->named) name_parameters(module, "");
  Value* forward = module->type->find("forward");
  if (forward == nullptr)
    error("Module [{}] is missing the required \"forward\" function",
          module->type->name);
  modules_.push_back(module);
  args.positional.insert(args.positional.begin(), module);
  Value result = call(*forward, std::move(args));
  modules_.pop_back();
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

// Names that PyTorch has and Sextant has not, to tell them from mistakes.
bool is_pytorch(const Name& name) {
  static const std::string kKnown =
      " addcdiv addcmul allclose argmax argmin argsort atan2 baddbmm bernoulli "
      "bincount bmm bucketize cdist ceil complex conv1d conv2d cross "
      "cross_entropy cummax cumprod cumsum diag diagonal diff dot einsum "
      "embedding eye fft flip float64 double float8_e4m3fn float8_e5m2 fmod "
      "gather group_norm batch_norm histc index_add index_put index_select "
      "int8 int16 int32 int uint8 short interpolate inverse isclose isfinite "
      "isinf isnan item kron lerp linalg linspace log10 log1p log2 logspace "
      "masked_select max_pool2d avg_pool2d median meshgrid mode movedim "
      "mse_loss "
      "multinomial mv nan_to_num nonzero norm normal normalize numpy one_hot "
      "ones_like pad pinverse pixel_shuffle polar quantile randperm remainder "
      "roll round scatter scatter_add searchsorted sign sort svd take tan "
      "tensor tensordot tolist topk trace unfold unique var_mean vmap "
      "Conv1d Conv2d BatchNorm1d BatchNorm2d GroupNorm Embedding MaxPool2d "
      "AvgPool2d AdaptiveAvgPool2d MultiheadAttention TransformerEncoderLayer "
      "ModuleDict ParameterList LSTM GRU CrossEntropyLoss MSELoss ";
  return kKnown.find(" " + name + " ") != std::string::npos;
}

Value Interpreter::get(const Value& object_, const Name& name) {
  if (std::optional<Value> found = find(object_, name)) return *found;
  const Namespace* space = object<Namespace>(object_);
  if (space == nullptr && !object<Tensor>(object_))
    error("'{}' object has no attribute '{}'", type_name(object_), name);
  // Go on, so that all names that are missing are told at once.
  Name owner = space ? space->name : "Tensor";
  if (is_pytorch(name))
    return complain(fmt::format("{}.{} is not supported", owner, name));
  if (space == nullptr)
    return complain(fmt::format("'Tensor' object has no attribute '{}'", name));
  return complain(
      fmt::format("module '{}' has no attribute '{}'", owner, name));
}

std::optional<Value> Interpreter::find(const Value& v, const Name& name) {
  if (Tensor* t = object<Tensor>(v)) return find_tensor(t, name);
  if (Instance* i = object<Instance>(v)) return find_member(i, name);
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
  return find_method(*this, v, name);
}

std::optional<Value> Interpreter::find_member(Instance* i, const Name& name) {
  if (Value* own = i->attributes.find(name)) return *own;
  if (name == "__class__") return Value(i->type);
  Value* found = i->type->find(name);
  if (found == nullptr) return {};
  return bound(i, *found);
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

// super() in a method, or super(Class, self).
Value Interpreter::super_call(Args& args) {
  if (args.positional.size() == 2) {
    if (!object<Class>(args.positional[0]))
      error("super() argument 1 must be a type, not {}",
            type_name(args.positional[0]));
    return make(Method{args.positional[1], args.positional[0]});
  }
  const Function* f = functions_.empty() ? nullptr : functions_.back();
  if (!f || !f->owner || scope_->entries.empty())
    error("super(): no arguments");
  return make(Method{scope_->entries[0].second, f->owner});
}

}  // namespace sextant::python
