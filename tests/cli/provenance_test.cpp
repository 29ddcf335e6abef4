// Provenance: an op of the source is followed down to lines of CUDA, and a
// line of CUDA back up to the ops that it came from.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "src/base/text.h"
#include "src/cli/stages.h"
#include "tests/cli/binary.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

using Names = std::set<std::string>;

/// A line of a stage and the values of the program that it came from; `again`
/// holds those that it computes for the second time or later.
struct Line {
  std::string text;
  Names from, again;
};

/// What a file or a piece of code becomes, stage by stage.
std::map<std::string, std::vector<Line>> stages_of(
    std::vector<std::string> input) {
  input.insert(input.begin(), "compile");
  input.insert(input.end(), {"--json"});
  Ran ran = sextant(input);
  REQUIRE(ran.err == "");
  nlohmann::json json = nlohmann::json::parse(ran.out);
  std::map<std::string, std::vector<Line>> stages;
  for (const auto& [name, text] : json["stages"].items()) {
    std::vector<std::string> lines = split(text.get<std::string>(), '\n');
    const auto& provenance = json["provenance"][name];
    for (std::size_t i = 0; i < provenance.size(); i++) {
      Line line{lines.at(i), {}, {}};
      for (int source : provenance[i]) {
        const auto& row = json["sources"].at(source);
        (row["again"].get<int>() < 0 ? line.from : line.again)
            .insert(row["value"].get<std::string>());
      }
      stages[name].push_back(line);
    }
  }
  return stages;
}

/// All that the statements of a stage came from; a kernel's own line is the
/// sum of its statements and proves nothing.
Names all_of(const std::vector<Line>& stage) {
  Names all;
  for (const Line& line : stage) {
    if (line.text.find("kernel ") == 0) continue;
    all.insert(line.from.begin(), line.from.end());
    all.insert(line.again.begin(), line.again.end());
  }
  return all;
}

/// The lines of a stage with this text in them; there is one, or the test
/// fails.
std::vector<Line> with(const std::vector<Line>& stage,
                       const std::string& text) {
  std::vector<Line> found;
  for (const Line& line : stage)
    if (line.text.find(text) != std::string::npos) found.push_back(line);
  CAPTURE(text);
  REQUIRE(!found.empty());
  return found;
}

TEST_CASE("each op of the seed's program is found in every stage", "[cli]") {
  auto stages = stages_of({"golden/seed/1_torch.txt"});
  // The text that an op becomes, and the op alone that it may come from.
  struct Row {
    const char *stage, *text, *value;
  };
  for (const Row& row : std::vector<Row>{
           {"torch", "add = add(", "add"},
           {"torch", "matmul(", "matmul"},
           {"tensor", "bias_bc = bias[", "bias_bc"},
           {"tensor", "add = add(", "add"},
           {"tensor", "multiply(", "matmul"},
           {"tensor", "sum(", "matmul"},
           {"tensor", "relu(", "relu"},
           {"loop", "load bias", "bias_bc"},
           {"loop", "load x", "add"},
           {"loop", "= add(", "add"},
           {"loop", "multiply(", "matmul"},
           {"loop", "acc0 <-", "matmul"},
           {"loop", "store relu", "relu"},
           {"tile", "= Stage(bias", "bias_bc"},
           {"tile", "= Stage(x", "add"},
           {"tile", "= Stage(w", "matmul"},
           {"tile", "acc0[r0, r1] <-", "matmul"},
           {"tile", "store relu", "relu"},
           {"kernel", "= load bias[", "bias_bc"},
           {"kernel", "store bias_smem", "bias_bc"},
           {"kernel", "cp_async(x_smem", "add"},
           {"kernel", "cp_async(w_smem", "matmul"},
           {"kernel", "= load x_smem", "add"},
           {"kernel", "acc0[3] = add(", "matmul"},
           {"kernel", "store relu", "relu"},
           {"cuda", "= bias[", "bias_bc"},
           {"cuda", "// bias to bias_smem", "bias_bc"},
           {"cuda", "// x to x_smem", "add"},
           {"cuda", "cp_async<4>(&x_smem", "add"},
           {"cuda", "cp_async<16>(&w_smem", "matmul"},
           {"cuda", "in1[0] + in0", "add"},
           {"cuda", "acc0[0] += ", "matmul"},
           {"cuda", "relu[t0*32 + t1*2] = ", "relu"},
       }) {
    CAPTURE(row.stage, row.text);
    for (const Line& line : with(stages[row.stage], row.text)) {
      CHECK(line.from == Names{row.value});
      CHECK(line.again.empty());
    }
  }
}

TEST_CASE("no op is lost below the loops, and none is invented", "[cli]") {
  for (const std::string& path : goldens(cli::file_of(cli::Stage::Torch))) {
    CAPTURE(path);
    auto stages = stages_of({path});
    Names graph = all_of(stages["torch"]), loop = all_of(stages["loop"]);
    for (const std::string& name : loop)
      CHECK(graph.count(name) == 1);
    for (const char* stage : {"tile", "kernel", "cuda"}) {
      CAPTURE(stage);
      CHECK(all_of(stages[stage]) == loop);
    }
    // Back: whatever touches memory or does arithmetic says where it is from.
    for (const Line& line : stages["cuda"]) {
      bool works = line.text.find("] ") != std::string::npos &&
                   line.text.find(" = ") != std::string::npos;
      if (line.text.find("  ") != 0 || !works) continue;
      if (line.text.find("asm") != std::string::npos) continue;
      CAPTURE(line.text);
      CHECK(line.from.size() + line.again.size() > 0);
      count("lines of CUDA followed back");
    }
  }
}

TEST_CASE("what is computed again says so, down to CUDA", "[cli]") {
  // Three passes over rows too long to be kept: exp is computed in each, and
  // softmax's own exp in two.
  auto stages =
      stages_of({"-c", "e = torch.randn(64, 65536).exp()\ntorch.softmax(e, -1)",
                 "--fuse", "softmax"});
  using Rows = std::set<std::pair<Names, Names>>;
  auto rows = [&](const char* stage, const char* text) {
    Rows seen;
    for (const Line& line : with(stages[stage], text))
      seen.emplace(line.from, line.again);
    return seen;
  };
  CHECK(
      rows("loop", "= exp(") ==
      Rows{{{"exp"}, {}}, {{}, {"exp"}}, {{"softmax"}, {}}, {{}, {"softmax"}}});
  CHECK(with(stages["loop"], "= exp(").front().from == Names{"exp"});
  // Below, what is used once is written where it is used: the maximum, the
  // sum, the quotient.
  Rows inlined = {{{"exp", "softmax"}, {}},
                  {{"softmax"}, {"exp"}},
                  {{"softmax"}, {"exp", "softmax"}}};
  CHECK(rows("tile", "exp(") == inlined);
  CHECK(rows("kernel", "exp(") == inlined);
  CHECK(rows("cuda", "expf(") == inlined);
  for (const Line& line : stages["tensor"])
    CHECK(line.again.empty());
}

TEST_CASE("what stays in registers is not computed again", "[cli]") {
  auto stages = stages_of({"-c", "torch.softmax(torch.randn(4, 64), -1)"});
  std::vector<Line> loop = with(stages["loop"], "= exp(");
  CHECK(loop.front().from == Names{"softmax"});
  CHECK(loop.back().again == Names{"softmax"});
  for (const Line& line : with(stages["cuda"], "= expf("))
    CHECK(line.again.empty());
}

}  // namespace
}  // namespace sextant::test
