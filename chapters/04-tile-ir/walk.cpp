#include "chapters/04-tile-ir/walk.h"

#include <algorithm>

#include "chapters/04-tile-ir/layout.h"

namespace sextant::tile {
namespace {

Name renamed(const Name& name, const Renaming& to) {
  auto found = to.find(name);
  return found == to.end() ? name : found->second;
}

Expr rename(const Expr& e, const Renaming& to) {
  Expr inner =
      map_handles<Expr>(e, [&](const Expr& x) { return rename(x, to); });
  const Var* v = inner.as<Var>();
  if (v == nullptr || to.count(v->name) == 0) return inner;
  return Expr(Var{renamed(v->name, to), v->index}).with_origin(e.origin());
}

void rename_all(std::vector<Var>& cells, const Renaming& to) {
  for (Var& v : cells)
    v.name = renamed(v.name, to);
}

void rename_all(std::vector<Carry>& carries, const Renaming& to) {
  for (Carry& c : carries)
    c.cell.name = renamed(c.cell.name, to);
}

Stmt rename_defined(const Stmt& s, const Renaming& to) {
  switch (s.kind()) {
    case StmtKind::For: {
      For f = s.get<For>();
      rename_all(f.carries, to);
      return f;
    }
    case StmtKind::Carries: {
      Carries c = s.get<Carries>();
      rename_all(c.carries, to);
      return c;
    }
    case StmtKind::Combine: {
      Combine c = s.get<Combine>();
      rename_all(c.state, to);
      return c;
    }
    case StmtKind::Load: {
      Load l = s.get<Load>();
      l.out.name = renamed(l.out.name, to);
      return l;
    }
    case StmtKind::Accum: {
      Accum a = s.get<Accum>();
      rename_all(a.state, to);
      return a;
    }
    case StmtKind::Let: {
      Let l = s.get<Let>();
      l.out.name = renamed(l.out.name, to);
      return l;
    }
    case StmtKind::Stage:
    case StmtKind::When:
    case StmtKind::Store: break;
  }
  return s;
}

}  // namespace

const std::vector<Stmt>* body_of(const Stmt& stmt) {
  if (const For* f = stmt.as<For>()) return &f->body;
  if (const When* w = stmt.as<When>()) return &w->body;
  return nullptr;
}

Stmt with_body(const Stmt& stmt, std::vector<Stmt> body) {
  if (const For* f = stmt.as<For>()) {
    For next = *f;
    next.body = std::move(body);
    return Stmt(next).with_origin(stmt.origin());
  }
  When next = stmt.get<When>();
  next.body = std::move(body);
  return Stmt(next).with_origin(stmt.origin());
}

void each_stmt(const std::vector<Stmt>& body,
               const std::function<void(const Stmt&)>& visit) {
  for (const Stmt& s : body) {
    visit(s);
    if (const std::vector<Stmt>* inner = body_of(s)) each_stmt(*inner, visit);
  }
}

void each_expr(const Stmt& stmt,
               const std::function<void(const Expr&)>& visit) {
  std::visit([&](const auto& node) { visit_inside<Expr>(node, visit); },
             stmt.variant());
}

const Var* defined_by(const Stmt& stmt) {
  if (const Load* l = stmt.as<Load>()) return &l->out;
  if (const Let* l = stmt.as<Let>()) return &l->out;
  return nullptr;
}

std::vector<Name> changed_by(const Stmt& stmt) {
  std::vector<Name> out;
  each_stmt({stmt}, [&](const Stmt& s) {
    const std::vector<Var>* state = nullptr;
    if (const Accum* a = s.as<Accum>()) state = &a->state;
    if (const Combine* c = s.as<Combine>()) state = &c->state;
    for (std::size_t i = 0; state != nullptr && i < state->size(); i++)
      out.push_back((*state)[i].name);
  });
  return out;
}

Stmt rename(const Stmt& stmt, const Renaming& to) {
  Stmt out = map_handles<Expr>(rename_defined(stmt, to),
                               [&](const Expr& e) { return rename(e, to); });
  if (const std::vector<Stmt>* body = body_of(out)) {
    std::vector<Stmt> inner;
    for (const Stmt& s : *body)
      inner.push_back(rename(s, to));
    out = with_body(out, inner);
  }
  return out.with_origin(stmt.origin());
}

namespace {

void count_uses(const Expr& e, std::map<Name, int>& uses) {
  if (const Var* v = e.as<Var>()) uses[v->name]++;
  std::visit(
      [&](const auto& node) {
        visit_inside<Expr>(node, [&](const Expr& x) { count_uses(x, uses); });
      },
      e.variant());
}

}  // namespace

std::map<Name, int> uses_in(const std::vector<Stmt>& body) {
  std::map<Name, int> uses;
  each_stmt(body, [&](const Stmt& s) {
    each_expr(s, [&](const Expr& e) { count_uses(e, uses); });
  });
  return uses;
}

std::vector<Name> registers_of(const Stmt& stmt) {
  std::vector<Name> out;
  each_expr(stmt, [&](const Expr& e) {
    for (const Name& name : names_in(e)) {
      if (level_of(name) == Level::Register) out.push_back(name);
    }
  });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace sextant::tile
