// A graph with its arrows: who reads whom, as numbers.
#pragma once

#include "chapters/02-tensor-ir/ir.h"

namespace sextant::loop {

/// Values are numbered in graph order.
struct Flow {
  explicit Flow(const tensor::Graph& graph);

  const tensor::Value& value(int v) const { return graph->values[v]; }
  bool is_parameter(int v) const;
  /// The number of a value; -1 for what is none (a symbol, `iota`).
  int find(const Name& name) const;

  const tensor::Graph* graph;
  std::vector<std::vector<int>> operands;  // in order of appearance, each once
  std::vector<std::vector<int>> readers;   // in graph order
  std::vector<bool> is_output;

 private:
  std::map<Name, int> number_;
};

}  // namespace sextant::loop
