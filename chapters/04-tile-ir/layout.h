// What the passes ask of index expressions: which digits they hold, how far a
// step of one digit goes, what divides them. A layout is the coordinate as an
// affine expression over THREAD and REGISTER axes; there is no other notion.
#pragma once

#include "chapters/04-tile-ir/ir.h"

namespace sextant::tile {

/// factor * atom; the atom is a digit, a symbol, or what is no sum.
struct Term {
  int64_t factor = 1;
  Expr atom;
};

/// A simplified index expression as a sum.
struct Affine {
  std::vector<Term> terms;
  int64_t constant = 0;
};
Affine affine(const Expr& simplified);
Expr to_expr(const Affine& sum);

/// The level of the digit that a name stands for: b0 is BLOCK, t1 THREAD, r0
/// REGISTER; k0, a serial loop, has none.
std::optional<Level> level_of(const Name& name);

/// The conjuncts of a guard; none for an empty one.
std::vector<Expr> conjuncts(const Expr& guard);
/// The conjuncts of both, each once; either may be empty.
Expr conjunction(const Expr& a, const Expr& b);
/// `a < b` and `a <= b` as an expression that is negative where they hold, in
/// its smallest form: t0*4 + r0 - 100 is negative where t0 - 25 is. An empty
/// handle for any other condition.
Expr negative_where(const Expr& cond, const Bounds& bounds);
/// A comparison in that form: t0*4 + r0 < 100 is t0 < 25.
Expr canonical(const Expr& cond, const Bounds& bounds);

/// The extents of one buffer of a stage in shared memory, pads included: its
/// cells lie row-major in them.
std::vector<int64_t> smem_shape(const Stage& stage);
/// How many cells a stage holds, without pads.
int64_t cells_of(const Stage& stage);
/// The row-major offset of an index, in elements.
Expr offset_of(const std::vector<Expr>& index, const std::vector<Dim>& shape);

/// Threads of a block.
int64_t threads_of(const Kernel& kernel);

}  // namespace sextant::tile
