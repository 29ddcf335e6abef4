// The driver that passes of Tensor IR share: it walks a graph, follows values
// that were replaced, and keeps account of where everything came from.
#pragma once

#include "chapters/02-tensor-ir/ir.h"

namespace sextant::tensor {

/// What a pass makes of a value: an operation, or the name of an earlier value
/// that is the same.
using Rewritten = std::variant<Op, Name>;
/// Sees a value whose operands are those of the graph made so far.
using Step = std::function<Rewritten(const Value&, const Graph& so_far)>;

/// The graph after `step` on every value, in order. A value that reads less
/// than it did has taken in what it no longer reads, and comes from that too.
/// Outputs stay, whatever they are equal to.
Graph rewrite(const Graph& graph, const Step& step);

}  // namespace sextant::tensor
