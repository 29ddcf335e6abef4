// Libraries that are opened at run time, so that one binary serves machines
// with and without them, and functions that say what went wrong.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/error.h"

namespace sextant::running {

/// The address of a function by its name; null if the library has none. A
/// test gives functions of its own.
using Lookup = std::function<void*(const char*)>;

/// Opens the first of these files that is there; an empty function if none is.
Lookup open_library(const std::vector<std::string>& files);

/// The words of an error code.
using Describe = std::function<std::string(int)>;

/// A function of such a library, which returns 0 if all went well. A call
/// that fails is an `Error` that names the function: none goes unchecked.
template <class... Args>
struct Function {
  const char* name = "";
  int (*address)(Args...) = nullptr;
  const Describe* describe = nullptr;

  /// For those who look at the code themselves.
  int code(Args... args) const { return address(args...); }
  void operator()(Args... args) const {
    if (int failed = address(args...)) {
      fail({}, "{}: {}", name, (*describe)(failed));
    }
  }
};

/// Finds a function, or says that the library is too old for it.
template <class... Args>
void find(Function<Args...>& function, const char* name, const Lookup& lookup,
          const std::string& library) {
  void* address = lookup(name);
  if (address == nullptr) {
    fail({}, "{} has no {}: it is too old", library, name);
  }
  function.name = name;
  function.address = reinterpret_cast<int (*)(Args...)>(address);
}

}  // namespace sextant::running
