// Random graphs of Tensor IR: a function of a seed.
#pragma once

#include "chapters/02-tensor-ir/ir.h"
#include "src/base/array.h"

namespace sextant::test {

/// A legal graph of about `size` values over two to four parameters; every
/// extent is small. All of it is reachable from the outputs but for what
/// happens to be unused.
tensor::Graph random_graph(uint64_t seed, int size);

/// Random arrays for its parameters.
Arrays random_inputs(const tensor::Graph& graph, uint64_t seed,
                     const Values& symbols = {});

}  // namespace sextant::test
