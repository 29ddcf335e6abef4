// What a kernel of loops says to whoever must schedule it.
#pragma once

#include "chapters/03-loop-ir/dependence.h"

namespace sextant::tile {

/// Symbols count with their hints.
struct KernelFacts {
  KernelFacts(const loop::Program& program, const loop::Kernel& kernel);

  std::map<Name, Dim> extents;
  std::map<Name, int> loops;  // of an axis
  std::vector<Name> order;    // of the loops
  std::vector<loop::Load> loads;
  std::vector<loop::Store> stores;
  int64_t states = 0;  // that it carries
  loop::Dependence axes;

  int64_t extent(const Name& axis) const;
  int64_t count(const std::vector<Name>& axes) const;
  bool is_constant(const Name& axis) const;
  int64_t bytes(const Name& buffer) const;
  /// Elements of a vector of 16 bytes along an axis: of the widest type that
  /// is loaded or stored along it, and only where it divides the extent.
  int64_t vector_along(const Name& axis) const;
  /// Whether every load of the buffer goes along the tiled axes as a sum of
  /// them; what is the same for a block may be anything.
  bool is_stageable(const Name& buffer, const std::vector<Name>& tiled) const;

 private:
  const loop::Program& program_;
  Values hints_;
};

/// The axis whose next index is the next element in memory; empty if none is.
Name neighbour(const std::vector<Expr>& index);
bool goes_along(const std::vector<Expr>& index, const Name& axis);

}  // namespace sextant::tile
