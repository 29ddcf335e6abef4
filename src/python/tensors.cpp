// Tensors: inputs, calls of the op table, indexing.
#include <algorithm>
#include <set>

#include "chapters/01-torch-ir/infer.h"
#include "src/python/interpreter.h"

namespace sextant::python {

/// Notes that something is wrong; the value of it is a tensor that nothing
/// more is said about.
Value Interpreter::complain(const std::string& message) {
  builder.diagnostics().add(code.span(at), "{}", message);
  Tensor wrong;
  wrong.wrong = true;
  return make(wrong);
}

Value Interpreter::new_input(std::vector<Dim> shape, DType dtype) {
  for (const Dim& dim : shape) {
    if (constant(dim) && value_of(dim) < 0)
      error("Trying to create tensor with negative dimension {}: {}",
            value_of(dim), torch::text_of(shape));
  }
  Tensor t;
  t.type.dtype = dtype;
  t.type.shape = std::move(shape);
  t.written = written;
  t.at = at;
  t.memory = ++memories;
  Tensor* made = make(std::move(t));
  pending.push_back(made);
  return made;
}

// What a constructor made becomes a parameter instead of an input; what was
// computed becomes a parameter of that shape.
Value Interpreter::to_parameter(const Value& v, bool buffer) {
  Tensor* t = object<Tensor>(v);
  if (is_none(v) && buffer) return v;
  if (t == nullptr) error("a parameter must be a Tensor, not {}", type_name(v));
  bool fresh = t->value.empty() && t->role == Role::Input;
  if (buffer && !fresh) return v;
  Tensor made = *t;
  made.type = fresh ? t->type : type(t);
  pending.erase(std::remove(pending.begin(), pending.end(), t), pending.end());
  made.value.clear();
  made.role = Role::Weight;
  made.memory = ++memories;
  return make(std::move(made));
}

void Interpreter::cast_parameters(Instance* module, DType dtype) {
  Step step(*this, {});
  for (auto& entry : module->attributes.entries) {
    Tensor* t = object<Tensor>(entry.second);
    if (t && t->role == Role::Weight && is_float(t->type.dtype)) {
      if (!t->value.empty())
        error("a module that was called already cannot change its type");
      t->type.dtype = dtype;
    }
    if (is_module(entry.second))
      cast_parameters(object<Instance>(entry.second), dtype);
  }
}

namespace {

// Makes an axis of an input a symbol, where the options say so.
void make_dynamic(Interpreter& in, const Name& name, std::vector<Dim>& shape) {
  for (const Dynamic& d : in.options.dynamic) {
    if (d.input != name) continue;
    auto rank = static_cast<int64_t>(shape.size());
    if (d.axis < -rank || d.axis >= rank)
      in.error("--dynamic {}@{}:{}: the input has {} dimensions", d.symbol,
               d.input, d.axis, rank);
    Dim& dim =
        shape[static_cast<std::size_t>(d.axis < 0 ? d.axis + rank : d.axis)];
    int64_t hint = constant(dim).value_or(1);
    auto [found, is_new] = in.symbols.emplace(d.symbol, hint);
    if (found->second != hint)
      in.error("the symbol {} would be {} and {}", d.symbol, found->second,
               hint);
    int64_t most = std::max(in.options.symbol_max, hint);
    if (is_new) in.builder.symbol({d.symbol, 1, most, 1, hint});
    dim = var(d.symbol);
  }
}

void place(Interpreter& in, Tensor* t) {
  Name name = t->wish;
  while (name.empty() || (t->wish.empty() && in.builder.has(name)))
    name = fmt::format("x{}", in.unnamed++);
  make_dynamic(in, name, t->type.shape);
  bool weight = t->role == Role::Weight && !in.modules.empty();
  Source from{t->written, "", weight ? in.modules.back()->path : "",
              in.code.span(t->at)};
  t->value = in.builder.input(name, t->type, t->role, from);
  in.placed.insert(name);
}

}  // namespace

// Inputs enter the graph in the order they were made, once one is used; a
// parameter enters when it is used itself.
void Interpreter::place_in_graph(Tensor* t) {
  if (t->wrong || !t->value.empty()) return;
  if (t->role == Role::Weight) return place(*this, t);
  for (Tensor* input : std::exchange(pending, {}))
    place(*this, input);
}

const torch::Type& Interpreter::type(Tensor* t) {
  if (t->wrong) builder.diagnostics().raise();
  if (t->role == Role::Input) place_in_graph(t);
  return t->type;
}

torch::Arg Interpreter::to_arg(const Name& row, const Value& v) {
  using torch::Arg;
  if (is_none(v)) return Arg::none();
  if (Tensor* t = object<Tensor>(v)) {
    place_in_graph(t);
    return Arg::of(t->value);
  }
  if (const bool* b = std::get_if<bool>(&v)) return Arg::of_bool(*b);
  if (std::optional<Dim> dim = as_dim(v)) return Arg::of(*dim);
  if (std::optional<double> x = as_float(v)) return Arg::of_float(*x);
  if (const auto* s = std::get_if<std::string>(&v)) return Arg::of_string(*s);
  if (const auto* dtype = std::get_if<DType>(&v)) return Arg::of(*dtype);
  const List* list = object<List>(v);
  if (!list) error("{}(): a {} is no argument", row, type_name(v));
  Arg all = Arg::of_ints({});
  for (const Value& item : list->items) {
    Arg one = to_arg(row, item);
    bool tensor = one.kind == Arg::Kind::Value;
    if ((!tensor && one.kind != Arg::Kind::Int) ||
        (tensor ? !all.ints.empty() : !all.values.empty()))
      error("{}(): a list must hold tensors, or ints", row);
    all.kind = tensor ? Arg::Kind::Values : Arg::Kind::Ints;
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.ints.insert(all.ints.end(), one.ints.begin(), one.ints.end());
  }
  return all;
}

namespace {

// `view(2, 3)` means `view((2, 3))`, where the list is what comes last.
void gather_ints(Interpreter& in, const torch::OpRow& row, Args& args) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < row.params.size(); i++) {
    if (!row.params[i].keyword_only) last = i;
  }
  std::vector<Value>& given = args.positional;
  bool many = last > 0 && row.params[last].type == torch::ParamType::Ints &&
              given.size() > last + 1;
  if (!many) return;
  auto from = given.begin() + static_cast<std::ptrdiff_t>(last);
  if (!std::all_of(from, given.end(),
                   [](const Value& v) { return as_dim(v).has_value(); }))
    return;
  Value list = in.make_list(List::Kind::List, {from, given.end()});
  given.erase(from, given.end());
  given.push_back(list);
}

}  // namespace

Value Interpreter::call_op(const Name& name, Args args) {
  const torch::OpRow* row = tables.find<torch::OpRow>(name);
  if (row == nullptr)
    return complain(fmt::format("{} on tensors is not supported", written));
  tick(10);
  gather_ints(*this, *row, args);
  std::vector<torch::Arg> positional;
  std::vector<torch::Keyword> keywords;
  for (const Value& v : args.positional)
    positional.push_back(to_arg(name, v));
  for (const auto& [keyword, v] : args.keywords) {
    // NumPy's words are PyTorch's as well.
    Name word = keyword == "axis"       ? "dim"
                : keyword == "keepdims" ? "keepdim"
                                        : keyword;
    keywords.push_back({word, to_arg(name, v)});
  }
  std::vector<Name> values =
      builder.call(name, std::move(positional), std::move(keywords),
                   {written, "", modules.empty() ? "" : modules.back()->path,
                    code.span(at)});
  // Views share their memory with what they are views of.
  static const std::set<Name> kCopies = {"cat",  "stack", "repeat",
                                         "tril", "triu",  "pad",
                                         "flip", "roll",  "repeat_interleave"};
  bool several = row->as<torch::Split>() != nullptr;
  bool view = (several || row->as<torch::View>()) && !kCopies.count(name);
  const Tensor* of =
      args.positional.empty() ? nullptr : object<Tensor>(args.positional[0]);
  int memory = view && of ? of->memory : ++memories;
  if (view) viewed.insert(memory);
  if (!several || values[0].empty()) return result(values[0], memory);
  std::vector<Value> parts;
  for (const Name& value : values)
    parts.push_back(result(value, memory));
  return make_list(List::Kind::Tuple, parts);
}

Value Interpreter::result(const Name& value, int memory) {
  Tensor t;
  t.wrong = value.empty();
  t.value = value;
  if (!t.wrong) t.type = builder.type(value);
  t.memory = memory;
  return make(std::move(t));
}

/// What `t += x` and `t.add_(x)` do: every holder of the tensor sees the new
/// value. Views would have to see it as well, so there must be none.
Value Interpreter::update(Tensor* t, const Value& v) {
  Tensor* to = object<Tensor>(v);
  if (to == nullptr || to->wrong || t->wrong) return v;
  if (viewed.count(t->memory))
    error("an in-place update of a tensor that has views is not supported");
  if (!std::equal(to->type.shape.begin(), to->type.shape.end(),
                  t->type.shape.begin(), t->type.shape.end()))
    error("output with shape {} doesn't match the broadcast shape {}",
          torch::text_of(t->type.shape), torch::text_of(to->type.shape));
  DType was = t->type.dtype, is = to->type.dtype;
  if ((is_float(is) && !is_float(was)) || (was == DType::Bool && is != was))
    error("result type {} can't be cast to the desired output type {}",
          name_of(is), name_of(was));
  if (is != was) to = object<Tensor>(call_op("to", {{v, was}, {}}));
  t->value = to->value;
  return t;
}

std::vector<Name> Interpreter::outputs_of(const Value& v) {
  if (Tensor* t = object<Tensor>(v)) return {to_arg("", t).values};
  const List* list = object<List>(v);
  std::vector<Name> names;
  if (list != nullptr) {
    for (const Value& item : list->items) {
      Tensor* t = object<Tensor>(item);
      if (t == nullptr)
        error("the program must end with tensors, not with a {}",
              type_name(item));
      names.push_back(to_arg("", t).values[0]);
    }
  }
  if (names.empty())
    error("the program must end with a tensor, not with a {}", type_name(v));
  return names;
}

}  // namespace sextant::python
