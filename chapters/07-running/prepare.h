// All of this chapter in one call.
#pragma once

#include "chapters/07-running/executable.h"
#include "chapters/07-running/module_cache.h"

namespace sextant::running {

/// A program on the card, ready to run: its CUDA text compiled for the card's
/// architecture, or found in the folder of modules.
std::unique_ptr<Executable> prepare(const Device& device, const Tables& tables,
                                    const kernel::Program& program,
                                    const std::string& cuda,
                                    const Values& sizes,
                                    const Compiler& compiler,
                                    const std::string& folder);

}  // namespace sextant::running
