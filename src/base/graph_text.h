// The text of a graph, which Torch IR and Tensor IR have in common: the stage,
// the symbols, a line for each value, and what is returned.
#pragma once

#include "src/base/program.h"

namespace sextant {

/// The last line.
struct Return {
  std::vector<Name> outputs;
};
template <>
inline constexpr const char* format_of<Return> = "return {outputs}";

/// `print_value(line, value)` calls `line(x, origin)` with what to write.
template <class Graph, class Values, class F>
Text print_lines(const Name& stage, const Graph& graph, const Values& values,
                 F&& print_value) {
  Printer p;
  auto line = [&](const auto& x, const Origin& origin = {}) {
    p.open_origin(origin);
    print_field(p, x);
    p.close_origin();
  };
  line(StageLine{stage, ""});
  for (const Symbol& symbol : graph.symbols)
    line(symbol);
  for (const auto& value : values)
    print_value(line, value);
  line(Return{graph.outputs});
  return {p.take(), p.origins()};
}

/// Reads symbols and outputs into the graph, and hands each line that is a
/// `Value`, with its place, to `add`. `expected` says what a line may be.
template <class Value, class Graph, class F>
void read_lines(std::string_view text, const std::string& file,
                const Name& stage, std::string_view expected, Graph& graph,
                F&& add) {
  Parser p(text, file);
  StageLine first;
  if (!p.at_end()) p.open_line();
  if (p.at_end() || !parse_field(p, first) || first.stage != stage) {
    fail(p.where(), "expected 'sextant {}' in the first line", stage);
  }
  p.close_line();
  while (graph.outputs.empty()) {
    if (p.at_end()) fail(p.where(), "expected 'return' and the outputs");
    p.open_line();
    std::size_t furthest = 0;
    auto whole_line = [&](auto& x) {
      Parser::State start = p.state();
      if (parse_field(p, x) && p.cursor().at_end()) return true;
      furthest = std::max(furthest, p.cursor().furthest());
      p.restore(start);
      return false;
    };
    Symbol symbol;
    Value value;
    Return last;
    if (whole_line(symbol)) {
      graph.symbols.push_back(symbol);
    } else if (whole_line(value)) {
      add(value, p.where());
    } else if (whole_line(last)) {
      graph.outputs = last.outputs;
    } else {
      fail(p.cursor().where(furthest), "expected {}", expected);
    }
    p.close_line();
  }
  if (!p.at_end()) fail(p.where(), "nothing may follow 'return'");
}

}  // namespace sextant
