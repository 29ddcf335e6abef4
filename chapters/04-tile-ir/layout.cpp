#include "chapters/04-tile-ir/layout.h"

#include <algorithm>

namespace sextant::tile {
namespace {

void collect(const Expr& e, int64_t factor, Affine& out) {
  const Binary* b = e.as<Binary>();
  if (std::optional<int64_t> c = constant(e)) {
    out.constant += factor * *c;
  } else if (b != nullptr && b->op == BinaryOp::Add) {
    collect(b->a, factor, out);
    collect(b->b, factor, out);
  } else if (b != nullptr && b->op == BinaryOp::Sub) {
    collect(b->a, factor, out);
    collect(b->b, -factor, out);
  } else if (b != nullptr && b->op == BinaryOp::Mul && constant(b->b)) {
    collect(b->a, factor * value_of(b->b), out);
  } else {
    out.terms.push_back({factor, e});
  }
}

}  // namespace

Affine affine(const Expr& simplified) {
  Affine out;
  collect(simplified, 1, out);
  return out;
}

Expr to_expr(const Affine& sum) {
  Expr e(0);
  for (const Term& t : sum.terms)
    e = e + t.atom * Expr(t.factor);
  return e + Expr(sum.constant);
}

std::optional<Level> level_of(const Name& name) {
  bool digit =
      name.size() > 1 && name.find_first_not_of("0123456789", 1) == Name::npos;
  if (!digit) return std::nullopt;
  switch (name[0]) {
    case 'b': return Level::Block;
    case 't': return Level::Thread;
    case 'r': return Level::Register;
    default: return std::nullopt;
  }
}

std::vector<Expr> conjuncts(const Expr& guard) {
  if (!guard) return {};
  const Binary* b = guard.as<Binary>();
  if (b == nullptr || b->op != BinaryOp::And) return {guard};
  std::vector<Expr> out = conjuncts(b->a), more = conjuncts(b->b);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

Expr conjunction(const Expr& a, const Expr& b) {
  Expr out = a;
  for (const Expr& cond : conjuncts(b)) {
    std::vector<Expr> known = conjuncts(out);
    if (std::find(known.begin(), known.end(), cond) == known.end()) {
      out = both(out, cond);
    }
  }
  return out;
}

Expr negative_where(const Expr& cond, const Bounds& bounds) {
  const Binary* b = cond.as<Binary>();
  if (b == nullptr || (b->op != BinaryOp::Lt && b->op != BinaryOp::Le)) {
    return {};
  }
  Expr e = b->a - b->b - Expr(b->op == BinaryOp::Le ? 1 : 0);
  e = simplify(e, bounds);
  // e < 0 says the same as floor(e/g) < 0, for any g; take the largest one
  // that leaves a sum of the same atoms.
  Affine sum = affine(e);
  Expr best = e;
  int64_t largest = 1;
  for (const Term& t : sum.terms) {
    int64_t g = std::abs(t.factor);
    Expr quotient = simplify(floor_div(e, Expr(g)), bounds);
    std::vector<Term> terms = affine(quotient).terms;
    bool divided = std::all_of(terms.begin(), terms.end(), [&](const Term& q) {
      return std::any_of(sum.terms.begin(), sum.terms.end(),
                         [&](const Term& s) { return s.atom == q.atom; });
    });
    if (divided && g > largest) best = quotient, largest = g;
  }
  return best;
}

Expr canonical(const Expr& cond, const Bounds& bounds) {
  Expr known = simplify(cond, bounds);
  if (constant(known)) return known;
  Expr negative = negative_where(known, bounds);
  if (!negative) return known;
  Affine left, right;
  for (const Term& t : affine(negative).terms) {
    (t.factor > 0 ? left : right).terms.push_back({std::abs(t.factor), t.atom});
  }
  int64_t c = affine(negative).constant;
  (c > 0 ? left : right).constant = std::abs(c);
  return simplify(less(to_expr(left), to_expr(right)), bounds);
}

std::vector<int64_t> smem_shape(const Stage& stage) {
  std::vector<int64_t> shape;
  for (const Slab& s : stage.what.slab) {
    std::size_t i = shape.size();
    int64_t pad = i < stage.how.pad.size() ? stage.how.pad[i] : 0;
    shape.push_back(s.extent + pad);
  }
  return shape;
}

int64_t cells_of(const Stage& stage) {
  int64_t cells = 1;
  for (const Slab& s : stage.what.slab)
    cells *= s.extent;
  return cells;
}

Expr offset_of(const std::vector<Expr>& index, const std::vector<Dim>& shape) {
  Expr offset(0);
  for (std::size_t d = 0; d < index.size(); d++)
    offset = offset * shape[d] + index[d];
  return offset;
}

int64_t threads_of(const Kernel& kernel) {
  int64_t n = 1;
  for (const Axis& a : kernel.axes) {
    if (a.level == Level::Thread) n *= value_of(a.extent);
  }
  return n;
}

}  // namespace sextant::tile
