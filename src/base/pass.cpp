#include "src/base/pass.h"

#include "src/base/text.h"

namespace sextant {

std::string diff_or_nothing(const std::string& before,
                            const std::string& after) {
  return before == after ? "" : unified_diff(before, after, "before", "after");
}

}  // namespace sextant
