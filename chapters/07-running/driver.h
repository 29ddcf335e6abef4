// The part of NVIDIA's driver that this chapter calls. Declared here by hand:
// building needs no CUDA, and libcuda is opened when a program is to run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chapters/07-running/library.h"

namespace sextant::running {

/// A context, module, kernel, stream, event or graph of the driver's.
using Opaque = void*;
/// An address in the memory of the card.
using Address = unsigned long long;

// Names as the library exports them: what the headers call cuMemAlloc is
// cuMemAlloc_v2 there.
#define SEXTANT_DRIVER_FUNCTIONS(F)                                           \
  F(cuInit, unsigned)                                                         \
  F(cuDriverGetVersion, int*)                                                 \
  F(cuDeviceGetCount, int*)                                                   \
  F(cuDeviceGet, int*, int)                                                   \
  F(cuDeviceGetName, char*, int, int)                                         \
  F(cuDeviceGetAttribute, int*, int, int)                                     \
  F(cuDevicePrimaryCtxRetain, Opaque*, int)                                   \
  F(cuCtxSetCurrent, Opaque)                                                  \
  F(cuMemGetInfo_v2, std::size_t*, std::size_t*)                              \
  F(cuMemAlloc_v2, Address*, std::size_t)                                     \
  F(cuMemFree_v2, Address)                                                    \
  F(cuMemcpyHtoD_v2, Address, const void*, std::size_t)                       \
  F(cuMemcpyDtoH_v2, void*, Address, std::size_t)                             \
  F(cuMemcpyDtoDAsync_v2, Address, Address, std::size_t, Opaque)              \
  F(cuMemsetD8Async, Address, unsigned char, std::size_t, Opaque)             \
  F(cuModuleLoadData, Opaque*, const void*)                                   \
  F(cuModuleUnload, Opaque)                                                   \
  F(cuModuleGetFunction, Opaque*, Opaque, const char*)                        \
  F(cuFuncSetAttribute, Opaque, int, int)                                     \
  F(cuFuncGetAttribute, int*, int, Opaque)                                    \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, Opaque, int,           \
    std::size_t)                                                              \
  F(cuLaunchKernel, Opaque, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, Opaque, void**, void**)                               \
  F(cuStreamCreate, Opaque*, unsigned)                                        \
  F(cuStreamDestroy_v2, Opaque)                                               \
  F(cuStreamQuery, Opaque)                                                    \
  F(cuStreamBeginCapture_v2, Opaque, int)                                     \
  F(cuStreamEndCapture, Opaque, Opaque*)                                      \
  F(cuGraphInstantiateWithFlags, Opaque*, Opaque, unsigned long long)         \
  F(cuGraphLaunch, Opaque, Opaque)                                            \
  F(cuGraphExecDestroy, Opaque)                                               \
  F(cuGraphDestroy, Opaque)                                                   \
  F(cuEventCreate, Opaque*, unsigned)                                         \
  F(cuEventDestroy_v2, Opaque)                                                \
  F(cuEventRecord, Opaque, Opaque)                                            \
  F(cuEventElapsedTime, float*, Opaque, Opaque)                               \
  F(cuGetErrorName, int, const char**)                                        \
  F(cuGetErrorString, int, const char**)

/// Codes that this chapter looks at itself.
enum : int { kOutOfMemory = 2, kNotReady = 600 };
/// Numbers of attributes of a card and of a kernel.
enum : int {
  kMultiprocessors = 16,
  kMajor = 75,
  kMinor = 76,
  kSharedPerBlock = 97,
};
enum : int {
  kSharedSize = 1,
  kLocalSize = 3,
  kRegisters = 4,
  kDynamicLimit = 8
};

struct Driver {
#define SEXTANT_MEMBER(name, ...) Function<__VA_ARGS__> name;
  SEXTANT_DRIVER_FUNCTIONS(SEXTANT_MEMBER)
#undef SEXTANT_MEMBER
  int version = 0;  // the newest CUDA that it knows: 13000 is 13.0
  std::shared_ptr<Describe> describe;
};

/// The driver behind a lookup, started; without one, this machine's libcuda.
/// An `Error` if there is none, if it is too old or does not start.
Driver open_driver(Lookup lookup = {});

/// 13000 as "13.0".
std::string version_text(int version);

}  // namespace sextant::running
