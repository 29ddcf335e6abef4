#include "chapters/02-tensor-ir/passes.h"

namespace sextant::tensor {

std::vector<Pass<Graph>> passes() {
  return {
      {"fold constants", "what depends on constants alone is computed now",
       fold_constants},
      {"compose maps", "an index map of an index map is one index map",
       compose_maps},
      {"merge equal", "what is computed twice is computed once", merge_equal},
      {"remove unused", "what no output needs goes", remove_unused},
      {"rename helpers", "what lowering made is named after what it is now",
       rename_helpers},
  };
}

}  // namespace sextant::tensor
