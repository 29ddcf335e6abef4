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

namespace {

// The names that stand in fields of their own; expressions are done already.
Stmt rename_fields(const Stmt& stmt, const Renaming& to) {
  auto change = [&](Name& name) {
    auto found = to.find(name);
    if (found != to.end()) name = found->second;
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
        s = rename_fields(s, to);
    }
    return Stmt(node).with_origin(stmt.origin());
  };
  return std::visit(renamed, stmt.variant());
}

}  // namespace

Stmt rename(const Stmt& stmt, const Renaming& to) {
  Substitution by;
  for (const auto& [from, name] : to)
    by[from] = var(name);
  Stmt mapped =
      map_exprs(stmt, [&](const Expr& e) { return substitute(e, by); });
  return rename_fields(mapped, to);
}

Stmt map_accesses(const Stmt& stmt, const IndexFunction& f) {
  if (const Load* load = stmt.as<Load>()) {
    Load next = *load;
    next.index = f(load->buffer, load->index);
    return Stmt(next).with_origin(stmt.origin());
  }
  if (const Store* store = stmt.as<Store>()) {
    Store next = *store;
    next.index = f(store->buffer, store->index);
    return Stmt(next).with_origin(stmt.origin());
  }
  return map_handles<Stmt>(stmt,
                           [&](const Stmt& s) { return map_accesses(s, f); });
}

void each_stmt(const std::vector<Stmt>& body,
               const std::function<void(const Stmt&)>& visit) {
  for (const Stmt& stmt : body) {
    visit(stmt);
    if (const For* loop = stmt.as<For>()) each_stmt(loop->body, visit);
  }
}

std::vector<Name> loaded_buffers(const Kernel& kernel) {
  std::vector<Name> names;
  each_stmt(kernel.body, [&](const Stmt& stmt) {
    const Load* load = stmt.as<Load>();
    if (load == nullptr) return;
    if (std::find(names.begin(), names.end(), load->buffer) == names.end()) {
      names.push_back(load->buffer);
    }
  });
  return names;
}

}  // namespace sextant::loop
