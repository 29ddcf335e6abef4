// What a program finds without writing it: builtins, and the modules torch,
// torch.nn, torch.nn.functional and math. Rows of the op table are members of
// these by rule; what can be said in the language itself is in ours/*.py, and
// the build makes `kOurCode` of it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/python/interpreter.h"

namespace sextant::python {

namespace {

using Values = std::vector<Value>;
struct Entry {
  const char* name;
  Value (*call)(Interpreter&, const Builtin&, Args&);
};

// The arguments of a builtin, by position only.
const Values& take(Interpreter& in, const Builtin& b, const Args& args,
                   std::size_t least, std::size_t most) {
  if (!args.keywords.empty())
    in.error("{}() takes no keyword arguments", b.name);
  std::size_t n = args.positional.size();
  if (n < least || n > most)
    in.error("{}() takes {} arguments but {} were given", b.name,
             least == most ? fmt::format("{}", least)
                           : fmt::format("{} to {}", least, most),
             n);
  return args.positional;
}

int64_t int_arg(Interpreter& in, const Value& v) {
  std::optional<int64_t> i = as_int(v);
  if (!i)
    in.error("'{}' object cannot be interpreted as an integer", type_name(v));
  return *i;
}

Value len(Interpreter& in, const Builtin& b, Args& args) {
  const Value& v = take(in, b, args, 1, 1)[0];
  if (Tensor* t = object<Tensor>(v)) {
    const torch::Type& type = in.type(t);
    if (type.shape.empty()) in.error("len() of a 0-d tensor");
    return from_dim(type.shape[0]);
  }
  if (const auto* r = std::get_if<Range>(&v)) return r->size();
  if (const List* list = object<List>(v))
    return static_cast<int64_t>(list->items.size());
  if (std::optional<Value> f = in.find(v, "__len__")) return in.call(*f, {});
  return static_cast<int64_t>(in.items_of(v).size());
}

Value range(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 1, 3);
  Range r{0, int_arg(in, v[0]), 1};
  if (v.size() > 1) r = {r.stop, int_arg(in, v[1]), 1};
  if (v.size() > 2) r.step = int_arg(in, v[2]);
  if (r.step == 0) in.error("range() arg 3 must not be zero");
  return r;
}

Value to_int(Interpreter& in, const Builtin& b, Args& args) {
  const Value& v = take(in, b, args, 1, 1)[0];
  if (as_dim(v)) return as_int(v) ? Value(*as_int(v)) : v;
  const double* x = std::get_if<double>(&v);
  if (!x) in.error("int() of a {} is not supported", type_name(v));
  if (!(std::abs(*x) < 9e18)) in.error("int() of {} is too large", *x);
  return static_cast<int64_t>(*x);
}

Value to_float(Interpreter& in, const Builtin& b, Args& args) {
  const Value& v = take(in, b, args, 1, 1)[0];
  if (std::optional<double> x = as_float(v)) return *x;
  const auto* s = std::get_if<std::string>(&v);
  double inf = std::numeric_limits<double>::infinity();
  if (s && (*s == "inf" || *s == "+inf")) return inf;
  if (s && *s == "-inf") return -inf;
  if (s && *s == "nan") return std::numeric_limits<double>::quiet_NaN();
  in.error("float() of {} is not supported", text_of(v, true));
}

Value to_str(Interpreter& in, const Builtin& b, Args& args) {
  return text_of(take(in, b, args, 1, 1)[0]);
}
Value to_bool(Interpreter& in, const Builtin& b, Args& args) {
  return in.truth(take(in, b, args, 1, 1)[0]);
}
Value to_list(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 0, 1);
  List::Kind kind = b.name == "list"    ? List::Kind::List
                    : b.name == "tuple" ? List::Kind::Tuple
                                        : List::Kind::Size;
  return in.make_list(kind,
                      v.empty() ? std::vector<Value>{} : in.items_of(v[0]));
}

bool is_instance(Interpreter& in, const Value& v, const Value& type) {
  if (const List* types = object<List>(type)) {
    return std::any_of(
        types->items.begin(), types->items.end(),
        [&](const Value& one) { return is_instance(in, v, one); });
  }
  const Builtin* b = object<Builtin>(type);
  const Function* f = object<Function>(type);  // one of ours: dict
  if (b || f) {
    Name name = type_name(v), wanted = b ? b->name : f->name;
    return wanted == name || (wanted == "int" && name == "bool");
  }
  if (!object<Class>(type))
    in.error("isinstance() arg 2 must be a type or a tuple of types");
  const Instance* i = object<Instance>(v);
  return i != nullptr && i->type->derives_from(object<Class>(type));
}

Value isinstance(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 2, 2);
  in.tick();
  return is_instance(in, v[0], v[1]);
}

Value getattr(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 2, 3);
  Name name = text_of(v[1]);
  if (v.size() == 2) return in.get(v[0], name);
  return in.find(v[0], name).value_or(v[2]);
}
Value hasattr(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 2, 2);
  return in.find(v[0], text_of(v[1])).has_value();
}
Value setattr(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 3, 3);
  in.set(v[0], text_of(v[1]), v[2]);
  return {};
}

// Decorators.
Value decorate(Interpreter& in, const Builtin& b, Args& args) {
  Function* f = object<Function>(take(in, b, args, 1, 1)[0]);
  if (f == nullptr) in.error("{}() takes a function", b.name);
  f->kind =
      b.name == "property" ? Function::Kind::Property : Function::Kind::Static;
  return f;
}

// super() in a method, or super(Class, self): the object, seen from above the
// class.
Value super(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 0, 2);
  const Function* f = in.functions.empty() ? nullptr : in.functions.back();
  if (v.size() == 2 && object<Class>(v[0])) return in.make(Method{v[1], v[0]});
  if (!v.empty() || !f || !f->owner || in.scope->entries.empty())
    in.error("super() works in methods alone");
  return in.make(Method{in.scope->entries[0].second, f->owner});
}

// type(x): good for comparison with int, float and the like.
Value type_of_value(Interpreter& in, const Builtin& b, Args& args) {
  const Value& v = take(in, b, args, 1, 1)[0];
  if (const Instance* i = object<Instance>(v)) return i->type;
  Value* found = in.builtins.find(type_name(v));
  return found ? *found : Value();
}

Value nothing(Interpreter&, const Builtin&, Args&) {
  return {};
}

const Entry kBuiltins[] = {
    {"len", len},
    {"range", range},
    {"int", to_int},
    {"float", to_float},
    {"str", to_str},
    {"bool", to_bool},
    {"list", to_list},
    {"tuple", to_list},
    {"getattr", getattr},
    {"hasattr", hasattr},
    {"setattr", setattr},
    {"property", decorate},
    {"staticmethod", decorate},
    {"isinstance", isinstance},
    {"super", super},
    {"print", nothing},
    {"type", type_of_value},
};

// --- what only Sextant's own code sees ---------------------------------------

Value input(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 2, 2);
  std::vector<Dim> shape;
  std::vector<Value> sizes = {v[0]};
  if (!as_dim(v[0])) sizes = in.items_of(v[0]);
  for (const Value& size : sizes) {
    if (!as_dim(size)) in.error("sizes must be ints, not {}", type_name(size));
    shape.push_back(*as_dim(size));
  }
  const DType* dtype = std::get_if<DType>(&v[1]);
  if (!dtype && !is_none(v[1]))
    in.error("dtype must be torch.dtype, not {}", type_name(v[1]));
  return in.new_input(shape, dtype ? *dtype : in.default_dtype);
}

Value kind(Interpreter& in, const Builtin& b, Args& args) {
  return type_name(take(in, b, args, 1, 1)[0]);
}
// The start, stop and step of a slice.
Value slice(Interpreter& in, const Builtin& b, Args& args) {
  const Slice& s = *object<Slice>(take(in, b, args, 1, 1)[0]);
  return in.make_list(List::Kind::Tuple, {s.start, s.stop, s.step});
}

Value parameter(Interpreter& in, const Builtin& b, Args& args) {
  return in.to_parameter(take(in, b, args, 1, 1)[0], b.name == "_buffer");
}
// clone(): the same value, in memory of its own.
Value copy(Interpreter& in, const Builtin& b, Args& args) {
  Tensor* t = object<Tensor>(take(in, b, args, 1, 1)[0]);
  if (t == nullptr) in.error("clone() needs a tensor");
  in.type(t);
  Tensor made = *t;
  made.memory = ++in.memories;
  return in.make(std::move(made));
}
Value cast_module(Interpreter& in, const Builtin& b, Args& args) {
  const Values& v = take(in, b, args, 2, 2);
  const DType* dtype = std::get_if<DType>(&v[1]);
  if (dtype) in.cast_parameters(object<Instance>(v[0]), *dtype);
  return v[0];
}
Value refuse(Interpreter& in, const Builtin& b, Args& args) {
  return in.complain(text_of(take(in, b, args, 1, 1)[0]));
}
Value usual_dtype(Interpreter& in, const Builtin& b, Args& args) {
  if (b.name == "get_default_dtype") return in.default_dtype;
  const DType* dtype = std::get_if<DType>(&take(in, b, args, 1, 1)[0]);
  if (!dtype || !is_float(*dtype))
    in.error("only floating-point types are supported as the default type");
  in.default_dtype = *dtype;
  return {};
}
Value in_place(Interpreter& in, const Builtin& b, Args& args) {
  Tensor* t =
      args.positional.empty() ? nullptr : object<Tensor>(args.positional[0]);
  if (t == nullptr) in.error("{}() needs a tensor", b.name);
  Value row = in.get(t, b.name.substr(0, b.name.size() - 1));
  args.positional.erase(args.positional.begin());
  return in.update(t, in.call(row, args));
}
Value operation(Interpreter& in, const Builtin& b, Args& args) {
  return in.call_op(b.name, args);
}

const Entry kOurs[] = {
    {"_input", input}, {"_parameter", parameter}, {"_buffer", parameter},
    {"_copy", copy},   {"_cast", cast_module},    {"_refuse", refuse},
    {"_kind", kind},   {"_slice", slice},
};

// --- math --------------------------------------------------------------------

struct MathEntry {
  const char* name;
  double (*call)(double);
};
const MathEntry kMath[] = {
    {"sqrt", std::sqrt}, {"exp", std::exp},     {"log", std::log},
    {"log2", std::log2}, {"log10", std::log10}, {"sin", std::sin},
    {"cos", std::cos},   {"tan", std::tan},     {"tanh", std::tanh},
    {"erf", std::erf},   {"floor", std::floor}, {"ceil", std::ceil},
};

Value math(Interpreter& in, const Builtin& b, Args& args) {
  const Value& v = take(in, b, args, 1, 1)[0];
  std::optional<double> x = as_float(v);
  if (!x) in.error("must be real number, not {}", type_name(v));
  for (const MathEntry& entry : kMath) {
    if (b.name != entry.name) continue;
    double y = entry.call(*x);
    if (std::isnan(y) && !std::isnan(*x)) in.error("math domain error");
    bool integral = b.name == "floor" || b.name == "ceil";
    if (!integral) return y;
    if (!(std::abs(y) < 9e18)) in.error("{}() of {} is too large", b.name, *x);
    return static_cast<int64_t>(y);
  }
  return {};
}

// The files of ours/, read once: trees do not change.
const std::map<Name, Tree>& our_trees() {
  static const std::map<Name, Tree> trees = [] {
    std::map<Name, Tree> read;
    for (const OurCode& file : kOurCode)
      read[file.module] = parse(Code(file.text, ""));
    return read;
  }();
  return trees;
}

// --- which rows are members of what ------------------------------------------

// Rows that torch.nn.functional has, and torch has not.
constexpr const char* kFunctionalOnly =
    " silu gelu hardsigmoid hardswish relu6 mish softplus elu leaky_relu "
    "linear scaled_dot_product_attention ";
constexpr const char* kFunctionalToo =
    " relu sigmoid tanh softmax log_softmax layer_norm rms_norm ";
// Rows that are methods of tensors alone.
constexpr const char* kMethodsOnly = " to view expand repeat ";
// Rows that no method leads to.
constexpr const char* kHidden = " input weight alias power slice full_like ";

}  // namespace

bool listed(const std::string& list, const Name& name) {
  return (" " + list).find(" " + name + " ") != std::string::npos;
}

std::optional<Value> Interpreter::find_in(Namespace* in, const Name& name) {
  if (Value* found = in->members->find(name)) return *found;
  bool torch = in == space("torch"), functional = in == space("F");
  Value* both = torch ? space("both")->members->find(name) : nullptr;
  if (both != nullptr) return *both;
  bool only = listed(kFunctionalOnly, name);
  bool member = in == space("aten");
  if (torch) member = !only && !listed(kMethodsOnly, name);
  if (functional) member = only || listed(kFunctionalToo, name);
  if (!member || !tables.find<torch::OpRow>(name)) return {};
  return make_builtin(name, operation);
}

std::optional<Value> Interpreter::find_tensor(Tensor* t, const Name& name) {
  if (name == "shape") {
    Values sizes;
    for (const Dim& dim : type(t).shape)
      sizes.push_back(from_dim(dim));
    return make_list(List::Kind::Size, std::move(sizes));
  }
  if (name == "dtype") return type(t).dtype;
  if (t->wrong) return t;
  for (const char* module : {"Tensor", "both"}) {
    if (Value* found = space(module)->members->find(name))
      return bound(t, *found);
  }
  // x.add_(y) is x.add(y), in place.
  bool in_place_name = name.size() > 1 && name.back() == '_' && name[0] != '_';
  if (in_place_name && find_tensor(t, name.substr(0, name.size() - 1)))
    return make(Method{t, make_builtin(name, in_place)});
  const torch::OpRow* row = tables.find<torch::OpRow>(name);
  if (!row || row->params.empty() || row->params[0].name != "self" ||
      listed(kFunctionalOnly, name) || listed(kHidden, name))
    return {};
  return make(Method{t, make_builtin(name, operation)});
}

Namespace* Interpreter::space(const Name& name) {
  auto found = spaces.find(name);
  return found == spaces.end() ? nullptr : found->second;
}

void Interpreter::install() {
  const std::pair<Name, Name> modules_[] = {{"torch", "torch"},
                                            {"nn", "torch.nn"},
                                            {"F", "torch.nn.functional"},
                                            {"math", "math"},
                                            {"aten", "aten"}};
  for (const auto& [key, name] : modules_) {
    spaces[key] = make(Namespace{name, make(Scope{{}, &ours, nullptr})});
    ours.set(key, spaces[key]);
    if (key != "aten") globals.set(key, spaces[key]);
  }
  for (const char* key : {"Tensor", "both", "list", "dict", "str"})
    spaces[key] = make(Namespace{key, make(Scope{{}, &ours, nullptr})});
  builtins.around = &ours;
  spaces["builtins"] = make(Namespace{"builtins", &builtins});
  for (const Entry& entry : kBuiltins)
    builtins.set(entry.name, make_builtin(entry.name, entry.call));
  for (const Entry& entry : kOurs)
    ours.set(entry.name, make_builtin(entry.name, entry.call));
  for (const MathEntry& entry : kMath)
    space("math")->members->set(entry.name, make_builtin(entry.name, math));
  Scope& torch = *space("torch")->members;
  for (const char* name : {"get_default_dtype", "set_default_dtype"})
    torch.set(name, make_builtin(name, usual_dtype));
  for (auto [name, type] :
       {std::pair("Size", "torch.Size"), std::pair("dtype", "torch.dtype"),
        std::pair("Tensor", "Tensor")})
    torch.set(name, make_builtin(type, to_list));
  torch.set("nn", space("nn"));
  space("nn")->members->set("functional", space("F"));
  for (DType dtype : {DType::Float32, DType::Float16, DType::BFloat16,
                      DType::Int64, DType::Bool})
    torch.set(Name(name_of(dtype)), dtype);
  for (const auto& [module, text] : our_trees()) {
    scope = space(module)->members;
    run_all(*text);
  }
  scope = &globals;
  module_class = object<Class>(*space("nn")->members->find("Module"));
}

}  // namespace sextant::python
