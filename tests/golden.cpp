#include "tests/golden.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/report.h"

namespace sextant::test {
namespace {

std::filesystem::path in_root(const std::string& path) {
  return std::filesystem::path(SEXTANT_SOURCE_DIR) / path;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string line;
  std::istringstream in(text);
  while (std::getline(in, line))
    lines.push_back(line);
  if (!text.empty() && text.back() != '\n') {
    lines.back() += "  <no newline at the end>";
  }
  return lines;
}

// One line of an edit script: ' ' kept, '-' only expected, '+' only actual.
struct Edit {
  char kind;
  std::string line;
};

// The shortest edit script, from the table of longest common subsequences:
// common[i][j] is the length for the lines from i and from j on.
std::vector<Edit> edits(const std::vector<std::string>& a,
                        const std::vector<std::string>& b) {
  std::vector<std::vector<int>> common(a.size() + 1,
                                       std::vector<int>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i] == b[j]
                         ? common[i + 1][j + 1] + 1
                         : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Edit> script;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      script.push_back({' ', a[i]});
      ++i, ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      script.push_back({'-', a[i++]});
    } else {
      script.push_back({'+', b[j++]});
    }
  }
  return script;
}

constexpr std::size_t kContext = 3;

// Whether line `k` of the script is a change or close to one.
bool is_shown(const std::vector<Edit>& script, std::size_t k) {
  const std::size_t first = k < kContext ? 0 : k - kContext;
  const std::size_t last = std::min(script.size(), k + kContext + 1);
  return std::any_of(script.begin() + static_cast<std::ptrdiff_t>(first),
                     script.begin() + static_cast<std::ptrdiff_t>(last),
                     [](const Edit& edit) { return edit.kind != ' '; });
}

}  // namespace

std::string unified_diff(const std::string& expected,
                         const std::string& actual) {
  if (expected == actual) return "";
  const std::vector<Edit> script = edits(lines_of(expected), lines_of(actual));
  std::string diff;
  int line_a = 1;
  int line_b = 1;
  bool inside = false;
  for (std::size_t k = 0; k < script.size(); ++k) {
    const Edit& edit = script[k];
    const bool shown = is_shown(script, k);
    if (shown && !inside) {
      diff += "@@ line " + std::to_string(line_a) + " of the file, line " +
              std::to_string(line_b) + " now @@\n";
    }
    if (shown) diff += edit.kind + edit.line + "\n";
    inside = shown;
    if (edit.kind != '+') ++line_a;
    if (edit.kind != '-') ++line_b;
  }
  return diff;
}

std::string read_golden(const std::string& path) {
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
  FAIL_CHECK(path << " (-) is not what is printed now (+):\n"
                  << unified_diff(expected, text)
                  << "if the change is meant: make golden");
}

}  // namespace sextant::test
