// Dead values, from the end: what an output needs is needed, and so is what a
// needed value reads.
#include <algorithm>
#include <set>

#include "chapters/02-tensor-ir/passes.h"

namespace sextant::tensor {

Graph remove_unused(const Graph& graph, PassContext& context) {
  context.reason = "every value is needed";
  std::set<Name> needed(graph.outputs.begin(), graph.outputs.end());
  Graph out = graph;
  out.values.clear();
  for (auto v = graph.values.rbegin(); v != graph.values.rend(); ++v) {
    if (needed.count(v->name) == 0 && v->op.kind() != OpKind::Input) continue;
    for (const Name& name : operands_of(v->op))
      needed.insert(name);
    out.values.push_back(*v);
  }
  std::reverse(out.values.begin(), out.values.end());
  return out;
}

}  // namespace sextant::tensor
