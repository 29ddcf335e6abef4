#include "chapters/07-running/device.h"

#include <chrono>
#include <thread>

namespace sextant::running {

Device::Device(Lookup lookup) : driver_(open_driver(std::move(lookup))) {
  int count = 0;
  driver_.cuDeviceGetCount(&count);
  if (count == 0) fail({}, "the NVIDIA driver finds no GPU");
  int device = 0;
  driver_.cuDeviceGet(&device, 0);
  char name[256] = "";
  driver_.cuDeviceGetName(name, sizeof name, device);
  name_ = name;
  driver_.cuDeviceGetAttribute(&major_, kMajor, device);
  driver_.cuDeviceGetAttribute(&minor_, kMinor, device);
  driver_.cuDeviceGetAttribute(&multiprocessors_, kMultiprocessors, device);
  driver_.cuDevicePrimaryCtxRetain(&context_, device);
  make_current();
}

std::string Device::capability() const {
  return fmt::format("{}.{}", major_, minor_);
}

const Target& Device::target(const Tables& tables) const {
  // Code runs on its own generation, from its own version upwards.
  const Target* best = nullptr;
  for (const Target& row : tables.rows<Target>()) {
    if (row.arch / 10 != major_ || row.arch % 10 > minor_) continue;
    if (best == nullptr || row.arch > best->arch) best = &row;
  }
  if (best != nullptr) return *best;
  std::string known;
  for (const Target& row : tables.rows<Target>())
    known += (known.empty() ? "" : ", ") + row.name;
  fail({}, "no target is for {}, of compute capability {}; there are {}", name_,
       capability(), known);
}

void Device::make_current() const {
  driver_.cuCtxSetCurrent(context_);
}

Address Device::allocate(int64_t bytes, const std::string& what) const {
  Address memory = 0;
  // None of it is an address of its own, too.
  auto size = static_cast<std::size_t>(bytes > 0 ? bytes : 1);
  int code = driver_.cuMemAlloc_v2.code(&memory, size);
  if (code == kOutOfMemory) {
    std::size_t free = 0, total = 0;
    driver_.cuMemGetInfo_v2(&free, &total);
    fail({}, "{} needs {:.1f} MB on {}, where {:.1f} of {:.1f} are free", what,
         static_cast<double>(bytes) / 1e6, name_,
         static_cast<double>(free) / 1e6, static_cast<double>(total) / 1e6);
  }
  if (code != 0) driver_.cuMemAlloc_v2(&memory, size);
  return memory;
}

void Device::release(Address memory) const {
  if (!lost()) driver_.cuMemFree_v2.code(memory);
}

void Device::wait(Opaque stream, const std::string& what) const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (true) {
    int code = driver_.cuStreamQuery.code(stream);
    if (code == 0) return;
    if (code != kNotReady) {
      *lost_ = true;
      fail({}, "{}: {}", what, (*driver_.describe)(code));
    }
    std::chrono::duration<double> waited = Clock::now() - begin;
    if (waited.count() > patience) {
      *lost_ = true;
      fail({}, "{} has not ended after {:g} seconds", what, patience);
    }
    // What is short is waited for without sleep.
    if (waited.count() > 1e-3) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
}

bool device_is_there() {
  try {
    Device device;
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace sextant::running
