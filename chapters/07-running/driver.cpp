#include "chapters/07-running/driver.h"

namespace sextant::running {
namespace {

// The first that has all that is called here.
constexpr int kOldest = 11040;

// "CUDA_ERROR_OUT_OF_MEMORY (2, out of memory)"
std::string words_of(const Driver& driver, int code) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.cuGetErrorName.code(code, &name);
  driver.cuGetErrorString.code(code, &text);
  return fmt::format("{} ({}, {})", name == nullptr ? "unknown error" : name,
                     code, text == nullptr ? "no text" : text);
}

}  // namespace

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Driver open_driver(Lookup lookup) {
  if (!lookup) lookup = open_library({"libcuda.so.1", "libcuda.so"});
  if (!lookup) {
    fail({}, "there is no NVIDIA driver here: libcuda.so.1 cannot be opened");
  }
  Driver driver;
  // A driver that is too old says so by its version, if it can.
  find(driver.cuDriverGetVersion, "cuDriverGetVersion", lookup, "libcuda");
  if (driver.cuDriverGetVersion.code(&driver.version) == 0 &&
      driver.version < kOldest) {
    fail({}, "the NVIDIA driver is too old: it knows CUDA {}, {} is needed",
         version_text(driver.version), version_text(kOldest));
  }
  driver.describe = std::make_shared<Describe>();
#define SEXTANT_FIND(name, ...)                \
  find(driver.name, #name, lookup, "libcuda"); \
  driver.name.describe = driver.describe.get();
  SEXTANT_DRIVER_FUNCTIONS(SEXTANT_FIND)
#undef SEXTANT_FIND
  auto name = driver.cuGetErrorName;
  auto text = driver.cuGetErrorString;
  *driver.describe = [name, text](int code) {
    Driver words;
    words.cuGetErrorName = name;
    words.cuGetErrorString = text;
    return words_of(words, code);
  };
  driver.cuInit(0);
  return driver;
}

}  // namespace sextant::running
