// The reference: what a graph computes, in float64, and how far a device that
// rounds as the graph says may be off.
#pragma once

#include "chapters/01-torch-ir/ball.h"
#include "chapters/01-torch-ir/infer.h"
#include "src/base/array.h"

namespace sextant::torch {

/// One output: row-major elements.
struct Reference {
  Name name;
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  std::vector<Ball> elements;
};

/// Computes every output of a graph. `symbols` gives sizes to names. An
/// `Error` if an input is missing or has another type.
std::vector<Reference> evaluate(const Tables& tables, const Graph& graph,
                                const Arrays& inputs,
                                const Values& symbols = {});

/// The element of an input at a row-major position.
using InputElement = std::function<Scalar(const Name&, int64_t)>;

class Evaluation;

/// Computes some elements of a graph's values, and only what these need.
/// Elements that several need are computed once.
class Sampler {
 public:
  Sampler(const Tables& tables, const Graph& graph, InputElement input,
          const Values& symbols = {});
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  /// The element of a value at a row-major position.
  Ball at(const Name& value, int64_t position);

 private:
  std::unique_ptr<Evaluation> evaluation_;
};

/// The elements of one output at the given row-major positions.
std::vector<Ball> evaluate_at(const Tables& tables, const Graph& graph,
                              const InputElement& input, const Name& output,
                              const std::vector<int64_t>& positions,
                              const Values& symbols = {});

/// What comparing a device's result with the reference found.
struct Comparison {
  bool pass = true;
  int64_t position = 0;  // of the element with the largest error for its bound
  double error = 0;      // there
  double bound = 0;      // there
  double got = 0, wanted = 0;
  int64_t beyond = 0;   // how many elements are beyond their bound
  int64_t checked = 0;  // how many were compared
};
/// Compares all elements: `got` has the reference's type and shape.
Comparison compare(const Array& got, const Reference& reference);
/// Compares the elements at `positions` of `got` with `expected`.
Comparison compare_at(const Array& got, const std::vector<int64_t>& positions,
                      const std::vector<Ball>& expected);
/// "error 3.1e-06 of 2.2e-05 at element 17 of 256 compared"
std::string to_string(const Comparison& comparison);

}  // namespace sextant::torch
