// The text of Torch IR: `add = add(x, bias_bc) -> (16, 64) float32`. How a call
// is written depends on its row: arguments that differ from their default stand
// by position up to the schema's `*`, and by name after what was left out.
#pragma once

#include "chapters/01-torch-ir/builder.h"

namespace sextant::torch {

/// A graph as text, and what each line came from.
Text print_graph(const Tables& tables, const Graph& graph);
/// Reads what `print_graph` printed, and what a person may have written:
/// arguments are bound as a call's. The graph is not verified. Sources are the
/// lines.
Graph parse_graph(const Tables& tables, std::string_view text,
                  const std::string& file);

void print_field(Printer& p, const Arg& arg);
bool parse_field(Parser& p, Arg& arg);

}  // namespace sextant::torch
