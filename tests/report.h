// What a test run tells the reader at its end: `make test` prints one row for
// each chapter, made of what the tests of that chapter counted here.
#pragma once

#include <cstdint>
#include <string>

namespace sextant::test {

/// Adds `n` to the counter `what` of this run. Words that several chapters
/// share become columns of the closing table: "goldens compared",
/// "random programs agreed", "refusals checked". Without a reader (the
/// variable SEXTANT_REPORT names no file) this does nothing.
void count(const std::string& what, std::int64_t n = 1);

/// Notes that the golden file `path` was compared or read in this run; the
/// build refuses to print a golden in the book that no test looks at.
void note_golden(const std::string& path);

}  // namespace sextant::test
