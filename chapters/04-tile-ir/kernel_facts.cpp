#include "chapters/04-tile-ir/kernel_facts.h"

#include <algorithm>

#include "chapters/03-loop-ir/names.h"
#include "chapters/04-tile-ir/layout.h"

namespace sextant::tile {

KernelFacts::KernelFacts(const loop::Program& program,
                         const loop::Kernel& kernel)
    : axes(kernel), program_(program) {
  for (const Symbol& s : program.symbols)
    hints_[s.name] = s.hint;
  loop::each_stmt(kernel.body, [&](const loop::Stmt& s) {
    if (const auto* f = s.as<loop::For>()) {
      if (loops[f->axis]++ == 0) order.push_back(f->axis);
      extents[f->axis] = f->extent;
    }
    if (const auto* l = s.as<loop::Load>()) loads.push_back(*l);
    if (const auto* st = s.as<loop::Store>()) stores.push_back(*st);
    states += s.as<loop::Accum>() != nullptr;
  });
}

int64_t KernelFacts::extent(const Name& axis) const {
  return evaluate(extents.at(axis), hints_);
}

int64_t KernelFacts::count(const std::vector<Name>& list) const {
  int64_t n = 1;
  for (const Name& axis : list)
    n *= extent(axis);
  return n;
}

bool KernelFacts::is_constant(const Name& axis) const {
  return constant(extents.at(axis)).has_value();
}

int64_t KernelFacts::bytes(const Name& buffer) const {
  return size_of(program_.buffer(buffer)->dtype);
}

int64_t KernelFacts::vector_along(const Name& axis) const {
  int64_t widest = 2;
  auto look = [&](const auto& access) {
    if (neighbour(access.index) != axis) return;
    widest = std::max(widest, bytes(access.buffer));
  };
  std::for_each(loads.begin(), loads.end(), look);
  std::for_each(stores.begin(), stores.end(), look);
  int64_t v = 16 / widest;
  while (v > 1 && (!is_constant(axis) || extent(axis) % v != 0))
    v /= 2;
  return v;
}

bool KernelFacts::is_stageable(const Name& buffer,
                               const std::vector<Name>& tiled) const {
  for (const loop::Load& l : loads) {
    if (l.buffer != buffer) continue;
    for (const Expr& e : l.index) {
      for (const Term& t : affine(simplify(e)).terms) {
        bool varies = std::any_of(
            tiled.begin(), tiled.end(),
            [&](const Name& axis) { return mentions(t.atom, axis); });
        if (varies && (t.atom.as<Var>() == nullptr || t.factor < 0)) {
          return false;
        }
      }
    }
  }
  return true;
}

Name neighbour(const std::vector<Expr>& index) {
  if (index.empty()) return "";
  for (const Term& t : affine(simplify(index.back())).terms) {
    const Var* axis = t.atom.as<Var>();
    if (axis != nullptr && t.factor == 1) return axis->name;
  }
  return "";
}

bool goes_along(const std::vector<Expr>& index, const Name& axis) {
  return std::any_of(index.begin(), index.end(),
                     [&](const Expr& e) { return mentions(e, axis); });
}

}  // namespace sextant::tile
