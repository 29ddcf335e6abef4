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
  /// A predicate that holds, or that does not. What is not made of comparisons
  /// adds nothing.
  void assume(const Expr& predicate, bool holds = true);
  /// True if the predicate was proven; false says nothing.
  bool proves(const Expr& predicate) const;
  /// True if 0 <= e < extent was proven.
  bool within(const Expr& e, const Dim& extent) const;
  /// The predicate without what is known already: a constant where it is proven
  /// or refuted, and of a conjunction only what the rest does not imply.
  Expr reduced(const Expr& predicate) const;
  const Bounds& bounds() const { return bounds_; }

 private:
  void know(const Expr& nonnegative);
  void decide_open();
  bool refutes(const Expr& predicate) const;
  bool nonnegative(const Expr& e, int depth) const;
  bool follows_by_division(const Expr& e, int depth) const;

  Bounds bounds_;
  std::vector<Expr> nonnegative_;  // every one is known to be >= 0
  // Disjunctions that hold and conjunctions that do not: either half may.
  struct Open {
    Expr predicate;
    bool holds;
  };
  std::vector<Open> open_;
};

}  // namespace sextant
