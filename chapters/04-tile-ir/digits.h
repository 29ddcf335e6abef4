// The axes of a kernel as its schedule splits them.
#pragma once

#include "chapters/04-tile-ir/ir.h"
#include "chapters/04-tile-ir/schedule.h"

namespace sextant::tile {

/// A digit with its name and what one step of it counts.
struct Wheel {
  Name name;
  Dim extent;
  int64_t place = 1;
  Hold hold = Hold::Serial;
};

/// A loop axis: its digits, outermost first, the number that they write in
/// mixed radix, and the guard of its tail.
struct Axle {
  Name axis;
  Dim extent;
  bool reduces = false;
  int loops = 0;
  std::vector<Wheel> wheels = {};
  Expr coordinate = {};
  Expr tail = {};  // empty: the digits write no more than the extent
};

/// Every axis of a kernel of serial loops, in loop order; what is known of the
/// digits enters `bounds`. An `Error` where the schedule does not fit.
std::vector<Axle> axles_of(const Kernel& kernel, Bounds& bounds);

}  // namespace sextant::tile
