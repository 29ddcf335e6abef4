#include "chapters/03-loop-ir/lower/flow.h"

#include <algorithm>

namespace sextant::loop {
namespace {

// Cells of values inside an index: `ids` of `table[ids[i, j], k]`.
void collect_cells(const Expr& e, std::vector<Name>& names) {
  if (!e) return;
  const Var* v = e.as<Var>();
  if (v != nullptr && !v->index.empty()) names.push_back(v->name);
  std::visit(
      [&](const auto& node) {
        visit_inside<Expr>(node,
                           [&](const Expr& x) { collect_cells(x, names); });
      },
      e.variant());
}

// Every value that an operation mentions, in order of appearance.
std::vector<Name> names_of(const tensor::Op& op) {
  std::vector<Name> names;
  if (const auto* e = op.as<tensor::Elementwise>()) names = names_in(e->value);
  if (const auto* r = op.as<tensor::Reduction>()) names.push_back(r->operand);
  if (const auto* map = op.as<tensor::IndexMap>()) {
    for (const tensor::Piece& piece : map->pieces) {
      names.push_back(piece.value);
      for (const Expr& e : piece.index)
        collect_cells(e, names);
      collect_cells(piece.where, names);
    }
  }
  return names;
}

}  // namespace

Flow::Flow(const tensor::Graph& g)
    : graph(&g),
      operands(g.values.size()),
      readers(g.values.size()),
      is_output(g.values.size()) {
  for (std::size_t v = 0; v < g.values.size(); v++) {
    for (const Name& name : names_of(g.values[v].op)) {
      int from = find(name);
      std::vector<int>& list = operands[v];
      if (from < 0 || std::count(list.begin(), list.end(), from) > 0) continue;
      list.push_back(from);
      readers[static_cast<std::size_t>(from)].push_back(static_cast<int>(v));
    }
    number_[g.values[v].name] = static_cast<int>(v);
  }
  for (const Name& name : g.outputs)
    is_output[static_cast<std::size_t>(find(name))] = true;
}

bool Flow::is_parameter(int v) const {
  return value(v).op.as<tensor::Input>() != nullptr;
}

int Flow::find(const Name& name) const {
  auto found = number_.find(name);
  return found == number_.end() ? -1 : found->second;
}

}  // namespace sextant::loop
