// What the tests of the `-c` language share.
#pragma once

#include <string>

#include "chapters/01-torch-ir/syntax.h"
#include "src/base/tables.h"
#include "src/python/build.h"

namespace sextant::python {

inline const Tables& tables() {
  static const Tables all = all_tables();
  return all;
}

inline torch::Graph graph_of(const std::string& code,
                             const Options& options = {}) {
  return build(tables(), code, options);
}

/// The text of the graph without its first line.
inline std::string text_of(const std::string& code,
                           const Options& options = {}) {
  std::string text = print_graph(tables(), graph_of(code, options)).text;
  return text.substr(text.find('\n') + 1);
}

/// What is said of a program; empty if nothing is wrong with it.
inline std::string error_of(const std::string& code,
                            const Options& options = {}) {
  try {
    graph_of(code, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

/// The value of a Python expression, seen as the size of a tensor: what the
/// language computes without tensors is tested through it.
inline int64_t int_of(const std::string& before, const std::string& value) {
  torch::Graph graph =
      graph_of(before + "\ntorch.randn(int(" + value + "), 1)");
  return value_of(graph.nodes.at(0).type.shape[0]);
}

}  // namespace sextant::python
