#include "chapters/04-tile-ir/passes.h"

namespace sextant::tile {

std::vector<Pass<Program>> passes() {
  return {
      {"split", "each loop becomes one loop a digit, tails get guards", split},
      {"bind", "digits of blocks, threads and registers leave the loops", bind},
  };
}

}  // namespace sextant::tile
