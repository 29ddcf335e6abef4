// The golden harness is itself tested: a comparison that cannot fail would
// make every golden worthless.
#include "tests/golden.h"

#include <catch2/catch.hpp>

using sextant::test::unified_diff;

TEST_CASE("equal texts have no diff") {
  CHECK(unified_diff("a\nb\n", "a\nb\n").empty());
}

TEST_CASE("a diff shows the change with three lines of context") {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const std::string after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
  CHECK(unified_diff(before, after) ==
        "@@ line 2 of the file, line 2 now @@\n"
        " 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("far changes stand in hunks of their own, with their lines") {
  std::string before;
  std::string after;
  for (int i = 1; i <= 20; ++i) {
    const std::string line = std::to_string(i) + "\n";
    before += line;
    if (i == 2) after += "new\n";
    if (i != 19) after += line;
  }
  CHECK(unified_diff(before, after) ==
        "@@ line 1 of the file, line 1 now @@\n"
        " 1\n+new\n 2\n 3\n 4\n"
        "@@ line 16 of the file, line 17 now @@\n"
        " 16\n 17\n 18\n-19\n 20\n");
}

TEST_CASE("a missing newline at the end is a difference") {
  CHECK(unified_diff("a\n", "a") ==
        "@@ line 1 of the file, line 1 now @@\n"
        "-a\n+a  <no newline at the end>\n");
}
