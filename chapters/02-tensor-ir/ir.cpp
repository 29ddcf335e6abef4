#include "chapters/02-tensor-ir/ir.h"

namespace sextant::tensor {

Name index_name(std::size_t axis) {
  constexpr std::string_view kNames = "ijklmnop";
  if (axis >= kNames.size()) fail({}, "a value has at most eight axes");
  return Name(1, kNames[axis]);
}

}  // namespace sextant::tensor
