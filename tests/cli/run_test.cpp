// sextant run and profile: what comes out, and with which exit code.
#include <catch2/catch.hpp>

#include "src/cli/card.h"
#include "tests/cli/binary.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

using Catch::Matchers::Contains;
using cli::card_is_there;

TEST_CASE("a device that is none is a usage error", "[cli]") {
  const char* file = "golden/hand-seed/5_kernel.txt";
  CHECK(sextant({"run", file, "--device", "tpu"}).code == 2);
  CHECK(sextant({"run", file, "--device", "sim", "--blocks", "x"}).code == 2);
  CHECK(sextant({"run", file, "--device", "cpu", "--blocks", "first"}).code ==
        2);
  CHECK(sextant({"profile", file, "--device", "cpu"}).code == 2);
  CHECK(sextant({"run", file, "--device", "cuda", "--blocks", "first"}).code ==
        2);
  CHECK(sextant({"run", file, "--device", "cuda", "--compiler", "cc"}).code ==
        2);
  CHECK(sextant({"run", file, "--device", "cpu", "--compiler", "nvcc"}).code ==
        2);
  CHECK(sextant({"run", file, "--device", "sim", "--bench"}).code == 2);
  Ran three = sextant({"run", "golden/attention/1_torch.txt", "--device", "sim",
                       "--blocks", "first"});
  CHECK(three.code == 2);
  CHECK_THAT(three.err, Contains("one kernel, and this one launches 3"));
}

#if SEXTANT_CHAPTERS < 7
TEST_CASE("without chapter 7, cuda is no device", "[cli]") {
  Ran cuda =
      sextant({"run", "golden/hand-seed/5_kernel.txt", "--device", "cuda"});
  CHECK(cuda.code == 1);
  CHECK_THAT(cuda.err, Contains("chapter 7"));
}
#else
TEST_CASE("without a driver, what needs a GPU says so", "[cli]") {
  if (card_is_there()) return;
  const std::string file = "golden/hand-seed/5_kernel.txt";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", file, "--device", "cuda"},
        {"run", file, "--bench"},
        {"profile", file, "--device", "cuda"},
        {"bench", "--suite", "bench/suite.jsonl"}}) {
    Ran ran = sextant(words);
    CHECK(ran.code == 1);
    CHECK(ran.out == "");
    CHECK_THAT(ran.err, Contains("NVIDIA driver"));
    test::count("refusals checked");
  }
  CHECK(sextant({"bench"}).code == 2);
  CHECK(sextant({"bench", "--suite", "bench/suite.jsonl", "--against", "jax"})
            .code == 2);
  CHECK(sextant({"bench", "--suite", file}).code == 1);
  CHECK(sextant({"bench", "--json", file}).code == 1);
}
#endif

TEST_CASE("the simulator runs a kernel file", "[cli]") {
  Ran ran =
      sextant({"run", "golden/hand-seed/5_kernel.txt", "--device", "sim"});
  CHECK(ran.code == 0);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, Contains("relu float32 (16, 16)\n"));
}

TEST_CASE("a kernel file has nothing to be checked against", "[cli]") {
  Ran ran = sextant(
      {"run", "golden/hand-seed/5_kernel.txt", "--device", "sim", "--check"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("nothing to check it against"));
}

TEST_CASE("what the simulator finds is told, and is exit code 1", "[cli]") {
  Ran ran = sextant({"run", "golden/machine/05_race.txt", "--device", "sim"});
  CHECK(ran.code == 1);
  CHECK(ran.out == "");
  CHECK_THAT(ran.err, Contains("k_race"));
  Ran profile = sextant({"profile", "golden/machine/05_race.txt"});
  CHECK(profile.code == 1);
}

TEST_CASE("a tile file is checked against what Tile IR means", "[cli]") {
  Ran ran = sextant(
      {"run", "golden/hand-seed/4_tile.txt", "--device", "sim", "--check"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("ok: Kernel IR against Tile IR"));
}

TEST_CASE("the seed changes the inputs, and nothing else does", "[cli]") {
  auto run = [](const char* seed) {
    return sextant({"run", "golden/hand-seed/5_kernel.txt", "--device", "sim",
                    "--seed", seed})
        .out;
  };
  CHECK(run("1") == run("1"));
  CHECK(run("1") != run("2"));
}

TEST_CASE("a profile is a table", "[cli]") {
  Ran ran = sextant({"profile", "golden/hand-seed/5_kernel.txt"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("bias"));
}

}  // namespace
}  // namespace sextant::test
