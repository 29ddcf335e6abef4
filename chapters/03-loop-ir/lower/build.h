// From a graph and the set of its stored values to a program.
#pragma once

#include "chapters/03-loop-ir/ir.h"
#include "chapters/03-loop-ir/lower/flow.h"

namespace sextant::loop {

/// The state of fusion: the values that are written to memory, in the groups
/// that one kernel each computes. Everything else follows from it.
struct Stored {
  std::vector<std::vector<int>> kernels;  // value numbers, ascending
  bool operator==(const Stored&) const = default;
};
/// The same, for each value of the graph.
std::vector<bool> marks_of(const Flow& flow, const Stored& stored);

/// Reads `w1,w2+w3`, names with commas, those of one kernel joined by `+`, and
/// adds the outputs that the list leaves out. An `Error` names what is no
/// value, is a parameter, or cannot share a kernel.
Stored parse_stored(const Flow& flow, const std::string& list);
/// Every value that is worth a kernel: all but parameters, constants, index
/// maps, casts to a wider type and products that only a sum reads.
Stored store_all(const Flow& flow);

/// The name of the kernel that stores these values.
Name kernel_name(const Flow& flow, const std::vector<int>& roots);

/// A program of no kernels: the graph's symbols, its parameters, and a buffer
/// for each marked value.
Program frame_of(const Flow& flow, const std::vector<bool>& is_stored);

/// The program: one kernel for each group, launched when what it loads is
/// there, in graph order where that leaves a choice. Nothing if two kernels
/// wait for each other.
std::optional<Program> build(const Flow& flow, const Stored& stored);

}  // namespace sextant::loop
