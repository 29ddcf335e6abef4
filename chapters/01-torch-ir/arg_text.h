// How an argument is written: x, -1, [2, 3], [a, b], 0.5, True, "tanh",
// float32, None. Schemas, definitions and the text of Torch IR share it.
#pragma once

#include "chapters/01-torch-ir/ir.h"

namespace sextant::torch {

std::string to_string(const Arg& arg);

/// Reads an argument. A lone name is taken for a size (an Int that is a
/// variable): only who knows the values can tell that it is one of them, and
/// says so by `resolve`.
bool read_arg(Cursor& cursor, Arg& arg);

/// Turns sizes that are names of values into these values.
template <class IsValue>
Arg resolve(const Arg& arg, IsValue&& is_value) {
  if (arg.kind == Arg::Kind::DType && is_value(Name(name_of(arg.dtype)))) {
    return Arg::of(Name(name_of(arg.dtype)));
  }
  std::vector<Name> names;
  for (const Dim& dim : arg.ints) {
    const Var* v = dim.as<Var>();
    if (v != nullptr && v->index.empty() && is_value(v->name)) {
      names.push_back(v->name);
    }
  }
  if (names.empty() || names.size() != arg.ints.size()) return arg;
  return arg.kind == Arg::Kind::Int ? Arg::of(names[0])
                                    : Arg::of_values(std::move(names));
}

}  // namespace sextant::torch
