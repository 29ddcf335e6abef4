// Which threads of the block are active, and how their accesses of memory come
// together to requests of warps.
#pragma once

#include "chapters/05-kernel-ir/simulator/report.h"

namespace sextant::kernel {

/// Threads begin .. end - 1.
struct Span {
  int begin, end;
};

/// The active threads, as spans for loops and as a bit a lane of each warp.
struct Mask {
  int64_t id = 0;  // equal ids are equal masks; 0: all threads
  int count = 0;
  std::vector<Span> spans;
  std::vector<uint32_t> warps;

  bool has(int thread) const {
    return (warps[thread / 32] >> (thread % 32) & 1) != 0;
  }
  template <class F>
  void each(F&& f) const {
    for (Span s : spans) {
      for (int t = s.begin; t < s.end; t++)
        f(t);
    }
  }
};

/// All threads of a block.
Mask full_mask(int block);
/// Those threads of `from` for which keep(thread). If that is all of them, the
/// result has the id of `from`, else `id`.
template <class Keep>
void narrow(const Mask& from, int64_t id, Mask& to, Keep&& keep) {
  to.spans.clear();
  to.warps.assign(from.warps.size(), 0);
  to.count = 0;
  from.each([&](int t) {
    if (!keep(t)) return;
    if (!to.spans.empty() && to.spans.back().end == t) {
      to.spans.back().end++;
    } else {
      to.spans.push_back({t, t + 1});
    }
    to.warps[t / 32] |= 1u << (t % 32);
    to.count++;
  });
  to.id = to.count == from.count ? from.id : id;
}

/// What the accesses of one statement by the active threads amount to.
struct Requests : Traffic {
  int64_t lowest = INT64_MAX, highest = INT64_MIN;  // of the first elements
  int misaligned = -1;                              // a thread whose access is
};

/// Threads access `width` elements of `size` bytes from offsets[t] + base on.
Requests requests_of(const int64_t* offsets, int64_t base, const Mask& mask,
                     int64_t size, int64_t width, bool shared);

}  // namespace sextant::kernel
