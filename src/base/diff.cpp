// A unified diff by longest common subsequence, for goldens and traces.
#include <algorithm>

#include "src/base/text.h"

namespace sextant {
namespace {

struct Edit {
  char kind;  // ' ', '-', '+'
  std::string text;
};

// A text's last line ends like the others; one that does not is another line.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.empty()) return lines;
  if (lines.back().empty()) {
    lines.pop_back();
  } else {
    lines.back() += "  (no newline at the end)";
  }
  return lines;
}

// Quadratic in the number of lines that differ; equal ends are cut off first.
std::vector<Edit> edits(const std::vector<std::string>& a,
                        const std::vector<std::string>& b) {
  std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> common(n + 1, std::vector<int>(m + 1, 0));
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      common[i][j] = a[i] == b[j]
                         ? common[i + 1][j + 1] + 1
                         : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Edit> out;
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && a[i] == b[j]) {
      out.push_back({' ', a[i++]});
      j++;
    } else if (i < n && (j == m || common[i + 1][j] >= common[i][j + 1])) {
      out.push_back({'-', a[i++]});
    } else {
      out.push_back({'+', b[j++]});
    }
  }
  return out;
}

}  // namespace

std::string unified_diff(const std::string& before, const std::string& after,
                         const std::string& name_before,
                         const std::string& name_after) {
  if (before == after) return "";
  std::vector<std::string> a = lines_of(before), b = lines_of(after);
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same])
    same++;
  std::size_t skip = same > 3 ? same - 3 : 0;
  a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(skip));
  b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(skip));
  std::vector<Edit> all = edits(a, b);

  std::string out = "--- " + name_before + "\n+++ " + name_after + "\n";
  std::size_t line_a = skip, line_b = skip, i = 0;
  while (i < all.size()) {
    std::size_t first = i;
    while (first < all.size() && all[first].kind == ' ')
      first++;
    if (first == all.size()) break;
    std::size_t start = std::max(i, first > 3 ? first - 3 : 0);
    line_a += start - i;
    line_b += start - i;
    std::size_t end = first, quiet = 0;
    while (end < all.size() && quiet <= 6) {
      quiet = all[end].kind == ' ' ? quiet + 1 : 0;
      end++;
    }
    end -= quiet > 3 ? quiet - 3 : 0;
    std::size_t count_a = 0, count_b = 0;
    std::string body;
    for (std::size_t k = start; k < end; k++) {
      count_a += all[k].kind != '+';
      count_b += all[k].kind != '-';
      body += all[k].kind + all[k].text + "\n";
    }
    out += fmt::format("@@ -{},{} +{},{} @@\n", line_a + 1, count_a, line_b + 1,
                       count_b) +
           body;
    line_a += count_a;
    line_b += count_b;
    i = end;
  }
  return out;
}

}  // namespace sextant
