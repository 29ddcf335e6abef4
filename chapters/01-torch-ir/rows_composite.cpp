// Rows that are defined by other rows.
#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/rows.h"

namespace sextant::torch {
namespace {

void float_mean(const BoundCall& call) {
  DType t =
      call.given("dtype") ? call.arg("dtype").dtype : call.type("self").dtype;
  if (is_float(t)) return;
  fail({},
       "mean(): could not infer output dtype. Input dtype must be either a "
       "floating point or complex dtype. Got: {}",
       t == DType::Bool ? "Bool" : "Long");
}

void check_approximate(const BoundCall& call) {
  const std::string& how = call.arg("approximate").text;
  if (how != "none" && how != "tanh") {
    fail({}, "approximate argument must be either none or tanh.");
  }
}

// normalized_shape must be the end of the input's shape, and weight and bias
// have it.
void check_normalized(const BoundCall& call) {
  const Shape& input = call.type("input").shape;
  const Shape& wanted = call.ints("normalized_shape");
  bool ends =
      !wanted.empty() && input.size() >= wanted.size() &&
      same_shape(Shape(input.end() - static_cast<std::ptrdiff_t>(wanted.size()),
                       input.end()),
                 wanted);
  if (!ends) {
    std::string list = text_of(wanted);
    fail({},
         "Given normalized_shape={}, expected input with shape [*, {}, but "
         "got input of size{}",
         list, list.substr(1), text_of(input));
  }
  for (const Param& param : call.row().params) {
    bool scales = param.name == "weight" || param.name == "bias";
    if (!scales || !call.given(param.name)) continue;
    const Shape& shape = call.type(param.name).shape;
    if (same_shape(shape, wanted)) continue;
    fail({},
         "Expected {} to be of same shape as normalized_shape, but got {} of "
         "shape {} and normalized_shape = {}",
         param.name, param.name, text_of(shape), text_of(wanted));
  }
}

void check_rank(const BoundCall& call, const char* param, std::size_t rank,
                const char* text) {
  if (call.type(param).shape.size() != rank) fail({}, "{}", text);
}

void check_mm(const BoundCall& call) {
  check_rank(call, "self", 2, "self must be a matrix");
  check_rank(call, "mat2", 2, "mat2 must be a matrix");
}

void check_bmm(const BoundCall& call) {
  check_rank(call, "self", 3, "batch1 must be a 3D tensor");
  check_rank(call, "mat2", 3, "batch2 must be a 3D tensor");
  const Shape& a = call.type("self").shape;
  const Shape& b = call.type("mat2").shape;
  if (same_dim(a[0], b[0])) return;
  fail({},
       "Expected size for first two dimensions of batch2 tensor to be: [{}, "
       "{}] but got: [{}, {}].",
       sextant::to_string(a[0]), sextant::to_string(a[2]),
       sextant::to_string(b[0]), sextant::to_string(b[1]));
}

void check_attention(const BoundCall& call) {
  const Arg& p = call.arg("dropout_p");
  if (p.number != 0) {
    fail({}, "scaled_dot_product_attention with dropout: not supported");
  }
  if (call.given("attn_mask") && call.flag("is_causal")) {
    fail({},
         "scaled_dot_product_attention: Explicit attn_mask should not be set "
         "when is_causal=True");
  }
  for (const char* param : {"query", "key", "value"}) {
    if (call.type(param).shape.size() < 2) {
      fail({},
           "scaled_dot_product_attention: Expected query, key, and value to "
           "all be at least 2 dimensional");
    }
    if (call.type(param).dtype != call.type("query").dtype) {
      fail({},
           "Expected query, key, and value to have the same dtype, but got "
           "query.dtype: {} and {}.dtype: {} instead.",
           name_of(call.type("query").dtype), param,
           name_of(call.type(param).dtype));
    }
  }
  if (!call.flag("enable_gqa")) return;
  auto heads = [&](const char* param) {
    const Shape& shape = call.type(param).shape;
    return shape.size() < 3 ? Dim(1) : shape[shape.size() - 3];
  };
  Dim q = heads("query"), k = heads("key");
  bool fits = constant(q) && constant(k) && value_of(k) > 0 &&
              value_of(q) % value_of(k) == 0 && same_dim(k, heads("value"));
  if (!fits) {
    fail({},
         "Number of heads in key and value must divide the number of heads "
         "in query");
  }
}

constexpr const char* kAttention =
    "k = if(enable_gqa, repeat_interleave(key, quotient(size(query, -3), "
    "size(key, -3)), -3), key); "
    "v = if(enable_gqa, repeat_interleave(value, quotient(size(query, -3), "
    "size(value, -3)), -3), value); "
    "s = mul(matmul(query, transpose(k, -2, -1)), "
    "default(scale, inverse_sqrt(size(query, -1)))); "
    "s = if(is_causal, causal_mask(s), s); "
    "s = if(given(attn_mask), if(is_bool(attn_mask), "
    "where(attn_mask, s, -inf), add(s, attn_mask)), s); "
    "m = amax(s, -1, True); "
    // A row that is masked entirely: exp(-inf - 0) is 0, and 0/0 becomes 0.
    "m = if(given(attn_mask), where(eq(m, -inf), 0.0, m), m); "
    "e = exp(sub(s, m)); "
    "n = sum(e, -1, True); "
    "o = div(matmul(rounded(e), v), n); "
    "if(given(attn_mask), where(eq(n, 0.0), 0.0, o), o)";

}  // namespace

// clang-format off
std::vector<OpRow> composite_rows() {
  using enum Precision;
  auto unary = [](const char* name, const char* doc, const char* text) {
    return composite(std::string(name) + "(Tensor self) -> Tensor", doc, Once,
                     text);
  };
  return {
    unary("silu", "self times its sigmoid (swish).",
        "mul(self, sigmoid(self))"),
    composite("gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
        "self times the normal distribution's share below it.", Once,
        "f = if(is(approximate, tanh), "
        "tanh(mul(add(self, mul(mul(mul(self, self), self), 0.044715)), "
        "0.7978845608028654)), erf(mul(self, 0.7071067811865476))); "
        "mul(mul(self, 0.5), add(f, 1.0))", check_approximate),
    unary("hardsigmoid", "self/6 + 1/2, between 0 and 1.",
        "div(minimum(maximum(add(self, 3.0), 0.0), 6.0), 6.0)"),
    unary("hardswish", "self times its hardsigmoid.",
        "div(mul(self, minimum(maximum(add(self, 3.0), 0.0), 6.0)), 6.0)"),
    unary("relu6", "self, between 0 and 6.",
        "minimum(maximum(self, 0.0), 6.0)"),
    unary("mish", "self times tanh(softplus(self)).",
        "mul(self, tanh(softplus(self)))"),
    unary("square", "self times itself.", "mul(self, self)"),
    composite("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> "
        "Tensor", "log(1 + exp(beta*self))/beta; self above the threshold.",
        Once, "b = mul(self, beta); where(gt(b, threshold), self, "
        "div(log(add(exp(b), 1.0)), beta))"),
    composite("elu(Tensor self, Scalar alpha=1) -> Tensor",
        "self above 0, alpha*(exp(self) - 1) below.", Once,
        "where(gt(self, 0.0), self, mul(sub(exp(self), 1.0), alpha))"),
    composite("leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
        "self above 0, a small multiple of it below.", Once,
        "where(gt(self, 0.0), self, mul(self, negative_slope))"),
    composite("clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> "
        "Tensor", "self, no less than min and no more than max.", AsWritten,
        "x = if(given(min), maximum(self, min), self); "
        "if(given(max), minimum(x, max), x)"),
    composite("pow(Tensor self, Tensor exponent) -> Tensor",
        "self to a power; small powers are products.", AsWritten,
        "if(is(exponent, 2), mul(self, self), "
        "if(is(exponent, 3), mul(mul(self, self), self), "
        "if(is(exponent, 0.5), sqrt(self), "
        "if(is(exponent, -0.5), rsqrt(self), "
        "if(is(exponent, -1), reciprocal(self), "
        "if(is(exponent, -2), reciprocal(mul(self, self)), "
        "power(self, exponent)))))))"),
    composite("rsub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "other minus alpha times self.", AsWritten,
        "sub(other, self, alpha)"),
    composite("masked_fill(Tensor self, Tensor mask, Scalar value) -> Tensor",
        "value where the mask holds, else self.", AsWritten,
        "where(mask, value, self)"),
    composite("mean(Tensor self, int[]? dim=None, bool keepdim=False, *, "
        "ScalarType? dtype=None) -> Tensor", "The mean over dimensions.", Once,
        "x = if(given(dtype), to(self, dtype), self); "
        "div(sum(x, dim, keepdim), count(x, dim))", float_mean),
    composite("var(Tensor self, int[]? dim=None, *, int correction=1, "
        "bool keepdim=False) -> Tensor",
        "The variance; correction 1 is the unbiased one.", Once,
        "c = sub(self, mean(self, dim, True)); div(sum(mul(c, c), dim, "
        "keepdim), difference(count(self, dim), correction))"),
    composite("std(Tensor self, int[]? dim=None, *, int correction=1, "
        "bool keepdim=False) -> Tensor", "The square root of the variance.",
        Once, "sqrt(var(self, dim, correction, keepdim))"),
    composite("softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
        "exp(self) divided by its sum along a dimension.", Once,
        "x = if(given(dtype), to(self, dtype), self); m = amax(x, dim, True);"
        " e = exp(sub(x, m)); div(e, sum(e, dim, True))"),
    composite("log_softmax(Tensor self, int dim, ScalarType? dtype=None) -> "
        "Tensor", "The logarithm of softmax.", Once,
        "x = if(given(dtype), to(self, dtype), self); "
        "c = sub(x, amax(x, dim, True)); "
        "sub(c, log(sum(exp(c), dim, True)))"),
    composite("logsumexp(Tensor self, int[] dim, bool keepdim=False) -> "
        "Tensor", "The logarithm of the sum of exp(self).", Once,
        "m = amax(self, dim, True); "
        "add(log(sum(exp(sub(self, m)), dim, keepdim)), "
        "amax(self, dim, keepdim))"),
    composite("rms_norm(Tensor input, int[] normalized_shape, "
        "Tensor? weight=None, float? eps=None) -> Tensor",
        "The input divided by its root mean square, scaled.", Once,
        "m = mean(mul(input, input), last(normalized_shape), True); "
        "y = mul(input, rsqrt(add(m, default(eps, 1.1920928955078125e-07)))); "
        "if(given(weight), mul(y, weight), y)", check_normalized),
    composite("layer_norm(Tensor input, int[] normalized_shape, "
        "Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
        "The input moved to mean 0 and variance 1, scaled and moved.", Once,
        "d = last(normalized_shape); c = sub(input, mean(input, d, True)); "
        "y = mul(c, rsqrt(add(mean(mul(c, c), d, True), eps))); "
        "s = if(given(weight), mul(y, weight), y); "
        "if(given(bias), add(s, bias), s)", check_normalized),
    composite("linear(Tensor input, Tensor weight, Tensor? bias=None) -> "
        "Tensor", "input times the transpose of weight, plus bias.", Once,
        "y = matmul(input, t(weight)); if(given(bias), add(y, bias), y)"),
    composite("mm(Tensor self, Tensor mat2) -> Tensor",
        "The product of two matrices.", AsWritten, "matmul(self, mat2)",
        check_mm),
    composite("bmm(Tensor self, Tensor mat2) -> Tensor",
        "The products of two batches of matrices.", AsWritten,
        "matmul(self, mat2)", check_bmm),
    composite("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, "
        "Scalar alpha=1) -> Tensor", "beta*self + alpha*(mat1 times mat2).",
        Once, "y = matmul(mat1, mat2); a = if(is(alpha, 1), y, mul(y, alpha)); "
        "b = if(is(beta, 1), self, mul(self, beta)); add(a, b)"),
    composite("outer(Tensor self, Tensor vec2) -> Tensor",
        "All products of two vectors' elements.", AsWritten,
        "mul(unsqueeze(self, -1), vec2)"),
    composite("scaled_dot_product_attention(Tensor query, Tensor key, "
        "Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, "
        "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) "
        "-> Tensor", "softmax(query times key transposed, scaled) times value.",
        Once, kAttention, check_attention),
  };
}
// clang-format on

}  // namespace sextant::torch
