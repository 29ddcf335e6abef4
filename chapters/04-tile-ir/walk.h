// Going through statements: bodies, names, expressions.
#pragma once

#include <functional>
#include <set>

#include "chapters/04-tile-ir/ir.h"

namespace sextant::tile {

/// The body of a loop, `when` or `last`; null for other statements.
const std::vector<Stmt>* body_of(const Stmt& stmt);
/// The statement with another body.
Stmt with_body(const Stmt& stmt, std::vector<Stmt> body);

/// The program with f(kernel) for every kernel's body.
template <class F>
Program map_bodies(Program program, F&& f) {
  for (Kernel& k : program.kernels)
    k.body = f(k);
  return program;
}

/// Calls visit(stmt) for every statement, outer before inner.
void each_stmt(const std::vector<Stmt>& body,
               const std::function<void(const Stmt&)>& visit);
/// Calls visit(v) for every name in an expression, as often as it is there.
void each_var(const Expr& e, const std::function<void(const Var&)>& visit);
/// What a Load or Let defines; null for other statements.
const Var* defined_by(const Stmt& stmt);
/// The states that the statement and its body change.
std::vector<Name> changed_by(const Stmt& stmt);

/// The statement with `change` applied to the cells that it holds itself: what
/// it defines, carries, joins or adds to.
Stmt map_cells(const Stmt& stmt, const std::function<void(Var&)>& change);
using Renaming = std::map<Name, Name>;
/// Values under other names, wherever they stand; buffers keep theirs.
Stmt rename(const Stmt& stmt, const Renaming& to);
/// How often each value is read in a body.
std::map<Name, int> uses_in(const std::vector<Stmt>& body);

/// The REGISTER axes of a statement's cells: those that it mentions.
std::set<Name> registers_of(const Stmt& stmt);

}  // namespace sextant::tile
