// The splicer: from the values that a kernel stores to its loop nest, by
// substitution.
#pragma once

#include <map>

#include "chapters/03-loop-ir/ir.h"
#include "chapters/03-loop-ir/lower/flow.h"

namespace sextant::loop {

/// Where a name of a kernel comes from: the value, and the number of the
/// expansion that made it.
using Made = std::map<Name, std::pair<int, int>>;

/// The kernel that computes and stores `roots`, values whose extents other
/// than 1 agree. A value v for which `stored[v]` holds is loaded, all others
/// are computed where they are needed; `made` is where.
Kernel splice(const Flow& flow, const std::vector<bool>& stored,
              const std::vector<int>& roots, Made& made);

}  // namespace sextant::loop
