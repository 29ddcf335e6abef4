// Types of results, and what makes a graph legal.
#pragma once

#include "chapters/01-torch-ir/op_table.h"

namespace sextant::torch {

/// The type of a call's result. Operands of elementwise rows have one shape
/// already. Errors are PyTorch's texts.
Type infer(const Tables& tables, const BoundCall& call);

/// PyTorch's promotion over the operands of a call, numbers included: tensors
/// with dimensions decide before those without, and these before numbers,
/// unless a later one is of a higher kind (bool, int64, floats).
DType promote(const BoundCall& call, const std::vector<Arg>& operands);

using Shape = std::vector<Dim>;
/// The shape that two shapes broadcast to; an `Error` in PyTorch's words.
Shape broadcast_shapes(const Shape& a, const Shape& b);
/// Whether two extents are provably equal.
bool same_dim(const Dim& a, const Dim& b);
bool same_shape(const Shape& a, const Shape& b);

/// A dimension counted from the front; an `Error` in PyTorch's words when it
/// is out of range for a tensor of that rank.
std::size_t wrap_dim(int64_t dim, std::size_t rank);

/// "[2, 3]"
std::string text_of(const Shape& shape);

/// Types by value name. Keeps pointers into the graph.
BoundCall::TypeOf types_of(const Graph& graph);
/// The call of a node; `types` as `types_of` makes it.
BoundCall call_of(const Tables& tables, const BoundCall::TypeOf& types,
                  const Node& node);

/// Raises everything that is wrong with a graph: unknown rows, values used
/// before they are made, types that inference does not confirm.
void verify(const Tables& tables, const Graph& graph);

}  // namespace sextant::torch
