// Races, by clocks and not by luck.
//
// Executing a block in lockstep hides its races: the values come out right.
// So every element that threads share has a shadow cell that remembers who
// wrote and who read it last, and when; and every warp knows what it has seen
// of the others. Two accesses of one element by different threads, at least
// one of them a write, race unless the later one has seen the earlier.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sextant::kernel {

/// The shadow of one element. Times are of the writing or reading warp's
/// clock; they only grow, from block to block and launch to launch.
struct Cell {
  uint32_t written = 0;  // when; 0: never
  uint32_t read = 0;
  uint32_t readers = 0;  // warps that read at that time, a bit each
  uint16_t writer = 0;   // thread number; kAtomic is a flag on it
  uint16_t reader = 0;   // thread number, or kMany
};
inline constexpr uint32_t kInFlight = UINT32_MAX;  // a copy's destination
inline constexpr uint16_t kAtomic = 0x8000;
inline constexpr uint16_t kMany = 0xffff;

/// The clocks of the block that runs. A warp's accesses carry its time; what
/// warp w has seen of warp v is everything up to `seen[w][v]`.
class Clocks {
 public:
  static constexpr int kWarps = 32;

  /// The next block: everything before it lies in the past, unseen.
  void start_block(int warps) {
    begin = all_seen = last();
    warps_ = warps;
    for (int w = 0; w < warps; w++) {
      now[w] = begin + 1;
      std::fill(seen[w], seen[w] + kWarps, begin);
    }
  }
  /// All warps meet: what each did so far, each has seen.
  void sync() {
    all_seen = last();
    for (int w = 0; w < warps_; w++) {
      std::fill(seen[w], seen[w] + kWarps, all_seen);
      now[w] = all_seen + 1;
    }
  }
  /// The lanes of one warp meet.
  void sync_warp(int w) { seen[w][w] = now[w]++; }
  uint32_t last() const {
    return warps_ == 0 ? 1 : *std::max_element(now, now + warps_);
  }

  /// Whether `thread` comes after a write: its own, or one that it has seen.
  bool after_write(const Cell& c, int thread) const {
    int w = thread / 32, writer = c.writer % kAtomic;
    return c.written <= seen[w][writer / 32] ||
           (writer == thread && c.written <= now[w]);
  }
  /// Whether `thread` comes after all reads of the cell in this block.
  bool after_reads(const Cell& c, int thread) const {
    int w = thread / 32;
    if (c.read <= all_seen || c.reader == thread) return true;
    for (int v = 0; v < warps_; v++) {
      if ((c.readers >> v & 1) != 0 && c.read > seen[w][v]) return false;
    }
    return true;
  }
  void note_read(Cell& c, int thread) const {
    uint32_t warp = 1u << (thread / 32);
    // Earlier reads count on until everyone has seen them.
    bool open = c.read > all_seen;
    bool alone = !open || c.reader == thread;
    c.reader = alone ? static_cast<uint16_t>(thread) : kMany;
    c.readers = (open ? c.readers : 0) | warp;
    c.read = open ? std::max(c.read, now[thread / 32]) : now[thread / 32];
  }
  void note_write(Cell& c, int thread) const {
    c.written = now[thread / 32];
    c.writer = static_cast<uint16_t>(thread);
  }

  uint32_t begin = 1;     // all earlier blocks' times are at most this
  uint32_t all_seen = 1;  // what everyone in the block has seen of everyone
  uint32_t now[kWarps] = {};
  uint32_t seen[kWarps][kWarps] = {};

 private:
  int warps_ = 0;
};

}  // namespace sextant::kernel
