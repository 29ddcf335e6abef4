// What Tensor IR means.
#pragma once

#include "chapters/02-tensor-ir/ir.h"
#include "src/base/array.h"

namespace sextant::tensor {

/// Computes a graph, value after value, each stored in its own type. `inputs`
/// has an array for every parameter, `symbols` a size for every symbol. What
/// comes back holds every value by name, parameters and outputs included.
/// Reductions run along the axis from its start; every operation of float32
/// rounds to float32. An `Error` if an input is missing or of another type or
/// shape, or a gather reads beyond its source.
Arrays interpret(const Graph& graph, const Tables& tables, const Arrays& inputs,
                 const Values& symbols = {});

/// A shape's extents as numbers.
std::vector<int64_t> evaluate_shape(const std::vector<Dim>& shape,
                                    const Values& symbols);

}  // namespace sextant::tensor
