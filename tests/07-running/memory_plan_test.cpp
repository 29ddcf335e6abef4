#include "chapters/07-running/memory_plan.h"

#include <algorithm>

#include "src/base/array.h"
#include "tests/07-running/support.h"
#include "tests/report.h"

namespace sextant::running {
namespace {

// The most bytes that live at one time, each rounded up: no plan is smaller.
int64_t least(const std::vector<Lifetime>& lives, int64_t alignment) {
  int64_t most = 0;
  for (const Lifetime& at : lives) {
    int64_t sum = 0;
    for (const Lifetime& l : lives) {
      if (l.first <= at.first && at.first <= l.last) {
        sum += (l.bytes + alignment - 1) / alignment * alignment;
      }
    }
    most = std::max(most, sum);
  }
  return most;
}

TEST_CASE("no two live buffers overlap, in 1000 random cases", "[7.2]") {
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    Random random(seed);
    int64_t alignment = int64_t{1} << random.below(9);
    std::vector<Lifetime> lives;
    for (int64_t n = random.below(20); n > 0; n--) {
      int64_t first = random.below(10);
      lives.push_back({random.chance(20) ? 0 : random.below(2000), first,
                       random.in(first, 10)});
    }
    MemoryPlan plan = plan_memory(lives, alignment);
    REQUIRE(plan.offsets.size() == lives.size());
    for (std::size_t i = 0; i < lives.size(); i++) {
      int64_t at = plan.offsets[i];
      REQUIRE(at % alignment == 0);
      REQUIRE(at >= 0);
      REQUIRE(at + lives[i].bytes <= plan.bytes);
      for (std::size_t j = 0; j < i; j++) {
        bool together =
            lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
        bool overlap = at < plan.offsets[j] + lives[j].bytes &&
                       plan.offsets[j] < at + lives[i].bytes;
        REQUIRE(!(together && overlap));
      }
    }
    REQUIRE(plan.bytes >= least(lives, alignment));
  }
  test::count("random programs agreed", 1000);
}

TEST_CASE("the peaks of six cases", "[7.2]") {
  auto peak = [](const std::vector<Lifetime>& lives) {
    return plan_memory(lives, 16).bytes;
  };
  CHECK(peak({}) == 0);
  CHECK(peak({{0, 0, 9}}) == 0);
  CHECK(peak({{100, 0, 0}, {100, 1, 1}, {100, 2, 2}}) == 112);
  CHECK(peak({{100, 0, 1}, {100, 1, 2}, {100, 2, 3}}) == 224);
  // The small one first would lie in the way of both large ones.
  CHECK(peak({{16, 2, 2}, {80, 2, 3}, {80, 3, 3}}) == 160);
  // A chain with one that stays: the small ones fit under the large one.
  CHECK(peak({{64, 0, 4}, {1000, 1, 2}, {500, 3, 4}, {496, 3, 3}}) == 1072);
}

}  // namespace
}  // namespace sextant::running
