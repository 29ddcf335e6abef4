// The one-line form of a schedule.
#include "chapters/04-tile-ir/schedule.h"

#include <catch2/catch.hpp>

#include "src/base/array.h"
#include "tests/report.h"

namespace sextant::tile {
namespace {

// The message, with the column that it points at.
std::string refusal(const std::string& text) {
  test::count("refusals checked");
  try {
    parse_schedule(text);
  } catch (const Error& e) {
    const Diagnostic& d = e.diagnostics()[0];
    return fmt::format("{}: {}", d.where.column, d.message);
  }
  return "it was taken";
}

Schedule random_schedule(Random& random) {
  Schedule s;
  for (int64_t a = 0; a < random.in(0, 3); a++) {
    Split split{fmt::format("a{}", a), {}};
    for (int64_t d = 0; d < random.in(1, 4); d++) {
      bool rest = d == 0 && random.chance(30);
      split.digits.push_back(
          {rest ? 0 : random.in(1, 64), static_cast<Hold>(random.below(5))});
    }
    s.splits.push_back(split);
  }
  for (int64_t b = 0; b < random.in(0, 2); b++) {
    s.stages.push_back({fmt::format("x{}", b), random.in(1, 4),
                        random.pick<Name>({"", "async", "held"}),
                        random.chance(50), random.in(0, 8)});
  }
  if (random.chance(30)) s.raster = random.in(1, 16);
  if (random.chance(30)) s.min_blocks = random.in(1, 4);
  s.prefetch = random.chance(30);
  return s;
}

TEST_CASE("4.1 a schedule is read", "[4.1]") {
  Schedule s = parse_schedule("a0=*b.2r.4t a2=256s.16u | x:smem*2.async.pad1");
  REQUIRE(s.splits.size() == 2);
  CHECK(s.split("a0")->digits == std::vector<Digit>{{0, Hold::Block},
                                                    {2, Hold::Register},
                                                    {4, Hold::Thread}});
  CHECK(s.split("a2")->digits ==
        std::vector<Digit>{{256, Hold::Serial}, {16, Hold::Unrolled}});
  CHECK(s.split("a1") == nullptr);
  CHECK(s.stages == std::vector<Staging>{{"x", 2, "async", false, 1}});
}

TEST_CASE("4.1 a schedule is printed as it is read", "[4.1]") {
  for (const char* text :
       {"", "a0=8t.2r a1=8t.2r", "a0=*b | | prefetch", " | x:smem",
        "a0=2s.32s | bias:smem*2 x:smem*2.async.pad1 w:smem*2.async",
        "a0=32b.2r.4t.4t.4r | a:smem*2.held.kmajor.pad4 | raster=8 "
        "min_blocks=2 prefetch"}) {
    CHECK(to_string(parse_schedule(text)) == text);
  }
  Random random(1);
  for (int i = 0; i < 300; i++) {
    Schedule s = random_schedule(random);
    INFO(to_string(s));
    CHECK(parse_schedule(to_string(s)) == s);
  }
  test::count("random schedules read back", 300);
}

TEST_CASE("4.1 what is wrong in a schedule is told with its place", "[4.1]") {
  CHECK(refusal("a0=8t.2q") ==
        "8: expected who holds the digit: b, t, r, s or u");
  CHECK(refusal("a0=8t.*r") == "8: only the outermost digit of a0 may be '*'");
  CHECK(refusal("a0=8t a0=2r") == "9: the axis a0 is split twice");
  CHECK(refusal("a0=0t") == "5: expected the extent of a digit, 1 or more");
  CHECK(refusal("a0 8t") == "3: expected '=' after the axis a0");
  CHECK(refusal("a0=8t | x:reg") == "10: expected ':smem' after the buffer x");
  CHECK(refusal("a0=8t | x:smem.asink") ==
        "16: expected async, held, kmajor or pad with a number");
  CHECK(refusal("a0=8t | x:smem.async.held") == "26: two transports for x");
  CHECK(refusal("a0=8t | | fast") ==
        "11: expected raster=, min_blocks= or prefetch");
  CHECK(refusal("a0=8t | | prefetch | more") == "20: expected a space or '|'");
}

TEST_CASE("4.1 selectors choose schedules by kernel", "[4.1]") {
  std::string all = "k_relu*:a0=8t; k_*_norm:a0=4b; *:a0=2s";
  CHECK(schedule_for(all, "k_relu_matmul") == "a0=8t");
  CHECK(schedule_for(all, "k_rms_norm") == "a0=4b");
  CHECK(schedule_for(all, "k_softmax") == "a0=2s");
  CHECK(schedule_for("a0=8t | x:smem", "k") == "a0=8t | x:smem");
  CHECK(schedule_for("k_relu:a0=8t", "k_relu6") == std::nullopt);
  CHECK(schedule_for("", "k") == std::nullopt);
  CHECK(schedule_for("|", "k") == "|");
}

}  // namespace
}  // namespace sextant::tile
