// Proofs that an index lies within its array: bounds of names, and predicates
// that are known to hold.
#pragma once

#include "src/base/expr.h"

namespace sextant {

/// What is known where an expression is computed.
class Facts {
 public:
  explicit Facts(Bounds bounds = {}) : bounds_(std::move(bounds)) {}

  /// An axis of that extent: 0 <= name < extent, whatever the symbols are.
  void axis(const Name& name, const Dim& extent);
  /// A predicate that holds, or that does not. What is no conjunction of
  /// comparisons adds nothing.
  void assume(const Expr& predicate, bool holds = true);
  /// True if the predicate was proven; false says nothing.
  bool proves(const Expr& predicate) const;
  /// True if 0 <= e < extent was proven.
  bool within(const Expr& e, const Dim& extent) const;
  const Bounds& bounds() const { return bounds_; }

 private:
  bool nonnegative(const Expr& e, int depth) const;
  bool follows_by_division(const Expr& e, int depth) const;

  Bounds bounds_;
  std::vector<Expr> nonnegative_;  // every one is known to be >= 0
};

}  // namespace sextant
