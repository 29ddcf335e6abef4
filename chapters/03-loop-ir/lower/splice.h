// The splicer: from the values that a kernel stores to its loop nest, by
// substitution.
#pragma once

#include "chapters/03-loop-ir/ir.h"
#include "chapters/03-loop-ir/lower/flow.h"

namespace sextant::loop {

/// The kernel that computes and stores `roots`, values whose extents other
/// than 1 agree. A value v for which `stored[v]` holds is loaded, all others
/// are computed where they are needed.
Kernel splice(const Flow& flow, const std::vector<bool>& stored,
              const std::vector<int>& roots);

}  // namespace sextant::loop
