#include "tests/golden.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/base/text.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

std::filesystem::path in_root(const std::string& path) {
  return std::filesystem::path(SEXTANT_SOURCE_DIR) / path;
}

}  // namespace

std::string read_golden(const std::string& path) {
  note_golden(path);
  std::ifstream in(in_root(path), std::ios::binary);
  if (!in) FAIL("there is no file " << path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_golden(const std::string& path, const std::string& text) {
  note_golden(path);
  count("goldens compared");
  const char* write = std::getenv("SEXTANT_WRITE_GOLDEN");
  if (write != nullptr && std::string(write) == "1") {
    std::filesystem::create_directories(in_root(path).parent_path());
    std::ofstream out(in_root(path), std::ios::binary);
    out << text;
    if (!out.flush()) FAIL("cannot write " << path);
    SUCCEED();
    return;
  }
  if (!std::filesystem::exists(in_root(path))) {
    FAIL_CHECK(path << " does not exist yet; if it should: make golden");
    return;
  }
  const std::string expected = read_golden(path);
  if (expected == text) {
    SUCCEED();
    return;
  }
  FAIL_CHECK(unified_diff(expected, text, path, "what is printed now")
             << "if the change is meant: make golden");
}

}  // namespace sextant::test
