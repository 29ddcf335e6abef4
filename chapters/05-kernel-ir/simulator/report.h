// What a simulation found and counted.
#pragma once

#include "chapters/05-kernel-ir/ir.h"

namespace sextant::kernel {

/// Something that a GPU would get wrong, or might: told once for a statement,
/// with the first thread that did it and how often it was done.
struct Fault {
  Name kind;  // "race", "bounds", ...: one word a check
  Name kernel;
  std::string statement;
  Name object;         // where it happened, if it is in memory
  int64_t offset = 0;  // in elements
  int64_t block = 0, thread = 0;
  std::string what;  // the sentence's middle: "reads x_smem[3], which ..."
  int64_t times = 0;
  /// One full sentence or two: what happened, where, how often.
  std::string sentence() const;
};

/// What one statement did, over all threads of all blocks that ran. A
/// thread-statement is one statement executed by one active thread.
struct StatementCount {
  std::string text;
  int64_t executed = 0;  // thread-statements
  double flops = 0;
  int64_t guards = 0;  // conditions of its own that were evaluated
};

/// What accesses of memory amount to.
struct Traffic {
  int64_t bytes = 0;             // that threads asked for
  int64_t requests = 0;          // one a warp
  int64_t sectors = 0;           // of 32 bytes, in global memory
  int64_t least_sectors = 0;     // if the bytes lay together
  int64_t wavefronts = 0;        // in shared memory
  int64_t least_wavefronts = 0;  // without bank conflicts
  void operator+=(const Traffic& more);
};

/// What one statement did to one object in memory.
struct AccessCount : Traffic {
  int statement = 0;  // number in KernelCount::statements
  Name object;
  bool shared = false, writes = false;
};

/// Bytes between a buffer and the multiprocessors.
struct BufferCount {
  Name buffer;
  int64_t read = 0, written = 0;  // bytes that threads asked for
  int64_t least = 0;              // the buffer's size in bytes
};

struct KernelCount {
  Name kernel;
  int64_t grid = 0, block = 0, blocks_run = 0;
  int64_t shared_bytes = 0;
  std::vector<StatementCount> statements;
  std::vector<AccessCount> accesses;
  std::vector<BufferCount> buffers;
  int64_t barriers = 0;  // a block's
  // Asynchronous copies, and how many statements their threads executed
  // between commit and the wait that needed them, summed.
  int64_t copies = 0, distance = 0;

  int64_t executed() const;
  double flops() const;
};

/// An output of which only some blocks' elements were computed.
struct Written {
  std::vector<int64_t> offsets;
  std::vector<Scalar> values;
};

struct Report {
  std::vector<Fault> faults;
  std::vector<KernelCount> kernels;  // one a launch
  std::map<Name, Written> written;   // of sampled blocks
  bool clean() const { return faults.empty(); }
};

/// The faults as text, a paragraph each; "" if there are none.
std::string faults_text(const Report& report);
/// The counts of each launch as a table of 80 columns. "sectors" is the mean
/// of a request, and "least" what it would be if its bytes lay together.
std::string profile_text(const Report& report);

}  // namespace sextant::kernel
