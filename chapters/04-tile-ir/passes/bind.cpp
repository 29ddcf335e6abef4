// Loops over b, t and r digits leave the body and become axes of the kernel:
// the GPU runs them all at once. What was one value an iteration of a REGISTER
// loop gets an index; a reduction over THREAD digits is joined by Combine.
//
//   for t0 in 0..256:  # reduce acc0=add     carry acc0=add
//     for r0 in 0..4:                        in0[r0] = load x[t0*4 + r0]
//       in0 = load x[t0*4 + r0]              acc0 <- add(acc0, in0[r0])
//       acc0 <- add(acc0, in0)               Combine(acc0, op=add, axes=(t0))
#include <algorithm>
#include <set>

#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/passes.h"

namespace sextant::tile {
namespace {

// What one reduction runs over: the loops from the carrying one to the Accum.
struct Reduction {
  std::size_t outside = 0;  // loops around the carrying one
  std::vector<Name> axes;
};

class Binder {
 public:
  explicit Binder(const Kernel& kernel) : kernel_(kernel) {}

  Kernel run() {
    bool again = true;
    while (again) {
      again = false;
      learn(kernel_.body, again);
    }
    Kernel out = kernel_;
    out.axes = axes_;
    std::sort(out.axes.begin(), out.axes.end(), before);
    for (const Axis& a : out.axes) {
      if (a.level == Level::Register) order_.push_back(a.name);
    }
    axes_ = out.axes;
    for (const auto& [name, registers] : registers_)
      cell_[name] = var(name, ordered(registers));
    out.body = block(kernel_.body);
    return out;
  }

 private:
  // --- Which values differ along which REGISTER axes
  // --------------------------
  void learn(const std::vector<Stmt>& body, bool& again) {
    for (const Stmt& s : body) {
      if (const For* f = s.as<For>()) {
        for (const Carry& c : f->carries)
          reductions_[c.cell.name].outside = open_.size();
        open_.push_back(f->axis);
        declare(*f);
        learn(f->body, again);
        open_.pop_back();
      } else if (const Accum* a = s.as<Accum>()) {
        learn_accum(*a, again);
      } else {
        learn_value(s, again);
      }
    }
  }

  void declare(const For& f) {
    std::optional<Level> level = level_of(f.axis);
    Axis axis{f.axis, f.extent, level.value_or(Level::Block)};
    if (level && std::find(axes_.begin(), axes_.end(), axis) == axes_.end()) {
      axes_.push_back(axis);
    }
  }

  void learn_value(const Stmt& s, bool& again) {
    const Load* load = s.as<Load>();
    const Let* let = s.as<Let>();
    if (load == nullptr && let == nullptr) return;
    std::set<Name> found;
    if (let != nullptr) add_registers(let->value, found);
    if (load != nullptr) {
      add_registers(load->guard, found);
      for (const Expr& e : load->index)
        add_registers(e, found);
    }
    note(load != nullptr ? load->out.name : let->out.name, found, again);
  }

  void learn_accum(const Accum& a, bool& again) {
    std::set<Name> found;
    for (const Expr& e : a.value)
      add_registers(e, found);
    add_registers(a.guard, found);
    for (const Var& state : a.state) {
      Reduction& r = reductions_.at(state.name);
      r.axes.assign(open_.begin() + static_cast<long>(r.outside), open_.end());
      std::set<Name> kept = found;
      for (const Name& axis : r.axes)
        kept.erase(axis);
      note(state.name, kept, again);
    }
  }

  void add_registers(const Expr& e, std::set<Name>& found) const {
    for (const Name& name : names_in(e)) {
      if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
        if (level_of(name) == Level::Register) found.insert(name);
      } else if (auto of = registers_.find(name); of != registers_.end()) {
        found.insert(of->second.begin(), of->second.end());
      }
    }
  }

  void note(const Name& name, const std::set<Name>& found, bool& again) {
    std::set<Name>& known = registers_[name];
    std::size_t before = known.size();
    known.insert(found.begin(), found.end());
    again = again || known.size() != before;
  }

  // --- The body without those loops
  // --------------------------------------------
  static bool before(const Axis& a, const Axis& b) {
    if (a.level != b.level) return a.level < b.level;
    return std::stoi(a.name.substr(1)) < std::stoi(b.name.substr(1));
  }

  std::vector<Expr> ordered(const std::set<Name>& registers) const {
    std::vector<Expr> out;
    for (const Name& name : order_) {
      if (registers.count(name) != 0) out.push_back(var(name));
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
    std::vector<Name> threads;
    for (const Name& axis : reductions_.at(c.cell.name).axes) {
      if (level_of(axis) == Level::Thread) threads.push_back(axis);
    }
    if (threads.empty()) return;
    Stmt join = Combine{{cell(c.cell)}, c.combiner, threads};
    out.push_back(join.with_origin(origin));
  }

  Var cell(const Var& name) const {
    auto found = cell_.find(name.name);
    return found == cell_.end() ? name : found->second.get<Var>();
  }

  Stmt with_cells(const Stmt& s) {
    Stmt out = map_handles<Expr>(
        s, [&](const Expr& e) { return substitute(e, cell_); });
    if (const Load* l = out.as<Load>()) {
      Load load = *l;
      load.out = cell(load.out);
      out = load;
    } else if (const Let* v = out.as<Let>()) {
      Let let = *v;
      let.out = cell(let.out);
      out = let;
    } else if (const Accum* a = out.as<Accum>()) {
      Accum accum = *a;
      for (Var& state : accum.state)
        state = cell(state);
      out = accum;
    } else if (const Store* st = out.as<Store>()) {
      Store store = *st;
      store.guard = conjunction(once(), store.guard);
      out = store;
    }
    return out.with_origin(s.origin());
  }

  // A store outside a loop whose digits are now blocks and threads is one
  // block's and one thread's to make.
  Expr once() const {
    Expr guard;
    for (const Axis& a : axes_) {
      bool inside =
          std::find(open_.begin(), open_.end(), a.name) != open_.end();
      if (inside || a.level == Level::Register) continue;
      guard = conjunction(guard, binary(BinaryOp::Eq, var(a.name), Expr(0)));
    }
    return guard;
  }

  const Kernel& kernel_;
  std::vector<Axis> axes_;
  std::vector<Name> order_;  // of REGISTER axes
  std::vector<Name> open_;   // loops around
  std::map<Name, std::set<Name>> registers_;
  std::map<Name, Reduction> reductions_;
  Substitution cell_;
};

}  // namespace

Program bind(const Program& program, PassContext&) {
  Program out = program;
  for (Kernel& k : out.kernels)
    k = Binder(k).run();
  return out;
}

}  // namespace sextant::tile
