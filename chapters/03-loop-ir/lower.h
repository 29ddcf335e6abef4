// From Tensor IR to Loop IR.
#pragma once

#include "chapters/02-tensor-ir/ir.h"
#include "chapters/03-loop-ir/ir.h"
#include "src/base/pass.h"

namespace sextant::loop {

struct LowerOptions {
  Name target;  // a row of the target table: whose prices decide
  /// `auto`: as priced; `none`: a kernel for every operation; otherwise the
  /// values to store beside the outputs, `a,b+c`, those of one kernel joined
  /// by `+`.
  std::string fuse = "auto";
};

/// The program that computes a graph: what is stored is decided, kernels are
/// spliced, and the passes of passes.h run. The context's first record is the
/// decision with its trace. Raises an `Error` for an unknown target or value.
Program lower(const tensor::Graph& graph, const LowerOptions& options,
              PassContext& context);

}  // namespace sextant::loop
