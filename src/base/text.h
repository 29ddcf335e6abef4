// Text in and out: a cursor over logical lines for parsers, and breaking of
// long lines for printers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/error.h"
#include "src/base/expr.h"

namespace sextant {

/// A line of an IR text with its indentation taken off. A line that ends
/// within brackets, or in a backslash, goes on in the next.
struct Line {
  int indent = 0;
  std::string text;
  Span where;  // of its first character
};

/// Splits a text into logical lines; blank lines and lines that hold a comment
/// alone (`# ...`) are left out.
std::vector<Line> split_lines(std::string_view text, const std::string& file);

/// Breaks a line at spaces inside brackets, so that it fits in 80 columns;
/// where no bracket is open, with a backslash, unless the language needs none.
/// `split_lines` undoes it.
std::string fold_line(const std::string& line, int indent,
                      bool backslash = true);

// Functions walk an expression by recursion: these bounds keep a stranger's
// text from using up the stack.
inline constexpr int kMostParts = 1000, kDeepest = 100;

/// Reads one logical line from left to right. What fails does not move it.
class Cursor {
 public:
  explicit Cursor(const Line& line) : line_(&line) {}

  bool literal(std::string_view text);  // exact, spaces included
  bool name(Name& out);                 // letters, digits, '_' and '.'
  bool integer(int64_t& out);
  bool number(double& out, bool& is_integer);  // inf and nan included
  bool quoted(std::string& out);
  bool rest(std::string& out);  // everything to the end of the line
  /// Raises an `Error` for what is wrong inside an expression, or if it has
  /// more than `kMostParts` operands, or lies deeper than `kDeepest` brackets.
  bool expr(Expr& out);
  bool var(Var& out);  // a name with an optional index
  void skip_spaces();
  bool at_end();  // spaces and a trailing comment count as nothing
  char peek() const;
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  /// Furthest position that any attempt reached, for error messages.
  std::size_t furthest() const { return furthest_; }
  Span where(std::size_t position) const;
  const Line& line() const { return *line_; }

 private:
  Expr parse_binary(int level);
  Expr parse_bounded();
  Expr parse_primary();
  Expr parse_number();
  std::vector<Expr> parse_list(char close);
  void advance(std::size_t by);

  const Line* line_;
  std::size_t at_ = 0, furthest_ = 0;
  int parts_ = 0, depth_ = 0;  // of the expression that is being read
};

/// A unified diff of two texts, three lines of context; empty when equal.
std::string unified_diff(const std::string& before, const std::string& after,
                         const std::string& name_before,
                         const std::string& name_after);

/// "a, b, c"
std::string join(const std::vector<std::string>& parts,
                 std::string_view separator = ", ");
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace sextant
