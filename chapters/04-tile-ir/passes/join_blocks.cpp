// A sum that several blocks share: each stores its part. The last one to come
// loads all parts, in order, so that the sum is the same whoever that is; what
// follows is its alone to do. (Part of the pass `bind`.)
//
//   Combine(acc0, op=add,        Combine(acc0_part, op=add, axes=(t0))
//       axes=(b1, t0))           store k_parts[b1, b0] = acc0_part if t0 == 0
//   store y[b0] = acc0           last of (b1) by k_ticket[0, b0]:
//       if t0 == 0                 for p0 in 0..4:  # reduce acc0=add
//                                    acc0_in = load k_parts[p0, b0]
//                                    acc0 <- add(acc0, acc0_in)
//                                  store y[b0] = acc0 if t0 == 0
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

class Joiner {
 public:
  Joiner(Kernel& kernel, const std::map<Name, DType>& types, Program& program)
      : kernel_(kernel), types_(types), program_(program) {}

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
    for (const Axis& a : kernel_.axes) {
      if (a.level != Level::Block || !contains(axes, a.name)) continue;
      last_.axes.push_back(a.name);
      number_ = number_ * a.extent + var(a.name);
      parts_ = parts_ * a.extent;
    }
    std::vector<Axis> own = of_level(Level::Block, axes);
    last_.index = {0};
    for (const Axis& a : own)
      last_.index.push_back(var(a.name));
    last_.ticket = memory("ticket", DType::Int64, Role::Workspace, 1, own);
  }

  void join(const Combine& c, const Origin& origin) {
    Var whole = c.state[0], part = whole, in = whole;
    part.name += "_part";
    in.name += "_in";
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
    DType dtype = types_.at(whole.name);
    std::vector<Axis> own = place(whole, c.axes);
    Name parts = memory("parts", dtype, Role::Temp, parts_, own);
    std::vector<Expr> at = {number_};
    for (const Axis& a : own)
      at.push_back(var(a.name));
    emit(Store{parts, at, Expr(part), once}, origin);
    // Few parts are loaded at once.
    For all{"p0",  parts_, 0, constant(parts_).value_or(99) <= 16,
            false, {},     {}};
    all.carries = {{whole, dtype, c.combiner}};
    at[0] = var(all.axis);
    all.body = {
        Stmt(Load{in, parts, at, {}, {}}).with_origin(origin),
        Stmt(Accum{{whole}, c.combiner, {Expr(in)}, {}}).with_origin(origin)};
    last_.body.push_back(Stmt(all).with_origin(origin));
  }

  std::vector<Axis> of_level(Level level,
                             const std::vector<Name>& without) const {
    std::vector<Axis> out;
    for (const Axis& a : kernel_.axes) {
      if (a.level == level && !contains(without, a.name)) out.push_back(a);
    }
    return out;
  }

  // The axes along which a part lies in memory: neighbouring threads are
  // neighbours, and so are the last cells of each.
  std::vector<Axis> place(const Var& cell,
                          const std::vector<Name>& joined) const {
    std::vector<Axis> out = of_level(Level::Block, joined), last;
    for (const Axis& a : of_level(Level::Register, {})) {
      if (!mentions(Expr(cell), a.name)) continue;
      out.insert(out.end(), last.begin(), last.end());
      last = {a};
    }
    for (const Axis& a : of_level(Level::Thread, joined))
      out.push_back(a);
    out.insert(out.end(), last.begin(), last.end());
    return out;
  }

  Name memory(const char* what, DType dtype, Role role, const Dim& first,
              const std::vector<Axis>& axes) {
    Name name = fmt::format("{}_{}", kernel_.name, what);
    for (int i = 1; program_.buffer(name) != nullptr; i++)
      name = fmt::format("{}_{}{}", kernel_.name, what, i);
    Buffer buffer{name, dtype, {first}, role, ""};
    for (const Axis& a : axes)
      buffer.shape.push_back(a.extent);
    program_.buffers.push_back(buffer);
    return name;
  }

  void emit(const Stmt& s, const Origin& origin) {
    kernel_.body.push_back(s.with_origin(origin));
  }

  Kernel& kernel_;
  const std::map<Name, DType>& types_;  // of the states
  Program& program_;
  Last last_;
  Expr number_ = 0;  // of the part
  Dim parts_ = 1;
};

}  // namespace

void join_blocks(Kernel& kernel, const std::map<Name, DType>& types,
                 Program& program) {
  Joiner(kernel, types, program).run();
}

}  // namespace sextant::tile
