#include "chapters/02-tensor-ir/passes/rewrite.h"

#include <algorithm>

namespace sextant::tensor {
namespace {

bool holds(const std::vector<Name>& names, const Name& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The origins of the operands that `before` read and `after` does not.
Origin taken_in(const Op& before, const Op& after, const Graph& graph) {
  Origin origin;
  std::vector<Name> still = operands_of(after);
  for (const Name& name : operands_of(before)) {
    const Value* v = graph.value(name);
    if (v != nullptr && !holds(still, name)) {
      origin = merge(origin, v->op.origin());
    }
  }
  return origin;
}

}  // namespace

Graph rewrite(const Graph& graph, const Step& step) {
  Graph out = graph;
  out.values.clear();
  std::map<Name, Name> renamed;
  for (Value v : graph.values) {
    v.op = rename_operands(v.op, renamed);
    Rewritten made = step(v, out);
    bool is_output = holds(graph.outputs, v.name);
    if (const Name* same = std::get_if<Name>(&made)) {
      if (!is_output) {
        renamed[v.name] = *same;
        for (Value& w : out.values) {
          if (w.name != *same) continue;
          w.op = w.op.with_origin(merge(w.op.origin(), v.op.origin()));
        }
        continue;
      }
    } else {
      const Op& op = std::get<Op>(made);
      Origin more = taken_in(v.op, op, out);
      v.op = op.with_origin(merge(v.op.origin(), more));
    }
    out.values.push_back(v);
  }
  return out;
}

}  // namespace sextant::tensor
