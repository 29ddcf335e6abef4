#include "chapters/03-loop-ir/lower/search.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "chapters/03-loop-ir/lower/moves.h"
#include "chapters/03-loop-ir/lower/splice.h"
#include "chapters/03-loop-ir/price.h"
#include "src/base/text.h"

namespace sextant::loop {
namespace {

constexpr double kLeast = 1e-3;  // microseconds: less is no reason to move

bool has(const Kernels& list, const Priced* k) {
  return std::find(list.begin(), list.end(), k) != list.end();
}

// What a move changes: these kernels become those.
struct Outcome {
  Kernels from, to;
  double before = 0, after = 0;
  std::string reason;
  double gain() const { return before - after; }
};

// The values that are stored before a move or after it, but not both.
std::set<int> changed_by(const Move& move) {
  std::set<int> changed;
  auto flip = [&](const std::vector<int>& roots) {
    for (int v : roots) {
      if (!changed.insert(v).second) changed.erase(v);
    }
  };
  for (const Priced* k : move.gone)
    flip(k->roots);
  for (const std::vector<int>& roots : move.made)
    flip(roots);
  return changed;
}

Stored stored_of(const Kernels& kernels) {
  Stored stored;
  for (const Priced* k : kernels)
    stored.kernels.push_back(k->roots);
  std::sort(stored.kernels.begin(), stored.kernels.end());
  return stored;
}

class Search {
 public:
  Search(const Flow& flow, const Tables& tables, const Target& target)
      : flow_(flow),
        tables_(tables),
        target_(target),
        moves_(flow),
        frame_(frame_of(flow, std::vector<bool>(flow.readers.size(), true))),
        trace_(fmt::format("microseconds on {}, of what a move changes\n",
                           target.name)) {}

  Fusion run(const Stored& start) {
    State state = state_of(start);
    bool joining = false;
    for (int step = 1;;) {
      std::vector<Move> moves = moves_.from(state, joining);
      std::vector<Outcome> outcomes;
      for (const Move& move : moves)
        outcomes.push_back(outcome(state, move));
      std::vector<std::size_t> taken = choose(state.kernels, outcomes);
      if (taken.empty() && joining) {
        trace_ += "left as it is:\n";
        for (std::size_t i = 0; i < moves.size(); i++)
          note(moves[i], outcomes[i]);
        break;
      }
      joining = joining || taken.empty();
      if (taken.empty()) continue;
      trace_ += fmt::format("step {}:\n", step++);
      Kernels kernels = state.kernels;
      for (std::size_t i : taken) {
        note(moves[i], outcomes[i]);
        kernels = applied(kernels, outcomes[i]);
      }
      state = state_of(stored_of(kernels));
    }
    Fusion fusion{stored_of(state.kernels), 0, trace_};
    for (const Priced* k : state.kernels)
      fusion.us += k->us;
    return fusion;
  }

 private:
  // A kernel is a function of what it stores and loads, and priced once.
  const Priced& priced(const std::vector<bool>& is_stored,
                       const std::vector<int>& roots) {
    Priced p{cone_of(flow_, is_stored, roots), HUGE_VAL, ""};
    auto [at, is_new] = known_.try_emplace({roots, p.loads}, p);
    if (is_new) {
      Made made;
      Kernel kernel = splice(flow_, is_stored, roots, made);
      KernelRole r = role(kernel);
      at->second.reason = r.reason;
      if (r.kind != RoleKind::None) {
        Price found = price(frame_, kernel, r, tables_, target_);
        at->second.us = found.us;
        at->second.reason = found.bound;
      }
    }
    return at->second;
  }

  State state_of(const Stored& stored) {
    State state{marks_of(flow_, stored), {}};
    for (const std::vector<int>& roots : stored.kernels)
      state.kernels.push_back(&priced(state.is_stored, roots));
    return state;
  }

  // Kernels that a move does not touch stay as they are.
  Outcome outcome(State& state, const Move& move) {
    std::set<int> changed = changed_by(move);
    auto is_touched = [&](const Priced* k) {
      return std::any_of(changed.begin(), changed.end(),
                         [&](int v) { return k->touches[v]; });
    };
    auto flip = [&] {
      for (int v : changed)
        state.is_stored[v] = !state.is_stored[v];
    };
    Outcome o;
    auto make = [&](const std::vector<int>& roots) {
      const Priced& p = priced(state.is_stored, roots);
      o.to.push_back(&p);
      o.after += p.us;
      if (std::isinf(p.us)) o.reason = p.reason;
    };
    flip();
    for (const Priced* k : state.kernels) {
      bool gone = has(move.gone, k);
      if (!gone && !is_touched(k)) continue;
      o.from.push_back(k);
      o.before += k->us;
      if (!gone) make(k->roots);
    }
    for (const std::vector<int>& roots : move.made)
      make(roots);
    flip();
    return o;
  }

  static Kernels applied(const Kernels& kernels, const Outcome& o) {
    Kernels after = o.to;
    for (const Priced* k : kernels) {
      if (!has(o.from, k)) after.push_back(k);
    }
    return after;
  }

  // The best moves that touch no kernel in common, the best one first.
  static std::vector<std::size_t> choose(const Kernels& kernels,
                                         std::vector<Outcome>& outcomes) {
    std::vector<std::size_t> order, taken;
    for (std::size_t i = 0; i < outcomes.size(); i++) {
      if (outcomes[i].gain() > kLeast) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) {
                       return outcomes[a].gain() > outcomes[b].gain();
                     });
    Kernels now = kernels;
    for (std::size_t i : order) {
      Outcome& o = outcomes[i];
      bool free = std::all_of(o.from.begin(), o.from.end(),
                              [&](const Priced* k) { return has(now, k); });
      if (!free) continue;
      Kernels next = applied(now, o);
      if (run_order({next.begin(), next.end()}).size() < next.size()) {
        o.reason = "kernels would wait for each other";
        o.after = HUGE_VAL;
        continue;
      }
      now = next;
      taken.push_back(i);
    }
    return taken;
  }

  // What changes: launches, and time in what bounds the slowest kernel.
  std::string difference(const Outcome& o) const {
    auto launches =
        static_cast<int>(o.to.size()) - static_cast<int>(o.from.size());
    double work = -o.gain() - launches * target_.launch_us;
    std::string text;
    if (launches != 0) text = fmt::format("{:+} launch", launches);
    if (std::abs(work) < 0.005) return text.empty() ? "no change" : text;
    const Kernels& list = work > 0 ? o.to : o.from;
    const Priced* slowest = *std::max_element(
        list.begin(), list.end(),
        [](const Priced* a, const Priced* b) { return a->us < b->us; });
    return fmt::format("{}{}{:+.2f} {}", text, text.empty() ? "" : ", ", work,
                       slowest->reason);
  }

  void note(const Move& move, const Outcome& o) {
    std::string after =
        std::isinf(o.after) ? "never" : fmt::format("{:.2f}", o.after);
    std::string why = o.reason.empty() ? difference(o) : o.reason;
    std::string line = fmt::format("{:>9.2f} -> {:>8} ", o.before, after);
    for (const std::string& word : split(move.text + ": " + why, ' ')) {
      if (line.size() + word.size() >= 80) {
        trace_ += line + "\n";
        line = std::string(23, ' ');
      }
      line += " " + word;
    }
    trace_ += line + "\n";
  }

  const Flow& flow_;
  const Tables& tables_;
  const Target& target_;
  Moves moves_;
  Program frame_;  // symbols, and a buffer for each value
  std::map<std::pair<std::vector<int>, std::vector<int>>, Priced> known_;
  std::string trace_;
};

}  // namespace

Fusion search(const Flow& flow, const Stored& start, const Tables& tables,
              const Target& target) {
  return Search(flow, tables, target).run(start);
}

}  // namespace sextant::loop
