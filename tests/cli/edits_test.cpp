// What a reader changes in a text with an editor arrives in the CUDA, and
// still computes what the text says.
#include <catch2/catch.hpp>

#include "tests/cli/binary.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

// The text of a file with every `what`, of which there is one at least, made
// `by`; as a file.
std::string edited(const std::string& path,
                   const std::vector<std::pair<std::string, std::string>>& by) {
  std::string text = read_file(path);
  for (const auto& [what, with] : by) {
    std::size_t at = text.find(what);
    CAPTURE(what);
    REQUIRE(at != std::string::npos);
    for (; at != std::string::npos; at = text.find(what, at + with.size()))
      text.replace(at, what.size(), with);
  }
  return temporary("edited.txt", text);
}

// The CUDA of a text that runs in the simulator and is right.
std::string cuda_of(const std::string& path,
                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> run = {"run", path, "--device", "sim", "--check"};
  std::vector<std::string> compile = {"compile", path, "--ir", "cuda"};
  run.insert(run.end(), more.begin(), more.end());
  compile.insert(compile.end(), more.begin(), more.end());
  Ran checked = sextant(run);
  CHECK(checked.err == "");
  CHECK(checked.code == 0);
  CHECK(checked.out.find("ok: ") != std::string::npos);
  count("edits checked");
  return sextant(compile).out;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

TEST_CASE("two buffers become three", "[cli]") {
  const std::string tile = "golden/hand-seed/4_tile.txt";
  CHECK(has(cuda_of(tile), "next = (k0 + 1)%2"));
  std::string cuda = cuda_of(edited(tile, {{"buffers=2", "buffers=3"},
                                           {"pipeline=2", "pipeline=3"},
                                           {"smem*2", "smem*3"}}));
  CHECK(has(cuda, "next = (k0 + 2)%3"));
}

TEST_CASE("a thread takes four rows", "[cli]") {
  const std::string loop = "golden/seed/3_loop.txt";
  const std::string stages = " | x:smem w:smem";
  CHECK(
      has(cuda_of(loop, {"--schedule", "a0=8t.2r a1=8t.2r a2=2s.32s" + stages}),
          "__launch_bounds__(64)"));
  CHECK(
      has(cuda_of(loop, {"--schedule", "a0=4t.4r a1=8t.2r a2=2s.32s" + stages}),
          "__launch_bounds__(32)"));
}

TEST_CASE("a pad that is taken away is gone", "[cli]") {
  const std::string tile = "golden/hand-seed/4_tile.txt";
  CHECK(has(cuda_of(tile), "float x_smem[1056];"));
  std::string path =
      edited(tile, {{"pad=(0, 1, 0)", "pad=(0, 0, 0)"}, {".pad1", ""}});
  CHECK(has(cuda_of(path), "float x_smem[1024];"));
}

TEST_CASE("an operation that is put into the loops is computed", "[cli]") {
  const std::string loop = "golden/seed/3_loop.txt";
  CHECK(!has(cuda_of(loop), "expf("));
  std::string path = edited(loop, {{"      v2 = relu(acc0)\n",
                                    "      v2 = relu(acc0)\n"
                                    "      v3 = exp(v2)\n"},
                                   {"= v2", "= v3"}});
  CHECK(has(cuda_of(path), "expf("));
}

}  // namespace
}  // namespace sextant::test
