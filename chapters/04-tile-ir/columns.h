// How the interpreter of Tile IR computes: an expression at many points at
// once, a point being a thread and a cell of the REGISTER axes at hand.
#pragma once

#include "chapters/04-tile-ir/ir.h"
#include "src/base/array.h"
#include "src/base/tables.h"

namespace sextant::tile {

/// One value a point.
struct Column {
  DType type = DType::Int64;
  std::vector<Scalar> at;
};

/// A value that each thread has, in cells over REGISTER axes: element
/// thread*cells + cell.
struct Value {
  Column column;
  std::vector<int64_t> extents;  // of the REGISTER axes of its index
  std::size_t cells = 1;
};

/// Where all threads of one block stand: numbers that are the same for all
/// (blocks, loops, symbols), the axes that differ, and the values so far.
struct State {
  Values uniform;
  std::vector<Axis> threads, registers;
  std::map<Name, Value> values;
  std::size_t thread_count() const;
};

/// The points of a statement: all threads and all cells of `registers`.
struct Points {
  std::vector<Axis> registers;
  std::size_t threads = 1, cells = 1;
  std::size_t count() const { return threads * cells; }
};
/// The points that these expressions need.
Points points_of(const State& state, const std::vector<Expr>& list);

/// The value of an expression at all points.
Column evaluate(const State& state, const Tables& tables, const Points& points,
                const Expr& e);
/// Which element of its value each point means by `cell`.
std::vector<std::size_t> elements(const State& state, const Tables& tables,
                                  const Points& points, const Var& cell);

}  // namespace sextant::tile
