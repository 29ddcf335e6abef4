#include "src/base/error.h"

#include <algorithm>

namespace sextant {
namespace {

std::string render_all(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (!out.empty()) out += '\n';
    out += render(d);
  }
  return out;
}

// A stranger's line or name may be of any length; the terminal is not.
constexpr int kColumns = 78;
constexpr std::size_t kLongest = 1000;

std::string shorten(const std::string& message) {
  if (message.size() <= kLongest) return message;
  return message.substr(0, kLongest - 3) + "...";
}

// The source line with a caret below `column`; of a long line, what is near.
std::string show_line(std::string text, int column) {
  int size = static_cast<int>(text.size());
  if (size > kColumns) {
    int first = std::max(0, std::min(column - kColumns / 2, size - kColumns));
    text = text.substr(static_cast<std::size_t>(first), kColumns);
    if (first > 0) text.replace(0, 3, "...");
    if (first + kColumns < size) text.replace(kColumns - 3, 3, "...");
    column -= first;
  }
  std::string out = "\n  " + text + "\n  ";
  for (int i = 1; i < column; i++) {
    // A tab stays a tab, so that the caret stands below what it points at.
    bool tab = i <= static_cast<int>(text.size()) && text[i - 1] == '\t';
    out += tab ? '\t' : ' ';
  }
  return out + "^";
}

}  // namespace

std::string render(const Diagnostic& d) {
  const std::string message = shorten(d.message);
  if (d.where.line == 0) {
    if (d.where.file.empty()) return "error: " + message;
    return d.where.file + ": error: " + message;
  }
  std::string out = fmt::format("{}:{}:{}: error: {}", d.where.file,
                                d.where.line, d.where.column, message);
  if (d.where.text.empty()) return out;
  return out + show_line(d.where.text, d.where.column);
}

Error::Error(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(render_all(diagnostics)),
      diagnostics_(std::move(diagnostics)) {}

void check_failed(const char* file, int line, const char* text,
                  const std::string& message) {
  throw InternalError(
      fmt::format("{}:{}: {} does not hold: {}", file, line, text, message));
}

int64_t checked_mul(int64_t a, int64_t b, const std::string& what) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    fail({}, "{} overflows: {} * {}", what, a, b);
  }
  return result;
}

int64_t checked_add(int64_t a, int64_t b, const std::string& what) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    fail({}, "{} overflows: {} + {}", what, a, b);
  }
  return result;
}

}  // namespace sextant
