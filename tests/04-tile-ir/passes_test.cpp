// Each pass changes who computes what and when, never what.
#include "chapters/04-tile-ir/passes.h"

#include "tests/04-tile-ir/programs.h"
#include "tests/04-tile-ir/support.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

// Runs the program before and after every pass, from the text that was printed.
void agrees_after_every_pass(const char* text, const std::string& schedules,
                             const Values& symbols = {}) {
  loop::Program program = parse_loop(text);
  Arrays inputs = random_inputs(program, symbols);
  Tables tables = all_tables();
  Arrays expected = loop::interpret(program, tables, inputs, symbols);
  PassContext context;
  context.tables = &tables;
  int compared = 0;
  auto compare = [&](const std::string& when, const tile::Program& tiled) {
    INFO(when << "\n" << text_of(tiled));
    Arrays found = tile::interpret(tiled, tables, inputs, symbols);
    CHECK(distance(program, expected, found) < kReordered);
    compared++;
  };
  context.observe = [&](const std::string&, const std::string& pass,
                        const std::string& printed) {
    compare(pass, parse_program<tile::Kernel>(printed, "tile", pass));
  };
  compare("start", tile::start(program, {"sm_90a", schedules}, context));
  tile::lower(program, {"sm_90a", schedules}, context);
  CHECK(compared == static_cast<int>(tile::passes().size()) + 1);
  count("passes agreed", compared);
}

TEST_CASE("4.8 every pass keeps the meaning", "[4.8]") {
  agrees_after_every_pass(
      kSeed,
      "a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem*2 x:smem*2.async.pad1 "
      "w:smem*2.async");
  agrees_after_every_pass(kSoftmax, "a0=*b a1=2r.16t.4r");
  agrees_after_every_pass(kRmsNorm, "a0=*b.2t a1=4r.16t.4r", {{"rows", 7}});
  agrees_after_every_pass(kLayerNorm, "a0=*b a1=*s.8t.4r");
  agrees_after_every_pass(
      kLinear,
      "a0=*b.2t.2r.2t.4r a1=*b.2r.2t.4t.4r a2=*s.8s | "
      "x:smem*2.held.kmajor.pad4 "
      "w:smem*2.held.kmajor.pad4 | raster=2 min_blocks=2 prefetch");
  agrees_after_every_pass(
      kScores,
      "a0=*b a1=*b.4t.2r a2=*b.4t.4r a3=*s.8s | q:smem*2.async.kmajor.pad4 "
      "k:smem*2.async.kmajor.pad4");
  agrees_after_every_pass(
      kValues, "a0=*b a1=*b.4t.2r a2=4t.4r a3=*s.8s | s:smem v:smem");
  agrees_after_every_pass(
      kGatedMlp,
      "a2=*s.2t.4s a0=*b.4t.2r a1=*b.4t.4r | x:smem*3.async wg:smem*3.async "
      "wu:smem*3.async");
  agrees_after_every_pass(kTranspose, "a0=*b.4r.8t a1=*b.32t | x:smem.pad1");
  agrees_after_every_pass(kPad, "a0=*b.4t a1=*b.4t.4r | x:smem");
  agrees_after_every_pass(kStats, "a0=*b a1=*r.2t.8r");
  agrees_after_every_pass(kGather, "a0=*b.4t a1=3s a2=2t.2r");
  agrees_after_every_pass(kColumnSum, "a1=*s.16t a0=*b.8t.2r");
}

TEST_CASE("4.4 a stage holds zeros outside its buffer", "[4.4]") {
  std::string text = text_of(lower_with(
      parse_loop(kLinear), "a0=*b.8t a1=*b.8t a2=*s.8s | x:smem w:smem"));
  INFO(text);
  CHECK(text.find("in0 = load x_smem[t0, k1]\n") != std::string::npos);
  // What is no tail stays a guard, and a value other than 0 stays outside.
  text = text_of(lower_with(parse_loop(kPad), "a0=*b.4t a1=*b.4t | x:smem"));
  INFO(text);
  CHECK(text.find("1 <= b0*4 + t0") != std::string::npos);
}

TEST_CASE("4.5 widths need alignment", "[4.5]") {
  auto widths = [](const char* program, const char* schedule) {
    std::string text = text_of(lower_with(parse_loop(program), schedule));
    int found = 0;
    for (std::size_t at = text.find("width="); at != std::string::npos;
         at = text.find("width=", at + 1)) {
      found++;
    }
    return found;
  };
  // Rows of 256 and 96 are whole vectors, rows of 53 are not.
  CHECK(widths(kRmsNorm, "a0=*b a1=64t.4r") == 3);
  CHECK(widths(kLayerNorm, "a0=*b a1=32t.4r") == 4);
  CHECK(widths(kLinear, "a0=*b a1=*b a2=*s.4t.4r") == 0);
  // 100 is 25 vectors: the guard is the same for the cells of each.
  CHECK(widths(kSoftmax, "a0=*b a1=32t.4r") == 2);
  // With a pad of 1, vectors in shared memory would not be aligned.
  CHECK(widths(kGatedMlp, "a0=*b.4r a1=*b.4t.4r a2=*s.8s | wg:smem wu:smem") ==
        5);
  CHECK(widths(kGatedMlp,
               "a0=*b.4r a1=*b.4t.4r a2=*s.8s | wg:smem.kmajor.pad1 "
               "wu:smem.kmajor.pad1") == 1);
  // bfloat16: eight elements.
  std::string text = text_of(lower_with(parse_loop(kStats), "a0=*b a1=*t.8r"));
  CHECK(text.find("width=8") != std::string::npos);
}

std::string refusal(const char* program, const std::string& schedule) {
  count("refusals checked");
  try {
    lower_with(parse_loop(program), schedule);
  } catch (const Error& e) {
    return e.diagnostics()[0].message;
  }
  return "it was taken";
}

TEST_CASE("4.1 digits that do not fit are refused", "[4.1]") {
  CHECK(refusal(kSeed, "a7=8t") ==
        "the schedule of k_relu splits a7, which is no axis of it");
  CHECK(refusal(kSeed, "a0=8t") ==
        "k_relu: the digits of a0 count to 8, but it has 16; begin with '*'");
  CHECK(refusal(kSeed, "a2=2b.32s") ==
        "k_relu: one sum alone can be split over blocks, and none in a serial "
        "loop");
  CHECK(refusal(kSeed, "a0=16t a1=16t a2=*s.8t") ==
        "kernel k_relu: 2048 threads in a block, 1024 at most");
}

TEST_CASE("4.4 what cannot be staged is refused", "[4.4]") {
  CHECK(refusal(kSeed, "a0=16t | y:smem") ==
        "the schedule of k_relu stages y, which it does not load");
  CHECK(refusal(kGather, "a0=2t.5s a1=3s a2=4s | table:smem") ==
        "table cannot be staged: along axis 0, 'in0' is no sum of digits");
  CHECK(refusal(kSeed, "a0=16t a1=16t a2=2s.32s | x:smem*99 w:smem*99") ==
        "kernel k_relu: its stages need 405504 bytes of shared memory, sm_90a "
        "has 232448");
}

TEST_CASE("4.5 a single row has no pad", "[4.5]") {
  CHECK(refusal(kSeed, "a0=16t a2=2s.32s | bias:smem.pad1") ==
        "bias lies in one row: there is nothing to pad");
}

TEST_CASE("4.6 what cannot be pipelined is refused", "[4.6]") {
  CHECK(refusal(kSeed, "a0=8t.2r a1=16t | x:smem*2") ==
        "2 buffers for x need a serial loop around its stage");
  CHECK(refusal(kSeed, "a0=16t a2=2s.32s | x:smem*2 w:smem*3") ==
        "k_relu: stages of one loop have 2 and 3 buffers");
  CHECK(refusal(kSeed, "a0=16t | | prefetch") ==
        "k_relu has no loop that reads stages, so nothing to prefetch");
  CHECK(refusal(kStats, "a0=6t a1=5s.8s | x:smem*2.async.pad1") ==
        "x cannot be staged async, which copies 4 bytes at least");
}

}  // namespace
}  // namespace sextant::test
