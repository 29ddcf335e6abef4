// What the commands do on a GPU: chapter 7, from here. Without that chapter
// every function but the first says so.
#pragma once

#include "src/cli/run.h"

namespace sextant::cli {

/// Whether there is a GPU, and a chapter 7 to use it.
bool card_is_there();

/// sextant run --device cuda: runs, checks and measures, as `command` asks.
RunResult execute_on_card(const Compilation& program, const Command& command,
                          const Tables& tables);

/// sextant profile --device cuda: prints each kernel's time and shape; returns
/// an exit code.
int profile_on_card(const Compilation& program, const Command& command,
                    const Tables& tables);

}  // namespace sextant::cli
