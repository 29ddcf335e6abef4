// The text of Tensor IR: one value a line.
#pragma once

#include "chapters/02-tensor-ir/ir.h"

namespace sextant {
namespace tensor {

/// The right side of a value: `input`, `x[i, j] if j < 8 else 0.0`,
/// `sum(x, axis=-2)` or a scalar expression. Tried in this order.
void print_field(Printer& p, const Op& op);
bool parse_field(Parser& p, Op& op);

/// `sextant tensor`, the symbols, the values in order, `return NAMES`.
Text print_graph(const Graph& graph);
/// Reads what `print_graph` wrote. An `Error` says what is wrong where; what
/// the graph means is the verifier's business.
Graph parse_graph(std::string_view text, const std::string& file);

}  // namespace tensor

template <>
inline constexpr const char* format_of<tensor::Piece> =
    "{value}[{index}]{? if {where}?}";
template <>
inline constexpr const char* format_of<tensor::Value> =
    "{name} = {op} -> ({shape}) {dtype}";

}  // namespace sextant
