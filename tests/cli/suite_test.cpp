// The programs of the benchmark suite, from what a person types to CUDA.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "tests/cli/binary.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

// The code of a case with its inputs, in the type that everything is to have.
std::string code_of(const nlohmann::json& row, const std::string& dtype) {
  std::string code;
  if (dtype == "bf16") code = "torch.set_default_dtype(torch.bfloat16)\n";
  for (const auto& [name, shape] : row["inputs"].items()) {
    std::vector<std::string> sizes;
    for (int64_t n : shape)
      sizes.push_back(std::to_string(n));
    code += name + " = torch.randn(" + join(sizes, ", ") + ")\n";
  }
  return code + row["code"].get<std::string>();
}

// One type of each program; with SEXTANT_LONG=1 both (make test-long).
TEST_CASE("every program of the suite becomes CUDA", "[cli]") {
  const bool all = std::getenv("SEXTANT_LONG") != nullptr;
  std::size_t number = 0;
  for (const std::string& line : split(read_file("bench/suite.jsonl"), '\n')) {
    if (line.empty()) continue;
    nlohmann::json row = nlohmann::json::parse(line);
    const auto& dtypes = row["dtypes"];
    for (std::size_t i = 0; i < dtypes.size(); i++) {
      if (!all && i != number % dtypes.size()) continue;
      std::string dtype = dtypes[i];
      CAPTURE(row["name"].get<std::string>(), dtype);
      Ran ran = sextant({"compile", "-c", code_of(row, dtype), "--ir", "cuda"});
      CHECK(ran.err == "");
      CHECK(ran.code == 0);
      CHECK(ran.out.find("__global__") != std::string::npos);
      count("programs of the suite compiled");
    }
    number++;
  }
  CHECK(number > 150);
}

TEST_CASE("what divides nothing has a tail, in every type", "[cli]") {
  for (const char* dtype : {"float32", "float16", "bfloat16"}) {
    for (const char* code : {
             "nn.RMSNorm(3584)(torch.randn(2, 3584))",
             "F.linear(torch.randn(1, 704), torch.randn(8, 704))",
             "torch.randn(3, 704) * torch.randn(3, 704)",
             "F.silu(torch.randn(1, 100)) + torch.randn(7, 100)",
             "torch.softmax(torch.randn(3, 1000), -1)",
             "torch.randn(31, 47) @ torch.randn(47, 29)",
             "torch.randn(37, 70).t().contiguous()",
             "torch.randn(5, 999).amax(-1)",
         }) {
      CAPTURE(dtype, code);
      std::string text =
          "torch.set_default_dtype(torch." + std::string(dtype) + ")\n" + code;
      Ran ran = sextant({"run", "-c", text, "--device", "sim", "--check"});
      CHECK(ran.err == "");
      CHECK(ran.code == 0);
      count("random programs agreed");
    }
  }
}

TEST_CASE("what a loop reads from a stage is read outside of it, too",
          "[cli]") {
  Ran ran = sextant({"run", "-c",
                     "x = torch.randn(32, 64)\n"
                     "h = nn.RMSNorm(64)(x)\n"
                     "h, F.linear(h, torch.randn(64, 64))",
                     "--fuse", "rms_norm_rsqrt,rms_norm+red", "--device", "sim",
                     "--check"});
  CHECK(ran.err == "");
  CHECK(ran.code == 0);
}

}  // namespace
}  // namespace sextant::test
