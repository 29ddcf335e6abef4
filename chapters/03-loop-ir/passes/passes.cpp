#include "chapters/03-loop-ir/passes.h"

namespace sextant::loop {

std::vector<Pass<Program>> passes() {
  return {
      {"lay_out", "temporaries lie as their readers take them", lay_out},
      {"collapse", "axes that are walked as one become one", collapse},
      {"rename_values", "names follow the order of appearance", rename_values},
  };
}

}  // namespace sextant::loop
