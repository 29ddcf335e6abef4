// The diff that goldens and traces print: it must not call two texts equal.
#include <catch2/catch.hpp>

#include "src/base/text.h"

namespace {

std::string diff(const std::string& before, const std::string& after) {
  return sextant::unified_diff(before, after, "a", "b");
}

}  // namespace

TEST_CASE("equal texts have no diff") {
  CHECK(diff("1\n2\n", "1\n2\n") == "");
}

TEST_CASE("a diff shows the change with three lines of context") {
  CHECK(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
        "--- a\n+++ b\n@@ -2,7 +2,7 @@\n"
        " 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes far apart stand in hunks of their own") {
  std::string before;
  std::string after;
  for (int i = 1; i <= 20; ++i) {
    const std::string line = std::to_string(i) + "\n";
    before += line;
    if (i == 2) after += "new\n";
    if (i != 19) after += line;
  }
  CHECK(diff(before, after) ==
        "--- a\n+++ b\n@@ -1,4 +1,5 @@\n 1\n+new\n 2\n 3\n 4\n"
        "@@ -16,5 +17,4 @@\n 16\n 17\n 18\n-19\n 20\n");
}

TEST_CASE("a missing newline at the end is a difference") {
  CHECK(diff("1\n", "1") != "");
}
