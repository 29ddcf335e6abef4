// Common subexpressions: two values with equal operations on equal operands
// are one value. Since operands were merged before, one walk finds all.
#include "chapters/02-tensor-ir/passes.h"
#include "chapters/02-tensor-ir/passes/rewrite.h"

namespace sextant::tensor {

Graph merge_equal(const Graph& graph, PassContext& context) {
  context.reason = "no two values are equal";
  return rewrite(graph, [](const Value& v, const Graph& so_far) -> Rewritten {
    if (v.op.kind() == OpKind::Input) return v.op;
    for (const Value& w : so_far.values) {
      if (w.op == v.op && w.shape == v.shape && w.dtype == v.dtype) {
        return w.name;
      }
    }
    return v.op;
  });
}

}  // namespace sextant::tensor
