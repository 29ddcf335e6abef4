// Shapes and types of results, against facts of PyTorch written by hand.
#include "chapters/01-torch-ir/infer.h"

#include <catch2/catch.hpp>

#include "chapters/01-torch-ir/builder.h"
#include "tests/01-torch-ir/device.h"
#include "tests/report.h"

namespace {

using sextant::DType;
using sextant::Name;
using sextant::test::complaint;
using sextant::test::tables;
namespace torch = sextant::torch;
using torch::Arg;
using torch::Shape;

// What a builder complains of when it calls `op` on inputs of these shapes.
std::string refusal(const Name& op, const std::vector<torch::Type>& types,
                    std::vector<Arg> more = {},
                    std::vector<torch::Keyword> keywords = {}) {
  torch::GraphBuilder b(tables());
  std::vector<Arg> args;
  for (const torch::Type& type : types)
    args.push_back(Arg::of(b.input("", type)));
  args.insert(args.end(), more.begin(), more.end());
  b.call(op, args, std::move(keywords));
  sextant::test::count("refusals checked");
  return b.diagnostics().empty() ? "" : b.diagnostics().list()[0].message;
}

torch::Type f32(Shape shape) {
  return {std::move(shape), DType::Float32};
}

// The type of the result.
torch::Type result(const Name& op, const std::vector<torch::Type>& types,
                   std::vector<Arg> more = {}) {
  torch::GraphBuilder b(tables());
  std::vector<Arg> args;
  for (const torch::Type& type : types)
    args.push_back(Arg::of(b.input("", type)));
  args.insert(args.end(), more.begin(), more.end());
  std::vector<Name> made = b.call(op, args);
  b.diagnostics().raise();
  torch::Type type = b.type(made[0]);
  torch::verify(tables(), b.finish(made));
  return type;
}

}  // namespace

TEST_CASE("1.3 shapes of results", "[1.3]") {
  // Every line states a type that inference must confirm.
  CHECK(complaint(
            "x = input() -> (2, 3, 4) float32\n"
            "v = input() -> (4) float32\n"
            "m = input() -> (4, 5) float32\n"
            "q = input() -> (2, 8, 6, 16) float32\n"
            "k = input() -> (2, 2, 7, 16) float32\n"
            "a0 = sum(x) -> () float32\n"
            "a1 = sum(x, dim=[-1]) -> (2, 3) float32\n"
            "a2 = sum(x, dim=[0, 2], keepdim=True) -> (1, 3, 1) float32\n"
            "a3 = mean(x, dim=[1]) -> (2, 4) float32\n"
            "a4 = amax(x, dim=[]) -> () float32\n"
            "a5 = var(x, dim=[2]) -> (2, 3) float32\n"
            "b0 = matmul(x, m) -> (2, 3, 5) float32\n"
            "b1 = matmul(x, v) -> (2, 3) float32\n"
            "b2 = matmul(v, m) -> (5) float32\n"
            "b3 = matmul(v, v) -> () float32\n"
            "b4 = linear(x, v) -> (2, 3) float32\n"
            "c0 = view(x, size=[6, -1]) -> (6, 4) float32\n"
            "c1 = transpose(x, dim0=0, dim1=-1) -> (4, 3, 2) float32\n"
            "c2 = permute(x, dims=[1, 2, 0]) -> (3, 4, 2) float32\n"
            "c3 = unsqueeze(x, dim=-1) -> (2, 3, 4, 1) float32\n"
            "c4 = squeeze(a2) -> (3) float32\n"
            "c5 = squeeze(a2, dim=[0]) -> (3, 1) float32\n"
            "c6 = flatten(x, start_dim=1) -> (2, 12) float32\n"
            "c7 = unflatten(x, dim=2, sizes=[2, -1]) -> (2, 3, 2, 2) float32\n"
            "c8 = expand(v, size=[7, -1]) -> (7, 4) float32\n"
            "c9 = t(m) -> (5, 4) float32\n"
            "d0 = slice(x, dim=2, start=-3, end=9223372036854775807, step=2) "
            "-> (2, 3, 2) float32\n"
            "d1 = select(x, dim=1, index=-1) -> (2, 4) float32\n"
            "d2 = cat([x, x, x], dim=1) -> (2, 9, 4) float32\n"
            "d3 = stack([x, x], dim=-1) -> (2, 3, 4, 2) float32\n"
            "d4 = slice(x, dim=1, start=2, end=1) -> (2, 0, 4) float32\n"
            "d5 = repeat_interleave(k, repeats=4, dim=1) -> (2, 8, 7, 16) "
            "float32\n"
            "e0 = scaled_dot_product_attention(q, k, k, enable_gqa=True) -> "
            "(2, 8, 6, 16) float32\n"
            "e1 = softmax(x, dim=0) -> (2, 3, 4) float32\n"
            "f0 = arange(start=2, end=9, step=3) -> (3) int64\n"
            "f1 = full(size=[], fill_value=True) -> () bool\n"
            "f2 = eq(f0, 5) -> (3) bool\n"
            "return a0\n") == "");
}

TEST_CASE("1.3 a symbolic dimension goes where nothing needs a number",
          "[1.3]") {
  CHECK(
      complaint("symbol s in 1..4096 hint=32\n"
                "symbol b in 1..16 hint=1\n"
                "x = input() -> (b, s, 64) float32\n"
                "w = weight() -> (96, 64) float32\n"
                "y = linear(x, w) -> (b, s, 96) float32\n"
                "v = view(y, size=[b, s, 6, 16]) -> (b, s, 6, 16) float32\n"
                "h = transpose(v, dim0=1, dim1=2) -> (b, 6, s, 16) float32\n"
                "o = scaled_dot_product_attention(h, h, h, is_causal=True) -> "
                "(b, 6, s, 16) float32\n"
                "t = transpose(o, dim0=1, dim1=2) -> (b, s, 6, 16) float32\n"
                "r = reshape(t, size=[b, s, -1]) -> (b, s, 96) float32\n"
                "f = flatten(r, end_dim=1) -> (b*s, 96) float32\n"
                "g = view(f, size=[s*b*2, 48]) -> (s*b*2, 48) float32\n"
                "n = rms_norm(x, normalized_shape=[64]) -> (b, s, 64) float32\n"
                "p = mean(x, dim=[1]) -> (b, 64) float32\n"
                "c = cat([x, x], dim=1) -> (b, s*2, 64) float32\n"
                "return o\n") == "");
  CHECK(complaint("symbol s in 1..4096 hint=32\n"
                  "x = input() -> (s, 64) float32\n"
                  "w = input() -> (32, 64) float32\n"
                  "y = cat([x, w], dim=1) -> (s, 128) float32\n"
                  "return y\n") ==
        "Sizes of tensors must match except in dimension 1. Expected size s "
        "but got size 32 for tensor number 1 in the list.");
}

TEST_CASE("1.3 broadcasting", "[1.3]") {
  using torch::broadcast_shapes;
  CHECK(broadcast_shapes({16, 64}, {64}) == Shape{16, 64});
  CHECK(broadcast_shapes({4, 1}, {1, 5}) == Shape{4, 5});
  CHECK(broadcast_shapes({}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast_shapes({0, 1}, {1, 3}) == Shape{0, 3});
  CHECK(refusal("add", {f32({16, 64}), f32({63})}) ==
        "The size of tensor a (64) must match the size of tensor b (63) at "
        "non-singleton dimension 1");
  CHECK(refusal("mul", {f32({2, 3, 4}), f32({3, 3, 4})}) ==
        "The size of tensor a (2) must match the size of tensor b (3) at "
        "non-singleton dimension 0");
}

TEST_CASE("1.3 a value is broadcast once", "[1.3]") {
  torch::GraphBuilder b(tables());
  b.input("x", f32({2, 3}));
  b.input("w", f32({3}));
  b.call("add", {Arg::of("x"), Arg::of("w")});
  b.call("mul", {Arg::of("x"), Arg::of("w")});
  torch::Graph graph = b.finish({"mul"});
  CHECK(graph.nodes.size() == 5);
  CHECK(graph.node("mul")->args[1] == Arg::of("w_bc"));
}

TEST_CASE("1.3 types of results: PyTorch's promotion", "[1.3]") {
  const DType f = DType::Float32, h = DType::Float16, bf = DType::BFloat16,
              i = DType::Int64, o = DType::Bool;
  struct Row {
    DType a, b, sum, quotient;
  };
  // Tensors with dimensions.
  for (const Row& r : {Row{f, f, f, f}, Row{h, h, h, h}, Row{h, bf, f, f},
                       Row{h, f, f, f}, Row{i, h, h, h}, Row{i, i, i, f},
                       Row{o, i, i, f}, Row{o, o, o, f}, Row{o, bf, bf, bf}}) {
    CHECK(result("add", {{{2}, r.a}, {{2}, r.b}}).dtype == r.sum);
    CHECK(result("add", {{{2}, r.b}, {{2}, r.a}}).dtype == r.sum);
    CHECK(result("div", {{{2}, r.a}, {{2}, r.b}}).dtype == r.quotient);
    CHECK(result("lt", {{{2}, r.a}, {{2}, r.b}}).dtype == o);
  }
  // A tensor without dimensions decides only by a higher kind.
  CHECK(result("mul", {{{2}, h}, {{}, f}}).dtype == h);
  CHECK(result("mul", {{{2}, i}, {{}, f}}).dtype == f);
  CHECK(result("mul", {{{2}, i}, {{}, o}}).dtype == i);
  CHECK(result("mul", {{{}, h}, {{}, f}}).dtype == f);
  // Python numbers are weaker still.
  CHECK(result("mul", {{{2}, h}}, {Arg::of_float(1.5)}).dtype == h);
  CHECK(result("mul", {{{2}, i}}, {Arg::of_float(1.5)}).dtype == f);
  CHECK(result("mul", {{{}, h}}, {Arg::of_float(1.5)}).dtype == h);
  CHECK(result("mul", {{{2}, o}}, {Arg::of(3)}).dtype == i);
  CHECK(result("div", {{{2}, i}}, {Arg::of(2)}).dtype == f);
  // Functions and reductions.
  CHECK(result("exp", {{{2}, i}}).dtype == f);
  CHECK(result("exp", {{{2}, bf}}).dtype == bf);
  CHECK(result("sum", {{{2}, o}}).dtype == i);
  CHECK(result("sum", {{{2}, h}}).dtype == h);
  CHECK(result("amax", {{{2}, o}}).dtype == o);
  CHECK(result("silu", {{{2}, bf}}).dtype == bf);
  CHECK(result("softmax", {{{2}, h}}, {Arg::of(0), Arg::of(f)}).dtype == f);
  CHECK(result("where", {{{2}, o}, {{2}, h}}, {Arg::of_float(0)}).dtype == h);
}

TEST_CASE("1.3 refusals read as PyTorch's", "[1.3]") {
  CHECK(refusal("matmul", {f32({16, 64}), f32({32, 16})}) ==
        "mat1 and mat2 shapes cannot be multiplied (16x64 and 32x16)");
  CHECK(refusal("linear", {f32({2, 3, 4}), f32({5, 6})}) ==
        "mat1 and mat2 shapes cannot be multiplied (6x4 and 6x5)");
  CHECK(refusal("bmm", {f32({2, 3, 4}), f32({2, 5, 6})}) ==
        "Expected size for first two dimensions of batch2 tensor to be: [2, "
        "4] but got: [2, 5].");
  CHECK(refusal("matmul", {f32({2, 3, 4}), f32({3, 4, 5})}) ==
        "The size of tensor a (2) must match the size of tensor b (3) at "
        "non-singleton dimension 0");
  CHECK(refusal("matmul", {f32({3, 4}), f32({5})}) ==
        "size mismatch, got 3, 3x4,5");
  CHECK(refusal("matmul", {f32({4}), f32({5})}) ==
        "inconsistent tensor size, expected tensor [4] and src [5] to have "
        "the same number of elements, but got 4 and 5 elements respectively");
  CHECK(refusal("matmul", {f32({2, 2}), {{2, 2}, DType::BFloat16}}) ==
        "expected m1 and m2 to have the same dtype, but got: float != "
        "c10::BFloat16");
  CHECK(refusal("softmax", {f32({2, 3})}, {Arg::of(2)}) ==
        "Dimension out of range (expected to be in range of [-2, 1], but got "
        "2)");
  CHECK(refusal("unsqueeze", {f32({2, 3})}, {Arg::of(4)}) ==
        "Dimension out of range (expected to be in range of [-3, 2], but got "
        "4)");
  CHECK(refusal("view", {f32({8})}, {Arg::of_ints({2, 3})}) ==
        "shape '[2, 3]' is invalid for input of size 8");
  CHECK(refusal("view", {f32({8})}, {Arg::of_ints({-1, -1})}) ==
        "only one dimension can be inferred");
  CHECK(refusal("expand", {f32({3})}, {Arg::of_ints({4})}) ==
        "The expanded size of the tensor (4) must match the existing size (3) "
        "at non-singleton dimension 0.  Target sizes: [4].  Tensor sizes: "
        "[3]");
  CHECK(refusal("permute", {f32({2, 3})}, {Arg::of_ints({0, 0})}) ==
        "permute(): duplicate dims are not allowed.");
  CHECK(refusal("select", {f32({2, 3})}, {Arg::of(0), Arg::of(5)}) ==
        "index 5 is out of bounds for dimension 0 with size 2");
  CHECK(refusal("layer_norm", {f32({2, 3})}, {Arg::of_ints({4})}) ==
        "Given normalized_shape=[4], expected input with shape [*, 4], but "
        "got input of size[2, 3]");
  CHECK(refusal("mean", {{{2}, DType::Int64}}) ==
        "mean(): could not infer output dtype. Input dtype must be either a "
        "floating point or complex dtype. Got: Long");
  CHECK(refusal("chunk", {f32({4})}, {Arg::of(0)}) ==
        "chunk expects `chunks` to be greater than 0, got: 0");
  CHECK(refusal("split", {f32({5})}, {Arg::of_ints({2, 2})}) ==
        "split_with_sizes expects split_sizes to sum exactly to 5 (input "
        "tensor's size at dimension 0), but got split_sizes=[2, 2]");
  CHECK(
      refusal("gelu", {f32({2})}, {}, {{"approximate", Arg::of_string("x")}}) ==
      "approximate argument must be either none or tanh.");
  CHECK(refusal("silu", {{{2}, DType::Int64}}) ==
        "\"silu\" not implemented for 'Long'");
}

TEST_CASE("1.2 arguments are bound by the schema", "[1.2]") {
  CHECK(refusal("matmul", {f32({2, 2})}) ==
        "matmul() missing 1 required positional arguments: \"other\"");
  CHECK(refusal("relu", {}, {Arg::of(3)}) ==
        "relu(): argument 'input' (position 1) must be Tensor, not int");
  CHECK(refusal("relu", {f32({2})}, {Arg::of(3)}) ==
        "relu() takes 1 positional argument but 2 were given");
  CHECK(refusal("softmax", {f32({2})}, {}, {{"axes", Arg::of(0)}}) ==
        "softmax() got an unexpected keyword argument 'axes'");
  CHECK(refusal("softmax", {f32({2})}, {Arg::of(0)}, {{"dim", Arg::of(0)}}) ==
        "softmax() got multiple values for argument 'dim'");
  CHECK(Arg::of(INT64_MAX).ints[0] == sextant::Dim(INT64_MAX));
  const torch::OpRow& sum = torch::op_row(tables(), "sum");
  std::vector<Arg> bound = torch::bind_args(sum, {Arg::of("x"), Arg::of(-1)});
  CHECK(bound == std::vector<Arg>{Arg::of("x"), Arg::of_ints({-1}),
                                  Arg::of_bool(false)});
}

TEST_CASE("1.2 what goes wrong is collected, and told once", "[1.2]") {
  torch::GraphBuilder b(tables());
  b.input("x", f32({2, 3}));
  Name bad = b.call("matmul", {Arg::of("x"), Arg::of("x")})[0];
  CHECK(bad == "");
  CHECK(b.call("relu", {Arg::of(bad)})[0] == "");
  b.call("frobnicate", {Arg::of("x")});
  CHECK(b.diagnostics().list().size() == 2);
  CHECK_THROWS_AS(b.finish({"x"}), sextant::Error);
}

TEST_CASE("1.2 chunk and split become slices", "[1.2]") {
  torch::GraphBuilder b(tables());
  b.input("x", f32({2, 7}));
  std::vector<Name> parts =
      b.call("chunk", {Arg::of("x"), Arg::of(3)}, {{"dim", Arg::of(-1)}});
  REQUIRE(parts == std::vector<Name>{"slice", "slice_1", "slice_2"});
  CHECK(b.type("slice_2").shape == Shape{2, 1});
  parts = b.call("split", {Arg::of("x"), Arg::of_ints({3, 4}), Arg::of(1)});
  CHECK(b.type(parts[1]).shape == Shape{2, 4});
}

TEST_CASE("1.2 every row is told and can be called", "[1.2]") {
  for (const torch::OpRow& row : tables().rows<torch::OpRow>()) {
    INFO(row.name);
    CHECK(row.doc.size() > 5);
    CHECK(row.doc.back() == '.');
    const auto* kind = row.as<torch::Composite>();
    if (kind == nullptr) continue;
    CHECK(kind->definition.terms.size() == kind->definition.names.size() + 1);
  }
}
