// The golden programs: folders below golden/ that hold a given stage.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace sextant::test {

/// Folders golden/NAME that hold the file `stage`, sorted.
inline std::vector<std::string> golden_with(const std::string& stage) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("golden")) {
    if (std::filesystem::exists(entry.path() / stage)) {
      found.push_back(entry.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace sextant::test
