// The steps that a search may take.
#pragma once

#include "chapters/03-loop-ir/lower/ledger.h"

namespace sextant::loop {

/// What a move does to the kernels; which values are stored follows.
struct Move {
  std::string text;  // "inline add"
  std::vector<const Priced*> gone;
  std::vector<std::vector<int>> made;
};

/// The values next to each other in a graph, views left out.
class Moves {
 public:
  explicit Moves(const Flow& flow);

  /// Every move on each value, in graph order:
  ///
  /// - inline v: its readers compute it themselves;
  /// - swap v, u: inline v, store u instead, which reads v or is read by it;
  /// - cut v: store it, in a kernel of its own;
  ///
  /// and with `joining`:
  ///
  /// - join v, w: one kernel stores both, since it computes v on its way to w
  ///   or reads what the other reads as well;
  /// - part v: out of the kernel that it shares, into one of its own.
  std::vector<Move> from(const State& state, bool joining) const;

 private:
  void add_inlinings(const State& state, int v, std::vector<Move>& out) const;
  void add_groupings(const State& state, int v, std::vector<Move>& out) const;
  std::vector<int> beyond(int v,
                          const std::vector<std::vector<int>>& arrows) const;

  const Flow& flow_;
  std::vector<bool> worth_storing_;
  std::vector<std::vector<int>> next_to_;
  std::vector<int> extents_;  // the first value that has the same
};

}  // namespace sextant::loop
