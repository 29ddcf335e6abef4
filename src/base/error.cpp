#include "src/base/error.h"

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

}  // namespace

std::string render(const Diagnostic& d) {
  if (d.where.line == 0) {
    if (d.where.file.empty()) return "error: " + d.message;
    return d.where.file + ": error: " + d.message;
  }
  std::string out = fmt::format("{}:{}:{}: error: {}", d.where.file,
                                d.where.line, d.where.column, d.message);
  if (d.where.text.empty()) return out;
  out += "\n  " + d.where.text + "\n  ";
  for (int i = 1; i < d.where.column; i++) {
    // A tab stays a tab, so that the caret stands below what it points at.
    bool tab = i <= static_cast<int>(d.where.text.size()) &&
               d.where.text[i - 1] == '\t';
    out += tab ? '\t' : ' ';
  }
  return out + "^";
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
