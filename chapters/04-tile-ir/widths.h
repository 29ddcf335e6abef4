// How many elements at a time an access may move: what the vectorizer chooses
// from and the verifier checks.
#pragma once

#include "chapters/04-tile-ir/layout.h"

namespace sextant::tile {

/// What is known of a kernel's names when widths are judged.
struct WidthRules {
  const Program* program = nullptr;
  const Kernel* kernel = nullptr;
  Bounds bounds;
  std::map<Name, Stage> stages;  // in scope

  WidthRules(const Program& program, const Kernel& kernel);

  /// The axis along which a Load or Store may be wide: the last REGISTER axis
  /// that it mentions. Empty if there is none.
  Name vector_axis(const Stmt& access) const;
  /// Whether a Load or Store of `from` may take `w` cells along that axis at
  /// once: they follow each other in memory, start at a multiple of w, and the
  /// guard says the same for all of them.
  bool can_access(const Name& from, const std::vector<Expr>& index,
                  const Expr& guard, const Name& axis, int64_t w) const;
  /// Whether a stage may be filled w elements at a time, along the last axis
  /// of its source.
  bool can_fill(const Stage& stage, int64_t w) const;
  /// The element type behind a buffer's or stage's name.
  DType dtype(const Name& from) const;
  /// Whether w divides every value of an index expression.
  bool divides(int64_t w, const Expr& e) const;
};

/// The widest access, in bytes.
inline constexpr int64_t kWidest = 16;

}  // namespace sextant::tile
