// Which threads of the block are active, and how their accesses of memory come
// together to requests of warps.
#pragma once

#include <cstdint>
#include <vector>

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
  for (Span s : from.spans) {
    for (int t = s.begin; t < s.end; t++) {
      if (!keep(t)) continue;
      if (!to.spans.empty() && to.spans.back().end == t) {
        to.spans.back().end++;
      } else {
        to.spans.push_back({t, t + 1});
      }
      to.warps[t / 32] |= 1u << (t % 32);
      to.count++;
    }
  }
  to.id = to.count == from.count ? from.id : id;
}

/// What the accesses of one statement by the active threads amount to.
struct Requests {
  int64_t lowest = 0, highest = 0;  // offset of a thread's first element
  int misaligned = -1;              // a thread whose access is
  int64_t requests = 0;             // one a warp
  int64_t sectors = 0;              // of 32 bytes, in global memory
  int64_t least_sectors = 0;        // if the bytes lay together
  int64_t wavefronts = 0;           // in shared memory
  int64_t least_wavefronts = 0;     // without bank conflicts
};

/// Threads access `width` elements of `size` bytes from offsets[t] + base on.
Requests requests_of(const int64_t* offsets, int64_t base, const Mask& mask,
                     int64_t size, int64_t width, bool shared);

}  // namespace sextant::kernel
