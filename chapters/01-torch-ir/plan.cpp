// Making a graph ready to run: sizes become numbers, expressions programs.
#include <algorithm>

#include "chapters/01-torch-ir/builder.h"
#include "chapters/01-torch-ir/evaluation.h"

namespace sextant::torch {

Evaluation::Evaluation(const Tables& tables, const Graph& graph,
                       InputElement input, const Values& symbols)
    : tables_(tables),
      graph_(expand_composites(tables, graph)),
      input_(std::move(input)),
      symbols_(symbols),
      types_(types_of(graph_)) {
  for (const Symbol& symbol : graph_.symbols) {
    if (symbols_.count(symbol.name) != 0) continue;
    fail({}, "no size is given for the symbol '{}'", symbol.name);
  }
  for (const Node& node : graph_.nodes)
    add_plan(node);
}

std::vector<int64_t> Evaluation::sizes(const Shape& shape) const {
  std::vector<int64_t> list;
  for (const Dim& dim : shape)
    list.push_back(sextant::evaluate(dim, symbols_));
  return list;
}

BallProgram Evaluation::program(const Expr& e,
                                const std::vector<Name>& operands,
                                std::size_t rank) {
  if (!e) return {};
  BallProgram::Scope scope;
  for (std::size_t d = 0; d < rank; d++)
    scope.index.push_back(index_name(d));
  scope.operands = operands;
  scope.type = [&](const Name& name) { return types_(name).dtype; };
  scope.symbols = symbols_;
  return {tables_, e, scope};
}

void Evaluation::add_plan(const Node& node) {
  Plan plan;
  plan.node = &node;
  plan.row = &op_row(tables_, node.op);
  plan.shape = sizes(node.type.shape);
  plan.strides = strides_of(plan.shape);
  BoundCall call = call_of(tables_, types_, node);
  for (const Name& value : call.operands())
    plan.operands.push_back(number_of(value));
  if (plan.row->as<Elementwise>() != nullptr) {
    plan.value = program(elementwise_value(tables_, call), call.operands(), 0);
  } else if (const Maker* maker = plan.row->as<Maker>()) {
    plan.value = program(maker->make(call).value, {}, plan.shape.size());
  } else if (const View* kind = plan.row->as<View>()) {
    plan_view(plan, kind->map(call));
  } else if (plan.row->as<Reduction>() != nullptr) {
    plan_reduction(plan, reduction_of(call));
  } else if (const Contraction* kind = plan.row->as<Contraction>()) {
    plan_contraction(plan, kind->product(call));
  }
  plan.elements.resize(element_count(plan.shape));
  numbers_[node.name] = size();
  plans_.push_back(std::move(plan));
}

void Evaluation::plan_view(Plan& plan, const IndexMap& map) {
  std::vector<Name> operands;
  for (int number : plan.operands)
    operands.push_back(this->plan(number).node->name);
  std::size_t rank = plan.shape.size();
  for (const Piece& piece : map.pieces) {
    PiecePlan made;
    made.operand = number_of(piece.value);
    for (const Expr& index : piece.index)
      made.index.push_back(program(index, operands, rank));
    made.where = program(piece.where, operands, rank);
    plan.pieces.push_back(std::move(made));
  }
  plan.value = program(map.otherwise, {}, 0);
}

void Evaluation::plan_reduction(Plan& plan, const Reduced& reduced) {
  plan.compute = reduced.compute;
  plan.combiner = &combiner(tables_, reduced.combiner);
  INVARIANT(plan.combiner->combine.size() == 1, "{} has several states",
            reduced.combiner);
  const Plan& from = this->plan(plan.operands[0]);
  Walk walk{plan.operands[0], 0, {}, {}};
  for (std::size_t d = 0; d < from.shape.size(); d++) {
    bool gone = std::count(reduced.axes.begin(), reduced.axes.end(), d) != 0;
    if (gone) {
      plan.walked.push_back(from.shape[d]);
      walk.steps.push_back(from.strides[d]);
    }
    if (!gone || reduced.keepdim) {
      walk.strides.push_back(gone ? 0 : from.strides[d]);
    }
  }
  plan.walks.push_back(walk);
  BallProgram::Scope scope;
  scope.operands = {"s0", "x0"};
  scope.type = [&](const Name&) { return plan.compute; };
  plan.combine = {tables_, plan.combiner->combine[0], scope};
  plan.identity = {tables_, identity_of(*plan.combiner, plan.compute), scope};
}

// The indices of a product are names of its axes, or 0 where an operand is
// stretched: each operand lies in it by strides.
void Evaluation::plan_contraction(Plan& plan, const Product& product) {
  plan.compute =
      is_float(plan.node->type.dtype) ? DType::Float32 : DType::Int64;
  plan.walked = {sizes(product.space)[product.axis]};
  for (const Piece* piece : {&product.left, &product.right}) {
    Walk walk{number_of(piece->value), 0, {}, {}};
    const Plan& from = this->plan(walk.operand);
    for (std::size_t a = 0; a < product.space.size(); a++) {
      int64_t stride = 0;
      for (std::size_t d = 0; d < piece->index.size(); d++) {
        if (piece->index[d] == var(index_name(a))) stride += from.strides[d];
      }
      (a == product.axis ? walk.steps : walk.strides).push_back(stride);
    }
    plan.walks.push_back(walk);
  }
}

}  // namespace sextant::torch
