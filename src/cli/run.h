// Running a program on the CPU, and checking what comes out.
#pragma once

#include <functional>

#include "chapters/01-torch-ir/evaluate.h"
#include "src/base/array.h"
#include "src/cli/command.h"
#if SEXTANT_CHAPTERS >= 5
#include "chapters/05-kernel-ir/simulator.h"
#endif

namespace sextant::cli {

/// One output, and what the check of it found.
struct OutputResult {
  Name name;
  Array array;                     // what the device computed
  std::vector<int64_t> positions;  // which elements, if not all
  bool sampled = false;
  torch::Comparison comparison;  // if the run was checked
};

struct RunResult {
  std::string device;
  /// What was executed: "Loop IR".
  std::string executed;
  std::vector<OutputResult> outputs;
  /// What the outputs were compared with; empty: with nothing, and `why` says
  /// why not if a check was asked for.
  std::string reference, why;
#if SEXTANT_CHAPTERS >= 5
  kernel::Report report;
#endif
  /// What a run on a card says beside its outputs.
  std::string notes;

  bool clean() const {
#if SEXTANT_CHAPTERS >= 5
    return report.clean();
#else
    return true;
#endif
  }
  bool within() const {
    for (const OutputResult& o : outputs) {
      if (!o.comparison.pass) return false;
    }
    return true;
  }
};

/// Random arrays for the parameters of a program, at the stage it came in at.
Arrays inputs_of(const Compilation& program, const Values& sizes,
                 uint64_t seed);

/// The names of a program's outputs, each once.
std::vector<Name> outputs_of(const Compilation& program);

/// The same bytes in another shape: a lowering may join axes of a buffer.
Array reshaped(const Array& array, const std::vector<int64_t>& shape);

/// Checks what a card computed: some elements against Torch IR, if the program
/// has it, else all against the stage that the program came in at.
void check_on_card(const Compilation& program, const Values& sizes,
                   uint64_t seed, const Tables& tables, RunResult& result);

/// Until when something goes on, on a clock that a test may turn.
struct TimeLimit {
  double seconds = 60;
  std::function<double()> clock = seconds_now;  // in seconds
};
/// Compares as many elements of the outputs with Torch IR as can be computed
/// in that time: the first, the last, then any.
void check_some(const Compilation& program, const Values& sizes, uint64_t seed,
                const TimeLimit& limit, const Tables& tables,
                RunResult& result);

/// What a command ends with: 1 if the simulator found a fault, 3 if a result is
/// beyond its bound.
int exit_code(const RunResult& result);

/// Executes a program as `command` says and, if it is asked for, checks the
/// outputs against the highest stage that the program has.
RunResult execute(const Compilation& program, const Command& command,
                  const Tables& tables);

/// Compares with another run of the same program, whose results have no bound
/// of their own: each element may differ by a multiple of what rounding does
/// to the largest one.
torch::Comparison compare_loosely(const Array& got, const Array& wanted);

}  // namespace sextant::cli
