// Chapter 4 begins where chapter 3's goldens end.
#include "tests/golden.h"

#include <filesystem>
#include <set>

#include "chapters/04-tile-ir/verify.h"
#include "tests/04-tile-ir/support.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

std::set<std::string> programs() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(SEXTANT_SOURCE_DIR) / "golden")) {
    if (std::filesystem::exists(entry.path() / "3_loop.txt")) {
      names.insert(entry.path().filename().string());
    }
  }
  return names;
}

// Elements of the largest buffer, to tell what an interpreter can do.
int64_t largest(const loop::Program& program) {
  int64_t most = 0;
  for (const Buffer& b : program.buffers) {
    int64_t n = 1;
    for (const Dim& d : b.shape)
      n *= constant(d).value_or(7);
    most = std::max(most, n);
  }
  return most;
}

TEST_CASE("4.8 the goldens of Tile IR", "[4.8][golden]") {
  for (const std::string& name : programs()) {
    INFO(name);
    loop::Program program = parse_program<loop::Kernel>(
        read_golden("golden/" + name + "/3_loop.txt"), "loop", name);
    tile::Program tiled = lower_with(program, "");
    expect_golden("golden/" + name + "/4_tile.txt", text_of(tiled));
    CHECK(parse_program<tile::Kernel>(text_of(tiled), "tile", name) == tiled);
    if (largest(program) > 100000) continue;
    Values symbols;
    for (const Symbol& s : program.symbols)
      symbols[s.name] = 7;
    Arrays inputs = random_inputs(program, symbols);
    Arrays expected = loop::interpret(program, all_tables(), inputs, symbols);
    Arrays found = tile::interpret(tiled, all_tables(), inputs, symbols);
    CHECK(distance(program, expected, found) < 2e-2);  // halves among them
    count("programs agreed");
  }
}

TEST_CASE("4.8 the kernels written by hand are legal", "[4.8]") {
  for (const char* name : {"hand-seed", "hand-matmul", "hand-rmsnorm"}) {
    INFO(name);
    tile::Program program = parse_program<tile::Kernel>(
        read_golden(std::string("golden/") + name + "/4_tile.txt"), "tile",
        name);
    CHECK_NOTHROW(tile::verify(program, all_tables()));
  }
}

}  // namespace
}  // namespace sextant::test
