// One kernel in CUDA; emit.h has the whole translation unit.
#pragma once

#include <set>

#include "chapters/05-kernel-ir/ir.h"

namespace sextant::cuda {

/// Prints a kernel. `vectors` collects the vector types that it used, as
/// "name|element type|elements|bytes".
void emit_kernel(const Tables& tables, const kernel::Program& program,
                 const kernel::Kernel& kernel, std::set<std::string>& vectors,
                 Printer& p);

}  // namespace sextant::cuda
