// Rows that compute: elementwise rows, reductions, contractions.
#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/rows.h"

namespace sextant::torch {
namespace {

DType dtype_of(const BoundCall& call, std::size_t i) {
  const Arg& arg = call.args()[i];
  bool tensor = arg.kind == Arg::Kind::Value;
  return tensor ? call.type_of(arg.values[0]).dtype : DType::Int64;
}

void no_float_alpha(const BoundCall& call) {
  bool integral = !is_float(promote(call, call.deciding()));
  if (integral && call.arg("alpha").kind == Arg::Kind::Float) {
    fail({},
         "For integral input tensors, argument alpha must not be a floating "
         "point number.");
  }
}

void no_bool_minus(const BoundCall& call) {
  no_float_alpha(call);
  bool both =
      dtype_of(call, 0) == DType::Bool && dtype_of(call, 1) == DType::Bool;
  if (both) {
    fail({},
         "Subtraction, the `-` operator, with two bool tensors is not "
         "supported. Use the `^` or `logical_xor()` operator instead.");
  }
}

void no_bool_negation(const BoundCall& call) {
  if (dtype_of(call, 0) == DType::Bool) {
    fail({},
         "Negation, the `-` operator, on a bool tensor is not supported. If "
         "you are trying to invert a mask, use the `~` or `logical_not()` "
         "operator instead.");
  }
}

void bools_only(const BoundCall& call) {
  for (const Name& value : call.operands()) {
    DType t = call.type_of(value).dtype;
    if (t == DType::Bool) continue;
    fail({}, "{} of {}: only bool is supported", call.row().name, name_of(t));
  }
}

void bool_condition(const BoundCall& call) {
  DType t = dtype_of(call, 0);
  if (t == DType::Bool) return;
  fail({},
       "where expected condition to be a boolean tensor, but got a tensor "
       "with dtype {}",
       t == DType::Int64 ? "Long" : name_of(t));
}

}  // namespace

// clang-format off
std::vector<OpRow> elementwise_rows() {
  using enum Promote;
  auto unary = [](const char* name, const char* doc, Promote promote,
                  const char* text) {
    return elementwise(std::string(name) + "(Tensor self) -> Tensor", doc,
                       promote, text);
  };
  auto binary = [](const char* name, const char* doc, Promote promote,
                   const char* text) {
    return elementwise(std::string(name) +
                       "(Tensor self, Tensor other) -> Tensor", doc, promote,
                       text);
  };
  return {
    elementwise("add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "The sum; other is multiplied by alpha first.", Arithmetic,
        "add(self, multiply(alpha, other))", no_float_alpha),
    elementwise("sub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "The difference; other is multiplied by alpha first.", Arithmetic,
        "subtract(self, multiply(alpha, other))", no_bool_minus),
    binary("mul", "The product.", Arithmetic, "multiply(self, other)"),
    binary("div", "The quotient; of integers, a float.", Float,
        "divide(self, other)"),
    elementwise("neg(Tensor self) -> Tensor", "The negative.", Arithmetic,
        "negative(self)", no_bool_negation),
    unary("abs", "The absolute value.", Arithmetic, "abs(self)"),
    binary("power", "self to the power of other, in general.", Arithmetic,
        "pow(self, other)"),
    binary("maximum", "The larger; a NaN wins.", Arithmetic,
        "maximum(self, other)"),
    binary("minimum", "The smaller; a NaN wins.", Arithmetic,
        "minimum(self, other)"),
    unary("relu", "The larger of self and 0.", Arithmetic, "relu(self)"),
    unary("floor", "The largest integer that is not above.", Float,
        "floor(self)"),
    unary("reciprocal", "1 divided by self.", Float, "reciprocal(self)"),
    unary("exp", "e to the power of self.", Float, "exp(self)"),
    unary("log", "The natural logarithm.", Float, "log(self)"),
    unary("sqrt", "The square root.", Float, "sqrt(self)"),
    unary("rsqrt", "1 divided by the square root.", Float, "rsqrt(self)"),
    unary("tanh", "The hyperbolic tangent.", Float, "tanh(self)"),
    unary("sigmoid", "1/(1 + exp(-self)).", Float, "sigmoid(self)"),
    unary("erf", "The error function.", Float, "erf(self)"),
    unary("sin", "The sine.", Float, "sin(self)"),
    unary("cos", "The cosine.", Float, "cos(self)"),
    binary("eq", "Whether self equals other.", Compare, "equal(self, other)"),
    binary("ne", "Whether they differ.", Compare, "not_equal(self, other)"),
    binary("lt", "Whether self is less.", Compare, "less(self, other)"),
    binary("le", "Whether self is not greater.", Compare,
        "less_equal(self, other)"),
    binary("gt", "Whether self is greater.", Compare, "greater(self, other)"),
    binary("ge", "Whether self is not less.", Compare,
        "greater_equal(self, other)"),
    binary("logical_and", "Whether both are other than 0.", Logical,
        "logical_and(self, other)"),
    binary("logical_or", "Whether one is other than 0.", Logical,
        "logical_or(self, other)"),
    unary("logical_not", "Whether self is 0.", Logical, "logical_not(self)"),
    elementwise("bitwise_and(Tensor self, Tensor other) -> Tensor",
        "logical_and, of truth values.", Logical, "logical_and(self, other)",
        bools_only),
    elementwise("bitwise_or(Tensor self, Tensor other) -> Tensor",
        "logical_or, of truth values.", Logical, "logical_or(self, other)",
        bools_only),
    elementwise("bitwise_not(Tensor self) -> Tensor",
        "logical_not, of truth values.", Logical, "logical_not(self)",
        bools_only),
    elementwise("where(Tensor condition, Tensor self, Tensor other) -> Tensor",
        "self where the condition holds, else other.", Choose,
        "where(condition, self, other)", bool_condition),
    elementwise("to(Tensor self, ScalarType dtype) -> Tensor",
        "self converted to a type, rounding to nearest even.", Given, "self"),
  };
}

std::vector<OpRow> reduction_rows() {
  auto over = [](const char* name, const char* doc, const char* combiner) {
    return row(std::string(name) + "(Tensor self, int[]? dim=None, "
               "bool keepdim=False) -> Tensor", doc, Reduction{combiner});
  };
  return {
    over("sum", "The sum over dimensions; of integers, an int64.", "add"),
    over("prod", "The product over dimensions.", "multiply"),
    over("amax", "The largest element over dimensions.", "maximum"),
    over("amin", "The smallest element over dimensions.", "minimum"),
    over("any", "Whether an element is other than 0.", "logical_or"),
    over("all", "Whether all elements are other than 0.", "logical_and"),
  };
}
// clang-format on

namespace {

std::string sizes(const Shape& shape, std::size_t from) {
  std::vector<std::string> parts;
  for (std::size_t i = from; i < shape.size(); i++)
    parts.push_back(sextant::to_string(shape[i]));
  return join(parts, "x");
}

// The product of all extents but the last `but`.
Dim rows_of(const Shape& shape, std::size_t but) {
  Dim product = 1;
  for (std::size_t i = 0; i + but < shape.size(); i++)
    product = product * shape[i];
  return product;
}

// The extents that are summed over must agree; PyTorch's text depends on the
// routine that would have run.
void check_inner(const Shape& a, const Shape& b) {
  const Dim& x = a.back();
  const Dim& y = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (same_dim(x, y)) return;
  auto text = [](const Dim& dim) { return sextant::to_string(dim); };
  if (a.size() == 1 && b.size() == 1) {
    fail({},
         "inconsistent tensor size, expected tensor [{}] and src [{}] to have "
         "the same number of elements, but got {} and {} elements respectively",
         text(x), text(y), text(x), text(y));
  }
  if (b.size() == 1) {
    std::string rows = text(rows_of(a, 1));
    fail({}, "size mismatch, got {}, {}x{},{}", rows, rows, text(x), text(y));
  }
  if (b.size() == 2) {
    fail({}, "mat1 and mat2 shapes cannot be multiplied ({}x{} and {})",
         text(rows_of(a, 1)), text(x), sizes(b, 0));
  }
  fail({},
       "Expected size for first two dimensions of batch2 tensor to be: [{}, "
       "{}] but got: [{}, {}].",
       text(rows_of(b, 2)), text(x), text(rows_of(b, 2)), text(y));
}

// The index of a batch dimension: stretched dimensions are read at 0. The
// batch dimensions of an operand lie at the end of those of the product.
void batch_index(Piece& piece, const Shape& shape, std::size_t count,
                 const Shape& space, std::size_t batch) {
  for (std::size_t i = 0; i < count; i++) {
    std::size_t at = batch - count + i;
    bool stretched = !same_dim(shape[i], space[at]);
    piece.index.push_back(stretched ? Expr(0) : var(index_name(at)));
  }
}

Product matmul_product(const BoundCall& call) {
  const Shape& a = call.type("self").shape;
  const Shape& b = call.type("other").shape;
  if (a.empty() || b.empty()) {
    fail({},
         "both arguments to matmul need to be at least 1D, but they are {}D "
         "and {}D",
         a.size(), b.size());
  }
  check_inner(a, b);
  std::size_t batch_a = a.size() > 2 ? a.size() - 2 : 0;
  std::size_t batch_b = b.size() > 2 ? b.size() - 2 : 0;
  Product product;
  auto first = [](const Shape& s, std::size_t n) {
    return Shape(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(n));
  };
  product.space = broadcast_shapes(first(a, batch_a), first(b, batch_b));
  std::size_t batch = product.space.size();
  product.left.value = call.value("self");
  product.right.value = call.value("other");
  batch_index(product.left, a, batch_a, product.space, batch);
  batch_index(product.right, b, batch_b, product.space, batch);
  // A vector has no row of its own on the left, no column on the right.
  if (a.size() > 1) {
    product.left.index.push_back(var(index_name(product.space.size())));
    product.space.push_back(a[a.size() - 2]);
  }
  product.axis = product.space.size();
  product.left.index.push_back(var(index_name(product.axis)));
  product.right.index.push_back(var(index_name(product.axis)));
  product.space.push_back(a.back());
  if (b.size() > 1) {
    product.right.index.push_back(var(index_name(product.space.size())));
    product.space.push_back(b.back());
  }
  return product;
}

}  // namespace

std::vector<OpRow> contraction_rows() {
  return {row("matmul(Tensor self, Tensor other) -> Tensor",
              "The matrix product; leading dimensions are broadcast.",
              Contraction{matmul_product})};
}

}  // namespace sextant::torch
