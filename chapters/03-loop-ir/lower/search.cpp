#include "chapters/03-loop-ir/lower/search.h"

#include <algorithm>
#include <cmath>

#include "chapters/03-loop-ir/lower/splice.h"
#include "chapters/03-loop-ir/names.h"
#include "chapters/03-loop-ir/passes.h"
#include "chapters/03-loop-ir/price.h"

namespace sextant::loop {
namespace {

using Roots = std::vector<int>;

constexpr double kLeast = 1e-3;  // microseconds: less is no reason to move

// One kernel as the search sees it.
struct Priced {
  double us = 0;       // infinite without a role
  std::string reason;  // why it has none
  Roots loads;         // stored values that it reads
};

// A state that one move leads to.
struct Move {
  std::string text;
  Stored to;
};

// What a move would change: the prices of the kernels that differ.
struct Outcome {
  double before = 0, after = 0;
  std::string reason;
  double gain() const { return before - after; }
};

class Search {
 public:
  Search(const Flow& flow, const Tables& tables, const Target& target)
      : flow_(flow),
        tables_(tables),
        target_(target),
        candidate_(flow.readers.size(), false) {
    for (const Roots& roots : store_all(flow).kernels) {
      for (int v : roots)
        candidate_[v] = true;
    }
    frame_ = frame_of(flow);
  }

  Fusion run(Stored stored) {
    Fusion fusion;
    for (int step = 1;; step++) {
      std::vector<Move> moves = moves_from(stored);
      std::vector<Outcome> outcomes;
      std::size_t best = moves.size();
      for (const Move& move : moves) {
        outcomes.push_back(outcome(stored, move.to));
        double least = best == moves.size() ? kLeast : outcomes[best].gain();
        if (outcomes.back().gain() > least) best = outcomes.size() - 1;
      }
      if (best == moves.size()) {
        fusion.trace += "left as it is:\n";
        for (std::size_t i = 0; i < moves.size(); i++)
          fusion.trace += line(moves[i], outcomes[i]);
        break;
      }
      fusion.trace +=
          fmt::format("step {}:\n", step) + line(moves[best], outcomes[best]);
      stored = moves[best].to;
    }
    fusion.stored = stored;
    for (const auto& [roots, kernel] : kernels_of(stored))
      fusion.us += kernel->us;
    return fusion;
  }

 private:
  // --- prices ----------------------------------------------------------------

  std::vector<bool> stored_values(const Stored& stored) const {
    std::vector<bool> is_stored(flow_.readers.size(), false);
    for (const Roots& roots : stored.kernels) {
      for (int v : roots)
        is_stored[v] = true;
    }
    return is_stored;
  }

  using Kernels = std::vector<std::pair<Roots, const Priced*>>;
  Kernels kernels_of(const Stored& stored) {
    std::vector<bool> is_stored = stored_values(stored);
    Kernels kernels;
    for (const Roots& roots : stored.kernels)
      kernels.push_back({roots, &priced(is_stored, roots)});
    return kernels;
  }

  // A kernel is a function of what it stores and what it loads.
  const Priced& priced(const std::vector<bool>& is_stored, const Roots& roots) {
    Roots loads = loads_of(is_stored, roots);
    Roots key = roots;
    key.push_back(-1);
    key.insert(key.end(), loads.begin(), loads.end());
    auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    Kernel kernel = merge_loops(splice(flow_, is_stored, roots));
    kernel.name = kernel_name(flow_, roots);
    KernelRole r = role(kernel);
    Priced p{HUGE_VAL, r.reason, loads};
    if (r.kind != RoleKind::None) {
      p.us = price(frame_, kernel, r, tables_, target_).us;
    }
    return known_.emplace(key, p).first->second;
  }

  Roots loads_of(const std::vector<bool>& is_stored, const Roots& roots) const {
    Roots loads, work = roots;
    std::vector<bool> seen(is_stored.size(), false);
    for (int v : roots)
      seen[v] = true;
    while (!work.empty()) {
      int v = work.back();
      work.pop_back();
      for (int x : flow_.operands[v]) {
        if (seen[x]) continue;
        seen[x] = true;
        bool loaded = is_stored[x] || flow_.is_parameter(x);
        (loaded ? loads : work).push_back(x);
      }
    }
    std::sort(loads.begin(), loads.end());
    return loads;
  }

  Outcome outcome(const Stored& from, const Stored& to) {
    Outcome o;
    Kernels before = kernels_of(from), after = kernels_of(to);
    auto among = [](const Kernels& list, const auto& x) {
      return std::find(list.begin(), list.end(), x) != list.end();
    };
    for (const auto& k : before) {
      if (!among(after, k)) o.before += k.second->us;
    }
    for (const auto& k : after) {
      if (among(before, k)) continue;
      o.after += k.second->us;
      if (!k.second->reason.empty()) {
        o.reason = kernel_name(flow_, k.first) + ": " + k.second->reason;
      }
    }
    if (o.reason.empty() && waits_for_itself(after)) {
      o.reason = "two kernels would wait for each other";
      o.after = HUGE_VAL;
    }
    return o;
  }

  // Kernels that can run are taken away until none is left, or none can.
  static bool waits_for_itself(Kernels kernels) {
    auto waits = [&](const auto& k) {
      for (const auto& other : kernels) {
        if (&other == &k) continue;
        for (int v : k.second->loads) {
          if (std::count(other.first.begin(), other.first.end(), v) != 0) {
            return true;
          }
        }
      }
      return false;
    };
    while (true) {
      auto ready = std::find_if_not(kernels.begin(), kernels.end(), waits);
      if (ready == kernels.end()) return !kernels.empty();
      kernels.erase(ready);
    }
  }

  // --- moves -----------------------------------------------------------------

  static Stored without(const Stored& stored, int v) {
    Stored out;
    for (Roots roots : stored.kernels) {
      roots.erase(std::remove(roots.begin(), roots.end(), v), roots.end());
      if (!roots.empty()) out.kernels.push_back(roots);
    }
    return out;
  }

  static Stored with(Stored stored, const Roots& roots) {
    stored.kernels.push_back(roots);
    std::sort(stored.kernels.begin(), stored.kernels.end());
    return stored;
  }

  std::vector<Move> moves_from(const Stored& stored) {
    std::vector<bool> is_stored = stored_values(stored);
    std::vector<Move> moves;
    for (std::size_t i = 0; i < is_stored.size(); i++) {
      int v = static_cast<int>(i);
      if (!is_stored[i] && candidate_[i]) {
        moves.push_back({"cut " + name(v), with(stored, {v})});
      }
      if (!is_stored[i]) continue;
      if (!flow_.is_output[i]) inlinings(stored, is_stored, v, moves);
      groupings(stored, is_stored, v, moves);
    }
    return moves;
  }

  void inlinings(const Stored& stored, const std::vector<bool>& is_stored,
                 int v, std::vector<Move>& moves) const {
    Stored inlined = without(stored, v);
    moves.push_back({"inline " + name(v), inlined});
    for (const Roots* list : {&flow_.operands[v], &flow_.readers[v]}) {
      for (int u : *list) {
        bool view = flow_.value(u).op.as<tensor::IndexMap>() != nullptr;
        if (is_stored[u] || flow_.is_parameter(u)) continue;
        if (!candidate_[u] && !view) continue;
        moves.push_back(
            {"swap " + name(v) + ", " + name(u), with(inlined, {u})});
      }
    }
  }

  void groupings(const Stored& stored, const std::vector<bool>& is_stored,
                 int v, std::vector<Move>& moves) {
    for (const Roots& roots : stored.kernels) {
      bool mine = std::count(roots.begin(), roots.end(), v) != 0;
      if (mine && roots.size() > 1) {
        moves.push_back({"part " + name(v), with(without(stored, v), {v})});
      }
      // Each pair of kernels once: by the first value of the earlier one.
      if (mine || roots[0] < v || !leads(stored, v)) continue;
      if (!same_extents(flow_.value(v), flow_.value(roots[0]))) continue;
      Roots own = kernel_with(stored, v), joined = own;
      joined.insert(joined.end(), roots.begin(), roots.end());
      std::sort(joined.begin(), joined.end());
      if (!related(is_stored, own, roots)) continue;
      Stored to = stored;
      to.kernels.erase(std::find(to.kernels.begin(), to.kernels.end(), own));
      to.kernels.erase(std::find(to.kernels.begin(), to.kernels.end(), roots));
      moves.push_back(
          {"join " + name(v) + ", " + name(roots[0]), with(to, joined)});
    }
  }

  static bool leads(const Stored& stored, int v) {
    return kernel_with(stored, v)[0] == v;
  }

  static Roots kernel_with(const Stored& stored, int v) {
    for (const Roots& roots : stored.kernels) {
      if (std::count(roots.begin(), roots.end(), v) != 0) return roots;
    }
    return {};
  }

  // One loads what the other loads or stores.
  bool related(const std::vector<bool>& is_stored, const Roots& a,
               const Roots& b) {
    Roots from = priced(is_stored, a).loads;
    Roots other = priced(is_stored, b).loads;
    from.insert(from.end(), a.begin(), a.end());
    other.insert(other.end(), b.begin(), b.end());
    return std::any_of(from.begin(), from.end(), [&](int v) {
      return std::count(other.begin(), other.end(), v) != 0;
    });
  }

  // --- text ------------------------------------------------------------------

  const Name& name(int v) const { return flow_.value(v).name; }

  static std::string line(const Move& move, const Outcome& o) {
    std::string after =
        std::isinf(o.after) ? "never" : fmt::format("{:.2f}", o.after);
    return fmt::format("  {:<30} {:>9.2f} -> {:>9}  {}\n", move.text, o.before,
                       after, o.reason);
  }

  const Flow& flow_;
  const Tables& tables_;
  const Target& target_;
  std::vector<bool> candidate_;  // what may be cut
  Program frame_;                // symbols and a buffer for each value
  std::map<Roots, Priced> known_;
};

}  // namespace

Fusion search(const Flow& flow, const Stored& start, const Tables& tables,
              const Target& target) {
  return Search(flow, tables, target).run(start);
}

}  // namespace sextant::loop
