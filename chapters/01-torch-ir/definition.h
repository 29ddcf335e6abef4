// Definitions of composite rows: "m = amax(self, [dim], True); sub(self, m)".
// This reader makes a small tree of the text when a table is made; the builder
// runs the tree when the row is called or expanded.
#pragma once

#include "chapters/01-torch-ir/ir.h"

namespace sextant::torch {

/// A term of a definition: a name, a literal, a list, or a call of a row or of
/// one of the functions in `definition_functions`.
struct Term {
  enum class Kind { Name, Literal, List, Call } kind = Kind::Literal;
  Name name;                // of Name and Call
  Arg literal;              // of Literal
  std::vector<Term> parts;  // of List and Call
  std::vector<Name> words;  // of Call: keyword of each part, or empty
};

/// `name = term; name = term; term`
struct Definition {
  std::vector<Name> names;
  std::vector<Term> terms;  // one more than names: the last is the result
};

/// Reads a definition; an `Error` with line and caret says what is wrong.
Definition parse_definition(std::string_view text);

}  // namespace sextant::torch
