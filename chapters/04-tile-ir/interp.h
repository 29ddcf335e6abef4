// The meaning of Tile IR, executed on the CPU: every statement for all threads
// and cells that it mentions before the next one begins.
#pragma once

#include "chapters/04-tile-ir/ir.h"
#include "src/base/array.h"
#include "src/base/tables.h"

namespace sextant::tile {

/// Elements that went between a block and device memory, by buffer: `loads`
/// into registers, `staged` into shared memory, `stores` from registers.
struct Counts {
  std::map<Name, int64_t> loads, staged, stores;
  // Of all buffers together.
  int64_t loaded() const { return sum(loads); }
  int64_t copied() const { return sum(staged); }
  int64_t read() const { return loaded() + copied(); }
  int64_t written() const { return sum(stores); }
  static int64_t sum(const std::map<Name, int64_t>& counts);
};

/// What else `interpret` is asked: the numbers of the blocks to run (none: all
/// of them), and where to count.
struct Watch {
  std::vector<int64_t> blocks;
  Counts* counts = nullptr;
};

/// Runs the program's launches in order. `inputs` has an array for every input
/// and weight, `symbols` a size for every symbol. What comes back holds every
/// buffer by name; floats that nobody wrote are NaN. An `Error` if an access
/// lies outside its buffer.
Arrays interpret(const Program& program, const Tables& tables,
                 const Arrays& inputs, const Values& symbols = {},
                 const Watch& watch = {});

}  // namespace sextant::tile
