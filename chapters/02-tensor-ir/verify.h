// What is legal in Tensor IR.
#pragma once

#include "chapters/02-tensor-ir/ir.h"

namespace sextant::tensor {

/// Raises one `Error` with everything that is wrong: a name that is used
/// before its value, or twice; a shape or type that does not follow from the
/// operands'; arithmetic on halves; an index that is not proven to lie within
/// its source where its piece is read (cells of loaded values are checked when
/// the program runs).
void verify(const Graph& graph, const Tables& tables);

/// What is wrong with one value whose operands are in `graph`.
std::vector<Diagnostic> complaints(const Value& value, const Graph& graph,
                                   const Tables& tables);

}  // namespace sextant::tensor
