#include "chapters/05-kernel-ir/simulator/mask.h"

#include <algorithm>

namespace sextant::kernel {

Mask full_mask(int block) {
  Mask mask;
  mask.count = block;
  mask.spans = {{0, block}};
  mask.warps.assign((block + 31) / 32, 0);
  for (int t = 0; t < block; t++)
    mask.warps[t / 32] |= 1u << (t % 32);
  return mask;
}

namespace {

// One warp's request: the byte address of each active lane.
struct Request {
  int lanes[32];
  int64_t address[32];
  int count = 0;
};

int64_t count_distinct(int64_t* list, int n) {
  std::sort(list, list + n);
  return std::unique(list, list + n) - list;
}

// A warp of threads reads global memory in sectors of 32 bytes; an aligned
// access of at most 16 bytes lies in one.
void add_sectors(const Request& r, int64_t bytes, Requests& sum) {
  int64_t sectors[32], places[32];
  for (int i = 0; i < r.count; i++) {
    sectors[i] = r.address[i] >> 5;
    places[i] = r.address[i];
  }
  sum.sectors += count_distinct(sectors, r.count);
  int64_t wanted = count_distinct(places, r.count) * bytes;
  sum.least_sectors += (wanted + 31) / 32;
}

// The most different words that the lanes of a group want from one bank. Bank
// b of 32 holds the 4-byte words with number b modulo 32.
int64_t bank_wavefronts(const Request& r, int begin, int end, int64_t bytes) {
  int64_t words[128];
  int n = 0;
  for (int i = begin; i < end; i++) {
    for (int64_t b = 0; b < std::max<int64_t>(bytes, 4); b += 4)
      words[n++] = (r.address[i] + b) >> 2;
  }
  int64_t held[32] = {}, most = 0;
  int distinct = static_cast<int>(count_distinct(words, n));
  for (int i = 0; i < distinct; i++)
    most = std::max(most, ++held[words[i] & 31]);
  return most;
}

// Whether each lane wants what its neighbour across `bit` wants.
bool paired(const Request& r, int begin, int end, int bit) {
  for (int i = begin; i < end; i++) {
    for (int j = begin; j < end; j++) {
      bool neighbours = (r.lanes[i] ^ r.lanes[j]) == bit;
      if (neighbours && r.address[i] != r.address[j]) return false;
    }
  }
  return true;
}

// A wavefront moves at most 128 bytes: of 8-byte accesses it serves half a
// warp, of 16-byte accesses a quarter. Where neighbouring lanes want the same,
// two such groups go together (measured).
void add_wavefronts(const Request& r, int64_t bytes, Requests& sum) {
  int group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  int joint = std::min(32, group * 2);
  int at = 0;
  while (at < r.count) {
    auto upto = [&](int lanes) {
      int end = at;
      while (end < r.count && r.lanes[end] / lanes == r.lanes[at] / lanes)
        end++;
      return end;
    };
    int end = upto(joint);
    if (group < 32 && !paired(r, at, end, 1) && !paired(r, at, end, 2))
      end = upto(group);
    sum.wavefronts += bank_wavefronts(r, at, end, bytes);
    sum.least_wavefronts++;
    at = end;
  }
}

}  // namespace

Requests requests_of(const int64_t* offsets, int64_t base, const Mask& mask,
                     int64_t size, int64_t width, bool shared) {
  Requests sum;
  int64_t bytes = size * width;
  sum.bytes = mask.count * bytes;
  Request request;
  auto finish = [&] {
    if (request.count == 0) return;
    sum.requests++;
    if (shared) {
      add_wavefronts(request, bytes, sum);
    } else {
      add_sectors(request, bytes, sum);
    }
    request.count = 0;
  };
  int warp = 0;
  mask.each([&](int t) {
    if (t / 32 != warp) finish();
    warp = t / 32;
    int64_t offset = offsets[t] + base;
    sum.lowest = std::min(sum.lowest, offset);
    sum.highest = std::max(sum.highest, offset);
    if (offset % width != 0) sum.misaligned = t;
    request.lanes[request.count] = t % 32;
    request.address[request.count++] = offset * size;
  });
  finish();
  return sum;
}

}  // namespace sextant::kernel
