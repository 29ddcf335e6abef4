// Which values to store: steepest descent on the price of the whole program.
#pragma once

#include "chapters/03-loop-ir/lower/build.h"
#include "chapters/03-loop-ir/target.h"

namespace sextant::loop {

/// The end of a search, and how it came about.
struct Fusion {
  Stored stored;
  double us = 0;      // the price of the program
  std::string trace;  // each step, then what was considered last and left
};

/// Starting from `start`, takes the move of moves.h that lowers the price most
/// until none lowers it; of equal ones the first in graph order. Moves on
/// kernels that have nothing to do with each other are taken in one step. Only
/// when nothing else helps are kernels joined. A kernel without a role has no
/// price, and no move makes one.
Fusion search(const Flow& flow, const Stored& start, const Tables& tables,
              const Target& target);

}  // namespace sextant::loop
