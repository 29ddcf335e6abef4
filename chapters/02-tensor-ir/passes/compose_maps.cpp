// An index map of an index map is one index map, by substitution: x[j, i] read
// at [i, j + 1] is x[j + 1, i]. Chains vanish in one walk, since what a map
// reads was composed before. A map that moves nothing is its source.
#include <functional>
#include <set>

#include "chapters/02-tensor-ir/compose.h"
#include "chapters/02-tensor-ir/passes.h"
#include "chapters/02-tensor-ir/passes/rewrite.h"
#include "chapters/02-tensor-ir/verify.h"

namespace sextant::tensor {
namespace {

class Composer {
 public:
  Composer(const Graph& graph, const Tables& tables)
      : tables_(tables),
        outputs_(graph.outputs.begin(), graph.outputs.end()),
        symbols_(symbol_bounds(graph)) {}

  Rewritten step(const Value& v, const Graph& so_far) const {
    const IndexMap* map = v.op.as<IndexMap>();
    if (map == nullptr) return v.op;
    IndexMap composed = inline_cells(*map, so_far);
    for (const Name& name : operands_of(v.op)) {
      const IndexMap* inner = map_of(name, so_far);
      if (inner == nullptr) continue;
      composed = compose(composed, name, *inner).value_or(composed);
    }
    composed = simplify(composed, v.shape, symbols_);
    // No piece is left: the constant everywhere.
    if (composed.pieces.empty()) {
      return Elementwise{constant_of(composed.otherwise, v.dtype)};
    }
    if (outputs_.count(v.name) == 0 && moves_nothing(composed, v, so_far)) {
      return composed.pieces[0].value;
    }
    if (composed == *map) return v.op;
    // What could not be proven to stay within its sources stays two maps.
    Value made = v;
    made.op = composed;
    return complaints(made, so_far, tables_).empty() ? made.op : v.op;
  }

 private:
  static const IndexMap* map_of(const Name& name, const Graph& graph) {
    const Value* v = graph.value(name);
    return v == nullptr ? nullptr : v->op.as<IndexMap>();
  }

  // A cell of a loaded value that a map made is a cell of the map's source.
  static IndexMap inline_cells(const IndexMap& map, const Graph& graph) {
    std::function<Expr(const Expr&)> inlined = [&](const Expr& e) -> Expr {
      Expr mapped = map_handles<Expr>(e, inlined);
      const Var* v = mapped.as<Var>();
      if (v == nullptr || v->index.empty()) return mapped;
      const IndexMap* inner = map_of(v->name, graph);
      if (inner == nullptr || inner->pieces[0].where) return mapped;
      Piece p = pieces_at(*inner, v->index, Expr())[0];
      return p.value == kIota ? p.index[0] : var(p.value, p.index);
    };
    IndexMap out = map;
    for (Piece& p : out.pieces) {
      if (p.where) p.where = inlined(p.where);
      for (Expr& e : p.index)
        e = inlined(e);
    }
    return out;
  }

  static bool moves_nothing(const IndexMap& map, const Value& v,
                            const Graph& graph) {
    const Piece& p = map.pieces[0];
    const Value* source = graph.value(p.value);
    if (p.where || source == nullptr || source->shape != v.shape) return false;
    for (std::size_t axis = 0; axis < p.index.size(); axis++) {
      bool alone = v.shape[axis] == Expr(1) && p.index[axis] == Expr(0);
      if (!alone && p.index[axis] != var(index_name(axis))) return false;
    }
    return true;
  }

  const Tables& tables_;
  std::set<Name> outputs_;
  Bounds symbols_;
};

}  // namespace

Graph compose_maps(const Graph& graph, PassContext& context) {
  context.reason = "no map reads a map";
  Composer composer(graph, *context.tables);
  return rewrite(graph, [&](const Value& v, const Graph& so_far) {
    return composer.step(v, so_far);
  });
}

}  // namespace sextant::tensor
