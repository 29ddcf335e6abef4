// The usual path of a checked access, which must be short: an element that was
// last touched before a barrier. All else goes to checks.cpp.
#pragma once

#include "chapters/05-kernel-ir/simulator/machine.h"

namespace sextant::kernel {

/// Checks and notes the reads of one access.
struct Machine::Reader {
  Machine& machine;
  const Access& access;
  const Clocks& clocks = machine.clocks_;
  const uint32_t begin = clocks.begin, seen = clocks.all_seen - begin;

  /// False if there is nothing in the element that could be read.
  bool read(Cell& c, int64_t at, int thread) {
    // Written in this block, and everyone has seen it.
    bool fine = c.written - begin - 1 < seen;
    if (!fine) fine = machine.check_read(access, c, at, thread);
    bool noted = c.reader == kMany && c.read == clocks.now[thread / 32] &&
                 (c.readers >> (thread / 32) & 1) != 0;
    if (!noted) clocks.note_read(c, thread);
    return fine;
  }
};

/// Checks and notes the writes of one access.
struct Machine::Writer {
  Machine& machine;
  const Access& access;
  const bool atomic = false;
  const Clocks& clocks = machine.clocks_;
  const bool shared = machine.objects_[access.object]->shared;
  // Touched last before a barrier; in global memory, before the launch.
  const uint32_t past = shared ? clocks.all_seen : machine.launch_begin_;

  void write(Cell& c, int64_t at, int thread) {
    if (c.written > past || c.read > past)
      machine.check_write(access, c, at, thread, atomic);
    clocks.note_write(c, thread);
    if (atomic) c.writer |= kAtomic;
  }
};

}  // namespace sextant::kernel
