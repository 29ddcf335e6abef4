#include "chapters/07-running/library.h"

#include <dlfcn.h>

namespace sextant::running {

Lookup open_library(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    // Never closed: the driver does not survive it.
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    return [library](const char* name) { return dlsym(library, name); };
  }
  return {};
}

}  // namespace sextant::running
