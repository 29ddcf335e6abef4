#include "chapters/04-tile-ir/passes.h"

namespace sextant::tile {

std::vector<Pass<Program>> passes() {
  return {
      {"split", "each loop becomes one loop a digit, tails get guards", split},
      {"bind", "digits of blocks, threads and registers leave the loops", bind},
      {"merge", "what was loaded or computed already is kept", merge},
      {"stage", "slabs of the chosen buffers go through shared memory", stage},
      {"pipeline", "loops fill their stages ahead", pipeline},
      {"inline_once", "what is used once is computed where it is used",
       inline_once},
      {"vectorize", "accesses move up to 16 bytes at a time", vectorize},
      {"tidy", "names follow the order of appearance", tidy},
  };
}

}  // namespace sextant::tile
