// The schedule of a kernel that nobody gave one: one case a role.
#pragma once

#include "chapters/03-loop-ir/roles.h"
#include "chapters/03-loop-ir/target.h"
#include "chapters/04-tile-ir/schedule.h"

namespace sextant::tile {

/// A schedule that is ordinary for the kernel's role and good for its extents;
/// no table of shapes. Symbols count with their hints. A kernel without a role
/// gets one thread for each element of its outermost loop.
Schedule heuristic(const loop::Program& program, const loop::Kernel& kernel,
                   const Target& target);

}  // namespace sextant::tile
