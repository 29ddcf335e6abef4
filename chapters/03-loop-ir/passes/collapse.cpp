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
        stmt = map_accesses(join_loops(stmt, k, {}),
                            [&](const Name& buffer, const Index& index) {
                              return joined(*program_.buffer(buffer), index);
                            });
      }
    }
    for (Buffer& b : result.buffers)
      b.shape = joined_shape(b);
    return result;
  }

 private:
  void read(std::size_t kernel) {
    std::set<Name> elsewhere;  // names in values and guards
    std::vector<Name> loops;
    std::vector<Pair> found;
    each_stmt(program_.kernels[kernel].body, [&](const Stmt& stmt) {
      auto look = [&](const auto& node) {
        if constexpr (requires { node.index; }) {
          accesses_.push_back(
              {kernel, program_.buffer(node.buffer), node.index});
          if (node.guard) collect_uses(Let{"", node.guard}, elsewhere);
        }
        if constexpr (requires { node.carries; }) {
          loops.push_back(node.axis);
          if (const For* inner = only_loop_in(node)) {
            found.push_back({kernel, node.axis, inner->axis, inner->extent});
          }
        }
        if constexpr (requires { node.state; }) collect_uses(stmt, elsewhere);
        if constexpr (std::is_same_v<decltype(node), const Let&>) {
          collect_uses(stmt, elsewhere);
        }
      };
      std::visit(look, stmt.variant());
    });
    for (const Pair& p : found) {
      auto is_once = [&](const Name& axis) {
        return std::count(loops.begin(), loops.end(), axis) == 1 &&
               elsewhere.count(axis) == 0;
      };
      if (is_once(p.outer) && is_once(p.inner)) pairs_.push_back(p);
    }
  }

  bool is_pair(std::size_t kernel, const Expr& a, const Expr& b,
               const Dim& extent) const {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& p) {
      return p.kernel == kernel && a == var(p.outer) && b == var(p.inner) &&
             p.extent == extent;
    });
  }

  // Removes one thing that an access contradicts.
  bool strike_out() {
    for (const Access& a : accesses_) {
      auto wrong = std::find_if(pairs_.begin(), pairs_.end(),
                                [&](const Pair& p) { return !agrees(a, p); });
      if (wrong != pairs_.end()) return pairs_.erase(wrong), true;
      for (std::size_t d = 0; d + 1 < a.index.size(); d++) {
        std::vector<bool>& joins = joins_[a.buffer->name];
        if (joins[d] && !fits(a, d)) return joins[d] = false, true;
      }
    }
    return false;
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

  // A chain of joined loops becomes its first; the others are digits of it.
  Stmt join_loops(const Stmt& stmt, std::size_t kernel, Substitution digits) {
    const For* loop = stmt.as<For>();
    if (loop == nullptr) {
      return map_exprs(stmt,
                       [&](const Expr& e) { return substitute(e, digits); });
    }
    Origin origin = stmt.origin();
    std::vector<const For*> chain = {loop};
    for (const For* inner = only_loop_in(*loop);
         inner != nullptr && is_pair(kernel, var(chain.back()->axis),
                                     var(inner->axis), inner->extent);
         inner = only_loop_in(*inner)) {
      origin = merge(origin, chain.back()->body[0].origin());
      chain.push_back(inner);
    }
    For joined = *loop;
    joined.extent = 1;
    for (std::size_t i = chain.size(); i-- > 0;) {
      Expr digit = floor_div(var(loop->axis), joined.extent);
      if (i > 0) digit = floor_mod(digit, chain[i]->extent);
      if (chain.size() > 1) digits[chain[i]->axis] = digit;
      joined.extent = simplify(joined.extent * chain[i]->extent);
    }
    bounds_.set_extent(joined.axis, joined.extent);
    joined.body.clear();
    for (const Stmt& s : chain.back()->body)
      joined.body.push_back(join_loops(s, kernel, digits));
    return Stmt(joined).with_origin(origin);
  }

  Index joined(const Buffer& b, const Index& index) const {
    Index out;
    for (std::size_t d = 0; d < index.size(); d++) {
      bool one = d > 0 && joins_.at(b.name)[d - 1];
      if (one) out.back() = out.back() * b.shape[d] + index[d];
      if (!one) out.push_back(index[d]);
    }
    for (Expr& e : out)
      e = simplify(e, bounds_);
    return out;
  }

  std::vector<Dim> joined_shape(const Buffer& b) const {
    std::vector<Dim> shape;
    for (std::size_t d = 0; d < b.shape.size(); d++) {
      bool one = d > 0 && joins_.at(b.name)[d - 1];
      if (one) shape.back() = simplify(shape.back() * b.shape[d]);
      if (!one) shape.push_back(b.shape[d]);
    }
    return shape;
  }

  const Program& program_;
  std::vector<Pair> pairs_;
  std::vector<Access> accesses_;
  std::map<Name, std::vector<bool>> joins_;  // axes d and d + 1 of a buffer
  Bounds bounds_;
};

}  // namespace

Program collapse(const Program& program) {
  return Collapse(program).run();
}

}  // namespace sextant::loop
