// A schedule: who holds each digit of each axis, and what is staged. One small
// value per kernel, written in one line:
//
//   a0=8t.2r a1=8t.2r a2=2s.32s | bias:smem*2 x:smem*2.async.pad1 | raster=8
//
// An axis is a number in mixed radix. Its digits stand outermost first; the
// letter says who holds the digit: a block, a thread, a register of a thread,
// or time, as a serial loop or an unrolled one. `*` as the first extent is
// what is left. Axes are listed in any order; it is the order of their THREAD
// digits. Threads and blocks that hold digits of a sum each have a part of it,
// and the parts are joined.
#pragma once

#include "src/base/expr.h"

namespace sextant::tile {

enum class Hold { Block, Thread, Register, Serial, Unrolled };

/// One digit; extent 0 is `*`, which only the outermost may be.
struct Digit {
  int64_t extent = 0;
  Hold hold = Hold::Serial;
  bool operator==(const Digit&) const = default;
};

/// The digits of one loop axis, outermost first.
struct Split {
  Name axis;
  std::vector<Digit> digits;
  bool operator==(const Split&) const = default;
};

/// A buffer to be staged in shared memory: `x:smem*2.async.pad1`. `pad`
/// lengthens the second axis in memory order, so the pitch of the first;
/// `kmajor` puts the axis of the innermost serial loop first.
struct Staging {
  Name operand;
  int64_t buffers = 1;
  Name transport;  // empty, async or held
  bool kmajor = false;
  int64_t pad = 0;
  bool operator==(const Staging&) const = default;
};

/// `raster`, `min_blocks`: as in `Kernel`. `prefetch`: the innermost loop
/// around loads from stages reads one step ahead.
struct Schedule {
  std::vector<Split> splits;
  std::vector<Staging> stages;
  int64_t raster = 0;
  int64_t min_blocks = 0;
  bool prefetch = false;

  /// The digits of an axis, or null.
  const Split* split(const Name& axis) const;
  bool operator==(const Schedule&) const = default;
};

/// Reads the line; an `Error` points at what is wrong in it.
Schedule parse_schedule(const std::string& text);
std::string to_string(const Schedule& schedule);

/// Of `SELECTOR:SCHEDULE; SELECTOR:SCHEDULE`, the schedule for a kernel: that
/// of the first selector that fits its name, in which `*` stands for any
/// letters. A schedule without selector is for every kernel; `|` is the one
/// that does nothing, a single thread. Nothing if none fits.
std::optional<std::string> schedule_for(const std::string& all,
                                        const Name& kernel);

}  // namespace sextant::tile
