// Accesses become as wide as can be proven legal, up to 16 bytes: loads and
// stores along the last REGISTER axis, whose step is one element in memory,
// and copies to stages along the last axis of their source. A width needs that
// everything else in the offset is a multiple of it.
//
//   in0[r0] = load x[b0, t0*4 + r0]  ->  in0[r0] = load x[...] width=4
#include <algorithm>

#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/walk.h"
#include "chapters/04-tile-ir/widths.h"

namespace sextant::tile {
namespace {

class Vectorizer {
 public:
  Vectorizer(const Program& program, const Kernel& kernel)
      : rules_(program, kernel), threads_(threads_of(kernel)) {}

  std::vector<Stmt> block(const std::vector<Stmt>& body) {
    std::vector<Stmt> out;
    for (const Stmt& s : body) {
      Stmt next = s;
      if (const For* f = s.as<For>()) {
        rules_.bounds.set_extent(f->axis, f->extent);
      }
      if (const std::vector<Stmt>* inner = body_of(s)) {
        next = with_body(s, block(*inner));
      } else if (const Stage* stage = s.as<Stage>()) {
        Stage wide = *stage;
        wide.who.width = fill_width(*stage);
        rules_.stages[wide.name] = wide;
        next = wide;
      } else if (const Load* load = s.as<Load>()) {
        next = widen(*load, load->from);
      } else if (const Store* store = s.as<Store>()) {
        next = widen(*store, store->to);
      }
      out.push_back(next.with_origin(s.origin()));
    }
    return out;
  }

 private:
  template <class Access>
  Access widen(const Access& access, const Name& object) const {
    Access out = access;
    Name axis = rules_.vector_axis(access);
    out.width = width(object, access.index, access.guard, axis);
    if (out.width > 1) out.guard = at_first(access.guard, axis);
    return out;
  }

  // Pairs are left alone: below four elements or 16 bytes little is gained.
  int64_t width(const Name& from, const std::vector<Expr>& index,
                const Expr& guard, const Name& axis) const {
    int64_t bytes = size_of(rules_.dtype(from));
    for (int64_t w = kWidest / bytes; w >= 2; w /= 2) {
      bool worth = w >= 4 || w * bytes == kWidest;
      if (worth && rules_.can_access(from, index, guard, axis, w)) return w;
    }
    return 1;
  }

  // The guard of the first of the cells is that of all of them.
  Expr at_first(const Expr& guard, const Name& axis) const {
    Expr out;
    for (const Expr& cond : conjuncts(guard)) {
      Expr first = substitute(cond, {{axis, 0}});
      out = conjunction(out, simplify(first, rules_.bounds));
    }
    return out;
  }

  // The widest legal copy with which no thread is left without one; `async`
  // moves 4 bytes at least.
  int64_t fill_width(const Stage& stage) const {
    int64_t cells = cells_of(stage), widest = 1;
    int64_t bytes = size_of(rules_.dtype(stage.what.buffer));
    bool async = stage.who.transport.name == "async";
    for (int64_t w = kWidest / bytes; w > 1; w /= 2) {
      if (!rules_.can_fill(stage, w)) continue;
      widest = std::max(widest, w);
      bool least = async && w * bytes == 4;
      if (cells / w >= threads_ || least) return w;
    }
    if (!async || bytes >= 4) return 1;
    if (widest > 1) return widest;
    fail({}, "{} cannot be staged async, which copies 4 bytes at least",
         stage.what.buffer);
  }

  WidthRules rules_;
  int64_t threads_;
};

}  // namespace

Program vectorize(const Program& program, PassContext& context) {
  context.reason = "no access is wider than an element";
  return map_bodies(program, [&](const Kernel& k) {
    return Vectorizer(program, k).block(k.body);
  });
}

}  // namespace sextant::tile
