// A program on the card: its memory, its kernels, and running them.
#pragma once

#include "chapters/05-kernel-ir/ir.h"
#include "chapters/07-running/device.h"
#include "src/base/array.h"

namespace sextant::running {

/// One launch, ready to be made.
struct ReadyLaunch {
  Name kernel;
  Opaque function = nullptr;
  int64_t grid = 0, block = 0;
  int64_t shared = 0;  // dynamic, in bytes
  /// Values of the parameters, 8 bytes each.
  std::vector<uint64_t> parameters;
  int64_t bytes = 0;  // of the buffers that it reads or writes, each once
};

/// What the compiler made of a kernel.
struct KernelFacts {
  int registers = 0;
  int64_t shared = 0;   // static and dynamic
  int64_t spilled = 0;  // bytes of a thread's that lie in memory
  int blocks = 0;       // that fit on a multiprocessor
};

/// A program with given sizes, compiled and loaded. Not for two threads at
/// once: each loads one of its own.
class Executable {
 public:
  /// `codes` are what a compiler made of the CUDA text of each kernel, in the
  /// program's order, and of `kFillText`.
  Executable(const Device& device, const kernel::Program& program,
             const std::vector<std::string>& codes, const Values& sizes);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  /// Fills inputs and weights with the random arrays of a seed; on the card,
  /// and to the bit what `random_array` makes.
  void fill_random(uint64_t seed);
  /// Makes every other buffer unlike any result: all bits are set, which is no
  /// number. A workspace gets its zeros. They begin so.
  void poison();
  void write(const Name& buffer, const Array& array);
  Array read(const Name& buffer) const;

  /// Runs the launches one by one and waits for each, so that an `Error` names
  /// the kernel.
  void run();
  /// Starts all launches in a stream.
  void start(Opaque stream) const;
  void start(const ReadyLaunch& launch, Opaque stream) const;

  const std::vector<ReadyLaunch>& launches() const { return launches_; }
  KernelFacts facts(const ReadyLaunch& launch) const;
  int64_t bytes() const { return memory_bytes_; }
  Opaque stream() const { return stream_; }
  const Device& device() const { return device_; }

 private:
  struct Placed {
    Buffer buffer;
    std::vector<int64_t> shape;
    Address address = 0;
    int64_t bytes = 0;
  };

  void clear();
  void place(const kernel::Program& program, const Values& sizes);
  void load(const std::string& code);
  void make_ready(const kernel::Program& program, const Values& sizes);
  ReadyLaunch ready(const kernel::Program& program, const Launch& launch,
                    const Values& sizes) const;
  const Placed& placed(const Name& buffer) const;

  const Device& device_;
  std::map<Name, Placed> buffers_;
  std::vector<ReadyLaunch> launches_;
  Address memory_ = 0;
  int64_t memory_bytes_ = 0;
  std::vector<Opaque> modules_;  // one a kernel, then that of `kFillText`
  Opaque stream_ = nullptr;
};

/// The CUDA text of the kernels that `fill_random` runs.
extern const char* const kFillText;

/// All launches as one graph, which the card works through by itself.
class Graph {
 public:
  /// Captures what `work` starts in the stream.
  Graph(const Device& device, Opaque stream,
        const std::function<void(Opaque)>& work);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void start() const;

 private:
  const Device& device_;
  Opaque stream_, ready_ = nullptr;
};

}  // namespace sextant::running
