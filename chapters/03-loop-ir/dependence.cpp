#include "chapters/03-loop-ir/dependence.h"

namespace sextant::loop {

std::set<Name> Dependence::of(const Expr& e) const {
  std::set<Name> axes;
  if (!e) return axes;
  for (const Name& name : names_in(e)) {
    auto found = of_.find(name);
    if (found == of_.end()) continue;  // a symbol
    axes.insert(found->second.begin(), found->second.end());
  }
  return axes;
}

void Dependence::read(const std::vector<Stmt>& body) {
  for (const Stmt& stmt : body)
    read(stmt);
}

void Dependence::read(const Stmt& stmt) {
  std::set<Name> axes;
  auto add = [&](const Expr& e) {
    std::set<Name> more = of(e);
    axes.insert(more.begin(), more.end());
  };
  if (const For* loop = stmt.as<For>()) {
    of_[loop->axis] = {loop->axis};
    for (const Carry& c : loop->carries)
      of_[c.name] = {};
    read(loop->body);
    for (const Carry& c : loop->carries)
      of_[c.name].erase(loop->axis);
  } else if (const Load* load = stmt.as<Load>()) {
    for (const Expr& e : load->index)
      add(e);
    add(load->guard);
    of_[load->out] = axes;
  } else if (const Let* let = stmt.as<Let>()) {
    of_[let->out] = of(let->value);
  } else if (const Accum* accum = stmt.as<Accum>()) {
    for (const Expr& e : accum->value)
      add(e);
    add(accum->guard);
    for (const Name& state : accum->state)
      of_[state].insert(axes.begin(), axes.end());
  }
}

}  // namespace sextant::loop
