// A value that is used once is written where it is used, unless that would
// compute it for more cells than before.
//
//   v0[r0] = add(in1[r0], in0)                   v0[r0] = add(in1[r0], in0)
//   v1[r0, r1] = multiply(v0[r0], in2[r1])       acc0[r0, r1] <- add(
//   acc0[r0, r1] <- add(acc0[r0, r1], v1[r0, r1])  acc0[r0, r1], multiply(
//                                                  v0[r0], in2[r1]))
#include <algorithm>

#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

Expr put(const Expr& e, const Let& let) {
  if (const Var* v = e.as<Var>(); v != nullptr && v->name == let.out.name) {
    return let.value;
  }
  return map_handles<Expr>(e, [&](const Expr& x) { return put(x, let); });
}

// The values of a statement that computes; its indices and guards stay.
bool put_into(Stmt& s, const Stmt& from) {
  auto changed = [&](auto node) {
    auto inside = [&](const Expr& e) { return put(e, from.get<Let>()); };
    if constexpr (requires { node.value; }) {
      node.value = map_inside<Expr>(node.value, inside);
    }
    return Stmt(node);
  };
  Stmt next = std::visit(changed, s.variant());
  if (next == s) return false;
  s = next.with_origin(sextant::merge(s.origin(), from.origin()));
  return true;
}

// Tries to move the Let at `at` down into the statement that uses it.
bool move_down(std::vector<Stmt>& list, std::size_t at) {
  const Let& let = list[at].get<Let>();
  for (std::size_t i = at + 1; i < list.size(); i++) {
    if (registers_of(list[i]) == registers_of(list[at]) &&
        put_into(list[i], list[at])) {
      return true;
    }
    for (const Name& state : changed_by(list[i])) {
      if (mentions(let.value, state)) return false;
    }
  }
  return false;
}

std::vector<Stmt> block(std::vector<Stmt> list,
                        const std::map<Name, int>& uses) {
  for (std::size_t i = 0; i < list.size();) {
    if (const std::vector<Stmt>* body = body_of(list[i])) {
      list[i] = with_body(list[i], block(*body, uses));
    }
    const Let* let = list[i].as<Let>();
    auto found = let == nullptr ? uses.end() : uses.find(let->out.name);
    bool once = found != uses.end() && found->second == 1;
    if (once && move_down(list, i)) {
      list.erase(list.begin() + static_cast<long>(i));
    } else {
      i++;
    }
  }
  return list;
}

}  // namespace

Program inline_once(const Program& program, PassContext& context) {
  context.reason = "every value is used more than once";
  return map_bodies(
      program, [](const Kernel& k) { return block(k.body, uses_in(k.body)); });
}

}  // namespace sextant::tile
