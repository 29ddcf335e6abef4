#include "chapters/03-loop-ir/lower/moves.h"

#include <algorithm>
#include <iterator>

namespace sextant::loop {
namespace {

using Roots = std::vector<int>;

Roots without(Roots roots, int v) {
  roots.erase(std::find(roots.begin(), roots.end(), v));
  return roots;
}

const Priced* kernel_with(const State& state, int v) {
  for (const Priced* k : state.kernels) {
    if (std::binary_search(k->roots.begin(), k->roots.end(), v)) return k;
  }
  return nullptr;
}

Roots with(Roots roots, const Roots& more) {
  roots.insert(roots.end(), more.begin(), more.end());
  std::sort(roots.begin(), roots.end());
  return roots;
}

// One loads what the other loads or stores.
bool are_related(const Priced& a, const Priced& b) {
  Roots near_a = with(a.roots, a.loads), near_b = with(b.roots, b.loads), both;
  std::set_intersection(near_a.begin(), near_a.end(), near_b.begin(),
                        near_b.end(), std::back_inserter(both));
  return !both.empty();
}

}  // namespace

Moves::Moves(const Flow& flow)
    : flow_(flow),
      worth_storing_(marks_of(flow, store_all(flow))),
      next_to_(flow.readers.size()) {
  for (std::size_t i = 0; i < next_to_.size(); i++) {
    int v = static_cast<int>(i);
    if (worth_storing_[i]) {
      next_to_[i] = with(beyond(v, flow.operands), beyond(v, flow.readers));
    }
  }
}

// The nearest values along the arrows that are worth storing.
std::vector<int> Moves::beyond(
    int v, const std::vector<std::vector<int>>& arrows) const {
  std::vector<int> found, open = {v};
  std::vector<bool> seen(arrows.size(), false);
  while (!open.empty()) {
    int at = open.back();
    open.pop_back();
    for (int u : arrows[at]) {
      if (seen[u]) continue;
      seen[u] = true;
      if (!flow_.is_parameter(u))
        (worth_storing_[u] ? found : open).push_back(u);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Move> Moves::from(const State& state, bool joining) const {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < state.is_stored.size(); i++) {
    int v = static_cast<int>(i);
    if (!state.is_stored[i]) {
      if (worth_storing_[i])
        add_stores(state, v, {"cut", {}, {}}, joining, moves);
      continue;
    }
    if (!flow_.is_output[i]) add_inlinings(state, v, joining, moves);
    if (joining) add_groupings(state, v, moves);
  }
  return moves;
}

void Moves::add_inlinings(const State& state, int v, bool joining,
                          std::vector<Move>& out) const {
  const Priced* own = kernel_with(state, v);
  Move move{"inline " + flow_.value(v).name, {own}, {}};
  if (own->roots.size() > 1) move.made.push_back(without(own->roots, v));
  out.push_back(move);
  move.text = "swap " + flow_.value(v).name + ",";
  for (int u = 0; u < static_cast<int>(worth_storing_.size()); u++) {
    const Roots& near = next_to_[v];
    bool next = std::count(near.begin(), near.end(), u) != 0 ||
                (joining && worth_storing_[u] && own->touches[u]);
    if (next && !state.is_stored[u]) add_stores(state, u, move, joining, out);
  }
}

// The value u in a kernel of its own or, when joining, in each one that
// computes it anyway, which it does if it computes it now or loads what is
// gone.
void Moves::add_stores(const State& state, int u, Move move, bool joining,
                       std::vector<Move>& out) const {
  move.text += " " + flow_.value(u).name;
  out.push_back(move);
  out.back().made.push_back({u});
  if (!joining) return;
  for (const Priced* k : state.kernels) {
    int w = k->roots[0];
    bool stays = std::count(move.gone.begin(), move.gone.end(), k) == 0;
    bool computes = k->touches[u];
    for (const Priced* gone : move.gone)
      computes = computes || k->touches[gone->roots[0]];
    if (!stays || !computes || flow_.extents[u] != flow_.extents[w]) {
      continue;
    }
    out.push_back(move);
    out.back().text += " with " + flow_.value(w).name;
    out.back().gone.push_back(k);
    out.back().made.push_back(with(k->roots, {u}));
  }
}

void Moves::add_groupings(const State& state, int v,
                          std::vector<Move>& out) const {
  const Priced* own = kernel_with(state, v);
  if (own->roots.size() > 1) {
    out.push_back(
        {"part " + flow_.value(v).name, {own}, {without(own->roots, v), {v}}});
  }
  if (own->roots[0] != v) return;
  // Each pair of kernels once, at the one whose first value is earlier.
  for (const Priced* other : state.kernels) {
    int w = other->roots[0];
    if (w <= v || flow_.extents[v] != flow_.extents[w] ||
        !are_related(*own, *other)) {
      continue;
    }
    out.push_back(
        {fmt::format("join {}, {}", flow_.value(v).name, flow_.value(w).name),
         {own, other},
         {with(own->roots, other->roots)}});
  }
}

}  // namespace sextant::loop
