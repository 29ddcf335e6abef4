// The lowering of Tile IR to Kernel IR: golden texts, and what it refuses.
#include "chapters/05-kernel-ir/lower.h"

#include <catch2/catch.hpp>

#include "chapters/04-tile-ir/syntax.h"
#include "chapters/05-kernel-ir/syntax.h"
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

TEST_CASE("5.2 one barrier a tile, and one before the first", "[5.2]") {
  std::string text = lowered(test::read_golden("golden/hand-seed/4_tile.txt"));
  std::size_t count = 0, at = 0;
  while ((at = text.find("Sync\n", at)) != std::string::npos)
    count++, at++;
  CHECK(count == 2);
  // The copies of the next tile are issued before this tile's arithmetic.
  CHECK(text.find("if k0 < 1:") < text.find("for k1 in"));
  CHECK(text.find("call wait(0)", text.find("for k1 in")) != std::string::npos);
}

TEST_CASE("5.3 what the hardware has no primitive for is refused by name",
          "[5.3]") {
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

}  // namespace
}  // namespace sextant
