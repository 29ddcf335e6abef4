#include "chapters/01-torch-ir/arg_text.h"

namespace sextant::torch {

std::string to_string(const Arg& arg) {
  std::vector<std::string> parts;
  switch (arg.kind) {
    case Arg::Kind::None: return "None";
    case Arg::Kind::Value: return arg.values[0];
    case Arg::Kind::Values: return "[" + join(arg.values) + "]";
    case Arg::Kind::Int: return sextant::to_string(arg.ints[0]);
    case Arg::Kind::Ints:
      for (const Dim& dim : arg.ints)
        parts.push_back(sextant::to_string(dim));
      return "[" + join(parts) + "]";
    case Arg::Kind::Float: return sextant::to_string(Expr(Float{arg.number}));
    case Arg::Kind::Bool: return arg.flag ? "True" : "False";
    case Arg::Kind::String: return '"' + arg.text + '"';
    case Arg::Kind::DType: return std::string(name_of(arg.dtype));
  }
  return "";
}

namespace {

// A word that is no name of a value or size.
bool read_word(Cursor& cursor, Arg& arg) {
  std::size_t start = cursor.position();
  Name word;
  if (cursor.name(word)) {
    bool flag = word == "True" || word == "False";
    if (flag) return arg = Arg::of_bool(word == "True"), true;
    if (word == "None") return arg = Arg::none(), true;
    if (dtype_named(word)) return arg = Arg::of(*dtype_named(word)), true;
  }
  cursor.move_to(start);
  return false;
}

bool read_list(Cursor& cursor, Arg& arg) {
  if (!cursor.literal("[")) return false;
  std::vector<Dim> items;
  cursor.skip_spaces();
  while (!cursor.literal("]")) {
    Dim item;
    if (!cursor.expr(item)) {
      fail(cursor.where(cursor.position()), "expected a size, a value or ']'");
    }
    items.push_back(item);
    cursor.skip_spaces();
    if (cursor.literal(",")) cursor.skip_spaces();
  }
  arg = Arg::of_ints(std::move(items));
  return true;
}

}  // namespace

bool read_arg(Cursor& cursor, Arg& arg) {
  std::string text;
  if (cursor.quoted(text)) return arg = Arg::of_string(text), true;
  if (read_list(cursor, arg) || read_word(cursor, arg)) return true;
  Expr value;
  if (!cursor.expr(value)) return false;
  const Float* f = value.as<Float>();
  arg = f != nullptr ? Arg::of_float(f->value) : Arg::of(value);
  return true;
}

}  // namespace sextant::torch
