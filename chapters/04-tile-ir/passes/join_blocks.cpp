// A sum that several blocks share: each stores its part. The last one to come
// loads all parts, in order, so that the sum is the same whoever that is; what
// follows is its alone to do. (Part of the pass `bind`.)
//
//   Combine(acc0, op=add, axes=(b1, t0))   Combine(acc0_part, op=add,
//   axes=(t0)) store y[b0] = acc0 if t0 == 0          store k_parts[b1, b0] =
//   acc0_part
//                                              if t0 == 0
//                                          last of (b1) by k_ticket[b0]:
//                                            for k1 in 0..4:  # reduce acc0=add
//                                              acc0_in = load k_parts[k1, b0]
//                                              acc0 <- add(acc0, acc0_in)
//                                            store y[b0] = acc0 if t0 == 0
#include <algorithm>

#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

bool contains(const std::vector<Name>& names, const Name& name) {
  return std::count(names.begin(), names.end(), name) != 0;
}

bool joins_blocks(const Stmt& s) {
  const Combine* c = s.as<Combine>();
  return c != nullptr &&
         std::any_of(c->axes.begin(), c->axes.end(), [](const Name& axis) {
           return level_of(axis) == Level::Block;
         });
}

// An element for every value of some axes.
struct Place {
  std::vector<Dim> shape;
  std::vector<Expr> index;

  void add(const Expr& at, const Dim& extent) {
    shape.push_back(extent);
    index.push_back(at);
  }
};

class Joiner {
 public:
  Joiner(Kernel& kernel, Program& program)
      : kernel_(kernel), program_(program) {}

  void run() {
    std::vector<Stmt>& body = kernel_.body;
    auto first = std::find_if(body.begin(), body.end(), joins_blocks);
    auto rest = std::find_if_not(first, body.end(), joins_blocks);
    std::vector<Stmt> joins(first, rest), after(rest, body.end());
    body.erase(first, body.end());
    auto refuse = [&](const Stmt& s) {
      if (!joins_blocks(s)) return;
      fail({},
           "{}: one sum alone can be split over blocks, and none in a serial "
           "loop",
           kernel_.name);
    };
    each_stmt(body, refuse);
    each_stmt(after, refuse);
    if (joins.empty()) return;
    share(joins[0].get<Combine>().axes);
    for (const Stmt& s : joins)
      join(s.get<Combine>(), s.origin());
    last_.body.insert(last_.body.end(), after.begin(), after.end());
    emit(last_, joins[0].origin());
  }

 private:
  // Blocks that share a sum share a ticket.
  void share(const std::vector<Name>& axes) {
    Place ticket;
    for (const Axis& a : kernel_.axes) {
      if (a.level != Level::Block) continue;
      if (!contains(axes, a.name)) {
        ticket.add(var(a.name), a.extent);
        continue;
      }
      last_.axes.push_back(a.name);
      number_ = number_ * a.extent + var(a.name);
      parts_ = parts_ * a.extent;
    }
    if (ticket.shape.empty()) ticket.add(0, 1);
    last_.ticket = memory("ticket", DType::Int64, Role::Workspace, ticket);
    last_.index = ticket.index;
  }

  void join(const Combine& c, const Origin& origin) {
    Var whole = c.state[0], part = whole, in = whole;
    part.name += "_part";
    in.name += "_in";
    DType dtype = dtype_of(whole.name);
    for (Stmt& s : kernel_.body)
      s = rename(s, {{whole.name, part.name}});
    Combine threads{{part}, c.combiner, {}};
    Expr once;
    for (const Name& axis : c.axes) {
      if (level_of(axis) != Level::Thread) continue;
      threads.axes.push_back(axis);
      once = conjunction(once, binary(BinaryOp::Eq, var(axis), Expr(0)));
    }
    if (!threads.axes.empty()) emit(threads, origin);
    Place at = place(whole, c.axes);
    Name parts = memory("parts", dtype, Role::Temp, at);
    emit(Store{parts, at.index, Expr(part), once}, origin);
    // Few parts are loaded at once.
    bool unroll = constant(parts_).value_or(99) <= 16;
    For all{fmt::format("k{}", loops_++), parts_, 0, unroll, false, {}, {}};
    all.carries = {{whole, dtype, c.combiner}};
    at.index[0] = var(all.axis);
    all.body = {
        Stmt(Load{in, parts, at.index, {}, {}}).with_origin(origin),
        Stmt(Accum{{whole}, c.combiner, {Expr(in)}, {}}).with_origin(origin)};
    last_.body.push_back(Stmt(all).with_origin(origin));
  }

  // Neighbouring threads are neighbours, and so are the last cells of each.
  Place place(const Var& cell, const std::vector<Name>& joined) const {
    Place out;
    out.add(number_, parts_);
    auto level = [&](Level wanted) {
      for (const Axis& a : kernel_.axes) {
        bool mine = wanted == Level::Register ? mentions(Expr(cell), a.name)
                                              : !contains(joined, a.name);
        if (a.level == wanted && mine) out.add(var(a.name), a.extent);
      }
    };
    level(Level::Block);
    level(Level::Register);
    std::size_t last = out.index.size() - 1;
    level(Level::Thread);
    auto to_end = [&](auto& list) {
      auto at = list.begin() + static_cast<long>(last);
      std::rotate(at, at + 1, list.end());
    };
    if (!cell.index.empty()) to_end(out.index), to_end(out.shape);
    return out;
  }

  Name memory(const char* what, DType dtype, Role role, const Place& place) {
    Name name = fmt::format("{}_{}", kernel_.name, what);
    for (int i = 1; program_.buffer(name) != nullptr; i++)
      name = fmt::format("{}_{}{}", kernel_.name, what, i);
    program_.buffers.push_back({name, dtype, place.shape, role, ""});
    return name;
  }

  // The type of a carried state; counts the serial loops on the way.
  DType dtype_of(const Name& state) {
    DType dtype = DType::Float32;
    loops_ = 0;
    each_stmt(kernel_.body, [&](const Stmt& s) {
      std::vector<Carry> carries;
      if (const For* f = s.as<For>()) carries = f->carries, loops_++;
      if (const Carries* c = s.as<Carries>()) carries = c->carries;
      for (const Carry& c : carries) {
        if (c.cell.name == state) dtype = c.dtype;
      }
    });
    return dtype;
  }

  void emit(const Stmt& s, const Origin& origin) {
    kernel_.body.push_back(s.with_origin(origin));
  }

  Kernel& kernel_;
  Program& program_;
  Last last_;
  Expr number_ = 0;  // of the part
  Dim parts_ = 1;
  int loops_ = 0;  // serial ones
};

}  // namespace

void join_blocks(Kernel& kernel, Program& program) {
  Joiner(kernel, program).run();
}

}  // namespace sextant::tile
