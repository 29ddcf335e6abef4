#include "chapters/01-torch-ir/infer.h"

#include <algorithm>

#include "chapters/01-torch-ir/builder.h"
#include "src/base/scalar_op.h"

namespace sextant::torch {

bool same_dim(const Dim& a, const Dim& b) {
  return a == b || simplify(a - b) == Expr(0);
}

bool same_shape(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_dim);
}

std::string text_of(const Shape& shape) {
  std::vector<std::string> parts;
  for (const Dim& dim : shape)
    parts.push_back(sextant::to_string(dim));
  return "[" + join(parts) + "]";
}

std::size_t wrap_dim(int64_t dim, std::size_t rank) {
  // A tensor without dimensions takes 0 and -1, as PyTorch has it.
  int64_t n = std::max<int64_t>(static_cast<int64_t>(rank), 1);
  if (dim < -n || dim >= n) {
    fail({},
         "Dimension out of range (expected to be in range of [{}, {}], but "
         "got {})",
         -n, n - 1, dim);
  }
  return static_cast<std::size_t>(dim < 0 ? dim + n : dim);
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  // Aligned at the last dimension; what is missing in front counts as 1.
  for (std::size_t i = 0; i < result.size(); i++) {
    std::size_t at = result.size() - 1 - i;
    Dim x = i < a.size() ? a[a.size() - 1 - i] : Dim(1);
    Dim y = i < b.size() ? b[b.size() - 1 - i] : Dim(1);
    if (!same_dim(x, y) && x != Dim(1) && y != Dim(1)) {
      fail({},
           "The size of tensor a ({}) must match the size of tensor b ({}) at "
           "non-singleton dimension {}",
           sextant::to_string(x), sextant::to_string(y), at);
    }
    result[at] = x == Dim(1) ? y : x;
  }
  return result;
}

namespace {

// bool < int64 < floats; two different floats meet in float32.
DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) && is_float(b)) return DType::Float32;
  if (is_float(a) || b == DType::Bool) return a;
  return b;
}

int kind_of(DType t) {
  if (is_float(t)) return 2;
  return t == DType::Int64 ? 1 : 0;
}

// A weaker operand counts only where it is of a higher kind.
std::optional<DType> combine(std::optional<DType> strong,
                             std::optional<DType> weak) {
  if (!strong || !weak) return strong ? strong : weak;
  if (kind_of(*weak) <= kind_of(*strong)) return strong;
  return promote_types(*strong, *weak);
}

}  // namespace

DType promote(const BoundCall& call, const std::vector<Arg>& operands) {
  // Tensors with dimensions, tensors without, numbers.
  std::optional<DType> found[3];
  auto see = [&](int strength, DType t) {
    found[strength] = found[strength] ? promote_types(*found[strength], t) : t;
  };
  for (const Arg& arg : operands) {
    switch (arg.kind) {
      case Arg::Kind::Value:
      case Arg::Kind::Values:
        for (const Name& name : arg.values) {
          const Type& type = call.type_of(name);
          see(type.shape.empty() ? 1 : 0, type.dtype);
        }
        break;
      case Arg::Kind::Int: see(2, DType::Int64); break;
      case Arg::Kind::Float: see(2, DType::Float32); break;
      case Arg::Kind::Bool: see(2, DType::Bool); break;
      default: break;
    }
  }
  std::optional<DType> all = combine(found[0], combine(found[1], found[2]));
  INVARIANT(all, "{} has no operands", call.row().name);
  return *all;
}

namespace {

DType elementwise_dtype(const BoundCall& call, Promote rule) {
  DType common = promote(call, call.deciding());
  switch (rule) {
    case Promote::Arithmetic:
    case Promote::Choose: return common;
    case Promote::Float: return is_float(common) ? common : DType::Float32;
    case Promote::Compare:
    case Promote::Logical: return DType::Bool;
    case Promote::Given: return call.arg("dtype").dtype;
  }
  return common;
}

Type infer_elementwise(const BoundCall& call, const Elementwise& kind) {
  Type type;
  bool first = true;
  for (const Name& name : call.operands()) {
    const Shape& shape = call.type_of(name).shape;
    if (!first && !same_shape(shape, type.shape)) {
      fail({}, "operands of {} have shapes {} and {}: broadcast by expand",
           call.row().name, text_of(type.shape), text_of(shape));
    }
    if (first) type.shape = shape;
    first = false;
  }
  if (first) fail({}, "{} needs a tensor", call.row().name);
  type.dtype = elementwise_dtype(call, kind.promote);
  return type;
}

Type infer_reduction(const BoundCall& call) {
  Reduced reduced = reduction_of(call);
  const Type& from = call.type("self");
  Type type;
  // Sums of halves are halves; `all` and `any` are truth values of anything.
  bool keeps = is_float(from.dtype) && is_float(reduced.compute);
  type.dtype = keeps ? from.dtype : reduced.compute;
  // A maximum is one of the elements; sums of integers are int64.
  bool picks = reduced.combiner == "maximum" || reduced.combiner == "minimum";
  if (picks) type.dtype = from.dtype;
  for (std::size_t axis = 0; axis < from.shape.size(); axis++) {
    bool gone = std::find(reduced.axes.begin(), reduced.axes.end(), axis) !=
                reduced.axes.end();
    if (!gone) type.shape.push_back(from.shape[axis]);
    if (gone && reduced.keepdim) type.shape.push_back(1);
    if (gone && picks && from.shape[axis] == Dim(0)) {
      fail({}, "{}(): Expected reduction dim {} to have non-zero size",
           call.row().name, axis);
    }
  }
  return type;
}

Type infer_view(const BoundCall& call, const View& kind) {
  IndexMap map = kind.map(call);
  Type type{map.shape, call.type_of(map.pieces.at(0).value).dtype};
  for (const Piece& piece : map.pieces) {
    DType dtype = call.type_of(piece.value).dtype;
    if (dtype != type.dtype) {
      fail({}, "{} joins {} and {}: convert by to", call.row().name,
           name_of(type.dtype), name_of(dtype));
    }
  }
  return type;
}

const char* cpp_name(DType dtype) {
  switch (dtype) {
    case DType::Float32: return "float";
    case DType::Float16: return "c10::Half";
    case DType::BFloat16: return "c10::BFloat16";
    case DType::Int64: return "long";
    case DType::Bool: return "bool";
  }
  return "";
}

Type infer_contraction(const BoundCall& call, const Contraction& kind) {
  Product product = kind.product(call);
  DType a = call.type_of(product.left.value).dtype;
  DType b = call.type_of(product.right.value).dtype;
  if (a != b) {
    fail({}, "expected m1 and m2 to have the same dtype, but got: {} != {}",
         cpp_name(a), cpp_name(b));
  }
  Type type{product.space, a};
  type.shape.erase(type.shape.begin() +
                   static_cast<std::ptrdiff_t>(product.axis));
  return type;
}

// A composite has the type that its definition makes.
Type infer_composite(const Tables& tables, const BoundCall& call) {
  GraphBuilder scratch(tables);
  for (const Name& name : call.operands()) {
    if (!scratch.has(name)) scratch.input(name, call.type_of(name));
  }
  return scratch.type(run_definition(scratch, call));
}

}  // namespace

Type infer(const Tables& tables, const BoundCall& call) {
  const OpRow& r = call.row();
  if (r.check != nullptr) r.check(call);
  if (const auto* k = r.as<Elementwise>()) return infer_elementwise(call, *k);
  if (r.as<Reduction>() != nullptr) return infer_reduction(call);
  if (const auto* k = r.as<View>()) return infer_view(call, *k);
  if (const auto* k = r.as<Contraction>()) return infer_contraction(call, *k);
  if (const auto* k = r.as<Maker>()) return k->make(call).type;
  if (r.as<Composite>() != nullptr) return infer_composite(tables, call);
  fail({}, "{} is no operation with one result", r.name);
}

}  // namespace sextant::torch
