#include <algorithm>
#include <catch2/catch.hpp>

#include "chapters/07-running/memory_plan.h"
#include "src/base/array.h"

namespace sextant::exercise {
running::MemoryPlan plan(const std::vector<running::Lifetime>& lifetimes,
                         int64_t alignment);
}  // namespace sextant::exercise

namespace sextant {
namespace {

using Lives = std::vector<running::Lifetime>;

int64_t peak(const Lives& lives) {
  return exercise::plan(lives, 16).bytes;
}

// Fails unless a plan is one: aligned, inside, nothing in the same place at
// the same time.
void check(const Lives& lives, int64_t alignment) {
  running::MemoryPlan plan = exercise::plan(lives, alignment);
  REQUIRE(plan.offsets.size() == lives.size());
  for (std::size_t i = 0; i < lives.size(); i++) {
    REQUIRE(plan.offsets[i] >= 0);
    REQUIRE(plan.offsets[i] % alignment == 0);
    REQUIRE(plan.offsets[i] + lives[i].bytes <= plan.bytes);
    for (std::size_t j = 0; j < i; j++) {
      bool meet =
          lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
      bool overlap = plan.offsets[i] < plan.offsets[j] + lives[j].bytes &&
                     plan.offsets[j] < plan.offsets[i] + lives[i].bytes;
      REQUIRE(!(meet && overlap));
    }
  }
}

}  // namespace

TEST_CASE("7.1 no buffers, and buffers of no size") {
  CHECK(peak({}) == 0);
  CHECK(peak({{0, 0, 9}, {0, 2, 3}}) == 0);
  check({{0, 0, 9}, {40, 0, 9}, {0, 0, 9}}, 32);
}

TEST_CASE("7.1 what never meets shares its place") {
  CHECK(peak({{100, 0, 0}, {100, 1, 1}, {100, 2, 2}}) == 112);
}

TEST_CASE("7.1 neighbours in a chain need two places, not three") {
  CHECK(peak({{100, 0, 1}, {100, 1, 2}, {100, 2, 3}}) == 224);
}

TEST_CASE("7.1 small ones lie where a large one has been") {
  CHECK(peak({{64, 0, 4}, {1000, 1, 2}, {500, 3, 4}, {496, 3, 3}}) == 1072);
}

TEST_CASE("7.1 nothing overlaps in 1000 random programs") {
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    Random random(seed);
    Lives lives;
    for (int64_t n = random.below(16); n > 0; n--) {
      int64_t first = random.below(8);
      lives.push_back({random.chance(20) ? 0 : random.below(900), first,
                       random.in(first, 8)});
    }
    check(lives, int64_t{1} << random.below(9));
  }
}

}  // namespace sextant
