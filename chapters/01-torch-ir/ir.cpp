#include "chapters/01-torch-ir/ir.h"

namespace sextant::torch {

bool Arg::operator==(const Arg& o) const {
  return kind == o.kind && values == o.values && ints == o.ints &&
         Float{number} == Float{o.number} && flag == o.flag && text == o.text &&
         dtype == o.dtype;
}

Arg Arg::of(Name value) {
  Arg arg;
  arg.kind = Kind::Value;
  arg.values = {std::move(value)};
  return arg;
}
Arg Arg::of_values(std::vector<Name> values) {
  Arg arg;
  arg.kind = Kind::Values;
  arg.values = std::move(values);
  return arg;
}
Arg Arg::of(Dim value) {
  Arg arg;
  arg.kind = Kind::Int;
  arg.ints = {std::move(value)};
  return arg;
}
Arg Arg::of_ints(std::vector<Dim> values) {
  Arg arg;
  arg.kind = Kind::Ints;
  arg.ints = std::move(values);
  return arg;
}
Arg Arg::of_float(double value) {
  Arg arg;
  arg.kind = Kind::Float;
  arg.number = value;
  return arg;
}
Arg Arg::of_bool(bool value) {
  Arg arg;
  arg.kind = Kind::Bool;
  arg.flag = value;
  return arg;
}
Arg Arg::of_string(std::string value) {
  Arg arg;
  arg.kind = Kind::String;
  arg.text = std::move(value);
  return arg;
}
Arg Arg::of(sextant::DType value) {
  Arg arg;
  arg.kind = Kind::DType;
  arg.dtype = value;
  return arg;
}

}  // namespace sextant::torch
