// From Tensor IR to Loop IR.
#pragma once

#include "chapters/02-tensor-ir/ir.h"
#include "chapters/03-loop-ir/ir.h"
#include "src/base/pass.h"

namespace sextant::loop {

/// The program that computes a graph: what is stored is decided, kernels are
/// spliced, and the passes of passes.h run. `fuse` decides: `auto`, as priced
/// for the target, a row of the target table; `none`, a kernel for every
/// operation; otherwise the values to store beside the outputs, `a,b+c`, those
/// of one kernel joined by `+`. The context's first record is the decision with
/// its trace. Raises an `Error` for an unknown target or value.
Program lower(const tensor::Graph& graph, const std::string& fuse,
              const Name& target, PassContext& context);

}  // namespace sextant::loop
