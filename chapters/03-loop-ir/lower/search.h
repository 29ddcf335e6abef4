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

/// Starting from `start`, takes the move that lowers the price most until none
/// lowers it; of equal ones the first in graph order. The moves on a value v:
///
/// - inline v: its readers compute it themselves;
/// - swap v, u: inline v and store u, an operand or reader of v, instead;
/// - cut v: store it, in a kernel of its own;
/// - join v, w: one kernel stores both (a kernel that computes v on its way to
///   w, or one that reads what w's kernel reads);
/// - part v: out of the kernel that it shares, into one of its own.
///
/// A kernel without a role has no price, and no move makes one.
Fusion search(const Flow& flow, const Stored& start, const Tables& tables,
              const Target& target);

}  // namespace sextant::loop
