// Binding of arguments to parameters, with the complaints of PyTorch's parser.
#include "chapters/01-torch-ir/builder.h"

namespace sextant::torch {
namespace {

// PyTorch's functions call their first tensor `input`, its schemas `self`.
Name shown(const Param& param) {
  return param.name == "self" ? "input" : param.name;
}

// By the kind of an argument.
constexpr const char* kPythonTypes[] = {"NoneType", "Tensor", "list",
                                        "int",      "list",   "float",
                                        "bool",     "str",    "torch.dtype"};

bool is_number(const Arg& arg) {
  return arg.kind == Arg::Kind::Int || arg.kind == Arg::Kind::Float ||
         arg.kind == Arg::Kind::Bool;
}

// Numbers may stand for tensors where a row computes on several elementwise.
bool takes_numbers(const OpRow& row) {
  int tensors = 0;
  for (const Param& param : row.params)
    tensors += param.type == ParamType::Tensor && !param.optional;
  const Composite* defined = row.as<Composite>();
  bool plain = defined != nullptr && defined->precision == Precision::AsWritten;
  return (row.as<Elementwise>() != nullptr || plain) && tensors > 1;
}

// Whether the argument is of the parameter's type, after conversion.
bool fits(const OpRow& row, const Param& param, Arg& arg) {
  using Kind = Arg::Kind;
  // By the type of a parameter; a Scalar is any number.
  static constexpr Kind kKinds[] = {Kind::Value, Kind::Values, Kind::Int,
                                    Kind::Ints,  Kind::Float,  Kind::Bool,
                                    Kind::None,  Kind::DType,  Kind::String};
  if (arg.kind == Kind::None) return param.optional;
  if (param.type == ParamType::Scalar) return is_number(arg);
  if (param.type == ParamType::Tensor && is_number(arg))
    return takes_numbers(row);
  Kind wanted = kKinds[static_cast<int>(param.type)];
  bool list = arg.kind == Kind::Ints || arg.kind == Kind::Values;
  bool empty = list && arg.ints.empty() && arg.values.empty();
  bool takes_list = wanted == Kind::Ints || wanted == Kind::Values;
  if ((empty && takes_list) || (arg.kind == Kind::Int && wanted == Kind::Ints))
    arg.kind = wanted;
  if (arg.kind == Kind::Int && wanted == Kind::Float && constant(arg.ints[0]))
    arg = Arg::of_float(static_cast<double>(value_of(arg.ints[0])));
  return arg.kind == wanted;
}

std::size_t find_param(const OpRow& row, const Name& keyword) {
  for (std::size_t i = 0; i < row.params.size(); i++) {
    if (keyword == row.params[i].name || keyword == shown(row.params[i])) {
      return i;
    }
  }
  fail({}, "{}() got an unexpected keyword argument '{}'", row.name, keyword);
}

}  // namespace

std::vector<Arg> bind_args(const OpRow& row, const std::vector<Arg>& args,
                           const std::vector<Keyword>& keywords, bool all) {
  std::vector<std::optional<Arg>> given(row.params.size());
  std::size_t positional = 0;
  for (const Param& param : row.params)
    positional += all || !param.keyword_only;
  if (args.size() > positional) {
    fail({}, "{}() takes {} positional argument{} but {} {} given", row.name,
         positional, positional == 1 ? "" : "s", args.size(),
         args.size() == 1 ? "was" : "were");
  }
  for (std::size_t i = 0; i < args.size(); i++)
    given[i] = args[i];
  for (const Keyword& keyword : keywords) {
    std::size_t i = find_param(row, keyword.name);
    if (given[i]) {
      fail({}, "{}() got multiple values for argument '{}'", row.name,
           keyword.name);
    }
    given[i] = keyword.arg;
  }
  std::vector<Arg> bound;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < given.size(); i++) {
    const Param& param = row.params[i];
    if (!given[i] && !param.usual) missing.push_back('"' + shown(param) + '"');
    Arg arg = given[i].value_or(param.usual.value_or(Arg::none()));
    if (given[i] && !fits(row, param, arg)) {
      fail({}, "{}(): argument '{}' (position {}) must be {}, not {}", row.name,
           shown(param), i + 1,
           kParamWords[static_cast<int>(param.type)].wanted,
           kPythonTypes[static_cast<int>(arg.kind)]);
    }
    bound.push_back(std::move(arg));
  }
  if (!missing.empty()) {
    fail({}, "{}() missing {} required positional arguments: {}", row.name,
         missing.size(), join(missing));
  }
  return bound;
}

}  // namespace sextant::torch
