// The `-c` language, step one: characters become tokens. Python's rules of
// lines hold: a statement ends with its line, unless a bracket is open, and
// indentation makes blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/error.h"

namespace sextant::python {

/// Line and column of a token, from 1; line 0 is in code that comes with
/// Sextant. `height` is the number of nodes below a node of the tree.
struct Place {
  int line = 0;
  int column = 0;
  int height = 0;
};

/// A program's text, cut into lines for messages.
class Code {
 public:
  /// An `Error` if the text is larger than a program can sensibly be.
  Code(std::string_view text, std::string file);
  Span span(Place at) const;
  const std::vector<std::string>& lines() const { return lines_; }
  /// Code that comes with Sextant has no file, and no places.
  bool is_ours() const { return file_.empty(); }

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

/// `kind` is NAME, NUMBER, OPERATOR, NEWLINE, INDENT, DEDENT, END, STRING,
/// whose text is its value, or FSTRING, whose text stands between the quotes.
struct Token {
  std::string_view kind;
  std::string text;
  Place at;
};

/// All tokens of a program; an `Error` for what is no Python.
std::vector<Token> tokenize(const Code& code);
/// The tokens of one expression inside an f-string that starts at `at`.
std::vector<Token> tokenize_field(const Code& code, std::string_view text,
                                  Place at);
/// Replaces the backslash sequences of a string literal.
std::string unescape(std::string_view text);

}  // namespace sextant::python
