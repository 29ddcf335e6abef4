// Inside the evaluator: a graph whose nodes are made ready to run, and the
// elements that were computed.
#pragma once

#include <cmath>

#include "chapters/01-torch-ir/evaluate.h"

namespace sextant::torch {

// Elements of one value, in pages that are made when they are needed.
class Pages {
 public:
  void resize(int64_t elements) {
    pages_.resize(static_cast<std::size_t>((elements + kPage - 1) / kPage));
  }
  /// The element's place; its bound is negative until it is computed.
  Ball& at(int64_t i) {
    std::unique_ptr<Ball[]>& page = pages_[static_cast<std::size_t>(i / kPage)];
    if (!page) {
      page = std::make_unique<Ball[]>(kPage);
      for (std::size_t k = 0; k < kPage; k++)
        page[k].bound = -1;
    }
    return page[static_cast<std::size_t>(i % kPage)];
  }
  void clear() {
    for (std::unique_ptr<Ball[]>& page : pages_)
      page.reset();
  }

 private:
  static constexpr int64_t kPage = 256;
  std::vector<std::unique_ptr<Ball[]>> pages_;
};

// One piece of an index map.
struct PiecePlan {
  int operand = 0;
  std::vector<BallProgram> index;
  BallProgram where;
};

// How an operand is walked over for one element of the result: the element's
// index times `strides`, plus `steps` for each dimension that is walked.
struct Walk {
  int operand = 0;
  int64_t start = 0;
  std::vector<int64_t> strides, steps;
};

// A node, ready to run.
struct Plan {
  const Node* node = nullptr;
  const OpRow* row = nullptr;
  std::vector<int64_t> shape, strides;
  std::vector<int> operands;  // numbers of plans
  BallProgram value;          // of elementwise rows and makers; else otherwise
  std::vector<PiecePlan> pieces;
  // Of reductions and contractions.
  std::vector<Walk> walks;
  std::vector<int64_t> walked;  // extents
  const Combiner* combiner = nullptr;
  BallProgram combine, identity;
  DType compute = DType::Float32;
  Pages elements;
};

class Evaluation {
 public:
  Evaluation(const Tables& tables, const Graph& graph, InputElement input,
             const Values& symbols);
  /// The element of a value (by its plan's number) at a row-major position.
  Ball at(int number, int64_t position) {
    Ball kept = plans_[static_cast<std::size_t>(number)].elements.at(position);
    return kept.bound >= 0 ? kept : computed(number, position);
  }
  int number_of(const Name& value) const { return numbers_.at(value); }
  const Plan& plan(int number) const {
    return plans_[static_cast<std::size_t>(number)];
  }
  int size() const { return static_cast<int>(plans_.size()); }
  /// Forgets the elements of a value.
  void release(int number) {
    plans_[static_cast<std::size_t>(number)].elements.clear();
  }

 private:
  Ball computed(int number, int64_t position);
  Ball leaf(const Plan& plan, int64_t position) const;
  Ball compute(const Plan& plan, int64_t position);
  Ball view(const Plan& plan, int64_t position);
  Ball reduction(const Plan& plan, int64_t position);
  Ball contraction(const Plan& plan, int64_t position);

  void add_plan(const Node& node);
  void plan_view(Plan& plan, const IndexMap& map);
  void plan_reduction(Plan& plan, const Reduced& reduced);
  void plan_contraction(Plan& plan, const Product& product);
  BallProgram program(const Expr& e, const std::vector<Name>& operands,
                      std::size_t rank);
  std::vector<int64_t> sizes(const Shape& shape) const;

  const Tables& tables_;
  Graph graph_;
  InputElement input_;
  Values symbols_;
  BoundCall::TypeOf types_;
  std::vector<Plan> plans_;
  std::map<Name, int> numbers_;
};

}  // namespace sextant::torch
