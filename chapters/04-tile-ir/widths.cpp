#include "chapters/04-tile-ir/widths.h"

#include <algorithm>

#include "chapters/04-tile-ir/walk.h"
#include "src/base/array.h"

namespace sextant::tile {
namespace {

// In shared memory: the last slab axes are the source's last ones, without pad
// between them, and all other strides are multiples of w.
bool lies_in_vectors(const Stage& stage, int64_t last, int64_t w) {
  std::vector<int64_t> shape = smem_shape(stage);
  int64_t run = 1, stride = 1;
  for (std::size_t a = shape.size(); a-- > 0;) {
    const Slab& slab = stage.what.slab[a];
    bool inside = slab.dim == last && stride == run;
    if (!inside && stride % w != 0) return false;
    if (inside) run *= slab.extent;
    stride *= shape[a];
  }
  return run % w == 0 && stride % w == 0;
}

}  // namespace

WidthRules::WidthRules(const Program& p, const Kernel& k)
    : program(&p), kernel(&k), bounds(symbol_bounds(p)) {
  for (const Axis& a : k.axes)
    bounds.set_extent(a.name, a.extent);
}

Name WidthRules::vector_axis(const Stmt& access) const {
  std::set<Name> mentioned = registers_of(access);
  Name last;
  for (const Axis& a : kernel->axes) {
    if (mentioned.count(a.name) != 0) last = a.name;
  }
  return last;
}

DType WidthRules::dtype(const Name& from) const {
  auto stage = stages.find(from);
  return program
      ->buffer(stage == stages.end() ? from : stage->second.what.buffer)
      ->dtype;
}

bool WidthRules::divides(int64_t w, const Expr& e) const {
  Affine sum = affine(simplify(e, bounds));
  auto divides_term = [&](const Term& t) {
    if (t.factor % w == 0) return true;
    if (const Var* v = t.atom.as<Var>()) {
      for (const Symbol& s : program->symbols) {
        if (s.name == v->name) return t.factor * s.multiple_of % w == 0;
      }
    }
    const Binary* b = t.atom.as<Binary>();
    if (b == nullptr || b->op != BinaryOp::Mul) return false;
    return divides(w, b->a) || divides(w, b->b);
  };
  return sum.constant % w == 0 &&
         std::all_of(sum.terms.begin(), sum.terms.end(), divides_term);
}

bool WidthRules::can_access(const Name& from, const std::vector<Expr>& index,
                            const Expr& guard, const Name& axis,
                            int64_t w) const {
  std::vector<Dim> shape;
  if (auto stage = stages.find(from); stage != stages.end()) {
    std::vector<int64_t> slot = smem_shape(stage->second);
    if (element_count(slot) % w != 0) return false;
    shape.assign(slot.begin(), slot.end());
  } else {
    shape = program->buffer(from)->shape;
  }
  if (axis.empty() || (bounds.of(axis).hi + 1) % w != 0) return false;
  Expr rest = simplify(offset_of(index, shape) - var(axis), bounds);
  if (mentions(rest, axis) || !divides(w, rest)) return false;
  // e < 0 says the same as e/w < 0, which must be the same for all of them.
  for (const Expr& cond : conjuncts(guard)) {
    if (!mentions(cond, axis)) continue;
    Expr negative = negative_where(cond, bounds);
    if (!negative) return false;
    if (mentions(simplify(floor_div(negative, w), bounds), axis)) return false;
  }
  return true;
}

bool WidthRules::can_fill(const Stage& stage, int64_t w) const {
  const std::vector<Dim>& shape = program->buffer(stage.what.buffer)->shape;
  if (shape.empty()) return false;
  // In the source: rows of vectors, cut off between vectors alone.
  if (!divides(w, shape.back())) return false;
  if (!divides(w, stage.what.origin.back())) return false;
  auto last = static_cast<int64_t>(shape.size()) - 1;
  int64_t along = 1;
  for (const Slab& s : stage.what.slab) {
    if (s.dim == last) along *= s.extent;
  }
  if (along % w != 0) return false;
  // Held copies are stored element by element where they must be.
  return stage.who.transport.name == "held" || lies_in_vectors(stage, last, w);
}

}  // namespace sextant::tile
