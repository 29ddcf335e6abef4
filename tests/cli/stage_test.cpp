// The command line on the goldens of every stage.
#include <algorithm>
#include <catch2/catch.hpp>

#include "src/cli/stages.h"
#include "tests/cli/binary.h"
#include "tests/golden.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("a golden is the same at its own stage", "[cli]") {
  for (cli::Stage stage : cli::all_stages()) {
    if (stage == cli::Stage::Cuda) continue;
    for (const std::string& path : goldens(cli::file_of(stage))) {
      CAPTURE(path);
      Ran ran = sextant({"compile", path, "--ir", cli::name_of(stage)});
      CHECK(ran.code == 0);
      CHECK(ran.err == "");
      CHECK(ran.out == read_file(path));
      count("goldens at their own stage");
    }
  }
}

TEST_CASE("every golden follows from the one before it", "[cli]") {
  const std::vector<cli::Stage>& stages = cli::all_stages();
  for (std::size_t i = 1; i < stages.size(); i++) {
    const std::string before = cli::file_of(stages[i - 1]);
    const std::string after = cli::file_of(stages[i]);
    std::vector<std::string> known = goldens(after);
    for (const std::string& path : goldens(before)) {
      std::string next = path.substr(0, path.size() - before.size()) + after;
      if (std::find(known.begin(), known.end(), next) == known.end()) continue;
      CAPTURE(path);
      Ran ran = sextant({"compile", path, "--ir", cli::name_of(stages[i])});
      CHECK(ran.err == "");
      CHECK(ran.code == 0);
      CHECK(ran.out == read_file(next));
    }
  }
}

TEST_CASE("a folder gets the stages from the input's on", "[cli]") {
  std::string folder = temporary("", "") + "stages";
  Ran ran = sextant({"compile", "golden/hand-seed/4_tile.txt", "-o", folder});
  CHECK(ran.code == 0);
  CHECK(ran.out == "");
  CHECK(read_file(folder + "/4_tile.txt") ==
        read_golden("golden/hand-seed/4_tile.txt"));
  CHECK_THAT(read_file(folder + "/5_kernel.txt"),
             StartsWith("sextant kernel sm_90a\n"));
  CHECK_THAT(read_file(folder + "/6_cuda.cu"), Contains("__global__"));
}

TEST_CASE("all stages, each under its name", "[cli]") {
  Ran ran = sextant({"compile", "golden/hand-seed/4_tile.txt", "--ir", "all"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith("=== Tile IR\n\nsextant tile"));
  CHECK_THAT(ran.out, Contains("\n\n=== Kernel IR\n\nsextant kernel"));
  CHECK_THAT(ran.out, Contains("\n\n=== CUDA\n\n"));
}

TEST_CASE("time and trace go beside the text", "[cli]") {
  Ran plain = sextant({"compile", "golden/hand-seed/4_tile.txt"});
  Ran told =
      sextant({"compile", "golden/hand-seed/4_tile.txt", "--time", "--trace"});
  CHECK(told.code == 0);
  CHECK(told.out == plain.out);
  CHECK_THAT(told.err, Contains("kernel   lower"));
  CHECK_THAT(told.err, Contains("=== cuda: "));
}

}  // namespace
}  // namespace sextant::test
