#include "chapters/02-tensor-ir/ir.h"

#include <algorithm>
#include <functional>

namespace sextant::tensor {
namespace {

// Rebuilds an operation with `rename` on every operand. In an index map plain
// names are indices, and names with an index are operands.
Op map_operands(const Op& op, const std::function<Name(const Name&)>& rename) {
  bool cells = op.kind() == OpKind::IndexMap;
  std::function<Expr(const Expr&)> renamed = [&](const Expr& e) -> Expr {
    Expr mapped = map_handles<Expr>(e, renamed);
    const Var* v = mapped.as<Var>();
    if (v == nullptr || v->index.empty() == cells) return mapped;
    Name name = rename(v->name);
    return name == v->name ? mapped : var(name, v->index);
  };
  Op mapped = map_handles<Expr>(op, renamed);
  if (const IndexMap* map = mapped.as<IndexMap>()) {
    IndexMap copy = *map;
    for (Piece& p : copy.pieces)
      p.value = rename(p.value);
    return Op(copy).with_origin(op.origin());
  }
  if (const Reduction* r = mapped.as<Reduction>()) {
    Reduction copy = *r;
    copy.operand = rename(r->operand);
    return Op(copy).with_origin(op.origin());
  }
  return mapped;
}

}  // namespace

std::vector<Name> operands_of(const Op& op) {
  std::vector<Name> names;
  map_operands(op, [&](const Name& name) {
    bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && name != kIota) names.push_back(name);
    return name;
  });
  return names;
}

Op rename_operands(const Op& op, const std::map<Name, Name>& to) {
  return map_operands(op, [&](const Name& name) {
    auto found = to.find(name);
    return found == to.end() ? name : found->second;
  });
}

Bounds symbol_bounds(const Graph& graph) {
  Bounds bounds;
  for (const Symbol& s : graph.symbols)
    bounds.set(s.name, {s.lo, s.hi});
  return bounds;
}

Expr constant_of(const Expr& value, DType dtype) {
  DType own = value.as<Float>() != nullptr ? DType::Float32 : DType::Int64;
  return dtype == own ? value : Expr(Cast{value, dtype});
}

}  // namespace sextant::tensor
