#include "chapters/02-tensor-ir/lower.h"

#include <algorithm>
#include <set>

#include "chapters/01-torch-ir/builder.h"
#include "chapters/01-torch-ir/infer.h"
#include "chapters/02-tensor-ir/passes.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/02-tensor-ir/verify.h"

namespace sextant::tensor {
namespace {

using torch::BoundCall;
using torch::Node;

class Lowering {
 public:
  Lowering(const torch::Graph& graph, const Tables& tables)
      : graph_(graph), tables_(tables), types_(torch::types_of(graph)) {
    out_.symbols = graph.symbols;
    out_.outputs = graph.outputs;
    out_.sources = graph.sources;
    for (const Node& node : graph.nodes)
      taken_.insert(node.name);
  }

  Graph run() {
    for (const Node& node : graph_.nodes) {
      node_ = &node;
      std::visit([&](const auto& meaning) { lower(meaning); },
                 torch::op_row(tables_, node.op).meaning);
    }
    return std::move(out_);
  }

 private:
  // --- the only places that make values --------------------------------------

  Name add(const Name& name, const Op& op, std::vector<Dim> shape,
           DType dtype) {
    out_.values.push_back(
        {name, op.with_origin(node_->origin), std::move(shape), dtype});
    return name;
  }

  // The value of the node itself.
  void result(const Op& op) {
    add(node_->name, op, node_->type.shape, node_->type.dtype);
  }

  Name fresh(const Name& wish) {
    Name name = wish;
    for (int n = 1; !taken_.insert(name).second; n++)
      name = wish + "_" + std::to_string(n);
    return name;
  }

  BoundCall call() const { return torch::call_of(tables_, types_, *node_); }

  // --- one for each kind of row ----------------------------------------------

  void lower(const torch::Leaf&) {
    result(Input{node_->op == "weight" ? Role::Weight : Role::Input});
  }

  void lower(const torch::Elementwise&) {
    Expr value = torch::elementwise_value(tables_, call());
    const Var* same = value.as<Var>();
    result(same != nullptr ? Op(identity(same->name)) : Op(Elementwise{value}));
  }

  void lower(const torch::View& view) {
    torch::IndexMap map = view.map(call());
    IndexMap out{{}, map.otherwise};
    for (const torch::Piece& p : map.pieces)
      out.pieces.push_back({p.value, p.index, p.where});
    result(out);
  }

  void lower(const torch::Reduction&) {
    torch::Reduced r = torch::reduction_of(call());
    const torch::Type& from = types_(r.operand);
    Name operand = cast(r.operand, from.shape, from.dtype, r.compute);
    Reduction reduction{r.combiner, operand, {}};
    std::vector<Dim> shape = from.shape;
    for (std::size_t axis : r.axes) {
      reduction.axes.push_back(static_cast<int64_t>(axis) -
                               static_cast<int64_t>(shape.size()));
      shape[axis] = Expr(1);
    }
    if (r.axes.empty()) return finish(operand, shape, r.compute, {});
    if (r.keepdim && r.compute == node_->type.dtype) return result(reduction);
    Name red = add(fresh("red"), reduction, shape, r.compute);
    finish(red, shape, r.compute,
           r.keepdim ? std::vector<std::size_t>{} : r.axes);
  }

  // w_bc = w[j, k], prod = multiply(x_bc, w_bc), red = sum(prod, axis=-2): an
  // operand of the product repeats along each axis that it does not have.
  void lower(const torch::Contraction& contraction) {
    torch::Product p = contraction.product(call());
    DType type = types_(p.left.value).dtype;
    DType compute = is_float(type) ? DType::Float32 : type;
    auto side = [&](const torch::Piece& piece) -> Expr {
      IndexMap map{{{piece.value, piece.index, piece.where}}, {}};
      Name bc = add(fresh(piece.value + "_bc"), map, p.space, type);
      return type == compute ? var(bc) : Expr(Cast{var(bc), compute});
    };
    Expr left = side(p.left), right = side(p.right);
    Elementwise product{sextant::call("multiply", {left, right})};
    Name prod = add(fresh("prod"), product, p.space, compute);
    auto rank = static_cast<int64_t>(p.space.size());
    Reduction sum{"add", prod, {static_cast<int64_t>(p.axis) - rank}};
    std::vector<Dim> shape = p.space;
    shape[p.axis] = Expr(1);
    Name red = add(fresh("red"), sum, shape, compute);
    finish(red, shape, compute, {p.axis});
  }

  void lower(const torch::Maker& maker) {
    torch::Made made = maker.make(call());
    if (is_index(made.value) && made.type.dtype == DType::Int64) {
      return result(IndexMap{{{kIota, {made.value}, {}}}, {}});
    }
    result(Elementwise{with_iota(made.value)});
  }

  void lower(const torch::Composite&) {
    INVARIANT(false, "{} was not replaced by its definition", node_->op);
  }
  void lower(const torch::Split&) {
    INVARIANT(false, "{} has several results", node_->op);
  }

  // --- shared ----------------------------------------------------------------

  Name cast(const Name& value, const std::vector<Dim>& shape, DType from,
            DType to) {
    if (from == to) return value;
    Name name = fresh(value + "_" + std::string(name_of(to)));
    return add(name, Elementwise{Cast{var(value), to}}, shape, to);
  }

  static IndexMap identity(const Name& value, std::size_t rank) {
    Piece piece{value, {}, {}};
    for (std::size_t axis = 0; axis < rank; axis++)
      piece.index.push_back(var(index_name(axis)));
    return {{piece}, {}};
  }
  IndexMap identity(const Name& value) const {
    return identity(value, node_->type.shape.size());
  }

  // The node's value is `value` without some axes of extent 1, converted.
  void finish(const Name& value, const std::vector<Dim>& shape, DType type,
              const std::vector<std::size_t>& dropped) {
    IndexMap map = identity(value);
    std::vector<Expr>& index = map.pieces[0].index;
    for (std::size_t axis : dropped)
      index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    INVARIANT(index.size() == shape.size(), "'{}' lost an axis", value);
    if (type == node_->type.dtype) return result(map);
    Name flat = value;
    if (!dropped.empty()) {
      Name wish = node_->name + "_" + std::string(name_of(type));
      flat = add(fresh(wish), map, node_->type.shape, type);
    }
    result(Elementwise{Cast{var(flat), node_->type.dtype}});
  }

  // Arithmetic over indices, not a constant.
  static bool is_index(const Expr& e) {
    return e.as<Var>() != nullptr || e.as<Binary>() != nullptr;
  }

  // Index arithmetic inside a scalar expression becomes a map of iota.
  Expr with_iota(const Expr& e) {
    if (!is_index(e)) {
      return map_handles<Expr>(e, [&](const Expr& x) { return with_iota(x); });
    }
    IndexMap map{{{kIota, {e}, {}}}, {}};
    return var(add(fresh("index"), map, node_->type.shape, DType::Int64));
  }

  const torch::Graph& graph_;
  const Tables& tables_;
  BoundCall::TypeOf types_;
  std::set<Name> taken_;
  const Node* node_ = nullptr;
  Graph out_;
};

}  // namespace

Graph lower(const torch::Graph& graph, PassContext& context) {
  const Tables& tables = *context.tables;
  return Lowering(torch::expand_composites(tables, graph), tables).run();
}

Graph compile(const torch::Graph& graph, PassContext& context) {
  double start = context.clock ? context.clock() : 0;
  Graph lowered = lower(graph, context);
  PassRecord record{"tensor", "lower", "every operation in three primitives",
                    true,     "",      "",
                    0};
  if (context.clock) record.seconds = context.clock() - start;
  context.records.push_back(record);
  auto text = [](const Graph& g) { return print_graph(g).text; };
  if (context.observe) context.observe("tensor", "lower", text(lowered));
  return run_passes<Graph>(
      "tensor", passes(), std::move(lowered), context,
      [&](const Graph& g) { verify(g, *context.tables); }, text);
}

}  // namespace sextant::tensor
