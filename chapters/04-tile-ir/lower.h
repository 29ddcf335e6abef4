// The lowering of Loop IR to Tile IR: every loop becomes a serial loop of one
// thread, and the passes carry out the kernel's schedule on it.
#pragma once

#include "chapters/03-loop-ir/ir.h"
#include "chapters/04-tile-ir/ir.h"
#include "src/base/pass.h"

namespace sextant::tile {

/// What the lowering is told: the target by name, and schedules as `--schedule`
/// takes them. A kernel that no selector fits gets the heuristic's.
struct Choice {
  std::string target;
  std::string schedules;
};

/// The program in Tile IR, before any pass: serial loops, no axes.
Program start(const loop::Program& program, const Choice& choice,
              PassContext& context);
/// `start`, then all passes, verified. An `Error` if a schedule that was asked
/// for cannot be applied.
Program lower(const loop::Program& program, const Choice& choice,
              PassContext& context);

}  // namespace sextant::tile
