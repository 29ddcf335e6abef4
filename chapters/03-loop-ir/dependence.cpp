#include "chapters/03-loop-ir/dependence.h"

namespace sextant::loop {

AxisSet Dependence::of(const Name& value) const {
  auto found = of_.find(value);
  return found == of_.end() ? 0 : found->second;  // a symbol
}

AxisSet Dependence::of(const Expr& e) const {
  if (!e) return 0;
  AxisSet axes = 0;
  if (const Var* v = e.as<Var>()) axes = of(v->name);
  std::visit(
      [&](const auto& node) {
        visit_inside<Expr>(node, [&](const Expr& x) { axes |= of(x); });
      },
      e.variant());
  return axes;
}

AxisSet Dependence::of(const std::vector<Expr>& list) const {
  AxisSet axes = 0;
  for (const Expr& e : list)
    axes |= of(e);
  return axes;
}

AxisSet Dependence::all(const std::vector<Name>& axes) const {
  AxisSet set = 0;
  for (const Name& axis : axes)
    set |= of(axis);
  return set;
}

void Dependence::read(const std::vector<Stmt>& body) {
  for (const Stmt& stmt : body)
    read(stmt);
}

void Dependence::read(const Stmt& stmt) {
  if (const For* loop = stmt.as<For>()) {
    if (of_.count(loop->axis) == 0) {
      INVARIANT(axes_ < 64, "a kernel of more than 64 axes");
      of_[loop->axis] = AxisSet{1} << axes_++;
    }
    for (const Carry& c : loop->carries)
      of_[c.name] = 0;
    read(loop->body);
    for (const Carry& c : loop->carries)
      of_[c.name] &= ~of_[loop->axis];
  } else if (const Load* load = stmt.as<Load>()) {
    of_[load->out] = of(load->index) | of(load->guard);
  } else if (const Let* let = stmt.as<Let>()) {
    of_[let->out] = of(let->value);
  } else if (const Accum* accum = stmt.as<Accum>()) {
    for (const Name& state : accum->state)
      of_[state] |= of(accum->value) | of(accum->guard);
  }
}

}  // namespace sextant::loop
