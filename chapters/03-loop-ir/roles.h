// What a kernel is, for whoever must schedule it: nothing else may look at the
// shape of its loops, and a kernel without a role is never built.
#pragma once

#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

enum class RoleKind { None, Map, Row, Contract };

/// A kernel's role, and the names of its axes in that role.
///
/// - Map: free loops, each the only one in the one around it; no reduction.
/// - Row: free loops `outer`; in the innermost, one or more loops over one
///   axis `row`, reduce or free, without loops in them. A matrix times a vector
///   is a Row: each of its outputs is the sum of a row.
/// - Contract: free loops `outer` (batch), `m` and `n`; in the innermost, one
///   reduce loop over `row` whose every state adds up products of something
///   that is the same along n and something that is the same along m. Of m and
///   n, n is the one with the innermost loop.
struct KernelRole {
  RoleKind kind = RoleKind::None;
  std::string reason;  // of None
  std::vector<Name> outer;
  std::vector<Name> m, n;
  Name row;
};

/// Map, Row, Contract, or None and why. Total: it has an answer for every
/// kernel.
KernelRole role(const Kernel& kernel);

/// "Map", "Row", "Contract", "none".
const char* name_of(RoleKind kind);

}  // namespace sextant::loop
