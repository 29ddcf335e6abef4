// Runs the binary `sextant` as a person would.
#pragma once

#include <string>
#include <vector>

namespace sextant::test {

/// What a command did. A command that died of a signal has 128 + its number.
struct Ran {
  int code = 0;
  std::string out, err;
};

/// Runs `sextant ARGS` in the root of the repository.
Ran sextant(const std::vector<std::string>& args);

/// A file below the build folder with this text; its path.
std::string temporary(const std::string& name, const std::string& text);
/// The text of a file; fails the running test if there is none.
std::string read_file(const std::string& path);

/// Paths of the goldens of a stage ("3_loop.txt"), sorted, from the root.
std::vector<std::string> goldens(const std::string& file);

}  // namespace sextant::test
