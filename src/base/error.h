// Errors: who is at fault, and where. A fault of the user's program or file is
// an `Error`, which carries one diagnostic for each thing that is wrong, so
// that all of them are told at once. A fault of Sextant is an `InternalError`.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sextant {

/// A place in a source text. Lines and columns count from 1; 0 is unknown.
struct Span {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text;  // the whole source line, for the caret
  bool operator==(const Span&) const = default;
};

/// One complaint about one place.
struct Diagnostic {
  Span where;
  std::string message;
};

/// Renders `file:line:col: error: message`, the source line and a caret.
std::string render(const Diagnostic& diagnostic);

/// The user's program or file is at fault (exit code 1).
class Error : public std::runtime_error {
 public:
  explicit Error(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Sextant is at fault (exit code 70).
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Collects complaints, so that a checker can go on after the first.
class Diagnostics {
 public:
  template <class... Args>
  void add(Span where, fmt::format_string<Args...> text, Args&&... args) {
    list_.push_back(
        {std::move(where), fmt::format(text, std::forward<Args>(args)...)});
  }
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// Raises one `Error` with everything that was added, if anything was.
  void raise() const {
    if (!list_.empty()) throw Error(list_);
  }

 private:
  std::vector<Diagnostic> list_;
};

/// Raises an `Error` with one diagnostic.
template <class... Args>
[[noreturn]] void fail(Span where, fmt::format_string<Args...> text,
                       Args&&... args) {
  throw Error({Diagnostic{std::move(where),
                          fmt::format(text, std::forward<Args>(args)...)}});
}

[[noreturn]] void check_failed(const char* file, int line, const char* text,
                               const std::string& message);

/// What must hold unless Sextant is wrong: `INVARIANT(cond, "format", ...)`.
/// (Catch2 owns the name CHECK.)
#define INVARIANT(cond, ...)                                   \
  ((cond) ? void()                                             \
          : ::sextant::check_failed(__FILE__, __LINE__, #cond, \
                                    ::fmt::format(__VA_ARGS__)))

// Sizes come from strangers: arithmetic on them says when it overflows.
/// a * b, or an `Error` that names `what`.
int64_t checked_mul(int64_t a, int64_t b, const std::string& what);
/// a + b, or an `Error` that names `what`.
int64_t checked_add(int64_t a, int64_t b, const std::string& what);

}  // namespace sextant
