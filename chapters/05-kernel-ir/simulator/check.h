// The usual path of a checked access, which must be short: an element that was
// last touched before a barrier. All else goes to checks.cpp.
#pragma once

#include "chapters/05-kernel-ir/simulator/machine.h"

namespace sextant::kernel {

/// Checks and notes the reads of one access.
class Machine::Reader {
 public:
  Reader(Machine& machine, const Access& access)
      : machine_(machine),
        access_(access),
        clocks_(machine.clocks_),
        begin_(clocks_.begin),
        seen_(clocks_.all_seen - clocks_.begin) {}

  /// False if there is nothing in the element that could be read.
  bool read(Cell& c, int64_t at, int thread) {
    // Written in this block, and everyone has seen it.
    bool fine = c.written - begin_ - 1 < seen_;
    if (!fine) fine = machine_.check_read(access_, c, at, thread);
    bool noted = c.reader == kMany && c.read == clocks_.now[thread / 32] &&
                 (c.readers >> (thread / 32) & 1) != 0;
    if (!noted) clocks_.note_read(c, thread);
    return fine;
  }

 private:
  Machine& machine_;
  const Access& access_;
  const Clocks& clocks_;
  const uint32_t begin_, seen_;
};

/// Checks and notes the writes of one access.
class Machine::Writer {
 public:
  Writer(Machine& machine, const Access& access, bool atomic = false)
      : machine_(machine),
        access_(access),
        clocks_(machine.clocks_),
        atomic_(atomic),
        past_(machine.objects_[access.object]->shared ? clocks_.all_seen
                                                      : machine.launch_begin_) {
  }

  void write(Cell& c, int64_t at, int thread) {
    // Touched last before a barrier; in global memory, before the launch.
    if (c.written > past_ || c.read > past_)
      machine_.check_write(access_, c, at, thread, atomic_);
    clocks_.note_write(c, thread);
    if (atomic_) c.writer |= kAtomic;
  }

 private:
  Machine& machine_;
  const Access& access_;
  const Clocks& clocks_;
  const bool atomic_;
  const uint32_t past_;
};

}  // namespace sextant::kernel
