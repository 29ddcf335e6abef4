// Target rows: what a GPU can do, in numbers.
#pragma once

#include <string>
#include <vector>

#include "src/base/tables.h"

namespace sextant {

/// A GPU by the name of its architecture. Rates are per microsecond and for
/// the whole device: bytes, or operations on one float32 value.
struct Target {
  Name name;         // "sm_90a"
  std::string card;  // whose figures these are
  bool measured;     // or from its data sheet
  int arch;          // 90
  int multiprocessors;
  double bandwidth;                   // bytes copied, read plus write
  double one_bandwidth;               // the same, by one multiprocessor alone
  double l2_bandwidth;                // bytes out of the L2 cache
  double fma;                         // multiply-adds
  double alu;                         // other float32 and int32 instructions
  double sfu;                         // of the special function units
  double launch_us;                   // one more kernel in a graph
  int64_t shared_per_block;           // bytes of shared memory, at most
  int64_t shared_per_multiprocessor;  // for all resident blocks together
  int64_t l2_bytes;
  int threads_per_multiprocessor;    // resident, at most
  int registers_per_multiprocessor;  // of 32 bits
};

std::vector<Target> target_rows();

/// The row of that name; an `Error` that lists what there is.
const Target& target_named(const Tables& tables, const Name& name);

}  // namespace sextant
