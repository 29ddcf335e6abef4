// Names in statements: what they define, what they use, and renaming.
#pragma once

#include <set>

#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

/// Adds every name that a statement uses, its body included: values, axes,
/// carried states, symbols.
void collect_uses(const Stmt& stmt, std::set<Name>& names);
/// Adds the values that the statements after this one may use.
void collect_defined(const Stmt& stmt, std::set<Name>& names);

using Renaming = std::map<Name, Name>;
/// Values, axes and carried states under other names; buffers keep theirs.
Stmt rename(const Stmt& stmt, const Renaming& to);
/// Every index, guard, value and extent replaced by f of it.
Stmt map_exprs(const Stmt& stmt, const std::function<Expr(const Expr&)>& f);

/// The indices of every load and store replaced: f(buffer, index).
using IndexFunction =
    std::function<std::vector<Expr>(const Name&, const std::vector<Expr>&)>;
Stmt map_accesses(const Stmt& stmt, const IndexFunction& f);

/// Calls visit(stmt) for every statement, outer before inner.
void each_stmt(const std::vector<Stmt>& body,
               const std::function<void(const Stmt&)>& visit);

}  // namespace sextant::loop
