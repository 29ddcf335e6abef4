#include "chapters/03-loop-ir/target.h"

#include "src/base/text.h"

namespace sextant {

std::vector<Target> target_rows() {
  // clang-format off
  return {
    // name      card        measured     SMs   copy     by one   L2
    //   fma      alu      sfu     launch  shared memory  L2      threads regs
    {"sm_80",  "A100 40GB", false, 80,  108, 1.40e6, 0.07e6, 4.0e6,
      9.7e6,   9.7e6,  2.4e6,  1.5, 166912, 167936, 40 << 20, 2048, 65536},
    {"sm_86",  "RTX 3090",  false, 86,  82,  0.85e6, 0.06e6, 2.5e6,
     17.8e6,  17.8e6,  2.2e6,  1.5, 101376, 102400,  6 << 20, 1536, 65536},
    {"sm_89",  "RTX 4090",  false, 89,  128, 0.92e6, 0.06e6, 4.5e6,
     41.3e6,  41.3e6,  5.2e6,  1.5, 101376, 102400, 72 << 20, 1536, 65536},
    {"sm_90a", "H200",      true,  90,  132, 4.26e6, 0.096e6, 7.4e6,
     33.45e6, 33.45e6, 4.18e6, 1.2, 232448, 233472, 60 << 20, 2048, 65536},
    {"sm_120", "RTX 5090",  false, 120, 170, 1.60e6, 0.06e6, 6.5e6,
     52.4e6,  52.4e6,  6.5e6,  1.5, 101376, 102400, 96 << 20, 1536, 65536},
  };
  // clang-format on
}

const Target& target_named(const Tables& tables, const Name& name) {
  if (const Target* row = tables.find<Target>(name)) return *row;
  std::vector<std::string> names;
  for (const Target& row : tables.rows<Target>())
    names.push_back(row.name);
  fail({}, "there is no target '{}'; there are {}", name, join(names));
}

}  // namespace sextant
