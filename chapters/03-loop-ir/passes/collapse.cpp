#include <algorithm>

#include "chapters/03-loop-ir/affine.h"
#include "chapters/03-loop-ir/names.h"
#include "chapters/03-loop-ir/passes.h"

namespace sextant::loop {
namespace {

using Index = std::vector<Expr>;

// The loop `outer` with nothing in it but the loop `inner`.
struct Pair {
  std::size_t kernel;
  Name outer, inner;
  Dim extent;  // of the inner one
};

struct Access {
  std::size_t kernel;
  const Buffer* buffer;
  Index index;
};

const For* only_loop_in(const For& loop) {
  const For* inner = loop.body.size() == 1 ? loop.body[0].as<For>() : nullptr;
  bool free = inner != nullptr && loop.carries.empty() &&
              inner->carries.empty() && constant(inner->extent);
  return free ? inner : nullptr;
}

class Collapse {
 public:
  explicit Collapse(const Program& program) : program_(program) {
    for (const Buffer& b : program_.buffers) {
      for (std::size_t d = 0; d + 1 < b.shape.size(); d++)
        joins_[b.name].push_back(constant(b.shape[d + 1]).has_value());
    }
    for (std::size_t k = 0; k < program_.kernels.size(); k++)
      read(k);
    while (strike_out()) {
    }
  }

  Program run() {
    Program result = program_;
    for (std::size_t k = 0; k < result.kernels.size(); k++) {
      bounds_ = symbol_bounds(program_);
      for (Stmt& stmt : result.kernels[k].body) {
        stmt = map_accesses(join_loops(stmt, k),
                            [&](const Name& buffer, const Index& index) {
                              const Buffer& b = *program_.buffer(buffer);
                              return joined(b, index, false);
                            });
      }
    }
    for (Buffer& b : result.buffers)
      b.shape = joined(b, b.shape, true);
    return result;
  }

 private:
  // The accesses of a kernel, and the loops that may join: each the only one
  // over its axis, which stands in indices alone.
  void read(std::size_t kernel) {
    std::set<Name> elsewhere, seen;
    for (const Stmt& stmt : program_.kernels[kernel].body) {
      auto without_index = [&](const Name& buffer, const Index& index) {
        accesses_.push_back({kernel, program_.buffer(buffer), index});
        return Index{};
      };
      collect_uses(map_accesses(stmt, without_index), elsewhere);
    }
    each_stmt(program_.kernels[kernel].body, [&](const Stmt& stmt) {
      const For* loop = stmt.as<For>();
      if (loop == nullptr) return;
      if (!seen.insert(loop->axis).second) elsewhere.insert(loop->axis);
      if (const For* inner = only_loop_in(*loop)) {
        pairs_.push_back({kernel, loop->axis, inner->axis, inner->extent});
      }
    });
    std::erase_if(pairs_, [&](const Pair& p) {
      return p.kernel == kernel &&
             elsewhere.count(p.outer) + elsewhere.count(p.inner) > 0;
    });
  }

  bool is_pair(std::size_t kernel, const Expr& a, const Expr& b,
               const Dim& extent) const {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& p) {
      return p.kernel == kernel && a == var(p.outer) && b == var(p.inner) &&
             p.extent == extent;
    });
  }

  // Removes what an access contradicts.
  bool strike_out() {
    std::size_t before = pairs_.size();
    bool changed = false;
    for (const Access& a : accesses_) {
      std::erase_if(pairs_, [&](const Pair& p) { return !agrees(a, p); });
      std::vector<bool>& joins = joins_[a.buffer->name];
      for (std::size_t d = 0; d + 1 < a.index.size(); d++) {
        if (!joins[d] || fits(a, d)) continue;
        joins[d] = false;
        changed = true;
      }
    }
    return changed || pairs_.size() < before;
  }

  // Axes d and d + 1 of the buffer are one number in this access, or may be
  // made one because another access reads them as the digits of one.
  bool fits(const Access& a, std::size_t d) const {
    const Expr &high = a.index[d], &low = a.index[d + 1];
    const Dim& extent = a.buffer->shape[d + 1];
    if (is_pair(a.kernel, high, low, extent)) return true;
    if (are_digits(high, low, extent)) return true;
    return affine(high) && affine(low) &&
           std::any_of(accesses_.begin(), accesses_.end(),
                       [&](const Access& o) {
                         return o.buffer == a.buffer &&
                                are_digits(o.index[d], o.index[d + 1], extent);
                       });
  }

  // The access has neither axis, or both as one number.
  bool agrees(const Access& a, const Pair& p) const {
    if (a.kernel != p.kernel) return true;
    for (std::size_t d = 0; d < a.index.size(); d++) {
      bool outer = mentions(a.index[d], p.outer);
      bool inner = mentions(a.index[d], p.inner);
      if (!outer && !inner) continue;
      if (outer && inner) {
        std::optional<Affine> sum = affine(a.index[d]);
        if (!sum ||
            sum->terms[p.outer] != sum->terms[p.inner] * value_of(p.extent)) {
          return false;
        }
        continue;
      }
      // Otherwise the outer one alone, the inner one alone in the next.
      if (d + 1 == a.index.size() || !joins_.at(a.buffer->name)[d] ||
          !(a.index[d] == var(p.outer) && a.index[d + 1] == var(p.inner))) {
        return false;
      }
      d++;
    }
    return true;
  }

  // --- what is left, done ----------------------------------------------------

  // From inside out; of a pair of loops the outer one stays, and the two axes
  // are digits of it.
  Stmt join_loops(const Stmt& stmt, std::size_t kernel) {
    if (stmt.as<For>() == nullptr) return stmt;
    For loop = stmt.get<For>();
    Origin origin = stmt.origin();
    const For* inner = only_loop_in(loop);
    bool join = inner != nullptr && is_pair(kernel, var(loop.axis),
                                            var(inner->axis), inner->extent);
    for (Stmt& s : loop.body)
      s = join_loops(s, kernel);
    if (join) {
      origin = merge(origin, loop.body[0].origin());
      For within = loop.body[0].get<For>();
      Substitution digits = {
          {loop.axis, floor_div(var(loop.axis), within.extent)},
          {within.axis, floor_mod(var(loop.axis), within.extent)}};
      loop.extent = simplify(loop.extent * within.extent);
      loop.body = within.body;
      for (Stmt& s : loop.body)
        s = map_exprs(s, [&](const Expr& e) { return substitute(e, digits); });
    }
    bounds_.set_extent(loop.axis, loop.extent);
    return Stmt(loop).with_origin(origin);
  }

  // The index with one number for each run of axes that join, or the shape.
  Index joined(const Buffer& b, const Index& list, bool is_shape) const {
    Index out;
    for (std::size_t d = 0; d < list.size(); d++) {
      if (d == 0 || !joins_.at(b.name)[d - 1]) {
        out.push_back(list[d]);
      } else {
        out.back() = out.back() * b.shape[d] + (is_shape ? Expr(0) : list[d]);
      }
    }
    for (Expr& e : out)
      e = simplify(e, bounds_);
    return out;
  }

  const Program& program_;
  std::vector<Pair> pairs_;
  std::vector<Access> accesses_;
  std::map<Name, std::vector<bool>> joins_;  // axes d and d + 1 of a buffer
  Bounds bounds_;
};

}  // namespace

// Two axes that are always walked as one become one:
//
//   buffer x: float32[7, 130]                 buffer x: float32[910]
//   for a0 in 0..7:                           for a0 in 0..910:
//     for a1 in 0..130:                         ... load x[a0]
//       ... load x[a0, a1]
//
// Memory is row-major, so a buffer's shape is only how kernels see it. A pair
// of loops joins if every access takes both as one number; a pair of buffer
// axes joins if every access, in every kernel, gives it such a pair. The two
// depend on each other: everything is assumed to join, and what contradicts
// an access is struck out until nothing does.
Program collapse(const Program& program, PassContext& context) {
  context.reason = "no two axes are walked as one";
  return Collapse(program).run();
}

}  // namespace sextant::loop
