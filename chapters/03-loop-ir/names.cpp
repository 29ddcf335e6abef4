#include "chapters/03-loop-ir/names.h"

#include <algorithm>

namespace sextant::loop {

void collect_uses(const Stmt& stmt, std::set<Name>& names) {
  std::visit(
      [&](const auto& node) {
        visit_inside<Expr>(node, [&](const Expr& e) {
          for (const Name& name : names_in(e))
            names.insert(name);
        });
        visit_inside<Stmt>(node,
                           [&](const Stmt& s) { collect_uses(s, names); });
      },
      stmt.variant());
  if (const Accum* accum = stmt.as<Accum>()) {
    names.insert(accum->state.begin(), accum->state.end());
  }
}

void collect_defined(const Stmt& stmt, std::set<Name>& names) {
  if (const Load* load = stmt.as<Load>()) names.insert(load->out);
  if (const Let* let = stmt.as<Let>()) names.insert(let->out);
  if (const For* loop = stmt.as<For>()) {
    for (const Carry& carry : loop->carries)
      names.insert(carry.name);
  }
}

Stmt map_exprs(const Stmt& stmt, const std::function<Expr(const Expr&)>& f) {
  Stmt mapped = map_handles<Expr>(stmt, f);
  return map_handles<Stmt>(mapped,
                           [&](const Stmt& s) { return map_exprs(s, f); });
}

Stmt rename(const Stmt& stmt, const Renaming& to) {
  auto change = [&](Name& name) {
    if (to.count(name) != 0) name = to.at(name);
  };
  auto change_names = [&](const Expr& e) {
    Substitution by;
    for (const Name& name : names_in(e)) {
      if (to.count(name) != 0) by[name] = var(to.at(name));
    }
    return substitute(e, by);
  };
  auto renamed = [&](auto node) {
    if constexpr (requires { node.out; }) change(node.out);
    if constexpr (requires { node.state; }) {
      std::for_each(node.state.begin(), node.state.end(), change);
    }
    if constexpr (requires { node.carries; }) {
      change(node.axis);
      for (Carry& carry : node.carries)
        change(carry.name);
      for (Stmt& s : node.body)
        s = rename(s, to);
    }
    return map_handles<Expr>(Stmt(node), change_names)
        .with_origin(stmt.origin());
  };
  return std::visit(renamed, stmt.variant());
}

Stmt map_accesses(const Stmt& stmt, const IndexFunction& f) {
  auto mapped = [&](auto node) {
    if constexpr (requires { node.index; }) {
      node.index = f(node.buffer, node.index);
    }
    if constexpr (requires { node.body; }) {
      for (Stmt& s : node.body)
        s = map_accesses(s, f);
    }
    return Stmt(node).with_origin(stmt.origin());
  };
  return std::visit(mapped, stmt.variant());
}

void each_stmt(const std::vector<Stmt>& body,
               const std::function<void(const Stmt&)>& visit) {
  for (const Stmt& stmt : body) {
    visit(stmt);
    if (const For* loop = stmt.as<For>()) each_stmt(loop->body, visit);
  }
}

}  // namespace sextant::loop
