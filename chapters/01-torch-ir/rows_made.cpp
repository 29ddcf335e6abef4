// Rows that make values of sizes and indices, and rows with several results.
#include <limits>

#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/rows.h"

namespace sextant::torch {
namespace {

void check_sizes(const Shape& shape) {
  for (const Dim& dim : shape) {
    if (constant(dim) && value_of(dim) < 0) {
      fail({}, "Trying to create tensor with negative dimension {}: {}",
           value_of(dim), text_of(shape));
    }
  }
}

// A number as a constant of a type.
Expr constant_of(const Arg& number, DType dtype) {
  Expr value = Float{number.number};
  DType from = DType::Float32;
  if (number.kind != Arg::Kind::Float) {
    value = number.kind == Arg::Kind::Bool ? Expr(Int{number.flag})
                                           : number.ints[0];
    from = DType::Int64;
  }
  if (from == dtype) return value;
  const Int* i = value.as<Int>();
  if (i != nullptr && is_float(dtype)) {
    value = Float{static_cast<double>(i->value)};
    from = DType::Float32;
  }
  return from == dtype ? value : Expr(Cast{value, dtype});
}

DType usual_dtype(const Arg& number) {
  switch (number.kind) {
    case Arg::Kind::Bool: return DType::Bool;
    case Arg::Kind::Int: return DType::Int64;
    default: return DType::Float32;
  }
}

DType dtype_or(const BoundCall& call, DType usual) {
  return call.given("dtype") ? call.arg("dtype").dtype : usual;
}

Made filled(const BoundCall& call, const Shape& shape, const Arg& number,
            DType usual) {
  check_sizes(shape);
  DType dtype = dtype_or(call, usual);
  return {{shape, dtype}, constant_of(number, dtype)};
}

Made full(const BoundCall& call) {
  const Arg& number = call.arg("fill_value");
  return filled(call, call.ints("size"), number, usual_dtype(number));
}

Made full_like(const BoundCall& call) {
  const Type& type = call.type("self");
  return filled(call, type.shape, call.arg("fill_value"), type.dtype);
}

// start + i*step, for start + i*step < end.
Made arange(const BoundCall& call) {
  for (const char* param : {"start", "end", "step"}) {
    if (call.arg(param).kind == Arg::Kind::Int) continue;
    fail({}, "arange: '{}' is no integer: not supported", param);
  }
  const Dim& start = call.ints("start")[0];
  const Dim& end = call.ints("end")[0];
  int64_t step = call.integer("step");
  if (step == 0) fail({}, "step must be nonzero");
  Dim extent = simplify(step > 0 ? ceil_div(end - start, step)
                                 : ceil_div(start - end, -step));
  if (constant(extent) && value_of(extent) < 0) {
    fail({}, "upper bound and larger bound inconsistent with step sign");
  }
  DType dtype = dtype_or(call, DType::Int64);
  Expr value = simplify(start + var(index_name(0)) * Expr(step));
  return {{{extent}, dtype},
          dtype == DType::Int64 ? value : Expr(Cast{value, dtype})};
}

std::vector<SplitCall> slices(const BoundCall& call, std::size_t dim,
                              const std::vector<int64_t>& lengths) {
  std::vector<SplitCall> parts;
  int64_t start = 0;
  for (int64_t length : lengths) {
    parts.push_back({"slice",
                     {call.arg("self"), Arg::of(static_cast<int64_t>(dim)),
                      Arg::of(start), Arg::of(start + length)}});
    start += length;
  }
  return parts;
}

// The size along `dim`, which must be known.
int64_t known_size(const BoundCall& call, std::size_t& dim) {
  const Shape& shape = call.type("self").shape;
  dim = wrap_dim(call.integer("dim"), shape.size());
  if (shape.empty())
    fail({}, "{} expects at least a 1-dimensional tensor", call.row().name);
  if (!constant(shape[dim])) {
    fail({}, "{} along a symbolic dimension '{}': not supported",
         call.row().name, sextant::to_string(shape[dim]));
  }
  return value_of(shape[dim]);
}

std::vector<int64_t> equal_lengths(int64_t size, int64_t length) {
  std::vector<int64_t> lengths;
  for (int64_t start = 0; start < size; start += length)
    lengths.push_back(std::min(length, size - start));
  if (lengths.empty()) lengths.push_back(0);
  return lengths;
}

std::vector<SplitCall> chunk(const BoundCall& call) {
  int64_t chunks = call.integer("chunks");
  if (chunks <= 0) {
    fail({}, "chunk expects `chunks` to be greater than 0, got: {}", chunks);
  }
  std::size_t dim = 0;
  int64_t size = known_size(call, dim);
  int64_t length = std::max<int64_t>((size + chunks - 1) / chunks, 1);
  return slices(call, dim, equal_lengths(size, length));
}

// split_size: one number, or the sizes of the parts.
std::vector<SplitCall> split(const BoundCall& call) {
  std::size_t dim = 0;
  int64_t size = known_size(call, dim);
  std::vector<int64_t> lengths;
  for (const Dim& length : call.ints("split_size"))
    lengths.push_back(value_of(length));
  if (lengths.size() == 1 && lengths[0] > 0) {
    lengths = equal_lengths(size, lengths[0]);
  }
  int64_t sum = 0;
  for (int64_t length : lengths)
    sum += length;
  if (sum != size) {
    fail({},
         "split_with_sizes expects split_sizes to sum exactly to {} (input "
         "tensor's size at dimension {}), but got split_sizes={}",
         size, dim, text_of(call.ints("split_size")));
  }
  return slices(call, dim, lengths);
}

std::vector<SplitCall> unbind(const BoundCall& call) {
  std::size_t dim = 0;
  int64_t size = known_size(call, dim);
  std::vector<SplitCall> parts;
  for (int64_t i = 0; i < size; i++) {
    parts.push_back(
        {"select",
         {call.arg("self"), Arg::of(static_cast<int64_t>(dim)), Arg::of(i)}});
  }
  return parts;
}

}  // namespace

std::vector<OpRow> maker_rows() {
  return {
      row("full(int[] size, Scalar fill_value, *, ScalarType? dtype=None) -> "
          "Tensor",
          "One number, everywhere.", Maker{full}),
      row("full_like(Tensor self, Scalar fill_value, *, ScalarType? "
          "dtype=None) -> Tensor",
          "One number, with the shape and type of self.", Maker{full_like}),
      row("arange(Scalar start, Scalar end, Scalar step=1, *, ScalarType? "
          "dtype=None) -> Tensor",
          "start, start + step, ... below end.", Maker{arange}),
  };
}

std::vector<OpRow> split_rows() {
  return {
      row("chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
          "As many parts of equal size, the last one what is left.",
          Split{chunk}),
      row("split(Tensor self, int[] split_size, int dim=0) -> Tensor[]",
          "Parts of one size, or of the given sizes.", Split{split}),
      row("unbind(Tensor self, int dim=0) -> Tensor[]",
          "All slices along a dimension, without it.", Split{unbind}),
  };
}

}  // namespace sextant::torch
