// Tensors, modules, names, places.
#include <catch2/catch.hpp>

#include "tests/python/python_support.h"

namespace sextant::python {
namespace {

TEST_CASE("inputs are named by what they are assigned to", "[A]") {
  CHECK(text_of("a, b = torch.randn(2), torch.rand(2)\n"
                "a * b + torch.empty(2, dtype=torch.bfloat16)") ==
        "a = input() -> (2) float32\n"
        "b = input() -> (2) float32\n"
        "x0 = input() -> (2) bfloat16\n"
        "mul = mul(a, b) -> (2) float32\n"
        "add = add(mul, x0) -> (2) float32\n"
        "return add\n");
  // A name that is taken is left alone; what is not needed is left out.
  CHECK(text_of("x0 = torch.randn(2); y = torch.randn(3)\n"
                "x0 + torch.randn(2)") ==
        "x0 = input() -> (2) float32\n"
        "x1 = input() -> (2) float32\n"
        "add = add(x0, x1) -> (2) float32\n"
        "return add\n");
  CHECK(text_of("n = torch.randint(0, 9, (2, 3)); n") ==
        "n = input() -> (2, 3) int64\nreturn n\n");
}

TEST_CASE("constants", "[A]") {
  CHECK(text_of("torch.zeros(2, 3), torch.ones((2,)), torch.full([2], 7), "
                "torch.arange(3), torch.tensor(0.5)") ==
        "full = full(size=[2, 3], fill_value=0, dtype=float32) -> (2, 3) "
        "float32\n"
        "full_1 = full(size=[2], fill_value=1, dtype=float32) -> (2) float32\n"
        "full_2 = full(size=[2], fill_value=7) -> (2) int64\n"
        "arange = arange(start=0, end=3) -> (3) int64\n"
        "full_3 = full(size=[], fill_value=0.5, dtype=float32) -> () float32\n"
        "return full, full_1, full_2, arange, full_3\n");
}

TEST_CASE("operators, methods and indexing are operations", "[A]") {
  CHECK(text_of("x = torch.randn(4, 6)\n"
                "2 - x[1:, None, ..., -1] / (x.T @ x).mean(-1, keepdim=True)"
                ".view(2, 3)[0]") ==
        "x = input() -> (4, 6) float32\n"
        "slice = slice(x, start=1) -> (3, 6) float32\n"
        "unsqueeze = unsqueeze(slice, dim=1) -> (3, 1, 6) float32\n"
        "select = select(unsqueeze, dim=2, index=-1) -> (3, 1) float32\n"
        "permute = permute(x, dims=[1, 0]) -> (6, 4) float32\n"
        "matmul = matmul(permute, x) -> (6, 6) float32\n"
        "mean = mean(matmul, dim=[-1], keepdim=True) -> (6, 1) float32\n"
        "view = view(mean, size=[2, 3]) -> (2, 3) float32\n"
        "select_1 = select(view, dim=0, index=0) -> (3) float32\n"
        "select_bc = expand(select, size=[3, 3]) -> (3, 3) float32\n"
        "select_1_bc = expand(select_1, size=[3, 3]) -> (3, 3) float32\n"
        "div = div(select_bc, select_1_bc) -> (3, 3) float32\n"
        "sub = sub(2, div) -> (3, 3) float32\n"
        "return sub\n");
  CHECK(text_of("x = torch.randn(2, 2); x.float().to(torch.bfloat16).half()") ==
        "x = input() -> (2, 2) float32\n"
        "to = to(x, dtype=bfloat16) -> (2, 2) bfloat16\n"
        "to_1 = to(to, dtype=float16) -> (2, 2) float16\n"
        "return to_1\n");
}

TEST_CASE("an update in place is a new value for every holder", "[A]") {
  CHECK(text_of("x = torch.randn(2); y = x; x += 1; y.mul_(3); y") ==
        "x = input() -> (2) float32\n"
        "add = add(x, 1) -> (2) float32\n"
        "mul = mul(add, 3) -> (2) float32\n"
        "return mul\n");
  CHECK(text_of("x = torch.randn(2).half(); x += torch.randn(2); x") ==
        "x0 = input() -> (2) float32\n"
        "x1 = input() -> (2) float32\n"
        "to = to(x0, dtype=float16) -> (2) float16\n"
        "add = add(to, x1) -> (2) float32\n"
        "to_1 = to(add, dtype=float16) -> (2) float16\n"
        "return to_1\n");
  CHECK_THAT(error_of("x = torch.randn(2); y = x.view(1, 2); x += 1; y"),
             Catch::Contains("a tensor that has views"));
  CHECK_THAT(error_of("x = torch.randn(2); x += torch.randn(3, 2); x"),
             Catch::Contains("output with shape [2] doesn't match the "
                             "broadcast shape [3, 2]"));
}

const char* const kNet =
    "class Net(nn.Module):\n"
    "  def __init__(self):\n"
    "    super().__init__()\n"
    "    self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])\n"
    "    self.head = nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 2, "
    "bias=False))\n"
    "    self.scale = nn.Parameter(torch.ones(2))\n"
    "  def forward(self, x):\n"
    "    for layer in self.layers:\n"
    "      x = x + F.relu(layer(x))\n"
    "    return self.head(x) * self.scale\n";

TEST_CASE("parameters are weights, named by their path", "[A]") {
  std::string code = std::string(kNet) + "Net()(torch.randn(3, 4))";
  std::string text = text_of(code);
  for (const char* line :
       {"layers_0_weight = weight() -> (4, 4) float32\n",
        "layers_1_bias = weight() -> (4) float32\n",
        "head_0_weight = weight() -> (4) float32\n",
        "head_1_weight = weight() -> (2, 4) float32\n",
        "scale = weight() -> (2) float32\n",
        "linear_2 = linear(layer_norm, head_1_weight) -> (3, 2) float32\n"})
    CHECK_THAT(text, Catch::Contains(line));
  CHECK_THAT(text, !Catch::Contains("head_1_bias"));
  CHECK_THAT(text_of(std::string(kNet) +
                     "Net().bfloat16()(torch.randn(3, 4).bfloat16())"),
             Catch::Contains("layers_0_weight = weight() -> (4, 4) bfloat16"));
}

TEST_CASE("each value knows the place it comes from", "[A]") {
  std::string code = std::string(kNet) + "Net()(torch.randn(3, 4))";
  torch::Graph graph = graph_of(code);
  auto source = [&](const Name& name) {
    const torch::Node* node = graph.node(name);
    REQUIRE(node != nullptr);
    REQUIRE(node->origin.size() == 1);
    return graph.sources.at(static_cast<std::size_t>(node->origin[0]));
  };
  Source linear = source("linear_1");
  CHECK(linear.op == "nn.Linear");
  CHECK(linear.module == "layers.1");
  CHECK(linear.where.line == 9);
  CHECK(linear.where.column == 22);
  CHECK(linear.where.text == "      x = x + F.relu(layer(x))");
  CHECK(source("relu").op == "F.relu");
  CHECK(source("relu").where.column == 15);
  CHECK(source("add").op == "+");
  CHECK(source("add").where.column == 13);
  CHECK(source("layers_1_weight").module == "layers.1");
  CHECK(source("x0").op == "torch.randn");
  CHECK(source("x0").where.line == 11);
}

TEST_CASE("a dimension may be a symbol", "[A]") {
  Options options, named;
  options.dynamic = {parse_dynamic("rows@x0:0")};
  named.dynamic = {parse_dynamic("rows@x:0")};
  CHECK(text_of("x = torch.randn(7, 8)\n"
                "nn.RMSNorm(8)(torch.randn(7, 8))",
                options) ==
        "symbol rows in 1..65536 hint=7\n"
        "x0 = input() -> (rows, 8) float32\n"
        "weight = weight() -> (8) float32\n"
        "rms_norm = rms_norm(x0, normalized_shape=[8], weight=weight) -> "
        "(rows, 8) \\\n    float32\n"
        "return rms_norm\n");
  CHECK_THAT(text_of("x = torch.randn(7, 8); n = x.shape[0]\n"
                     "x.view(n * 2, 4).sum(0) / n",
                     named),
             Catch::Contains("view(x, size=[rows*2, 4])"));
  CHECK_THAT(error_of("y = torch.randn(2); y", options),
             Catch::Contains("the program has no input 'x0'"));
  CHECK_THAT(
      error_of("x = torch.randn(7, 8)\nif x.shape[0] > 3: pass\nx", named),
      Catch::Contains("whether rows > 3 is not known"));
  CHECK_THROWS_WITH(parse_dynamic("rows@x"),
                    Catch::Contains("expected NAME@INPUT:AXIS"));
}

TEST_CASE("errors read as PyTorch's, with a caret", "[A]") {
  CHECK(error_of("x = torch.randn(16, 64)\n"
                 "y = torch.randn(32, 16)\n"
                 "z = torch.relu(torch.matmul(x, y))\nz") ==
        "-c:3:16: error: mat1 and mat2 shapes cannot be multiplied (16x64 and "
        "32x16)\n"
        "  z = torch.relu(torch.matmul(x, y))\n"
        "                 ^");
  CHECK(error_of("F.silu(torch.randn(2, 3) + torch.randn(2, 2))") ==
        "-c:1:26: error: The size of tensor a (3) must match the size of "
        "tensor b (2) at non-singleton dimension 1\n"
        "  F.silu(torch.randn(2, 3) + torch.randn(2, 2))\n"
        "                           ^");
  // Inside a module of torch.nn the place is the user's.
  CHECK(error_of("lin = nn.Linear(3, 4)\nlin(torch.randn(2, 5))") ==
        "-c:2:1: error: mat1 and mat2 shapes cannot be multiplied (2x5 and "
        "3x4)\n  lin(torch.randn(2, 5))\n  ^");
  CHECK(error_of("nn.Linear(3)") ==
        "-c:1:1: error: Linear.__init__() missing 1 required positional "
        "argument: 'out_features'\n  nn.Linear(3)\n  ^");
  CHECK(error_of("class M(nn.Module):\n  def __init__(self):\n"
                 "    self.l = nn.Linear(1, 1)\nM()") ==
        "-c:3:5: error: cannot assign modules or parameters before "
        "Module.__init__() call\n"
        "      self.l = nn.Linear(1, 1)\n      ^");
  CHECK(error_of("3") ==
        "-c:1:1: error: the program must end with a tensor, not with a int\n"
        "  3\n  ^");
}

TEST_CASE("all that is missing is told at once", "[A]") {
  CHECK(error_of("x = torch.randn(3)\n"
                 "y = torch.topk(x, 2)\n"
                 "z = F.foo(x)\n"
                 "y + x.bar() + torch.randn(2)[..., None, None] @ z") ==
        "-c:2:5: error: torch.topk is not supported\n"
        "  y = torch.topk(x, 2)\n"
        "      ^\n"
        "-c:3:5: error: module 'torch.nn.functional' has no attribute 'foo'\n"
        "  z = F.foo(x)\n"
        "      ^\n"
        "-c:4:5: error: 'Tensor' object has no attribute 'bar'\n"
        "  y + x.bar() + torch.randn(2)[..., None, None] @ z\n"
        "      ^");
}

}  // namespace
}  // namespace sextant::python
