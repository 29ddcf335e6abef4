// The GPU simulator: what Kernel IR means, executed on a CPU, and refused where
// a GPU would be wrong in silence.
#pragma once

#include "chapters/05-kernel-ir/simulator/report.h"
#include "src/base/array.h"

namespace sextant::kernel {

/// Which blocks of each launch run.
struct Blocks {
  bool all = true;
  bool first = false, last = false;
  int64_t random = 0;  // that many more, chosen by the seed
};
/// Reads "all" or "first,last,random:4"; an `Error` says what is wrong.
Blocks parse_blocks(std::string_view text);

struct SimOptions {
  Blocks blocks;
  /// The value of every symbol of the program.
  Values symbols;
  /// Inputs and weights that `buffers` lacks are made by `random_element` with
  /// this seed; without, a missing one is an `Error`.
  bool generate = false;
  uint64_t seed = 0;
};

/// Runs the launches of a program that `verify` accepts, in order. `buffers`
/// gives inputs and weights by name and receives all other buffers, but for
/// sampled blocks, whose outputs stand in the report. What a GPU would get
/// wrong is a fault in the report; a bad array or symbol is an `Error`.
Report simulate(const Tables& tables, const Program& program, Arrays& buffers,
                const SimOptions& options);

}  // namespace sextant::kernel
