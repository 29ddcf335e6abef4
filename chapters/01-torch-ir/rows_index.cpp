// Rows that pick and join elements: slices, concatenation, masks by position,
// lookups.
#include <algorithm>
#include <limits>

#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/rows.h"

namespace sextant::torch {
namespace {

std::ptrdiff_t at(std::size_t i) {
  return static_cast<std::ptrdiff_t>(i);
}

std::vector<Expr> indices(std::size_t rank) {
  std::vector<Expr> list;
  for (std::size_t d = 0; d < rank; d++)
    list.push_back(var(index_name(d)));
  return list;
}

// The dimension that a row picks from; it must exist.
std::size_t dim_of(const BoundCall& call) {
  const Shape& shape = call.type("self").shape;
  if (shape.empty()) {
    fail({}, "{}() cannot be applied to a 0-dim tensor.", call.row().name);
  }
  return wrap_dim(call.integer("dim"), shape.size());
}

// A slice's end, counted from the front and within the tensor.
Dim clamped(const Dim& given, const Dim& extent) {
  if (constant(given) && constant(extent)) {
    int64_t n = value_of(extent), x = value_of(given);
    return std::clamp<int64_t>(x < 0 ? x + n : x, 0, n);
  }
  if (given == Dim(0) || same_dim(given, extent)) return given;
  if (given == Dim(std::numeric_limits<int64_t>::max())) return extent;
  fail({}, "slice at '{}' of a dimension '{}': not supported",
       sextant::to_string(given), sextant::to_string(extent));
}

IndexMap slice(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  std::size_t d = dim_of(call);
  int64_t step = call.integer("step");
  if (step <= 0) fail({}, "slice step must be positive");
  Dim start =
      call.given("start") ? clamped(call.ints("start")[0], from[d]) : Dim(0);
  Dim end = call.given("end") ? clamped(call.ints("end")[0], from[d]) : from[d];
  bool empty =
      constant(start) && constant(end) && value_of(end) < value_of(start);
  IndexMap map = identity(call);
  map.shape[d] = empty ? Dim(0) : simplify(ceil_div(end - start, step));
  Expr& index = map.pieces[0].index[d];
  index = simplify(index * Expr(step) + start);
  return map;
}

IndexMap select(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  std::size_t d = dim_of(call);
  int64_t index = call.integer("index");
  bool outside = constant(from[d]) &&
                 (index < -value_of(from[d]) || index >= value_of(from[d]));
  if (outside) {
    fail({}, "index {} is out of bounds for dimension {} with size {}", index,
         d, value_of(from[d]));
  }
  if (!constant(from[d]) && index != 0 && index != -1) {
    fail({}, "index {} of a dimension '{}': not supported", index,
         sextant::to_string(from[d]));
  }
  IndexMap map{from, {{call.value("self"), indices(from.size() - 1), {}}}, {}};
  map.shape.erase(map.shape.begin() + at(d));
  std::vector<Expr>& list = map.pieces[0].index;
  list.insert(list.begin() + at(d),
              simplify(index < 0 ? from[d] + Expr(index) : Expr(index)));
  return map;
}

// Pieces one after the other along a dimension: each is guarded by its end.
IndexMap cat(const BoundCall& call) {
  const std::vector<Name>& values = call.arg("tensors").values;
  if (values.empty())
    fail({}, "torch.cat(): expected a non-empty list of Tensors");
  const Shape& first = call.type_of(values[0]).shape;
  if (first.empty()) {
    fail({}, "zero-dimensional tensor (at position 0) cannot be concatenated");
  }
  std::size_t d = wrap_dim(call.integer("dim"), first.size());
  IndexMap map{first, {}, {}};
  Dim start = 0;
  for (std::size_t number = 0; number < values.size(); number++) {
    const Shape& shape = call.type_of(values[number]).shape;
    if (shape.size() != first.size()) {
      fail({}, "Tensors must have same number of dimensions: got {} and {}",
           first.size(), shape.size());
    }
    for (std::size_t i = 0; i < shape.size(); i++) {
      if (i == d || same_dim(shape[i], first[i])) continue;
      fail({},
           "Sizes of tensors must match except in dimension {}. Expected size "
           "{} but got size {} for tensor number {} in the list.",
           d, sextant::to_string(first[i]), sextant::to_string(shape[i]),
           number);
    }
    Piece piece{values[number], indices(shape.size()), {}};
    piece.index[d] = simplify(var(index_name(d)) - start);
    start = simplify(start + shape[d]);
    bool last = number + 1 == values.size();
    if (!last) piece.where = less(var(index_name(d)), start);
    if (shape[d] != Dim(0) || last) map.pieces.push_back(piece);
  }
  map.shape[d] = start;
  return map;
}

IndexMap stack(const BoundCall& call) {
  const std::vector<Name>& values = call.arg("tensors").values;
  if (values.empty()) fail({}, "stack expects a non-empty TensorList");
  const Shape& first = call.type_of(values[0]).shape;
  std::size_t d = wrap_dim(call.integer("dim"), first.size() + 1);
  IndexMap map{first, {}, {}};
  map.shape.insert(map.shape.begin() + at(d),
                   Dim(static_cast<int64_t>(values.size())));
  for (std::size_t number = 0; number < values.size(); number++) {
    const Shape& shape = call.type_of(values[number]).shape;
    if (!same_shape(shape, first)) {
      fail({},
           "stack expects each tensor to be equal size, but got {} at entry 0 "
           "and {} at entry {}",
           text_of(first), text_of(shape), number);
    }
    Piece piece{values[number], indices(first.size() + 1), {}};
    piece.index.erase(piece.index.begin() + at(d));
    Expr here = Dim(static_cast<int64_t>(number));
    bool last = number + 1 == values.size();
    if (!last) piece.where = less_equal(var(index_name(d)), here);
    map.pieces.push_back(piece);
  }
  return map;
}

// A number as a constant of a type.
Expr constant_of(double x, DType dtype) {
  if (!is_float(dtype)) return Int{static_cast<int64_t>(x)};
  return dtype == DType::Float32 ? Expr(Float{x}) : Cast{Float{x}, dtype};
}

// The elements below a diagonal, or those above, and a constant elsewhere.
IndexMap masked(const BoundCall& call, bool below, int64_t diagonal,
                double otherwise = 0) {
  IndexMap map = identity(call);
  std::size_t rank = map.shape.size();
  if (rank < 2) {
    fail({}, "{}: input tensor must have at least 2 dimensions",
         call.row().name);
  }
  Expr column = var(index_name(rank - 1));
  Expr row = simplify(var(index_name(rank - 2)) + Expr(diagonal));
  map.pieces[0].where =
      below ? less_equal(column, row) : less_equal(row, column);
  DType dtype = call.type("self").dtype;
  map.otherwise = constant_of(is_float(dtype) ? otherwise : 0, dtype);
  return map;
}

IndexMap tril(const BoundCall& call) {
  return masked(call, true, call.integer("diagonal"));
}
IndexMap triu(const BoundCall& call) {
  return masked(call, false, call.integer("diagonal"));
}
IndexMap causal_mask(const BoundCall& call) {
  return masked(call, true, 0, -std::numeric_limits<double>::infinity());
}

IndexMap repeat_interleave(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  std::size_t d = dim_of(call);
  const Dim& repeats = call.ints("repeats")[0];
  IndexMap map = identity(call);
  map.shape[d] = simplify(from[d] * repeats);
  Expr& index = map.pieces[0].index[d];
  index = from[d] == Dim(1) ? Expr(0) : floor_div(index, repeats);
  return map;
}

IndexMap repeat(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  const std::vector<Dim>& times = call.ints("repeats");
  if (times.size() < from.size()) {
    fail({},
         "Number of dimensions of repeat dims can not be smaller than number "
         "of dimensions of tensor");
  }
  IndexMap map{times, {{call.value("self"), {}, {}}}, {}};
  std::size_t added = times.size() - from.size();
  for (std::size_t d = 0; d < from.size(); d++) {
    map.shape[added + d] = simplify(from[d] * times[added + d]);
    Expr index = var(index_name(added + d));
    bool once = times[added + d] == Dim(1);
    map.pieces[0].index.push_back(once ? index : floor_mod(index, from[d]));
  }
  return map;
}

IndexMap flip(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  IndexMap map = identity(call);
  for (const Dim& dim : call.ints("dims")) {
    std::size_t d = wrap_dim(value_of(dim), from.size());
    map.pieces[0].index[d] = simplify(from[d] - Expr(1) - var(index_name(d)));
  }
  return map;
}

// Pads from the last dimension backwards: pairs of before and after.
IndexMap pad(const BoundCall& call) {
  const Type& type = call.type("self");
  const std::vector<Dim>& amounts = call.ints("pad");
  std::size_t rank = type.shape.size();
  if (amounts.size() % 2 != 0 || amounts.size() > 2 * rank) {
    fail({}, "Length of pad must be even and at most twice the input's rank");
  }
  IndexMap map = identity(call);
  for (std::size_t i = 0; i < amounts.size() / 2; i++) {
    std::size_t d = rank - 1 - i;
    Expr index = var(index_name(d));
    const Dim& before = amounts[2 * i];
    map.shape[d] = simplify(type.shape[d] + before + amounts[2 * i + 1]);
    map.pieces[0].index[d] = simplify(index - before);
    Expr inside = both(less_equal(before, index),
                       less(index, simplify(before + type.shape[d])));
    map.pieces[0].where = both(map.pieces[0].where, inside);
  }
  const Arg& value = call.arg("value");
  double fill = value.number + value.flag;  // what it is not is 0
  if (value.kind == Arg::Kind::Int)
    fill = static_cast<double>(value_of(value.ints[0]));
  map.otherwise = constant_of(fill, type.dtype);
  return map;
}

void want_indices(const BoundCall& call, const char* param) {
  DType t = call.type(param).dtype;
  if (t == DType::Int64) return;
  fail({}, "{}(): indices must be int64, not {}", call.row().name, name_of(t));
}

// Rows of a table, looked up: weight[indices[i, j], k].
IndexMap embedding(const BoundCall& call) {
  want_indices(call, "indices");
  const Shape& table = call.type("weight").shape;
  if (table.size() != 2) fail({}, "'weight' must be 2-D");
  IndexMap map = identity(call, "indices");
  Piece& piece = map.pieces[0];
  piece = {call.value("weight"),
           {var(call.value("indices"), piece.index),
            var(index_name(map.shape.size()))},
           {}};
  map.shape.push_back(table[1]);
  return map;
}

IndexMap index_select(const BoundCall& call) {
  want_indices(call, "index");
  const Shape& ids = call.type("index").shape;
  std::size_t d = dim_of(call);
  if (ids.size() != 1) {
    fail({}, "index_select(): Index is supposed to be a vector");
  }
  IndexMap map = identity(call);
  map.shape[d] = ids[0];
  map.pieces[0].index[d] = var(call.value("index"), {var(index_name(d))});
  return map;
}

IndexMap gather(const BoundCall& call) {
  want_indices(call, "index");
  IndexMap map = identity(call, "index");
  std::size_t d = dim_of(call);
  if (map.shape.size() != call.type("self").shape.size()) {
    fail({},
         "Index tensor must have the same number of dimensions as input "
         "tensor");
  }
  Piece& piece = map.pieces[0];
  piece.value = call.value("self");
  piece.index[d] = var(call.value("index"), piece.index);
  return map;
}

}  // namespace

// clang-format off
std::vector<OpRow> index_rows() {
  return {
    row("slice(Tensor self, int dim=0, int? start=None, int? end=None, "
        "int step=1) -> Tensor", "Some of the elements along a dimension.",
        View{slice}),
    row("select(Tensor self, int dim, int index) -> Tensor",
        "One index of a dimension, which goes.", View{select}),
    row("cat(Tensor[] tensors, int dim=0) -> Tensor",
        "Tensors one after the other along a dimension.", View{cat}),
    row("stack(Tensor[] tensors, int dim=0) -> Tensor",
        "Tensors side by side along a new dimension.", View{stack}),
    row("tril(Tensor self, int diagonal=0) -> Tensor",
        "The elements on and below a diagonal; 0 above.", View{tril}),
    row("triu(Tensor self, int diagonal=0) -> Tensor",
        "The elements on and above a diagonal; 0 below.", View{triu}),
    row("causal_mask(Tensor self) -> Tensor",
        "The elements on and below the diagonal; -inf above.",
        View{causal_mask}),
    row("repeat_interleave(Tensor self, int repeats, int dim) -> Tensor",
        "Each element of a dimension several times.", View{repeat_interleave}),
    row("repeat(Tensor self, int[] repeats) -> Tensor",
        "The tensor laid out several times.", View{repeat}),
    row("flip(Tensor self, int[] dims) -> Tensor",
        "Dimensions in reverse order.", View{flip}),
    row("constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
        "A margin of one number around the tensor.", View{pad}),
    row("embedding(Tensor weight, Tensor indices) -> Tensor",
        "Rows of a table, looked up.", View{embedding}),
    row("index_select(Tensor self, int dim, Tensor index) -> Tensor",
        "Indices of a dimension, looked up.", View{index_select}),
    row("gather(Tensor self, int dim, Tensor index) -> Tensor",
        "Along a dimension, each element looked up.", View{gather}),
  };
}
// clang-format on

}  // namespace sextant::torch
