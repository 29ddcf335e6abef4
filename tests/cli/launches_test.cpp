// How many kernels the fuser leaves of programs as people type them.
#include <catch2/catch.hpp>

#include "tests/cli/binary.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    n++;
  }
  return n;
}

std::string loop_ir(const std::string& code, const std::string& fuse = "auto") {
  Ran ran = sextant({"compile", "-c", code, "--ir", "loop", "--fuse", fuse});
  INFO(code);
  REQUIRE(ran.err == "");
  REQUIRE(ran.code == 0);
  count("programs of -c fused");
  return ran.out;
}

std::size_t launches(const std::string& code) {
  return count_of(loop_ir(code), "\nlaunch ");
}

TEST_CASE("3.8 one kernel each", "[cli][3.8]") {
  for (const char* code : {
           "torch.relu(torch.matmul(torch.randn(16, 64) + torch.randn(64), "
           "torch.randn(64, 16)))",
           "nn.Softmax(dim=-1)(torch.randn(1, 28, 2048, 2048))",
           "nn.RMSNorm(2048)(torch.randn(1, 32, 2048))",
           "nn.LayerNorm(2048)(torch.randn(1, 32, 2048))",
           "x = torch.randn(128, 2048)\n"
           "wg, wu = torch.randn(2048, 5632), torch.randn(2048, 5632)\n"
           "F.silu(x @ wg) * (x @ wu)",
       }) {
    CHECK(launches(code) == 1);
  }
}

// 64 blocks, a row each, keep the memory of an H200 nearly busy.
TEST_CASE("3.8 rows that do not fit on chip", "[cli][3.8]") {
  CHECK(launches("torch.softmax(torch.randn(64, 1 << 20), -1)") <= 2);
}

// At one row nothing is computed twice; at 512, each tile of columns would
// compute the whole prologue again.
TEST_CASE("3.8 a prologue is fused where it is computed once", "[cli][3.8]") {
  auto code = [](const std::string& rows) {
    return "g, u = torch.randn(" + rows + ", 5632), torch.randn(" + rows +
           ", 5632)\nF.linear(F.silu(g) * u, torch.randn(2048, 5632))";
  };
  CHECK(launches(code("1")) == 1);
  CHECK(launches(code("512")) == 2);
}

TEST_CASE("3.8 attention passes over its scores three times", "[cli][3.8]") {
  std::string text = loop_ir(
      "q, k, v = (torch.randn(1, 32, 512, 64) for _ in range(3))\n"
      "F.scaled_dot_product_attention(q, k, v, is_causal=True)");
  CHECK(count_of(text, "\nlaunch ") == 3);
  CHECK(count_of(text, " = load scaled_dot_product_attention_m") == 3);
}

// Side by side, not one in the other: neither reads what the other makes.
TEST_CASE("3.8 products of one matrix are one kernel", "[cli][3.8]") {
  auto code = [](const std::string& columns) {
    return "x = torch.randn(128, 2048)\nx @ torch.randn(2048, 512), x @ "
           "torch.randn(2048, " +
           columns + ")";
  };
  std::string text = loop_ir(code("512"));
  INFO(text);
  CHECK(count_of(text, "\nlaunch ") == 1);
  CHECK(count_of(text, " = load x[") == 1);
  CHECK(count_of(text, "  store ") == 2);
  CHECK(launches(code("256")) == 2);  // the loops differ
}

// The block of TinyLlama of bench/suite.jsonl.
std::string block(const std::string& rows) {
  std::string code = "rows = " + rows + R"(
x = torch.randn(1, rows, 2048)
cos, sin = torch.randn(rows, 64), torch.randn(rows, 64)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.RMSNorm(2048, eps=1e-05)
        self.q = nn.Linear(2048, 2048, bias=False)
        self.k = nn.Linear(2048, 256, bias=False)
        self.v = nn.Linear(2048, 256, bias=False)
        self.o = nn.Linear(2048, 2048, bias=False)
        self.norm2 = nn.RMSNorm(2048, eps=1e-05)
        self.gate = nn.Linear(2048, 5632, bias=False)
        self.up = nn.Linear(2048, 5632, bias=False)
        self.down = nn.Linear(5632, 2048, bias=False)
    def rotate(self, t, cos, sin):
        a, b = t.chunk(2, dim=-1)
        return t * cos + torch.cat((-b, a), dim=-1) * sin
    def forward(self, x, cos, sin):
        B, S, _ = x.shape
        h = self.norm1(x)
        q = self.q(h).view(B, S, 32, 64).transpose(1, 2)
        k = self.k(h).view(B, S, 4, 64).transpose(1, 2)
        v = self.v(h).view(B, S, 4, 64).transpose(1, 2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True,
                                           enable_gqa=True)
        x = x + self.o(o.transpose(1, 2).reshape(B, S, 2048))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))
Block()(x, cos, sin)
)";
  return code;
}

TEST_CASE("3.8 a transformer's block", "[cli][3.8]") {
  for (const char* rows : {"1", "32", "512", "2048"}) {
    INFO(rows);
    CHECK(launches(block(rows)) <= 13);
  }
  CHECK(launches(block("128")) <= 11);
}

}  // namespace
}  // namespace sextant::test
