#include "chapters/04-tile-ir/walk.h"

#include <algorithm>

#include "chapters/04-tile-ir/layout.h"

namespace sextant::tile {
namespace {

// Calls visit(v) for every name in the expressions of a statement.
void each_var(const Stmt& stmt, const std::function<void(const Var&)>& visit) {
  auto inside = [&](const Expr& e) { tile::each_var(e, visit); };
  std::visit([&](const auto& node) { visit_inside<Expr>(node, inside); },
             stmt.variant());
}

Expr rename(const Expr& e, const Renaming& to) {
  Expr inner =
      map_handles<Expr>(e, [&](const Expr& x) { return rename(x, to); });
  const Var* v = inner.as<Var>();
  if (v == nullptr || to.count(v->name) == 0) return inner;
  return Expr(Var{to.at(v->name), v->index}).with_origin(e.origin());
}

}  // namespace

const std::vector<Stmt>* body_of(const Stmt& stmt) {
  if (const For* f = stmt.as<For>()) return &f->body;
  if (const When* w = stmt.as<When>()) return &w->body;
  if (const Last* l = stmt.as<Last>()) return &l->body;
  return nullptr;
}

Stmt with_body(const Stmt& stmt, std::vector<Stmt> body) {
  auto changed = [&](auto node) {
    if constexpr (requires { node.body; }) node.body = std::move(body);
    return Stmt(node).with_origin(stmt.origin());
  };
  return std::visit(changed, stmt.variant());
}

void each_stmt(const std::vector<Stmt>& body,
               const std::function<void(const Stmt&)>& visit) {
  for (const Stmt& s : body) {
    visit(s);
    if (const std::vector<Stmt>* inner = body_of(s)) each_stmt(*inner, visit);
  }
}

void each_var(const Expr& e, const std::function<void(const Var&)>& visit) {
  if (const Var* v = e.as<Var>()) visit(*v);
  auto inside = [&](const Expr& x) { each_var(x, visit); };
  std::visit([&](const auto& node) { visit_inside<Expr>(node, inside); },
             e.variant());
}

const Var* defined_by(const Stmt& stmt) {
  if (const Load* l = stmt.as<Load>()) return &l->out;
  if (const Let* l = stmt.as<Let>()) return &l->out;
  return nullptr;
}

std::vector<Name> changed_by(const Stmt& stmt) {
  std::vector<Name> out;
  auto states = [&](const auto& node) {
    if constexpr (requires { node.state; }) {
      for (const Var& v : node.state)
        out.push_back(v.name);
    }
  };
  each_stmt({stmt}, [&](const Stmt& s) { std::visit(states, s.variant()); });
  return out;
}

Stmt map_cells(const Stmt& stmt, const std::function<void(Var&)>& change) {
  auto changed = [&](auto node) {
    if constexpr (requires { node.out; }) change(node.out);
    if constexpr (requires { node.state; }) {
      std::for_each(node.state.begin(), node.state.end(), change);
    }
    if constexpr (requires { node.carries; }) {
      for (Carry& c : node.carries)
        change(c.cell);
    }
    return Stmt(node).with_origin(stmt.origin());
  };
  return std::visit(changed, stmt.variant());
}

Stmt rename(const Stmt& stmt, const Renaming& to) {
  Stmt out =
      map_handles<Expr>(stmt, [&](const Expr& e) { return rename(e, to); });
  out = map_cells(out, [&](Var& v) {
    if (to.count(v.name) != 0) v.name = to.at(v.name);
  });
  return map_handles<Stmt>(out, [&](const Stmt& s) { return rename(s, to); });
}

std::map<Name, int> uses_in(const std::vector<Stmt>& body) {
  std::map<Name, int> uses;
  each_stmt(body, [&](const Stmt& s) {
    each_var(s, [&](const Var& v) { uses[v.name]++; });
  });
  return uses;
}

std::set<Name> registers_of(const Stmt& stmt) {
  std::set<Name> out;
  each_var(stmt, [&](const Var& v) {
    if (level_of(v.name) == Level::Register) out.insert(v.name);
  });
  return out;
}

}  // namespace sextant::tile
