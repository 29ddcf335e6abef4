// The evaluator asks for elements: an output's element asks for the elements of
// the operands that it needs, and what was computed once is kept. Asking for
// all elements of each value in order evaluates a whole graph; asking for a few
// elements of an output computes what these need and no more.
#include "chapters/01-torch-ir/evaluate.h"

#include "chapters/01-torch-ir/evaluation.h"

namespace sextant::torch {
namespace {

constexpr double kUnit = 0x1p-24;  // of float32, in which sums accumulate

// The operands of a plan at one position, and cells of them at any.
class Operands final : public BallProgram::Source {
 public:
  Operands(Evaluation& all, const Plan& plan, int64_t position)
      : all_(all), plan_(plan), position_(position) {}

  Ball operand(int number) const override {
    return all_.at(plan_.operands[static_cast<std::size_t>(number)], position_);
  }
  Ball cell(int number, const Ball* index, int count) const override {
    int which = plan_.operands[static_cast<std::size_t>(number)];
    const Plan& from = all_.plan(which);
    int64_t position = 0;
    for (int d = 0; d < count; d++) {
      position += static_cast<int64_t>(index[d].value) *
                  from.strides[static_cast<std::size_t>(d)];
    }
    return all_.at(which, position);
  }

 private:
  Evaluation& all_;
  const Plan& plan_;
  int64_t position_;
};

// The state of a reduction and the next value.
struct Pair final : BallProgram::Source {
  Ball state, next;
  Ball operand(int number) const override { return number == 0 ? state : next; }
  Ball cell(int, const Ball*, int) const override { return {}; }
};

std::vector<int64_t> index_of(const Plan& plan, int64_t position) {
  std::vector<int64_t> index(plan.shape.size());
  for (std::size_t d = 0; d < index.size(); d++) {
    index[d] = position / plan.strides[d];
    position %= plan.strides[d];
  }
  return index;
}

int64_t start_of(const Walk& walk, const Plan& plan, int64_t position) {
  int64_t start = walk.start;
  for (std::size_t d = 0; d < plan.strides.size(); d++) {
    start += position / plan.strides[d] * walk.strides[d];
    position %= plan.strides[d];
  }
  return start;
}

// A sum that is infinite because a term is has no error.
Ball summed(double sum, int64_t n, double terms, double errors) {
  if (n == 0) return {0, 0};
  if (std::isinf(sum) && std::isfinite(errors)) return {sum, 0};
  return rounded({sum, sum_bound(n, terms, errors)}, DType::Float32, 0);
}

}  // namespace

Ball Evaluation::computed(int number, int64_t position) {
  Plan& plan = plans_[static_cast<std::size_t>(number)];
  Ball made = compute(plan, position);
  if (std::isnan(made.bound)) made.bound = HUGE_VAL;
  return plan.elements.at(position) = made;
}

Ball Evaluation::leaf(const Plan& plan, int64_t position) const {
  Scalar x = input_(plan.node->name, position);
  if (is_float(plan.node->type.dtype)) return {x.f, 0};
  return {static_cast<double>(x.i), 0};
}

Ball Evaluation::compute(const Plan& plan, int64_t position) {
  if (plan.row->as<Leaf>() != nullptr) return leaf(plan, position);
  if (plan.row->as<Elementwise>() != nullptr) {
    return plan.value.run(nullptr, Operands(*this, plan, position));
  }
  if (plan.row->as<View>() != nullptr) return view(plan, position);
  if (plan.combiner != nullptr) return reduction(plan, position);
  if (!plan.walks.empty()) return contraction(plan, position);
  std::vector<int64_t> index = index_of(plan, position);
  return plan.value.run(index.data(), Operands(*this, plan, position));
}

Ball Evaluation::view(const Plan& plan, int64_t position) {
  std::vector<int64_t> index = index_of(plan, position);
  Operands source(*this, plan, position);
  for (const PiecePlan& piece : plan.pieces) {
    bool holds =
        piece.where.empty() || piece.where.run(index.data(), source).value != 0;
    if (!holds) continue;
    const Plan& from = this->plan(piece.operand);
    int64_t there = 0;
    for (std::size_t d = 0; d < piece.index.size(); d++) {
      Ball i = piece.index[d].run(index.data(), source);
      if (i.value < 0 || i.value >= static_cast<double>(from.shape[d])) {
        fail({}, "index out of range in self: {} of {} in {} = {}", i.value,
             from.shape[d], plan.node->name, plan.node->op);
      }
      if (i.bound > 0) return {0, HUGE_VAL};
      there += static_cast<int64_t>(i.value) * from.strides[d];
    }
    return at(piece.operand, there);
  }
  return plan.value.run(nullptr, source);
}

Ball Evaluation::reduction(const Plan& plan, int64_t position) {
  const Walk& walk = plan.walks[0];
  int64_t start = start_of(walk, plan, position), n = 0;
  DType from = this->plan(walk.operand).node->type.dtype;
  bool sums = plan.combiner->name == "add" && is_float(plan.compute);
  double sum = 0, terms = 0, errors = 0;
  Pair pair;
  pair.state = plan.identity.run(nullptr, pair);
  each_index(plan.walked, [&](const std::vector<int64_t>& index) {
    int64_t there = start;
    for (std::size_t d = 0; d < index.size(); d++)
      there += index[d] * walk.steps[d];
    pair.next = converted(at(walk.operand, there), from, plan.compute);
    if (n++ == 0) {
      pair.state = pair.next;
    } else if (!sums) {
      pair.state = plan.combine.run(nullptr, pair);
    }
    sum += pair.next.value;
    terms += std::fabs(pair.next.value);
    errors += pair.next.bound;
  });
  Ball result = sums ? summed(sum, n, terms, errors) : pair.state;
  return converted(result, plan.compute, plan.node->type.dtype);
}

Ball Evaluation::contraction(const Plan& plan, int64_t position) {
  const Walk& left = plan.walks[0];
  const Walk& right = plan.walks[1];
  int64_t a = start_of(left, plan, position);
  int64_t b = start_of(right, plan, position);
  int64_t n = plan.walked[0];
  double sum = 0, terms = 0, errors = 0;
  for (int64_t k = 0; k < n; k++) {
    Ball x = at(left.operand, a + k * left.steps[0]);
    Ball y = at(right.operand, b + k * right.steps[0]);
    double product = x.value * y.value;
    sum += product;
    terms += std::fabs(product);
    if (x.bound + y.bound > 0) {
      errors += std::fabs(x.value) * y.bound + std::fabs(y.value) * x.bound +
                x.bound * y.bound;
    }
  }
  // A product rounds, unless it is fused with the sum.
  Ball result{sum, errors};
  if (is_float(plan.compute)) {
    result = summed(sum, n, terms, errors + kUnit * terms);
  }
  return converted(result, plan.compute, plan.node->type.dtype);
}

Sampler::Sampler(const Tables& tables, const Graph& graph, InputElement input,
                 const Values& symbols)
    : evaluation_(std::make_unique<Evaluation>(tables, graph, std::move(input),
                                               symbols)) {}
Sampler::~Sampler() = default;

Ball Sampler::at(const Name& value, int64_t position) {
  return evaluation_->at(evaluation_->number_of(value), position);
}

std::vector<Ball> evaluate_at(const Tables& tables, const Graph& graph,
                              const InputElement& input, const Name& output,
                              const std::vector<int64_t>& positions,
                              const Values& symbols) {
  Sampler sampler(tables, graph, input, symbols);
  std::vector<Ball> balls;
  for (int64_t position : positions)
    balls.push_back(sampler.at(output, position));
  return balls;
}

namespace {

void check_inputs(const Graph& graph, const Arrays& inputs,
                  const Values& symbols) {
  for (const Node& node : graph.nodes) {
    if (node.op != "input" && node.op != "weight") continue;
    auto found = inputs.find(node.name);
    if (found == inputs.end()) fail({}, "no array for input {}", node.name);
    const Array& array = found->second;
    std::vector<int64_t> shape;
    for (const Dim& dim : node.type.shape)
      shape.push_back(evaluate(dim, symbols));
    if (array.dtype() != node.type.dtype || array.shape() != shape) {
      fail({}, "the array for input {} is no {} {}", node.name,
           text_of(node.type.shape), name_of(node.type.dtype));
    }
  }
}

// The number of the last plan that reads each plan; outputs are read at the
// end, and what no output needs is never computed: -1.
std::vector<int> last_uses(const Evaluation& all, const Graph& graph) {
  std::vector<int> last(static_cast<std::size_t>(all.size()), -1);
  for (const Name& output : graph.outputs)
    last[static_cast<std::size_t>(all.number_of(output))] = all.size();
  for (int number = all.size(); number-- > 0;) {
    if (last[static_cast<std::size_t>(number)] < 0) continue;
    for (int operand : all.plan(number).operands) {
      int& use = last[static_cast<std::size_t>(operand)];
      use = std::max(use, number);
    }
  }
  return last;
}

}  // namespace

std::vector<Reference> evaluate(const Tables& tables, const Graph& graph,
                                const Arrays& inputs, const Values& symbols) {
  check_inputs(graph, inputs, symbols);
  Evaluation all(
      tables, graph,
      [&](const Name& name, int64_t i) { return inputs.at(name).at(i); },
      symbols);
  std::vector<int> last = last_uses(all, graph);
  for (int number = 0; number < all.size(); number++) {
    if (last[static_cast<std::size_t>(number)] < 0) continue;
    int64_t elements = element_count(all.plan(number).shape);
    for (int64_t i = 0; i < elements; i++)
      all.at(number, i);
    for (int operand : all.plan(number).operands) {
      if (last[static_cast<std::size_t>(operand)] == number) {
        all.release(operand);
      }
    }
  }
  std::vector<Reference> results;
  for (const Name& output : graph.outputs) {
    int number = all.number_of(output);
    const Plan& plan = all.plan(number);
    Reference result{output, plan.node->type.dtype, plan.shape, {}};
    int64_t elements = element_count(plan.shape);
    for (int64_t i = 0; i < elements; i++)
      result.elements.push_back(all.at(number, i));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace sextant::torch
