// The steps that a search may take.
#pragma once

#include "chapters/03-loop-ir/lower/build.h"

namespace sextant::loop {

/// One kernel as the search sees it: a function of what it stores and loads.
struct Priced : Cone {
  double us = 0;       // infinite without a role
  std::string reason;  // why it has none; else what bounds it, "memory"
};
using Kernels = std::vector<const Priced*>;

/// The stored values and the kernels that follow from them, by their roots.
struct State {
  std::vector<bool> is_stored;
  Kernels kernels;
};

/// What a move does to the kernels; which values are stored follows.
struct Move {
  std::string text;  // "inline add"
  Kernels gone;
  std::vector<std::vector<int>> made;
};

/// The values next to each other in a graph, views left out.
class Moves {
 public:
  explicit Moves(const Flow& flow);

  /// Every move on each value, in graph order:
  ///
  /// - inline v: its readers compute it themselves;
  /// - cut v: store it, in a kernel of its own;
  /// - swap v, u: inline v and store u instead, which is next to it or, when
  ///   joining, anywhere on the way to it;
  ///
  /// and with `joining`:
  ///
  /// - cut v with w, swap v, u with w: into the kernel that stores w and
  ///   computes the value anyway;
  /// - join v, w: two kernels become one, as one reads what the other reads or
  ///   stores;
  /// - part v: out of the kernel that it shares, into one of its own.
  std::vector<Move> from(const State& state, bool joining) const;

 private:
  void add_inlinings(const State& state, int v, bool joining,
                     std::vector<Move>& out) const;
  void add_stores(const State& state, int u, Move move, bool joining,
                  std::vector<Move>& out) const;
  void add_groupings(const State& state, int v, std::vector<Move>& out) const;
  std::vector<int> beyond(int v,
                          const std::vector<std::vector<int>>& arrows) const;

  const Flow& flow_;
  std::vector<bool> worth_storing_;
  std::vector<std::vector<int>> next_to_;
};

}  // namespace sextant::loop
