// The ladder of chapter 4: the seed's program, a rung a section, from one
// thread for each output to the full schedule, with what each rung moves.
#include "chapters/04-tile-ir/verify.h"
#include "tests/04-tile-ir/programs.h"
#include "tests/04-tile-ir/support.h"
#include "tests/golden.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

struct Rung {
  const char *section, *adds, *schedule;
};

constexpr Rung kLadder[] = {
    {"4.1", "one thread per output", "a0=16t a1=16t"},
    {"4.2", "blocks", "a0=2b.8t a1=2b.8t"},
    {"4.3", "two by two outputs a thread", "a0=8t.2r a1=8t.2r"},
    {"4.4", "stages", "a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem x:smem w:smem"},
    {"4.5", "a pad",
     "a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem x:smem.pad1 w:smem"},
    {"4.6", "tiles ahead",
     "a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem*2 x:smem*2.async.pad1 "
     "w:smem*2.async"},
    {"4.7", "four threads on one sum", "a0=2b.8t a1=2b.8t a2=16s.4t"},
    {"4.9", "four blocks on one sum", "a0=16t a1=16t a2=4b.16s"},
};

std::string name_of(int rung) {
  return fmt::format("golden/seed/ladder/{}.txt", rung);
}

tile::Program rung(int number) {
  return lower_with(parse_loop(kSeed), kLadder[number - 1].schedule);
}

// A rung's text is its golden, and what it computes is what the loops do.
tile::Counts climb(int number) {
  loop::Program program = parse_loop(kSeed);
  Arrays inputs = random_inputs(program);
  Arrays expected = loop::interpret(program, all_tables(), inputs);
  tile::Program tiled = rung(number);
  expect_golden(name_of(number), text_of(tiled));
  tile::Counts counts;
  tile::Watch watch;
  watch.counts = &counts;
  Arrays found = tile::interpret(tiled, all_tables(), inputs, {}, watch);
  CHECK(distance(program, expected, found) < kReordered);
  count("programs agreed");
  return counts;
}

// The counts are said in numbers too: whoever accepts a changed golden with
// `make golden` cannot accept them away.
TEST_CASE("4.1 rung 1: a thread for each output", "[4.1][golden]") {
  CHECK(climb(1).read() == 16 * 16 * 64 * 3);
}

TEST_CASE("4.2 rung 2: the same in four blocks", "[4.2][golden]") {
  CHECK(climb(2).read() == 16 * 16 * 64 * 3);
}

TEST_CASE("4.3 rung 3: two by two outputs a thread", "[4.3][golden]") {
  CHECK(climb(3).read() == 64 * 64 * (1 + 2 + 2));
}

TEST_CASE("4.4 rung 4: every element is fetched once", "[4.4][golden]") {
  tile::Counts counts = climb(4);
  CHECK(counts.loaded() == 0);
  CHECK(counts.copied() == 64 + 16 * 64 + 64 * 16);
}

TEST_CASE("4.5 rung 5: a pad for each row of x", "[4.5][golden]") {
  CHECK(climb(5).copied() == 64 + 16 * 64 + 64 * 16);
  auto bytes = [](int number) {
    tile::Program tiled = rung(number);
    return tile::shared_bytes(tiled, tiled.kernels[0]);
  };
  CHECK(bytes(5) - bytes(4) == 4 * 8 * 2);
}

TEST_CASE("4.6 rung 6: a tile ahead", "[4.6][golden]") {
  CHECK(climb(6).copied() == 64 + 16 * 64 + 64 * 16);
}

TEST_CASE("4.7 rung 7: four threads on one sum", "[4.7][golden]") {
  CHECK(climb(7).read() == 16 * 16 * 64 * 3);
}

TEST_CASE("4.9 rung 8: four blocks on one sum", "[4.9][golden]") {
  // And each of the four parts once more.
  CHECK(climb(8).read() == 16 * 16 * 64 * 3 + 4 * 16 * 16);
}

TEST_CASE("4.9 what each rung moves", "[4.9][golden]") {
  std::string table =
      "rung  threads    loaded   staged   stored   shared  what is new\n";
  int number = 0;
  for (const Rung& r : kLadder) {
    tile::Counts counts = climb(++number);
    tile::Program tiled = rung(number);
    const tile::Kernel& kernel = tiled.kernels[0];
    int64_t blocks = 1;
    for (const tile::Axis& a : kernel.axes) {
      if (a.level == tile::Level::Block) blocks *= value_of(a.extent);
    }
    table += fmt::format("{:<5} {:>2} x {:<3} {:>8} {:>8} {:>8} {:>8}  {}\n",
                         r.section, blocks, tile::threads_of(kernel),
                         counts.loaded(), counts.copied(), counts.written(),
                         tile::shared_bytes(tiled, kernel), r.adds);
  }
  expect_golden("golden/seed/ladder/counts.txt", table);
}

TEST_CASE("4.6 the seed's listing, fact by fact", "[4.6]") {
  tile::Program tiled = rung(6);
  std::string text = lines_of(tiled);
  auto has = [&](const char* part) {
    INFO(text);
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  };
  has("Tile(axes=(t0:8=THREAD, t1:8=THREAD, r0:2=REGISTER, r1:2=REGISTER)):");
  has("for k0 in 0..2 pipeline=2:  # reduce acc0[r0, r1]=add");
  has("slab=(k1:32@0)) buffers=2@k0\n");  // bias: not asynchronous
  has("slab=(t0:8@0, k1:32@1, r0:2@0)) pad=(0, 1, 0) buffers=2@k0 async\n");
  has("slab=(k1:32@0, t1:8@1, r1:2@1)) buffers=2@k0 async width=4");
  has("v0[r0] = add(in1[r0], in0)\n");  // once a row cell
  has("acc0[r0, r1] <- add(acc0[r0, r1], multiply(v0[r0], in2[r1]))\n");
  has("store relu[t0*2 + r0, t1*2 + r1] = relu(acc0[r0, r1])\n");
  CHECK(tile::threads_of(tiled.kernels[0]) == 64);
  CHECK(tile::shared_bytes(tiled, tiled.kernels[0]) ==
        4 * (2 * 32 + 2 * 8 * 33 * 2 + 2 * 32 * 8 * 2));
}

TEST_CASE("4.8 nobody's schedule of the seed is rung 6", "[4.8]") {
  CHECK(lower_with(parse_loop(kSeed), "") == rung(6));
}

TEST_CASE("4.1 axes that are not the schedule's are named in a line", "[4.1]") {
  tile::Program tiled = lower_with(parse_loop(kSeed), kLadder[2].schedule);
  tiled.kernels[0].axes[2].extent = 4;  // what a reader does with an editor
  std::string said;
  try {
    tile::verify(tiled, all_tables());
  } catch (const Error& e) {
    said = e.diagnostics()[0].message;
  }
  CHECK(said.find("t1:8=THREAD, r0:4=REGISTER") != std::string::npos);
  CHECK(said.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace sextant::test
