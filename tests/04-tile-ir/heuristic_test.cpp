// The schedule that a kernel gets when nobody gives it one.
#include "tests/04-tile-ir/programs.h"
#include "tests/04-tile-ir/support.h"
#include "tests/report.h"
namespace sextant::test {
namespace {
TEST_CASE("4.8 a schedule for every role", "[4.8]") {
  for (const char* text :
       {kSeed, kSoftmax, kRmsNorm, kLayerNorm, kLinear, kScores, kValues,
        kGatedMlp, kStats, kTranspose, kPad, kGather, kColumnSum}) {
    loop::Program program = parse_loop(text);
    Values symbols = {{"rows", 5}};
    tile::Program tiled = lower_with(program, "");
    INFO(text_of(tiled));
    Arrays inputs = random_inputs(program, symbols);
    Arrays expected = loop::interpret(program, all_tables(), inputs, symbols);
    Arrays found = tile::interpret(tiled, all_tables(), inputs, symbols);
    CHECK(distance(program, expected, found) < kReordered);
    count("programs agreed");
  }
}
}  // namespace
}  // namespace sextant::test
