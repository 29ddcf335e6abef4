// A solution of exercise 7.1: try every place where a buffer can begin, from
// the lowest, and take the first that is free.
#include <algorithm>
#include <set>

#include "chapters/07-running/memory_plan.h"

namespace sextant::exercise {

running::MemoryPlan plan(const std::vector<running::Lifetime>& lifetimes,
                         int64_t alignment) {
  const std::size_t n = lifetimes.size();
  auto up = [&](int64_t x) {
    return (x + alignment - 1) / alignment * alignment;
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; i++)
    order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return lifetimes[a].bytes > lifetimes[b].bytes;
  });
  running::MemoryPlan made{std::vector<int64_t>(n), 0};
  for (std::size_t k = 0; k < n; k++) {
    const running::Lifetime& mine = lifetimes[order[k]];
    // The beginning of the memory, and the end of each that is placed.
    std::set<int64_t> places = {0};
    for (std::size_t j = 0; j < k; j++)
      places.insert(up(made.offsets[order[j]] + lifetimes[order[j]].bytes));
    auto is_free = [&](int64_t at) {
      for (std::size_t j = 0; j < k; j++) {
        const running::Lifetime& other = lifetimes[order[j]];
        const int64_t there = made.offsets[order[j]];
        if (mine.first <= other.last && other.first <= mine.last &&
            at < there + other.bytes && there < at + mine.bytes) {
          return false;
        }
      }
      return true;
    };
    const int64_t at = *std::find_if(places.begin(), places.end(), is_free);
    made.offsets[order[k]] = at;
    made.bytes = std::max(made.bytes, up(at + mine.bytes));
  }
  return made;
}

}  // namespace sextant::exercise
