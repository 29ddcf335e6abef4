// A graph with its arrows: who reads whom, as numbers.
#pragma once

#include "chapters/02-tensor-ir/ir.h"

namespace sextant::loop {

/// Values are numbered in graph order. An `Error` if an output is a parameter:
/// no kernel makes that.
struct Flow {
  explicit Flow(const tensor::Graph& graph);

  const tensor::Value& value(int v) const { return graph->values[v]; }
  bool is_parameter(int v) const;
  /// The number of a value; -1 for what is none (a symbol, `iota`).
  int find(const Name& name) const;

  const tensor::Graph* graph;
  std::vector<std::vector<int>> operands;  // in order of appearance, each once
  std::vector<std::vector<int>> readers;   // in graph order
  std::vector<std::vector<Dim>> extents;   // those other than 1
  std::vector<bool> is_output;

 private:
  std::map<Name, int> number_;
};

/// What it takes to compute some values: parameters and stored values are
/// loaded, everything else on the way to the roots is computed.
struct Cone {
  std::vector<int> roots;     // ascending
  std::vector<int> loads;     // ascending
  std::vector<bool> touches;  // each value: stored, computed or loaded
};
Cone cone_of(const Flow& flow, const std::vector<bool>& is_stored,
             const std::vector<int>& roots);

/// The order in which kernels of these cones can run, the first in front where
/// that leaves a choice. Shorter than the list if some could never start, each
/// waiting for another.
std::vector<std::size_t> run_order(const std::vector<const Cone*>& cones);

}  // namespace sextant::loop
