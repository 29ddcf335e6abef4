#include "tests/02-tensor-ir/random_graph.h"

#include "chapters/02-tensor-ir/interp.h"

namespace sextant::test {
namespace {

using tensor::Elementwise;
using tensor::Graph;
using tensor::IndexMap;
using tensor::Input;
using tensor::Op;
using tensor::OpKind;
using tensor::Reduction;
using tensor::Value;

class Maker {
 public:
  Maker(uint64_t seed, int size) : random_(seed) {
    int64_t inputs = random_.in(2, 4);
    for (int64_t i = 0; i < inputs; i++) {
      std::vector<Dim> shape;
      for (int64_t rank = random_.in(0, 3); rank > 0; rank--)
        shape.push_back(random_.in(1, 6));
      Role role = random_.chance(50) ? Role::Input : Role::Weight;
      add(Input{role}, shape, DType::Float32);
    }
    for (int i = 0; i < size; i++)
      step();
    graph_.outputs = {graph_.values.back().name};
    const Name& other = any().name;
    bool input = graph_.value(other)->op.kind() == OpKind::Input;
    if (!input && other != graph_.outputs[0]) graph_.outputs.push_back(other);
  }

  Graph take() { return graph_; }

 private:
  void add(const Op& op, const std::vector<Dim>& shape, DType dtype) {
    Name name = "v" + std::to_string(graph_.values.size());
    graph_.values.push_back({name, op, shape, dtype});
  }

  const Value any() {
    // Late values more often, so that chains are long.
    auto n = static_cast<int64_t>(graph_.values.size());
    int64_t i = random_.chance(60)
                    ? n - 1 - random_.below(std::min<int64_t>(3, n))
                    : random_.below(n);
    return graph_.values[static_cast<std::size_t>(i)];
  }

  static int64_t count(const std::vector<Dim>& shape) {
    int64_t n = 1;
    for (const Dim& d : shape)
      n *= value_of(d);
    return n;
  }

  static std::vector<Expr> indices(std::size_t rank) {
    std::vector<Expr> index;
    for (std::size_t axis = 0; axis < rank; axis++)
      index.push_back(var(index_name(axis)));
    return index;
  }

  void step() {
    Value x = any();
    switch (random_.below(5)) {
      case 0: return elementwise(x);
      case 1: return reduction(x);
      default: return map(x);
    }
  }

  void elementwise(const Value& x) {
    if (x.dtype != DType::Float32) {
      return add(Elementwise{Cast{var(x.name), DType::Float32}}, x.shape,
                 DType::Float32);
    }
    static const std::vector<Name> kUnary = {"negative", "tanh", "relu"};
    static const std::vector<Name> kBinary = {"add", "subtract", "multiply",
                                              "maximum"};
    Expr a = var(x.name);
    Value y = any();
    bool fits = y.shape == x.shape && y.dtype == x.dtype;
    Expr b = fits ? var(y.name) : Expr(Float{double(random_.in(-1, 2))});
    switch (random_.below(4)) {
      case 0:
        return add(Elementwise{call(random_.pick(kUnary), {a})}, x.shape,
                   DType::Float32);
      case 1:
        return add(Elementwise{Cast{a, DType::BFloat16}}, x.shape,
                   DType::BFloat16);
      default:
        return add(Elementwise{call(random_.pick(kBinary), {a, b})}, x.shape,
                   DType::Float32);
    }
  }

  void reduction(const Value& x) {
    std::vector<Dim> shape = x.shape;
    Reduction r{random_.chance(50) ? "add" : "maximum", x.name, {}};
    auto rank = static_cast<int64_t>(shape.size());
    for (int64_t axis = -rank; axis < 0; axis++) {
      if (!random_.chance(60)) continue;
      r.axes.push_back(axis);
      shape[static_cast<std::size_t>(rank + axis)] = Expr(1);
    }
    if (x.dtype != DType::Float32 || r.axes.empty()) return map(x);
    add(r, shape, x.dtype);
  }

  void map(const Value& x) {
    std::size_t rank = x.shape.size();
    if (rank == 0 || random_.chance(15)) return broadcast(x);
    std::size_t axis =
        static_cast<std::size_t>(random_.below(static_cast<int64_t>(rank)));
    switch (random_.below(6)) {
      case 0: return transpose(x);
      case 1: return slice(x, axis);
      case 2: return reshape(x);
      case 3: return pad(x, axis);
      case 4: return cat(x, axis);
      default: return triangle(x);
    }
  }

  void one_piece(const Value& x, std::vector<Expr> index,
                 const std::vector<Dim>& shape, Expr where = Expr()) {
    Expr otherwise = where ? Expr(Float{double(random_.below(2))}) : Expr();
    add(IndexMap{{{x.name, std::move(index), where}}, otherwise}, shape,
        x.dtype);
  }

  void broadcast(const Value& x) {
    if (x.shape.size() >= 4 || count(x.shape) > 200) return transpose(x);
    std::size_t at = static_cast<std::size_t>(
        random_.below(static_cast<int64_t>(x.shape.size()) + 1));
    std::vector<Dim> shape = x.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at),
                 Dim(random_.in(1, 4)));
    std::vector<Expr> index = indices(shape.size());
    index.erase(index.begin() + static_cast<std::ptrdiff_t>(at));
    one_piece(x, index, shape);
  }

  void transpose(const Value& x) {
    std::vector<Expr> index = indices(x.shape.size());
    std::vector<Dim> shape = x.shape;
    for (std::size_t axis = 1; axis < index.size(); axis++) {
      if (!random_.chance(60)) continue;
      std::swap(index[axis - 1], index[axis]);
    }
    for (std::size_t axis = 0; axis < index.size(); axis++) {
      for (std::size_t to = 0; to < index.size(); to++)
        if (index[axis] == var(index_name(to))) shape[to] = x.shape[axis];
    }
    one_piece(x, index, shape);
  }

  void slice(const Value& x, std::size_t axis) {
    int64_t extent = value_of(x.shape[axis]);
    int64_t begin = random_.below(extent), step = random_.in(1, 2);
    bool backwards = random_.chance(30);
    std::vector<Expr> index = indices(x.shape.size());
    std::vector<Dim> shape = x.shape;
    int64_t kept = backwards ? begin + 1 : (extent - begin + step - 1) / step;
    index[axis] = backwards ? Expr(begin) - index[axis]
                            : index[axis] * Expr(step) + Expr(begin);
    shape[axis] = Expr(kept);
    one_piece(x, index, shape);
  }

  void reshape(const Value& x) {
    // One axis, then two of it where they come out even.
    int64_t n = count(x.shape), inner = random_.in(1, 6);
    std::vector<Dim> shape = {Dim(n)};
    Expr flat = var("i");
    if (n % inner == 0) {
      shape = {Dim(n / inner), Dim(inner)};
      flat = var("i") * Expr(inner) + var("j");
    }
    std::vector<Expr> index(x.shape.size());
    for (std::size_t axis = index.size(); axis-- > 0;) {
      index[axis] = floor_mod(flat, x.shape[axis]);
      flat = floor_div(flat, x.shape[axis]);
    }
    one_piece(x, index, shape);
  }

  void pad(const Value& x, std::size_t axis) {
    int64_t extent = value_of(x.shape[axis]), before = random_.below(3);
    if (extent > 20) return triangle(x);
    std::vector<Expr> index = indices(x.shape.size());
    std::vector<Dim> shape = x.shape;
    shape[axis] = Dim(extent + before + random_.below(3));
    Expr where = both(less_equal(Expr(before), index[axis]),
                      less(index[axis], Expr(before + extent)));
    index[axis] = index[axis] - Expr(before);
    one_piece(x, index, shape, where);
  }

  void cat(const Value& x, std::size_t axis) {
    Value y = any();
    bool fits = y.shape == x.shape && y.dtype == x.dtype;
    if (!fits) y = x;
    if (count(x.shape) > 200) return transpose(x);
    std::vector<Expr> first = indices(x.shape.size()), second = first;
    std::vector<Dim> shape = x.shape;
    Dim extent = shape[axis];
    shape[axis] = extent + extent;
    second[axis] = second[axis] - extent;
    add(IndexMap{{{x.name, first, less(first[axis], extent)},
                  {y.name, second, Expr()}},
                 Expr()},
        shape, x.dtype);
  }

  void triangle(const Value& x) {
    std::vector<Expr> index = indices(x.shape.size());
    Expr where = x.shape.size() < 2 ? less(var("i"), Expr(2))
                                    : less_equal(var("j"), var("i"));
    one_piece(x, index, x.shape, where);
  }

  Random random_;
  Graph graph_;
};

}  // namespace

Graph random_graph(uint64_t seed, int size) {
  return Maker(seed, size).take();
}

Arrays random_inputs(const Graph& graph, uint64_t seed, const Values& symbols) {
  Arrays arrays;
  for (const Value& v : graph.values) {
    if (v.op.kind() != OpKind::Input) continue;
    std::vector<int64_t> shape = tensor::evaluate_shape(v.shape, symbols);
    arrays[v.name] = random_array(v.dtype, shape, seed, v.name);
  }
  return arrays;
}

}  // namespace sextant::test
