// The lowering of Loop IR to Tile IR: every loop becomes a serial loop of one
// thread, and the passes carry out the kernel's schedule on it.
#pragma once

#include "chapters/03-loop-ir/ir.h"
#include "chapters/04-tile-ir/ir.h"
#include "src/base/pass.h"

namespace sextant::tile {

struct LowerOptions {
  Name target;            // a row of the target table
  std::string schedules;  // as `--schedule` takes them: see schedule_for
};

/// The program as serial loops of one thread, before any pass, and a schedule
/// for each kernel: that of the options, or else the heuristic's.
Program start(const loop::Program& program, const LowerOptions& options,
              PassContext& context);
/// `start`, then all passes. An `Error` if a schedule that was asked for cannot
/// be applied, or asks for more than the target has.
Program lower(const loop::Program& program, const LowerOptions& options,
              PassContext& context);

}  // namespace sextant::tile
