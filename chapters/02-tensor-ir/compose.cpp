#include "chapters/02-tensor-ir/compose.h"

#include "src/base/facts.h"

namespace sextant::tensor {

std::vector<Piece> pieces_at(const IndexMap& inner, const std::vector<Expr>& at,
                             const Expr& where) {
  Substitution by;
  for (std::size_t axis = 0; axis < at.size(); axis++)
    by[index_name(axis)] = at[axis];
  std::vector<Piece> pieces;
  for (const Piece& p : inner.pieces) {
    Piece moved{p.value, {}, both(where, substitute(p.where, by))};
    for (const Expr& e : p.index)
      moved.index.push_back(substitute(e, by));
    pieces.push_back(moved);
  }
  return pieces;
}

std::optional<IndexMap> compose(const IndexMap& outer, const Name& value,
                                const IndexMap& inner) {
  IndexMap out{{}, outer.otherwise};
  for (std::size_t i = 0; i < outer.pieces.size(); i++) {
    const Piece& p = outer.pieces[i];
    if (p.value != value) {
      out.pieces.push_back(p);
      continue;
    }
    for (const Piece& q : pieces_at(inner, p.index, p.where))
      out.pieces.push_back(q);
    if (!inner.otherwise) continue;
    // Where no piece of inner holds, the constant must be what comes next.
    bool last = i + 1 == outer.pieces.size();
    bool same = is_true(p.where) || outer.otherwise == inner.otherwise;
    if (!last || !same) return std::nullopt;
    out.otherwise = inner.otherwise;
  }
  return out;
}

namespace {

// Neighbours that read the same cell are one piece.
void add_piece(Piece p, IndexMap& map) {
  if (is_true(p.where)) p.where = Expr();
  if (!map.pieces.empty() && map.pieces.back().value == p.value &&
      map.pieces.back().index == p.index) {
    Expr& where = map.pieces.back().where;
    where = p.where ? binary(BinaryOp::Or, where, p.where) : Expr();
  } else {
    map.pieces.push_back(p);
  }
}

}  // namespace

IndexMap simplify(const IndexMap& map, const std::vector<Dim>& shape,
                  const Bounds& symbols) {
  Facts facts(symbols);
  for (std::size_t axis = 0; axis < shape.size(); axis++)
    facts.axis(index_name(axis), shape[axis]);
  IndexMap out{{}, map.otherwise};
  for (Piece p : map.pieces) {
    p.where = facts.reduced(p.where);
    if (p.where == Expr(0)) continue;
    Facts here = facts;
    here.assume(p.where);
    for (Expr& e : p.index)
      e = simplify(e, here.bounds());
    facts.assume(p.where, false);
    add_piece(p, out);
    if (is_true(p.where)) {
      out.otherwise = Expr();
      break;
    }
  }
  return out;
}

}  // namespace sextant::tensor
