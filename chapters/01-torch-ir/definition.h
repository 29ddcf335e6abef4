// Definitions of composite rows: "m = amax(self, dim, True); sub(self, m)".
#pragma once

#include "chapters/01-torch-ir/ir.h"

namespace sextant::torch {

/// `name = term; name = term; term`. A term is an expression: its calls are of
/// rows, or of one of the functions of run_definition.cpp; a name is a
/// parameter, or was defined before; one that is neither is a word.
struct Definition {
  std::vector<Name> names;
  std::vector<Expr> terms;  // one more than names: the last is the result
};

/// Reads a definition; an `Error` with line and caret says what is wrong.
Definition parse_definition(std::string_view text);

}  // namespace sextant::torch
