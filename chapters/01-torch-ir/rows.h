// The rows of this chapter, by what they are.
#pragma once

#include "chapters/01-torch-ir/op_table.h"

namespace sextant::torch {

std::vector<OpRow> elementwise_rows();
std::vector<OpRow> reduction_rows();
std::vector<OpRow> view_rows();
std::vector<OpRow> index_rows();
std::vector<OpRow> contraction_rows();
std::vector<OpRow> maker_rows();
std::vector<OpRow> split_rows();
std::vector<OpRow> composite_rows();

/// Every element of a tensor where it lies: what other maps begin with.
IndexMap identity(const BoundCall& call, std::string_view param = "self");
/// The map of `view` and `reshape`: element by element in row-major order.
IndexMap reshape_map(const Name& value, const std::vector<Dim>& from,
                     const std::vector<Dim>& to);
/// The product of `from` divided by the product of `by`; empty where it is no
/// whole number.
Dim divided(const std::vector<Dim>& from, const std::vector<Dim>& by);

}  // namespace sextant::torch
