// Where each buffer lies in the one block of memory that a program has.
#pragma once

#include <cstdint>
#include <vector>

namespace sextant::running {

/// A buffer that holds something from before launch `first` to after `last`.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // one a lifetime
  int64_t bytes = 0;             // of the whole block
};

/// Places buffers at multiples of `alignment`, so that no two that live at
/// once overlap.
MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes,
                       int64_t alignment);

}  // namespace sextant::running
