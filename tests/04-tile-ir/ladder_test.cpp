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
  const char* section;
  const char* schedule;
};

constexpr Rung kLadder[] = {
    {"4.1", "a0=16t a1=16t"},
    {"4.2", "a0=2b.8t a1=2b.8t"},
    {"4.3", "a0=8t.2r a1=8t.2r"},
    {"4.4", "a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem x:smem w:smem"},
    {"4.5", "a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem x:smem.pad1 w:smem"},
    {"4.6",
     "a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem*2 x:smem*2.async.pad1 "
     "w:smem*2.async"},
    {"4.7", "a0=2b.8t a1=2b.8t a2=16s.4t"},
};

std::string name_of(int rung) {
  return fmt::format("golden/seed/ladder/{}.txt", rung);
}

TEST_CASE("4.6 the ladder, rung by rung", "[4.6][golden]") {
  loop::Program program = parse_loop(kSeed);
  Arrays inputs = random_inputs(program);
  Arrays expected = loop::interpret(program, all_tables(), inputs);
  std::string table =
      "rung  threads   loaded   staged   stored   shared bytes   schedule\n";
  int number = 0;
  for (const Rung& rung : kLadder) {
    tile::Program tiled = lower_with(program, rung.schedule);
    expect_golden(name_of(++number), text_of(tiled));
    tile::Counts counts;
    tile::Watch watch;
    watch.counts = &counts;
    Arrays found = tile::interpret(tiled, all_tables(), inputs, {}, watch);
    CHECK(distance(program, expected, found) < kReordered);
    const tile::Kernel& kernel = tiled.kernels[0];
    int64_t blocks = 1;
    for (const tile::Axis& a : kernel.axes) {
      if (a.level == tile::Level::Block) blocks *= value_of(a.extent);
    }
    table += fmt::format("{:<5} {:>3} x {:<3} {:>8} {:>8} {:>8} {:>14}   {}\n",
                         rung.section, blocks, tile::threads_of(kernel),
                         counts.loaded(), counts.copied(), counts.written(),
                         tile::shared_bytes(tiled, kernel), rung.schedule);
  }
  expect_golden("golden/seed/ladder/counts.txt", table);
  count("programs agreed", number);
}

// What the goldens must show, in words: whoever accepts a change with `make
// golden` cannot accept this away.
TEST_CASE("4.6 the numbers of the ladder", "[4.6]") {
  loop::Program program = parse_loop(kSeed);
  Arrays inputs = random_inputs(program);
  auto read = [&](int rung) {
    tile::Counts counts;
    tile::Watch watch;
    watch.counts = &counts;
    tile::Program tiled = lower_with(program, kLadder[rung - 1].schedule);
    tile::interpret(tiled, all_tables(), inputs, {}, watch);
    return counts.read();
  };
  CHECK(read(1) == 16 * 16 * 64 * 3);
  CHECK(read(2) == read(1));
  CHECK(read(3) == 64 * 64 * (1 + 2 + 2));
  CHECK(read(4) == 64 + 16 * 64 + 64 * 16);
  CHECK(read(6) == read(4));
}

TEST_CASE("4.6 the seed's listing, fact by fact", "[4.6]") {
  tile::Program tiled = lower_with(parse_loop(kSeed), kLadder[5].schedule);
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
  CHECK(lower_with(parse_loop(kSeed), "") == tiled);  // what 4.8 chooses
}

TEST_CASE("4.6 axes that are not the schedule's are named in a line", "[4.6]") {
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
