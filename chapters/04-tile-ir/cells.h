// Which cells values need, once digits leave the loops.
#pragma once

#include <set>

#include "chapters/04-tile-ir/ir.h"

namespace sextant::tile {

struct Cells {
  std::vector<Axis> axes;  // the digits held in space, by level and number
  std::map<Name, std::set<Name>> registers;      // along which a value differs
  std::map<Name, std::vector<Name>> reductions;  // the loops of a state's sum
  std::map<Name, DType> types;                   // of states
};

/// Of a body in which every digit is a loop of its own.
Cells cells_in(const std::vector<Stmt>& body);

}  // namespace sextant::tile
