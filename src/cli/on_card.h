// A program that the commands have put on a card; with chapter 7 only.
#pragma once

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

/// Compiles a program for the card and loads it there.
OnCard put_on_card(const running::Device& device, const Compilation& program,
                   const Command& command, const Tables& tables);
/// Runs it once on the random inputs of a seed, with poisoned outputs.
RunResult run_on_card(const OnCard& card, uint64_t seed);
/// The time of all its launches as one graph.
double graph_microseconds(const OnCard& card, Meter& meter);

}  // namespace sextant::cli
