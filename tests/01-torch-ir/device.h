// A device for tests: runs a graph node by node in the types that it names,
// sums in float32 in an order of its own, and may drop a term of each sum.
#pragma once

#include "chapters/01-torch-ir/builder.h"
#include "chapters/01-torch-ir/evaluate.h"

namespace sextant::test {

struct Device {
  int lanes = 1;           // partial sums, joined at the end
  int64_t drop = -1;       // the first term that each sum leaves out,
  int64_t dropped = 1;     // and how many it leaves out there
  bool fused = false;      // products are not rounded before they are added
  bool half_sums = false;  // sums are kept in float16
};

/// All values of the expanded graph.
Arrays run_on(const Device& device, const Tables& tables,
              const torch::Graph& graph, const Arrays& inputs);

/// The tables of chapter 1.
const Tables& tables();
/// A graph that is written as the lines after the first; verified.
torch::Graph parse(const std::string& lines);
/// The first complaint about such a text; empty if there is none.
std::string complaint(const std::string& lines);

/// Random arrays for the inputs of a graph.
Arrays random_inputs(const torch::Graph& graph, uint64_t seed);

}  // namespace sextant::test
