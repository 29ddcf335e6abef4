#include "chapters/03-loop-ir/roles.h"

#include <algorithm>

#include "chapters/03-loop-ir/dependence.h"
#include "chapters/03-loop-ir/names.h"

namespace sextant::loop {
namespace {

KernelRole none(std::string reason) {
  KernelRole r;
  r.reason = std::move(reason);
  return r;
}

std::vector<const For*> loops_in(const std::vector<Stmt>& body) {
  std::vector<const For*> loops;
  for (const Stmt& stmt : body) {
    if (const For* loop = stmt.as<For>()) loops.push_back(loop);
  }
  return loops;
}

// The factors of a product that a state adds up, if it does.
std::optional<std::pair<Expr, Expr>> factors(const For& loop,
                                             const Accum& accum) {
  if (accum.combiner != "add" || accum.guard) return std::nullopt;
  Expr value = accum.value[0];
  for (const Stmt& stmt : loop.body) {
    const Let* let = stmt.as<Let>();
    if (let != nullptr && value == var(let->out)) value = let->value;
  }
  const Call* product = value.as<Call>();
  if (product == nullptr || product->op != "multiply") return std::nullopt;
  return std::make_pair(product->args[0], product->args[1]);
}

// Whether a sum is a contraction, and along which axes each factor varies.
struct Sides {
  bool contracts = false;
  AxisSet batch = 0, m = 0, n = 0;
  bool same_axes(const Sides& o) const {
    return contracts == o.contracts && batch == o.batch &&
           ((m == o.m && n == o.n) || (m == o.n && n == o.m));
  }
};

Sides sides_of(const For& loop, const Accum& accum, const Dependence& axes) {
  Sides sides;
  auto product = factors(loop, accum);
  if (!product) return sides;
  AxisSet row = axes.of(loop.axis);
  AxisSet a = axes.of(product->first) & ~row;
  AxisSet b = axes.of(product->second) & ~row;
  sides.batch = a & b;
  sides.m = a & ~b;
  sides.n = b & ~a;
  sides.contracts = sides.m != 0 && sides.n != 0;
  return sides;
}

// m is the side whose last loop is further out: rows of the result.
KernelRole contract(const Sides& sides, const Dependence& axes,
                    const std::vector<Name>& outer, const Name& row) {
  KernelRole r;
  r.kind = RoleKind::Contract;
  r.row = row;
  bool n_is_last = false;
  for (const Name& name : outer) {
    bool on_m = (axes.of(name) & sides.m) != 0;
    bool on_n = (axes.of(name) & sides.n) != 0;
    (on_m ? r.m : on_n ? r.n : r.outer).push_back(name);
    if (on_m || on_n) n_is_last = on_n;
  }
  if (!n_is_last) std::swap(r.m, r.n);
  return r;
}

// The loops inside the free ones are over one axis and hold none themselves.
KernelRole row_or_contract(const Kernel& kernel, const std::vector<Name>& outer,
                           const std::vector<const For*>& loops) {
  Dependence axes(kernel);
  std::vector<Sides> sides;
  for (const For* loop : loops) {
    if (loop->axis != loops[0]->axis) {
      return none(fmt::format("loops over {} and {} side by side",
                              to_string(loops[0]->extent),
                              to_string(loop->extent)));
    }
    if (!loops_in(loop->body).empty()) {
      return none("a reduction within a loop over the row");
    }
    for (const Stmt& stmt : loop->body) {
      const Accum* accum = stmt.as<Accum>();
      if (accum == nullptr) continue;
      sides.push_back(sides_of(*loop, *accum, axes));
    }
  }
  auto contracts = [](const Sides& s) { return s.contracts; };
  KernelRole r;
  r.kind = RoleKind::Row;
  r.outer = outer;
  r.row = loops[0]->axis;
  if (std::none_of(sides.begin(), sides.end(), contracts)) return r;
  if (loops.size() > 1) return none("a contraction beside another loop");
  for (const Sides& s : sides) {
    if (!s.contracts) return none("a fold inside a contraction");
    if (!s.same_axes(sides[0])) return none("contractions over other axes");
  }
  return contract(sides[0], axes, outer, loops[0]->axis);
}

}  // namespace

KernelRole role(const Kernel& kernel) {
  std::vector<Name> outer;
  const std::vector<Stmt>* body = &kernel.body;
  while (true) {
    std::vector<const For*> loops = loops_in(*body);
    if (loops.empty()) {
      KernelRole r;
      r.kind = RoleKind::Map;
      r.outer = outer;
      return r;
    }
    bool reduces = std::any_of(loops.begin(), loops.end(), [](const For* f) {
      return !f->carries.empty();
    });
    if (reduces) return row_or_contract(kernel, outer, loops);
    if (loops.size() > 1) return none("two free loops side by side");
    outer.push_back(loops[0]->axis);
    body = &loops[0]->body;
  }
}

const char* name_of(RoleKind kind) {
  switch (kind) {
    case RoleKind::None: return "none";
    case RoleKind::Map: return "Map";
    case RoleKind::Row: return "Row";
    case RoleKind::Contract: return "Contract";
  }
  return "none";
}

}  // namespace sextant::loop
