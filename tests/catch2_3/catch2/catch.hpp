// Catch2 3 under the names of Catch2 2, which Debian 12 has. The build puts
// this folder first where the newer one is installed.
#pragma once

#include <catch2/catch_all.hpp>
#include <string>

namespace Catch {

using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::StartsWith;

inline auto Contains(const std::string& part) {
  return Matchers::ContainsSubstring(part);
}

}  // namespace Catch

using Catch::Approx;
