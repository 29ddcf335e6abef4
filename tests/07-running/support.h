// What the tests of chapter 7 share.
#pragma once

#include <catch2/catch.hpp>

#include "src/base/error.h"

namespace sextant::running {

/// The message of the error that `act` raises; "" if it raises none.
template <class F>
std::string message_of(F&& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.diagnostics().front().message;
  }
  return "";
}

}  // namespace sextant::running
