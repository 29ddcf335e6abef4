// Loops over b, t and r digits leave the body and become axes of the kernel:
// the GPU runs them all at once. What was one value an iteration of a REGISTER
// loop gets an index; a reduction over THREAD digits is joined by Combine, one
// over BLOCK digits through memory.
//
//   for t0 in 0..256:  # reduce acc0=add     carry acc0=add
//     for r0 in 0..4:                        in0[r0] = load x[t0*4 + r0]
//       in0 = load x[t0*4 + r0]              acc0 <- add(acc0, in0[r0])
//       acc0 <- add(acc0, in0)               Combine(acc0, op=add, axes=(t0))
#include <algorithm>
#include <set>

#include "chapters/04-tile-ir/cells.h"
#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

class Binder {
 public:
  Binder(const Kernel& kernel, const Cells& known)
      : kernel_(kernel), known_(known) {
    for (const auto& [name, registers] : known_.registers)
      cell_[name] = var(name, ordered(registers));
  }

  Kernel run() {
    Kernel out = kernel_;
    out.axes = known_.axes;
    out.body = block(kernel_.body);
    return out;
  }

 private:
  std::vector<Expr> ordered(const std::set<Name>& registers) const {
    std::vector<Expr> out;
    for (const Axis& a : known_.axes) {
      if (registers.count(a.name) != 0) out.push_back(var(a.name));
    }
    return out;
  }

  std::vector<Stmt> block(const std::vector<Stmt>& body) {
    std::vector<Stmt> out;
    for (const Stmt& s : body) {
      std::vector<Stmt> next = s.as<For>() ? loop(s.get<For>(), s.origin())
                                           : std::vector<Stmt>{with_cells(s)};
      out.insert(out.end(), next.begin(), next.end());
    }
    return out;
  }

  std::vector<Stmt> loop(const For& f, const Origin& origin) {
    For kept = hand_down(f);
    std::vector<Stmt> out;
    std::vector<Carry> carries = kept.carries;
    for (Carry& c : kept.carries)
      c.cell = cell(c.cell);
    open_.push_back(f.axis);
    kept.body = block(kept.body);
    open_.pop_back();
    if (!level_of(f.axis)) {
      out.push_back(Stmt(kept).with_origin(origin));
    } else {
      if (!carries.empty()) {
        out.push_back(Stmt(Carries{kept.carries}).with_origin(origin));
      }
      out.insert(out.end(), kept.body.begin(), kept.body.end());
    }
    for (const Carry& c : carries)
      combine(c, origin, out);
    return out;
  }

  // What a loop that leaves carries is carried by the loop inside, if that is
  // all there is inside: at last by a serial loop, if there is one.
  static For hand_down(const For& f) {
    const For* inner = f.body.size() == 1 ? f.body[0].as<For>() : nullptr;
    if (!level_of(f.axis) || f.carries.empty() || inner == nullptr ||
        !ends_serial(*inner)) {
      return f;
    }
    For next = *inner, out = f;
    next.carries = f.carries;
    out.carries.clear();
    out.body = {Stmt(next).with_origin(f.body[0].origin())};
    return out;
  }

  static bool ends_serial(const For& f) {
    if (!f.carries.empty()) return false;
    if (!level_of(f.axis)) return true;
    const For* inner = f.body.size() == 1 ? f.body[0].as<For>() : nullptr;
    return inner != nullptr && ends_serial(*inner);
  }

  void combine(const Carry& c, const Origin& origin, std::vector<Stmt>& out) {
    std::vector<Name> apart;
    for (const Name& axis : known_.reductions.at(c.cell.name)) {
      std::optional<Level> level = level_of(axis);
      if (level == Level::Block) joined_.insert(axis);
      if (level && level != Level::Register) apart.push_back(axis);
    }
    if (apart.empty()) return;
    out.push_back(
        Stmt(Combine{{cell(c.cell)}, c.combiner, apart}).with_origin(origin));
  }

  Var cell(const Var& name) const {
    auto found = cell_.find(name.name);
    return found == cell_.end() ? name : found->second.get<Var>();
  }

  Stmt with_cells(const Stmt& s) {
    Stmt out = map_handles<Expr>(
        s, [&](const Expr& e) { return substitute(e, cell_); });
    if (const Store* st = out.as<Store>()) {
      Store store = *st;
      store.guard = conjunction(once(), store.guard);
      return Stmt(store).with_origin(s.origin());
    }
    return map_cells(out, [&](Var& v) { v = cell(v); });
  }

  // A store outside a loop whose digits are now blocks and threads is one
  // block's and one thread's to make; of blocks that share a sum, the last's.
  Expr once() const {
    Expr guard;
    for (const Axis& a : known_.axes) {
      bool other = a.level != Level::Register && joined_.count(a.name) == 0 &&
                   std::count(open_.begin(), open_.end(), a.name) == 0;
      if (!other) continue;
      guard = conjunction(guard, binary(BinaryOp::Eq, var(a.name), Expr(0)));
    }
    return guard;
  }

  const Kernel& kernel_;
  const Cells& known_;
  std::vector<Name> open_;  // loops around
  std::set<Name> joined_;   // BLOCK axes of sums before the current statement
  Substitution cell_;
};

}  // namespace

Program bind(const Program& program, PassContext&) {
  Program out = program;
  for (Kernel& k : out.kernels) {
    Cells known = cells_in(k.body);
    k = Binder(k, known).run();
    join_blocks(k, known.types, out);
  }
  return out;
}

}  // namespace sextant::tile
