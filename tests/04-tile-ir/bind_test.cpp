// Splitting and binding: who computes what, and that it is the same.
#include "tests/04-tile-ir/programs.h"
#include "tests/04-tile-ir/support.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

void agrees(const std::string& text, const std::string& schedules,
            const Values& symbols = {}) {
  loop::Program program = parse_loop(text);
  Arrays inputs = random_inputs(program, symbols);
  Arrays expected = loop::interpret(program, all_tables(), inputs, symbols);
  tile::Program tiled = lower_with(program, schedules);
  INFO(text_of(tiled));
  CHECK(tiled == parse_program<tile::Kernel>(text_of(tiled), "tile", "again"));
  Arrays found = tile::interpret(tiled, all_tables(), inputs, symbols);
  CHECK(distance(program, expected, found) < kReordered);
  count("programs agreed");
}

TEST_CASE("4.1 one thread, in a serial loop an axis", "[4.1]") {
  for (const char* text :
       {kSeed, kSoftmax, kLayerNorm, kLinear, kScores, kValues, kGatedMlp,
        kStats, kTranspose, kPad, kGather, kColumnSum}) {
    agrees(text, "|");
  }
  agrees(kRmsNorm, "|", {{"rows", 3}});
}

TEST_CASE("4.1 digits that time holds", "[4.1]") {
  agrees(kSeed, "a0=4s.4s a1=8u.2s");
  agrees(kSeed, "a0=16s a1=16s a2=2s.8s.4s");
}

TEST_CASE("4.2 every digit may be a block's or a thread's", "[4.2]") {
  agrees(kSeed, "a0=16t a1=16t");
  agrees(kSeed, "a0=*b.3t a1=*b.7t");
  agrees(kLinear, "a0=*b.8t a1=*b.16t");
  agrees(kScores, "a0=*b a1=*b.5t a2=*b.5t");
  agrees(kPad, "a0=*b.4t a1=*b.4t");
  agrees(kRmsNorm, "a0=*b.2t", {{"rows", 5}});
}

TEST_CASE("4.3 register digits, in strips or in a row", "[4.3]") {
  agrees(kSeed, "a0=8t.2r a1=8t.2r a2=2s.32s");
  agrees(kSeed, "a0=2r.8t a1=2r.2t.2r.2t");
  agrees(kLinear, "a0=*b.2r.2t.4r a1=*b.3r.2t.2r a2=*s.7u");
  agrees(kGatedMlp, "a0=*b.4t.2r a1=*b.4t.4r a2=*s.8s");
  agrees(kValues, "a0=*b a1=*b.4t.2r a2=4t.4r a3=*s.8s");
  agrees(kTranspose, "a0=*b.3r.8t a1=*b.2t.8r");
}

TEST_CASE("4.7 several threads on one sum", "[4.7]") {
  agrees(kSoftmax, "a0=*b a1=*r.32t.2r");
  agrees(kSoftmax, "a0=*b.2t a1=*s.16t.3r");
  agrees(kRmsNorm, "a0=*b a1=64t.4r", {{"rows", 4}});
  agrees(kRmsNorm, "a0=*b.3t a1=*s.8t.8r", {{"rows", 4}});
  agrees(kLayerNorm, "a0=*b a1=32t.4r");
  agrees(kStats, "a0=*b.4t a1=*r.8t");
  agrees(kGather, "a0=*b.4t a1=*t a2=2t.2r");
  agrees(kGather, "a0=*b.2r a1=*r a2=2t.2s");
  agrees(kColumnSum, "a0=*b.8t.2r a1=*s.16t");
  agrees(kSeed, "a0=*b.4t a1=*b.4t a2=*s.4t.2r");
}

TEST_CASE("4.9 several blocks on one sum", "[4.9]") {
  agrees(kSeed, "a0=16t a1=16t a2=4b.16s");
  agrees(kSeed, "a0=*b.4t.2r a1=2b.2r.2t.2r a2=*b.4t.2r");
  agrees(kSeed,
         "a0=8t.2r a1=8t.2r a2=2b.2s.16s | x:smem*2.async.pad1 w:smem*2.async");
  agrees(kLinear, "a0=*b.8t a1=*b.16t a2=*b.2b.7s");
  agrees(kGatedMlp, "a0=*b.4t.2r a1=*b.4t.4r a2=*b.8s");
  agrees(kColumnSum, "a0=*b.8t.2r a1=*b.4s.4t");
  agrees(kValues, "a0=*b a1=*b.4t.2r a2=4t.4r a3=*b.8s");
}

TEST_CASE("4.9 sums that blocks cannot share are refused", "[4.9]") {
  auto refused = [](const char* program, const char* schedule,
                    const char* why) {
    INFO(schedule);
    try {
      lower_with(parse_loop(program), schedule);
      FAIL("it was not refused");
    } catch (const Error& error) {
      CHECK(error.diagnostics()[0].message == why);
    }
  };
  refused(kSoftmax, "a0=*b a1=*b.2s",
          "k_softmax: a sum along a1 cannot be split over blocks, since a "
          "second loop along it needs the whole sum in every block");
  refused(kSeed, "a0=16s a1=16t a2=4b.16s",
          "k_relu: one sum alone can be split over blocks, and none in a "
          "serial loop");
}

}  // namespace
}  // namespace sextant::test
