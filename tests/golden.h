// Golden files: texts that the compiler prints, kept under golden/ and
// compared to the letter. The book shows these files and no others.
#pragma once

#include <string>

namespace sextant::test {

/// The text of the file `path`, relative to the root of the repository; fails
/// the running test when there is no such file.
std::string read_golden(const std::string& path);

/// Fails the running test unless the file `path` (relative to the root) holds
/// exactly `text`; the message is a unified diff and how to accept the change.
/// With SEXTANT_WRITE_GOLDEN=1 in the environment it writes the file instead.
void expect_golden(const std::string& path, const std::string& text);

}  // namespace sextant::test
