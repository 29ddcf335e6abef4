// The passes of Tensor IR, each a pure function in a file of its own.
#pragma once

#include "chapters/02-tensor-ir/ir.h"
#include "src/base/pass.h"
#include "src/base/rules.h"

namespace sextant::tensor {

/// Computes what depends on constants alone, and leaves out operations that
/// change nothing, where the result is the same to the bit.
Graph fold_constants(const Graph& graph, PassContext& context);
/// Its rules: a scalar expression of the form `from` is `to`.
const std::vector<Rule>& scalar_rules();
/// Makes an index map of an index map one index map.
Graph compose_maps(const Graph& graph, PassContext& context);
/// Computes what is computed twice once.
Graph merge_equal(const Graph& graph, PassContext& context);
/// Leaves out what no output needs. Parameters stay.
Graph remove_unused(const Graph& graph, PassContext& context);

/// Names what lowering made after what it is now: a map x_bc after the value
/// that it reads, products and sums in order.
Graph rename_helpers(const Graph& graph, PassContext& context);

/// The table of passes, in the order in which they run.
std::vector<Pass<Graph>> passes();

}  // namespace sextant::tensor
