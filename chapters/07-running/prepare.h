// All of this chapter in one call.
#pragma once

#include "chapters/07-running/executable.h"
#include "chapters/07-running/module_cache.h"

namespace sextant::running {

/// Calls work(0) to work(n - 1), on as many threads as the machine has cores.
/// An error that any of them raises is raised when all have ended.
void in_parallel(std::size_t n, const std::function<void(std::size_t)>& work);

/// The machine code of each kernel of a program, and of `kFillText`, from the
/// folder of modules or compiled. Kernels are compiled one by one, for each to
/// be found again wherever it occurs, and at the same time.
std::vector<std::string> compile_kernels(const Tables& tables,
                                         const kernel::Program& program,
                                         const Compiler& compiler,
                                         const std::string& arch,
                                         const std::string& folder);

/// A program on the card, ready to run.
std::unique_ptr<Executable> prepare(const Device& device, const Tables& tables,
                                    const kernel::Program& program,
                                    const Values& sizes,
                                    const Compiler& compiler,
                                    const std::string& folder);

}  // namespace sextant::running
