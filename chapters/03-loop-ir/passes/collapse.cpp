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

// The loop `outer` with nothing in it but the loop `inner`.
struct Pair {
  std::size_t kernel;
  Name outer, inner;
  Dim extent;  // of the inner one
};

struct Access {
  std::size_t kernel;
  Name buffer;
  std::vector<Expr> index;
};

const Var* bare(const Expr& e) {
  const Var* v = e.as<Var>();
  return v != nullptr && v->index.empty() ? v : nullptr;
}

// e is n/extent, and the next index n%extent, of the same n.
bool are_digits(const Expr& high, const Expr& low, const Dim& extent) {
  const Binary* a = high.as<Binary>();
  const Binary* b = low.as<Binary>();
  return a != nullptr && b != nullptr && a->op == BinaryOp::Div &&
         b->op == BinaryOp::Mod && a->a == b->a && a->b == extent &&
         b->b == extent;
}

class Collapse {
 public:
  explicit Collapse(const Program& program) : program_(program) {
    for (std::size_t k = 0; k < program_.kernels.size(); k++)
      read(k);
    for (const Buffer& b : program_.buffers) {
      for (std::size_t d = 0; d + 1 < b.shape.size(); d++)
        joins_[b.name].push_back(constant(b.shape[d + 1]).has_value());
    }
    while (strike_out()) {
    }
  }

  Program run() {
    for (std::size_t k = 0; k < program_.kernels.size(); k++) {
      bounds_ = symbol_bounds(program_);
      for (Stmt& stmt : program_.kernels[k].body) {
        stmt = map_accesses(join_loops(stmt, k, {}),
                            [&](const Name& buffer, const auto& index) {
                              return join_index(buffer, index);
                            });
      }
    }
    for (Buffer& b : program_.buffers)
      b.shape = joined_shape(b);
    return program_;
  }

 private:
  void read(std::size_t kernel) {
    std::map<Name, int> loops;  // of that name
    std::vector<Pair> found;
    each_stmt(program_.kernels[kernel].body, [&](const Stmt& stmt) {
      if (const Load* load = stmt.as<Load>()) {
        accesses_.push_back({kernel, load->buffer, load->index});
        others_[kernel].push_back(load->guard);
      } else if (const Store* store = stmt.as<Store>()) {
        accesses_.push_back({kernel, store->buffer, store->index});
        others_[kernel].push_back(store->guard);
      } else if (const Let* let = stmt.as<Let>()) {
        others_[kernel].push_back(let->value);
      } else if (const Accum* accum = stmt.as<Accum>()) {
        for (const Expr& e : accum->value)
          others_[kernel].push_back(e);
      } else {
        const For& loop = stmt.get<For>();
        loops[loop.axis]++;
        const For* inner =
            loop.body.size() == 1 ? loop.body[0].as<For>() : nullptr;
        if (inner != nullptr && loop.carries.empty() &&
            inner->carries.empty() && constant(inner->extent)) {
          found.push_back({kernel, loop.axis, inner->axis, inner->extent});
        }
      }
    });
    for (const Pair& p : found) {
      if (loops[p.outer] == 1 && loops[p.inner] == 1) pairs_.push_back(p);
    }
  }

  const Pair* pair_of(std::size_t kernel, const Expr& a, const Expr& b) const {
    for (const Pair& p : pairs_) {
      if (p.kernel == kernel && bare(a) && bare(b) &&
          bare(a)->name == p.outer && bare(b)->name == p.inner) {
        return &p;
      }
    }
    return nullptr;
  }

  // Removes one thing that an access contradicts.
  bool strike_out() {
    for (std::size_t i = 0; i < pairs_.size(); i++) {
      if (holds(pairs_[i])) continue;
      pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    for (const Access& a : accesses_) {
      const Buffer& b = *program_.buffer(a.buffer);
      for (std::size_t d = 0; d + 1 < b.shape.size(); d++) {
        if (!joins_[b.name][d] || fits(a, b, d)) continue;
        joins_[b.name][d] = false;
        return true;
      }
    }
    return false;
  }

  bool fits(const Access& a, const Buffer& b, std::size_t d) const {
    const Expr &high = a.index[d], &low = a.index[d + 1];
    if (are_digits(high, low, b.shape[d + 1])) return true;
    const Pair* p = pair_of(a.kernel, high, low);
    return p != nullptr && p->extent == b.shape[d + 1];
  }

  bool holds(const Pair& p) const {
    for (const Expr& e : others_.at(p.kernel)) {
      if (e && (mentions(e, p.outer) || mentions(e, p.inner))) return false;
    }
    return std::all_of(
        accesses_.begin(), accesses_.end(),
        [&](const Access& a) { return a.kernel != p.kernel || agrees(a, p); });
  }

  // The access has neither axis, or both as one number.
  bool agrees(const Access& a, const Pair& p) const {
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
      if (!outer || d + 1 == a.index.size() || !joins_.at(a.buffer)[d] ||
          pair_of(a.kernel, a.index[d], a.index[d + 1]) == nullptr) {
        return false;
      }
      d++;
    }
    return true;
  }

  // --- what is left, done ----------------------------------------------------

  const Pair* inner_of(std::size_t kernel, const Name& outer) const {
    for (const Pair& p : pairs_) {
      if (p.kernel == kernel && p.outer == outer) return &p;
    }
    return nullptr;
  }

  // A chain of joined loops becomes its first; the others are digits of it.
  Stmt join_loops(const Stmt& stmt, std::size_t kernel, Substitution digits) {
    const For* loop = stmt.as<For>();
    if (loop == nullptr) {
      return map_exprs(stmt,
                       [&](const Expr& e) { return substitute(e, digits); });
    }
    std::vector<const For*> chain = {loop};
    Origin origin = stmt.origin();
    while (inner_of(kernel, chain.back()->axis) != nullptr) {
      origin = merge(origin, chain.back()->body[0].origin());
      chain.push_back(&chain.back()->body[0].get<For>());
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

  std::vector<Expr> join_index(const Name& buffer,
                               const std::vector<Expr>& index) const {
    const Buffer& b = *program_.buffer(buffer);
    std::vector<Expr> joined;
    for (std::size_t d = 0; d < index.size(); d++) {
      bool one = d > 0 && joins_.at(buffer)[d - 1];
      if (one) joined.back() = joined.back() * b.shape[d] + index[d];
      if (!one) joined.push_back(index[d]);
    }
    for (Expr& e : joined)
      e = simplify(e, bounds_);
    return joined;
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

  Program program_;
  std::vector<Pair> pairs_;
  std::vector<Access> accesses_;
  std::map<std::size_t, std::vector<Expr>> others_;  // guards and values
  std::map<Name, std::vector<bool>> joins_;  // axes d and d + 1 of a buffer
  Bounds bounds_;
};

// Without the axes of extent 1, which every access reads at 0.
Program squeeze(Program program) {
  std::map<Name, std::vector<bool>> gone;
  auto each_index = [&](const auto& visit) {
    for (Kernel& kernel : program.kernels) {
      for (Stmt& stmt : kernel.body)
        stmt = map_accesses(stmt, visit);
    }
  };
  for (const Buffer& b : program.buffers) {
    for (const Dim& extent : b.shape)
      gone[b.name].push_back(extent == Expr(1));
  }
  each_index([&](const Name& buffer, const std::vector<Expr>& index) {
    for (std::size_t d = 0; d < index.size(); d++)
      gone[buffer][d] = gone[buffer][d] && index[d] == Expr(0);
    return index;
  });
  auto kept = [&](const Name& buffer, const std::vector<Expr>& list) {
    std::vector<Expr> out;
    for (std::size_t d = 0; d < list.size(); d++) {
      if (!gone[buffer][d]) out.push_back(list[d]);
    }
    return out;
  };
  each_index(kept);
  for (Buffer& b : program.buffers)
    b.shape = kept(b.name, b.shape);
  return program;
}

}  // namespace

Program collapse(const Program& program) {
  return Collapse(squeeze(program)).run();
}

}  // namespace sextant::loop
