// A program that the commands have put on a card; with chapter 7 only.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "chapters/07-running/measure.h"
#include "chapters/07-running/prepare.h"
#include "src/cli/run.h"

namespace sextant::cli {

using running::Meter;

struct OnCard {
  Compilation compiled;  // at every stage
  Values sizes;
  std::unique_ptr<running::Executable> program;
  std::string notes;  // what a reader of the results should know
};

/// Calls f(device) with this machine's card. Where a kernel never ended, its
/// error is told and the command ends at once: taking leave of the driver would
/// be waiting again.
template <class F>
int with_card(const Command& command, F&& f) {
  running::Device device;
  device.patience = command.timeout;
  try {
    return f(device);
  } catch (const Error& e) {
    if (!device.lost()) throw;
    std::fprintf(stderr, "%s\n", e.what());
    std::fflush(nullptr);
    std::_Exit(kUsersFault);
  }
}

/// Compiles a program for the card and loads it there.
OnCard put_on_card(const running::Device& device, const Compilation& program,
                   const Command& command, const Tables& tables);
/// Runs it once on the random inputs of a seed, with poisoned outputs.
RunResult run_on_card(const OnCard& card, uint64_t seed);
/// The time of all its launches as one graph.
double graph_microseconds(const OnCard& card, Meter& meter);

}  // namespace sextant::cli
