// The `-c` language from outside: a PyTorch program as people type it becomes
// a Torch IR graph.
#pragma once

#include <string_view>

#include "chapters/01-torch-ir/ir.h"
#include "src/base/tables.h"

namespace sextant::python {

/// `NAME@INPUT:AXIS`: the size of that axis of that input is the symbol NAME.
struct Dynamic {
  Name symbol, input;
  int64_t axis = 0;
};
/// Reads `NAME@INPUT:AXIS`; an `Error` says what is wrong with it.
Dynamic parse_dynamic(const std::string& text);

struct Options {
  std::string file = "-c";  // shown in messages
  /// Inputs that the program may mention without making them.
  std::vector<std::pair<Name, torch::Type>> inputs;
  DType default_dtype = DType::Float32;
  std::vector<Dynamic> dynamic;
  int64_t symbol_max = 1 << 16;  // largest size of a symbolic dimension
};

/// Runs a program and records what it does with tensors. The outputs are the
/// value of its last statement, an expression: a tensor, or a tuple or list of
/// tensors. `torch.randn` and the like are inputs, named by the variable they
/// are assigned to, else x0, x1, ...; parameters of modules are weights, named
/// as `named_parameters()` names them with `_` for `.`. Every node carries its
/// place in the text. Errors read as PyTorch's, with line and caret.
torch::Graph build(const Tables& tables, std::string_view code,
                   const Options& options = {});

}  // namespace sextant::python
