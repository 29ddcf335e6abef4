// A driver without a card: its memory is this process's, and a launch is noted
// and handed to the test. It misbehaves as it is told.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "chapters/07-running/driver.h"

namespace sextant::running {

struct FakeDriver {
  int version = 13000, cards = 1, major = 9, minor = 0;
  std::size_t free = std::size_t{1} << 30;  // bytes of the card
  std::string lacks;                        // a function that it has not
  std::string fails;                        // a function that returns 719
  std::string hangs;                        // a kernel that does not end
  bool refuses_code = false;                // no module can be loaded

  // What was done.
  struct Launched {
    std::string kernel;
    unsigned grid, block, shared;
    std::vector<uint64_t> parameters;
  };
  std::map<std::string, std::size_t> parameters;  // how many a kernel has
  std::vector<Launched> launched;
  int allocated = 0, modules = 0, streams = 0, graphs = 0;
  bool capturing = false, stuck = false;
  std::vector<std::string> functions;  // handles are numbers in it, from 1
};

inline FakeDriver fake;  // functions of C know no object

// The functions, as far as they do something.
namespace fakes {

inline int get_version(int* v) {
  return *v = fake.version, 0;
}
inline int count(int* n) {
  return *n = fake.cards, 0;
}
inline int zero(...) {
  return 0;
}
inline int name(char* to, int, int) {
  return std::strcpy(to, "Fake 1"), 0;
}
inline int attribute(int* v, int which, int) {
  *v = which == kMajor ? fake.major : which == kMinor ? fake.minor : 4;
  return 0;
}
inline int handle(Opaque* to, int) {
  return *to = &fake, 0;
}
inline int memory_info(std::size_t* f, std::size_t* t) {
  *f = fake.free;
  *t = std::size_t{2} << 30;
  return 0;
}
inline int allocate(Address* to, std::size_t n) {
  if (n > fake.free) return kOutOfMemory;
  // As the driver's, memory begins at a multiple of 512.
  auto* memory = static_cast<unsigned char*>(
      std::aligned_alloc(512, (n + 511) / 512 * 512));
  std::memset(memory, 0x5a, n);
  // What a lost card never gives back is no leak of the test's.
  static auto* const kept = new std::vector<void*>;
  kept->push_back(memory);
  *to = reinterpret_cast<Address>(memory);
  return fake.allocated++, 0;
}
inline int release(Address a) {
  std::free(reinterpret_cast<void*>(a));
  return fake.allocated--, 0;
}
inline int to_card(Address to, const void* from, std::size_t n) {
  return std::memcpy(reinterpret_cast<void*>(to), from, n), 0;
}
inline int to_host(void* to, Address from, std::size_t n) {
  return std::memcpy(to, reinterpret_cast<void*>(from), n), 0;
}
inline int set(Address to, unsigned char x, std::size_t n, Opaque) {
  return std::memset(reinterpret_cast<void*>(to), x, n), 0;
}
inline int load(Opaque* to, const void*) {
  if (fake.refuses_code) return 222;
  *to = &fake;
  return fake.modules++, 0;
}
inline int unload(Opaque) {
  return fake.modules--, 0;
}
inline int function(Opaque* to, Opaque, const char* kernel) {
  fake.functions.push_back(kernel);
  *to = reinterpret_cast<Opaque>(fake.functions.size());
  return 0;
}
inline int launch(Opaque f, unsigned x, unsigned, unsigned, unsigned block,
                  unsigned, unsigned, unsigned shared, Opaque, void** values,
                  void**) {
  std::string kernel = fake.functions[reinterpret_cast<std::size_t>(f) - 1];
  FakeDriver::Launched l{kernel, x, block, shared, {}};
  for (std::size_t i = 0; i < fake.parameters[kernel]; i++)
    l.parameters.push_back(*static_cast<uint64_t*>(values[i]));
  fake.launched.push_back(l);
  fake.stuck = fake.stuck || kernel == fake.hangs;
  return 0;
}
inline int stream(Opaque* to, unsigned) {
  *to = &fake;
  return fake.streams++, 0;
}
inline int end_stream(Opaque) {
  return fake.streams--, 0;
}
inline int query(Opaque) {
  return fake.stuck ? kNotReady : 0;
}
inline int capture(Opaque, int) {
  return fake.capturing = true, 0;
}
inline int captured(Opaque, Opaque* to) {
  fake.capturing = false;
  *to = &fake;
  return fake.graphs++, 0;
}
inline int instantiate(Opaque* to, Opaque, unsigned long long) {
  *to = &fake;
  return fake.graphs++, 0;
}
inline int end_graph(Opaque) {
  return fake.graphs--, 0;
}
inline int elapsed(float* ms, Opaque, Opaque) {
  return *ms = 0.25f, 0;
}
inline int error_name(int code, const char** to) {
  *to = code == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OF_A_TEST";
  return 0;
}
inline int error_text(int code, const char** to) {
  *to = code == 719 ? "unspecified launch failure" : "as the test said";
  return 0;
}
inline int failing(...) {
  return 719;
}

}  // namespace fakes

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

/// The fake driver as a library.
inline Lookup fake_library() {
  using namespace fakes;
  std::map<std::string, void*> known = {
      {"cuDriverGetVersion", address_of(&get_version)},
      {"cuDeviceGetCount", address_of(&count)},
      {"cuDeviceGetName", address_of(&name)},
      {"cuDeviceGetAttribute", address_of(&attribute)},
      {"cuDevicePrimaryCtxRetain", address_of(&handle)},
      {"cuMemGetInfo_v2", address_of(&memory_info)},
      {"cuMemAlloc_v2", address_of(&allocate)},
      {"cuMemFree_v2", address_of(&release)},
      {"cuMemcpyHtoD_v2", address_of(&to_card)},
      {"cuMemcpyDtoH_v2", address_of(&to_host)},
      {"cuMemsetD8Async", address_of(&set)},
      {"cuModuleLoadData", address_of(&load)},
      {"cuModuleUnload", address_of(&unload)},
      {"cuModuleGetFunction", address_of(&function)},
      {"cuLaunchKernel", address_of(&launch)},
      {"cuStreamCreate", address_of(&stream)},
      {"cuStreamDestroy_v2", address_of(&end_stream)},
      {"cuStreamQuery", address_of(&query)},
      {"cuStreamBeginCapture_v2", address_of(&capture)},
      {"cuStreamEndCapture", address_of(&captured)},
      {"cuGraphInstantiateWithFlags", address_of(&instantiate)},
      {"cuGraphExecDestroy", address_of(&end_graph)},
      {"cuGraphDestroy", address_of(&end_graph)},
      {"cuEventElapsedTime", address_of(&elapsed)},
      {"cuGetErrorName", address_of(&error_name)},
      {"cuGetErrorString", address_of(&error_text)},
  };
  return [known](const char* wanted) -> void* {
    if (wanted == fake.lacks) return nullptr;
    if (wanted == fake.fails) return address_of(&failing);
    auto found = known.find(wanted);
    return found == known.end() ? address_of(&zero) : found->second;
  };
}

}  // namespace sextant::running
