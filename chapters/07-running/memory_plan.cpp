#include "chapters/07-running/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "src/base/error.h"

namespace sextant::running {

MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes,
                       int64_t alignment) {
  const std::size_t n = lifetimes.size();
  std::vector<int64_t> room(n);  // bytes, up to the next one's alignment
  for (std::size_t i = 0; i < n; i++) {
    room[i] = checked_add(lifetimes[i].bytes, alignment - 1, "a buffer");
    room[i] -= room[i] % alignment;
  }
  // Large buffers first: small ones fit into the gaps that these leave.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return room[a] > room[b]; });
  MemoryPlan plan{std::vector<int64_t>(n), 0};
  std::vector<std::size_t> placed;  // by offset
  for (std::size_t i : order) {
    const Lifetime& mine = lifetimes[i];
    // The lowest place that is free of all that live at the same time.
    int64_t at = 0;
    for (std::size_t j : placed) {
      const Lifetime& other = lifetimes[j];
      if (mine.first > other.last || other.first > mine.last) continue;
      if (plan.offsets[j] >= checked_add(at, room[i], "the memory")) continue;
      at = std::max(at, plan.offsets[j] + room[j]);
    }
    plan.offsets[i] = at;
    plan.bytes = std::max(plan.bytes, at + room[i]);
    auto after = std::find_if(placed.begin(), placed.end(),
                              [&](auto j) { return plan.offsets[j] > at; });
    placed.insert(after, i);
  }
  return plan;
}

}  // namespace sextant::running
