#include "chapters/03-loop-ir/lower/ledger.h"

#include <algorithm>
#include <cmath>

#include "chapters/03-loop-ir/lower/splice.h"
#include "chapters/03-loop-ir/price.h"

namespace sextant::loop {
namespace {

// What computing the roots takes: parameters and stored values are loaded,
// everything else on the way to them is computed.
Priced cone(const Flow& flow, const std::vector<bool>& is_stored,
            const std::vector<int>& roots) {
  Priced p;
  p.roots = roots;
  p.touches.assign(is_stored.size(), false);
  for (int v : roots)
    p.touches[v] = true;
  std::vector<int> open = roots;
  while (!open.empty()) {
    int v = open.back();
    open.pop_back();
    for (int x : flow.operands[v]) {
      if (p.touches[x]) continue;
      p.touches[x] = true;
      bool loaded = is_stored[x] || flow.is_parameter(x);
      (loaded ? p.loads : open).push_back(x);
    }
  }
  std::sort(p.loads.begin(), p.loads.end());
  return p;
}

}  // namespace

Ledger::Ledger(const Flow& flow, const Tables& tables, const Target& target)
    : flow_(flow), tables_(tables), target_(target), frame_(frame_of(flow)) {}

const Priced& Ledger::kernel(const std::vector<bool>& is_stored,
                             const std::vector<int>& roots) {
  Priced p = cone(flow_, is_stored, roots);
  std::vector<int> key = roots;
  key.push_back(-1);
  key.insert(key.end(), p.loads.begin(), p.loads.end());
  auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  Made made;
  Kernel kernel = splice(flow_, is_stored, roots, made);
  KernelRole r = role(kernel);
  p.reason = r.reason;
  p.us = r.kind == RoleKind::None
             ? HUGE_VAL
             : price(frame_, kernel, r, tables_, target_).us;
  return known_.emplace(key, p).first->second;
}

State Ledger::state(const Stored& stored) {
  State state;
  state.is_stored.assign(flow_.readers.size(), false);
  for (const std::vector<int>& roots : stored.kernels) {
    for (int v : roots)
      state.is_stored[v] = true;
  }
  for (const std::vector<int>& roots : stored.kernels)
    state.kernels.push_back(&kernel(state.is_stored, roots));
  return state;
}

Stored stored_of(const State& state) {
  Stored stored;
  for (const Priced* k : state.kernels)
    stored.kernels.push_back(k->roots);
  std::sort(stored.kernels.begin(), stored.kernels.end());
  return stored;
}

bool wait_for_each_other(std::vector<const Priced*> kernels) {
  auto waits = [&](const Priced* k) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const Priced* o) {
      return o != k &&
             std::any_of(o->roots.begin(), o->roots.end(), [&](int v) {
               return std::binary_search(k->loads.begin(), k->loads.end(), v);
             });
    });
  };
  while (!kernels.empty()) {
    auto ready = std::find_if_not(kernels.begin(), kernels.end(), waits);
    if (ready == kernels.end()) return true;
    kernels.erase(ready);
  }
  return false;
}

}  // namespace sextant::loop
