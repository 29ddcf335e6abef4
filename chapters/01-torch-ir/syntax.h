// The text of Torch IR, one line a value:
//
//   softmax = softmax(x, dim=-1) -> (16, 64) float32
//
// Tensors that lead the parameters of a row stand by position, what follows
// stands by name, and what has its usual value is left out.
#pragma once

#include "chapters/01-torch-ir/builder.h"

namespace sextant::torch {

/// A node as it is written. Keywords are empty where a position says it all.
struct NodeLine {
  Name name;
  Name op;
  std::vector<Keyword> args;
  Type type;
};

void print_field(Printer& p, const Arg& arg);
bool parse_field(Parser& p, Arg& arg);

/// A graph as text, and what each line came from.
Text print_graph(const Tables& tables, const Graph& graph);
/// Reads what `print_graph` printed, and what a person may have written:
/// arguments are bound as a call's. The graph is not verified. Its sources are
/// the lines.
Graph parse_graph(const Tables& tables, std::string_view text,
                  const std::string& file);

}  // namespace sextant::torch

namespace sextant {

template <>
inline constexpr const char* format_of<torch::Type> = "({shape}) {dtype}";
template <>
inline constexpr const char* format_of<torch::Keyword> = "{?{name}=?}{arg}";
template <>
inline constexpr const char* format_of<torch::NodeLine> =
    "{name} = {op}({args}) -> {type}";

}  // namespace sextant
