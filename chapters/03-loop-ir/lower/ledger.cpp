#include "chapters/03-loop-ir/lower/ledger.h"

#include <algorithm>
#include <cmath>

#include "chapters/03-loop-ir/lower/splice.h"
#include "chapters/03-loop-ir/price.h"

namespace sextant::loop {

Ledger::Ledger(const Flow& flow, const Tables& tables, const Target& target)
    : flow_(flow),
      tables_(tables),
      target_(target),
      frame_(frame_of(flow, std::vector<bool>(flow.readers.size(), true))) {}

const Priced& Ledger::kernel(const std::vector<bool>& is_stored,
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

State Ledger::state(const Stored& stored) {
  State state{marks_of(flow_, stored), {}};
  for (const std::vector<int>& roots : stored.kernels)
    state.kernels.push_back(&kernel(state.is_stored, roots));
  return state;
}

Stored stored_of(const std::vector<const Priced*>& kernels) {
  Stored stored;
  for (const Priced* k : kernels)
    stored.kernels.push_back(k->roots);
  std::sort(stored.kernels.begin(), stored.kernels.end());
  return stored;
}

}  // namespace sextant::loop
