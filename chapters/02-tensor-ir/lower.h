// From Torch IR to Tensor IR.
#pragma once

#include "chapters/01-torch-ir/ir.h"
#include "chapters/02-tensor-ir/ir.h"
#include "src/base/pass.h"

namespace sextant::tensor {

/// The graph in the three primitives. What a row of the op table means decides
/// all: composite rows are replaced by their definitions, views become index
/// maps, contractions become two maps, a product and a sum. Halves are
/// converted to float32 before arithmetic and back where PyTorch rounds.
/// Values keep their names.
Graph lower(const torch::Graph& graph, PassContext& context);

/// Lowers a graph and runs the passes of passes.h.
Graph compile(const torch::Graph& graph, PassContext& context);

}  // namespace sextant::tensor
