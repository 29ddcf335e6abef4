// A suite of programs, and PyTorch's side of measuring one.
#pragma once

#include <optional>

#include "chapters/07-running/process.h"
#include "src/base/array.h"

namespace sextant::running {

/// A program of a suite: a line of JSON.
struct Case {
  std::string name, group;
  std::vector<std::string> dtypes;  // "f32", "bf16"
  std::vector<std::pair<Name, std::vector<int64_t>>> inputs;
  std::string code;
  double flops = 0, elements = 0;  // the least that it must do and move
};

/// The programs of a suite's text; an `Error` names the line that is none.
std::vector<Case> parse_suite(const std::string& text, const std::string& file);

/// The element type that a suite calls f32, f16 or bf16.
DType dtype_of(const std::string& word);

/// Microseconds of PyTorch, as it is and through torch.compile.
struct TorchTimes {
  double eager = 0, compile = 0;
};

/// PyTorch in a process of its own, so that it may die without us.
class TorchWorker {
 public:
  explicit TorchWorker(std::vector<std::string> command = {"python3", "-c",
                                                           script()});
  static const char* script();

  /// PyTorch begins to compile a program, while we do.
  void begin(const Case& program, const std::string& dtype);
  /// Waits until it has; "" or what went wrong.
  std::string ready(double seconds = 300);
  /// Measures the program; nothing, with `error` set, if it cannot.
  std::optional<TorchTimes> measure(std::string& error);

 private:
  bool answer(double seconds, std::string& error, TorchTimes& times);

  std::vector<std::string> command_;
  std::unique_ptr<Process> process_;  // none before the first, or after death
};

}  // namespace sextant::running
