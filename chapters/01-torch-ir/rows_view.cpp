// Rows that give a tensor another shape: each is a function from a call to an
// index map, and the map's shape is the result's.
#include <algorithm>

#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/rows.h"

namespace sextant::torch {

IndexMap identity(const BoundCall& call, std::string_view param) {
  IndexMap map{call.type(param).shape, {{call.value(param), {}, {}}}, {}};
  for (std::size_t i = 0; i < map.shape.size(); i++)
    map.pieces[0].index.push_back(var(index_name(i)));
  return map;
}

namespace {

IndexMap same(const BoundCall& call) {
  return identity(call);
}

// The shape with dimensions begin .. end - 1 replaced.
Shape replaced(Shape shape, std::size_t begin, std::size_t end,
               const Shape& by) {
  auto at = [&](std::size_t d) {
    return shape.begin() + static_cast<std::ptrdiff_t>(d);
  };
  shape.insert(shape.erase(at(begin), at(end)), by.begin(), by.end());
  return shape;
}

// Dimension d of the result is dimension order[d] of the operand.
IndexMap permuted(const BoundCall& call,
                  const std::vector<std::size_t>& order) {
  const Shape& shape = call.type("self").shape;
  IndexMap map{shape, {{call.value("self"), shape, {}}}, {}};
  for (std::size_t d = 0; d < order.size(); d++) {
    map.shape[d] = shape[order[d]];
    map.pieces[0].index[order[d]] = var(index_name(d));
  }
  return map;
}

IndexMap permute(const BoundCall& call) {
  std::size_t rank = call.type("self").shape.size();
  const std::vector<Dim>& dims = call.ints("dims");
  if (dims.size() != rank) {
    fail({},
         "permute(sparse_coo): number of dimensions in the tensor input does "
         "not match the length of the desired ordering of dimensions i.e. "
         "input.dim() = {} is not equal to len(dims) = {}",
         rank, dims.size());
  }
  std::vector<std::size_t> order;
  for (const Dim& dim : dims) {
    std::size_t d = wrap_dim(value_of(dim), rank);
    if (std::count(order.begin(), order.end(), d) != 0) {
      fail({}, "permute(): duplicate dims are not allowed.");
    }
    order.push_back(d);
  }
  return permuted(call, order);
}

IndexMap swapped(const BoundCall& call, std::size_t a, std::size_t b) {
  std::vector<std::size_t> order(call.type("self").shape.size());
  for (std::size_t d = 0; d < order.size(); d++)
    order[d] = d;
  if (!order.empty()) std::swap(order[a], order[b]);
  return permuted(call, order);
}

IndexMap transpose(const BoundCall& call) {
  std::size_t rank = call.type("self").shape.size();
  return swapped(call, wrap_dim(call.integer("dim0"), rank),
                 wrap_dim(call.integer("dim1"), rank));
}

IndexMap t(const BoundCall& call) {
  std::size_t rank = call.type("self").shape.size();
  if (rank > 2) {
    fail({}, "t() expects a tensor with <= 2 dimensions, but self is {}D",
         rank);
  }
  return rank == 2 ? swapped(call, 0, 1) : same(call);
}

// --- reshape and its relatives
// ------------------------------------------------

// The product of extents as far as it is known: numbers, and names sorted.
Dim product_of(const Shape& shape) {
  Dim product = 1;
  for (const Dim& dim : shape)
    product = product * dim;
  return simplify(product);
}

// Fills in the one -1 of a size; PyTorch's texts.
Shape completed(const Shape& from, Shape size) {
  std::size_t unknown = size.size();
  Shape known;
  for (std::size_t d = 0; d < size.size(); d++) {
    if (size[d] != Dim(-1)) {
      known.push_back(size[d]);
      continue;
    }
    if (unknown < size.size()) fail({}, "only one dimension can be inferred");
    unknown = d;
  }
  if (unknown == size.size()) return size;
  Shape asked = size;
  size[unknown] = divided(from, known);
  if (!size[unknown]) {
    fail({}, "shape '{}' is invalid for input of size {}", text_of(asked),
         sextant::to_string(product_of(from)));
  }
  return size;
}

IndexMap reshape(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  const Shape& asked = call.ints("size");
  for (const Dim& dim : asked) {
    if (constant(dim) && value_of(dim) < -1) {
      fail({}, "invalid shape dimension {}", value_of(dim));
    }
  }
  Shape size = completed(from, asked);
  Dim quotient = divided(from, size);
  if (!quotient || quotient != Dim(1)) {
    fail({}, "shape '{}' is invalid for input of size {}", text_of(asked),
         sextant::to_string(product_of(from)));
  }
  return reshape_map(call.value("self"), from, size);
}

IndexMap flatten(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  std::size_t first = wrap_dim(call.integer("start_dim"), from.size());
  std::size_t last = wrap_dim(call.integer("end_dim"), from.size());
  if (first > last) {
    fail({}, "flatten() has invalid args: start_dim cannot come after end_dim");
  }
  if (from.empty()) return reshape_map(call.value("self"), from, {Dim(1)});
  Dim product = 1;
  for (std::size_t d = first; d <= last; d++)
    product = product * from[d];
  return reshape_map(call.value("self"), from,
                     replaced(from, first, last + 1, {simplify(product)}));
}

IndexMap unflatten(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  std::size_t d = wrap_dim(call.integer("dim"), from.size());
  Shape sizes = completed({from.at(d)}, call.ints("sizes"));
  Dim quotient = divided({from[d]}, sizes);
  if (!quotient || quotient != Dim(1)) {
    fail({},
         "unflatten: Provided sizes {} don't multiply up to the size of dim "
         "{} ({}) in the input tensor",
         text_of(call.ints("sizes")), d, sextant::to_string(from[d]));
  }
  return reshape_map(call.value("self"), from, replaced(from, d, d + 1, sizes));
}

IndexMap unsqueeze(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  std::size_t d = wrap_dim(call.integer("dim"), from.size() + 1);
  return reshape_map(call.value("self"), from, replaced(from, d, d, {Dim(1)}));
}

// Drops dimensions of extent 1: all of them, or those that are named.
IndexMap squeeze(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  std::vector<bool> named(from.size(), !call.given("dim"));
  for (const Dim& dim : call.ints("dim")) {
    std::size_t d = wrap_dim(value_of(dim), from.size());
    if (!from.empty()) named[d] = true;
  }
  Shape to;
  for (std::size_t d = 0; d < from.size(); d++) {
    if (!named[d] || from[d] != Dim(1)) to.push_back(from[d]);
  }
  return reshape_map(call.value("self"), from, to);
}

IndexMap expand(const BoundCall& call) {
  const Shape& from = call.type("self").shape;
  Shape size = call.ints("size");
  if (size.size() < from.size()) {
    fail({},
         "expand(torch.FloatTensor{{{}}}, size={}): the number of sizes "
         "provided ({}) must be greater or equal to the number of dimensions "
         "in the tensor ({})",
         text_of(from), text_of(size), size.size(), from.size());
  }
  IndexMap map{size, {{call.value("self"), {}, {}}}, {}};
  std::size_t added = size.size() - from.size();
  for (std::size_t d = 0; d < from.size(); d++) {
    Dim& to = map.shape[added + d];
    if (to == Dim(-1)) to = from[d];
    bool kept = same_dim(from[d], to);
    if (!kept && from[d] != Dim(1)) {
      fail({},
           "The expanded size of the tensor ({}) must match the existing size "
           "({}) at non-singleton dimension {}.  Target sizes: {}.  Tensor "
           "sizes: {}",
           sextant::to_string(to), sextant::to_string(from[d]), added + d,
           text_of(size), text_of(from));
    }
    map.pieces[0].index.push_back(kept ? var(index_name(added + d)) : Expr(0));
  }
  for (std::size_t d = 0; d < added; d++) {
    if (size[d] == Dim(-1)) {
      fail({},
           "The expanded size of the tensor (-1) isn't allowed in a leading, "
           "non-existing dimension {}",
           d);
    }
  }
  return map;
}

void no_training(const BoundCall& call) {
  if (call.flag("train") && call.arg("p").number != 0) {
    fail({}, "dropout in training: not supported");
  }
}

}  // namespace

// clang-format off
std::vector<OpRow> view_rows() {
  auto unchanged = [](const char* name, const char* doc) {
    return row(std::string(name) + "(Tensor self) -> Tensor", doc, View{same});
  };
  return {
    row("view(Tensor self, int[] size) -> Tensor",
        "The elements in another shape, in the same order.", View{reshape}),
    row("reshape(Tensor self, int[] size) -> Tensor",
        "The elements in another shape, in the same order.", View{reshape}),
    row("flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor",
        "Some dimensions joined into one.", View{flatten}),
    row("unflatten(Tensor self, int dim, int[] sizes) -> Tensor",
        "One dimension divided into several.", View{unflatten}),
    row("unsqueeze(Tensor self, int dim) -> Tensor",
        "A new dimension of extent 1.", View{unsqueeze}),
    row("squeeze(Tensor self, int[]? dim=None) -> Tensor",
        "Without dimensions of extent 1.", View{squeeze}),
    row("transpose(Tensor self, int dim0, int dim1) -> Tensor",
        "Two dimensions exchanged.", View{transpose}),
    row("t(Tensor self) -> Tensor", "A matrix transposed.", View{t}),
    row("permute(Tensor self, int[] dims) -> Tensor",
        "The dimensions in another order.", View{permute}),
    row("expand(Tensor self, int[] size) -> Tensor",
        "Dimensions of extent 1 stretched, and new ones in front.",
        View{expand}),
    unchanged("contiguous", "The same elements; layout is no matter here."),
    unchanged("clone", "The same elements in new memory."),
    unchanged("detach", "The same elements, cut off from gradients."),
    unchanged("alias", "The same elements."),
    row("dropout(Tensor self, float p=0.5, bool train=False) -> Tensor",
        "The same elements: at inference nothing is dropped.", View{same},
        no_training),
  };
}
// clang-format on

}  // namespace sextant::torch
