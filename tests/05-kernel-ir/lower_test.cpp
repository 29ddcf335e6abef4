// The lowering of Tile IR to Kernel IR: golden texts, and what it refuses.
#include "chapters/05-kernel-ir/lower.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "chapters/04-tile-ir/syntax.h"
#include "chapters/05-kernel-ir/simulator.h"
#include "chapters/05-kernel-ir/syntax.h"
#include "chapters/05-kernel-ir/verify.h"
#include "tests/04-tile-ir/programs.h"
#include "tests/04-tile-ir/support.h"
#include "tests/05-kernel-ir/sim.h"
#include "tests/folders.h"
#include "tests/golden.h"

namespace sextant {
namespace {

tile::Program read_tile(const std::string& text) {
  return parse_program<tile::Kernel>(text, "tile", "tile.txt");
}

std::string lowered(const std::string& text) {
  return print_program(kernel::lower(all_tables(), read_tile(text)), "kernel")
      .text;
}

// What a Tile program computes in the simulator, on random inputs, without a
// fault.
Arrays simulated(const tile::Program& tiled) {
  Arrays arrays;
  kernel::SimOptions options;
  options.generate = true;
  kernel::Report report = kernel::simulate(
      all_tables(), kernel::lower(all_tables(), tiled), arrays, options);
  CHECK(kernel::faults_text(report) == "");
  return arrays;
}

const char* const kHeader =
    "sextant tile sm_90a\n"
    "buffer x: float32[16, 64] input\n"
    "buffer y: float32[16, 64] output\n"
    "launch k\n";

TEST_CASE("5.1 every golden Tile program lowers to its Kernel text",
          "[5.1][golden]") {
  for (const std::string& folder : test::golden_with("4_tile.txt")) {
    INFO(folder);
    std::string tile = test::read_golden(folder + "/4_tile.txt");
    CHECK(print_program(read_tile(tile), "tile").text == tile);
    std::string text = lowered(tile);
    test::expect_golden(folder + "/5_kernel.txt", text);
    auto again = parse_program<kernel::Kernel>(text, "kernel", folder);
    CHECK(again == kernel::lower(all_tables(), read_tile(tile)));
  }
}

TEST_CASE("5.5 one barrier a tile, and one before the first", "[5.5]") {
  std::string text = lowered(test::read_golden("golden/hand-seed/4_tile.txt"));
  std::size_t count = 0, at = 0;
  while ((at = text.find("Sync\n", at)) != std::string::npos)
    count++, at++;
  CHECK(count == 2);
  // The copies of the next tile are issued before this tile's arithmetic.
  CHECK(text.find("if k0 < 1:") < text.find("for k1 in"));
  CHECK(text.find("call wait(0)", text.find("for k1 in")) != std::string::npos);
}

TEST_CASE("5.5 what the hardware has no primitive for is refused by name",
          "[5.5]") {
  auto refuses = [](const std::string& body, const std::string& what) {
    std::string text = std::string(kHeader) +
                       "kernel k\n"
                       "Tile(axes=(t0:32=THREAD, r0:2=REGISTER)):\n" +
                       body;
    INFO(text);
    try {
      lowered(text);
      FAIL("nothing was refused");
    } catch (const Error& e) {
      CHECK(std::string(e.what()).find(what) != std::string::npos);
    }
  };
  refuses(
      "  for k0 in 0..4 pipeline=2:\n"
      "    s = Stage(x, origin=(k0*4, 0), slab=(m:4@0, k1:64@1)) "
      "buffers=3@k0\n",
      "s has 3 buffers in a pipeline of 2");
  refuses(
      "  for k0 in 0..4 pipeline=3:\n"
      "    s = Stage(x, origin=(k0*4, 0), slab=(m:4@0, k1:64@1)) "
      "buffers=3@k0 held\n",
      "held copies need a pipeline of 2, not 3");
  refuses(
      "  s = Stage(x, origin=(0, 0), slab=(k1:64@1, m:16@0)) async "
      "width=4\n",
      "4 elements of s do not lie together in shared memory");
  refuses("  carry acc0=add\n  Combine(acc0, op=add, axes=(t7))\n",
          "Combine over 't7', which is no THREAD axis");
  refuses("  in0 = load z[0]\n", "no buffer 'z'");
  refuses("  in0 = load x[0]\n", "'x' has 2 axes, not 1");
  refuses("  in0[t0] = load x[0, t0]\n", "indexed by what is no REGISTER");
}

// The golden's Kernel text in the simulator: all of it, or sampled blocks.
kernel::Report run(const std::string& folder, Arrays& arrays,
                   const std::string& blocks) {
  kernel::Program program = kernel::lower(
      all_tables(), read_tile(test::read_golden(folder + "/4_tile.txt")));
  kernel::SimOptions options;
  options.generate = true;
  options.blocks = kernel::parse_blocks(blocks);
  return kernel::simulate(all_tables(), program, arrays, options);
}

double random_at(const Name& name, int64_t i) {
  return random_element(DType::Float32, 0, name, i).f;
}

TEST_CASE("5.5 the seed's kernel computes relu((x + bias) @ w)", "[5.5]") {
  Arrays arrays;
  kernel::Report report = run("golden/hand-seed", arrays, "all");
  CHECK(kernel::faults_text(report) == "");
  for (int64_t i = 0; i < 16; i++) {
    for (int64_t j = 0; j < 16; j++) {
      double sum = 0, terms = 0;
      for (int64_t k = 0; k < 64; k++) {
        double term = (random_at("x", i * 64 + k) + random_at("bias", k)) *
                      random_at("w", k * 16 + j);
        sum += term;
        terms += std::fabs(term);
      }
      // 64 additions and two more roundings of each term.
      double bound = 66 * unit_roundoff(DType::Float32) * terms;
      double got = arrays.at("relu").at(i * 16 + j).f;
      CHECK(std::fabs(got - std::max(sum, 0.0)) <= bound);
    }
  }
}

TEST_CASE("5.6 a guard follows its load when that runs a step ahead", "[5.6]") {
  tile::Program tiled = read_tile(
      "sextant tile sm_90a\n"
      "buffer x: float32[64, 64] input\n"
      "buffer y: float32[64] output\n"
      "launch k\n"
      "kernel k\n"
      "Tile(axes=(t0:64=THREAD)):\n"
      "  for k0 in 0..4 pipeline=2:  # reduce acc0=add\n"
      "    s = Stage(x, origin=(0, k0*16), slab=(t0:64@0, k1:16@1)) "
      "buffers=2@k0\n"
      "    for k1 in 0..16 prefetch:\n"
      "      in0 = load s[t0, k1] if k0*16 + k1 <= t0 else 0.0\n"
      "      acc0 <- add(acc0, in0)\n"
      "  store y[t0] = acc0\n");
  Arrays arrays = simulated(tiled);
  for (int64_t t = 0; t < 64; t++) {
    double sum = 0, terms = 0;
    for (int64_t k = 0; k <= t; k++) {
      sum += random_at("x", t * 64 + k);
      terms += std::fabs(random_at("x", t * 64 + k));
    }
    double bound = 64 * unit_roundoff(DType::Float32) * terms;
    CHECK(std::fabs(arrays.at("y").at(t).f - sum) <= bound);
  }
}

TEST_CASE("5.6 registers hold the tile after the next, of any number of tiles",
          "[5.6]") {
  for (int64_t tiles : {1, 2, 3, 4, 5, 9}) {
    INFO(tiles << " tiles");
    tile::Program tiled = read_tile(fmt::format(
        "sextant tile sm_90a\n"
        "buffer x: float32[64, {0}] input\n"
        "buffer y: float32[64] output\n"
        "launch k\n"
        "kernel k\n"
        "Tile(axes=(t0:64=THREAD)):\n"
        "  for k0 in 0..{1} pipeline=2:  # reduce acc0=add\n"
        "    s = Stage(x, origin=(0, k0*16), slab=(t0:64@0, k1:16@1)) "
        "buffers=2@k0 held\n"
        "    for k1 in 0..16 prefetch:\n"
        "      in0 = load s[t0, k1]\n"
        "      acc0 <- add(acc0, in0)\n"
        "  store y[t0] = acc0\n",
        16 * tiles, tiles));
    Arrays arrays = simulated(tiled);
    for (int64_t t = 0; t < 64; t++) {
      double sum = 0, terms = 0;
      for (int64_t k = 16 * tiles * t; k < 16 * tiles * (t + 1); k++) {
        sum += random_at("x", k);
        terms += std::fabs(random_at("x", k));
      }
      double bound = static_cast<double>(16 * tiles) *
                     unit_roundoff(DType::Float32) * terms;
      CHECK(std::fabs(arrays.at("y").at(t).f - sum) <= bound);
    }
  }
}

TEST_CASE("5.7 blocks that share a sum", "[5.7]") {
  Tables tables = all_tables();
  auto faults = [&](const char* text, const std::string& schedule,
                    bool fenced) {
    loop::Program program = test::parse_loop(text);
    kernel::Program lowered =
        kernel::lower(tables, test::lower_with(program, schedule));
    kernel::verify(tables, lowered);
    std::string printed = print_program(lowered, "kernel").text;
    if (!fenced) printed = test::edited(printed, "call fence()", "Sync");
    INFO(printed);
    Arrays arrays = test::random_inputs(program);
    Arrays expected = loop::interpret(program, tables, arrays);
    kernel::Report report = kernel::simulate(
        tables, test::parse_kernel(printed), arrays, kernel::SimOptions{});
    CHECK(test::distance(program, expected, arrays) < test::kReordered);
    return kernel::faults_text(report);
  };
  CHECK(faults(test::kSeed, "a0=16t a1=16t a2=4b.16s", true) == "");
  CHECK(faults(test::kSeed, "a0=16t a1=16t a2=4b.16s", false) != "");
  CHECK(faults(test::kSeed,
               "a0=8t.2r a1=2b.4t.2r a2=2b.2s.16s | x:smem*2.async.pad1 "
               "w:smem*2.async",
               true) == "");
  CHECK(faults(test::kColumnSum, "a0=*b.8t.2r a1=*b.4s.4t", true) == "");
  CHECK(faults(test::kLinear, "a0=*b.2r.2t.4r a1=*b.3r.2t.2r a2=*b.2s.7u",
               true) == "");
}

TEST_CASE("5.6 sampled blocks of the 4,096-cubed product are right", "[5.6]") {
  Arrays arrays;
  kernel::Report report = run("golden/hand-matmul", arrays, "last");
  CHECK(kernel::faults_text(report) == "");
  const kernel::Written& written = report.written.at("matmul");
  REQUIRE(written.offsets.size() == 128 * 128);
  for (std::size_t n = 0; n < written.offsets.size(); n += 997) {
    int64_t i = written.offsets[n] / 4096, j = written.offsets[n] % 4096;
    double sum = 0, terms = 0;
    for (int64_t k = 0; k < 4096; k++) {
      double term = random_at("a", i * 4096 + k) * random_at("b", k * 4096 + j);
      sum += term;
      terms += std::fabs(term);
    }
    double bound = 6 * 64 * unit_roundoff(DType::Float32) * terms;
    CHECK(std::fabs(written.values[n].f - sum) <= bound);
  }
}

TEST_CASE("5.7 a sampled row of RMSNorm is right", "[5.7]") {
  Arrays arrays;
  kernel::Report report = run("golden/hand-rmsnorm", arrays, "last");
  CHECK(kernel::faults_text(report) == "");
  const kernel::Written& written = report.written.at("y");
  REQUIRE(written.offsets.size() == 4096);
  double squares = 0;
  for (int64_t i = 0; i < 4096; i++) {
    double x = random_at("x", 4095 * 4096 + i);
    squares += x * x;
  }
  double scale = 1 / std::sqrt(squares / 4096 + 1e-6);
  for (std::size_t n = 0; n < written.offsets.size(); n += 101) {
    int64_t i = written.offsets[n] % 4096;
    double want =
        random_at("x", written.offsets[n]) * scale * random_at("w", i);
    // The sum of squares errs by 6*64 roundings at most, half of it in scale.
    double bound = 200 * unit_roundoff(DType::Float32) * std::fabs(want);
    CHECK(std::fabs(written.values[n].f - want) <= bound);
  }
}

}  // namespace
}  // namespace sextant
