// The lowering of Tile IR to Kernel IR: digits become arithmetic on thread and
// block numbers, stages become copies with their barriers, values that have
// several cells become arrays of registers.
#pragma once

#include "chapters/04-tile-ir/ir.h"
#include "chapters/05-kernel-ir/ir.h"

namespace sextant::kernel {

/// One kernel. The tile program tells types and shapes of the buffers. An
/// `Error` names what a stage, width or combination asks for that the hardware
/// has no primitive for.
Kernel lower_kernel(const Tables& tables, const tile::Program& program,
                    const tile::Kernel& kernel);
/// Every kernel of a program; header and launches stay.
Program lower(const Tables& tables, const tile::Program& program);

}  // namespace sextant::kernel
