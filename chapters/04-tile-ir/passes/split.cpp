// Each loop becomes one loop a digit. The coordinate along the old axis is the
// number that the digits write in mixed radix; where they can write more than
// the extent, statements inside get a guard.
//
//   for a0 in 0..16:               for t0 in 0..8:
//     store y[a0] = ...              for r0 in 0..2:
//                          8t.2r       store y[t0*2 + r0] = ...
#include <algorithm>

#include "chapters/04-tile-ir/digits.h"
#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

class Splitter {
 public:
  Splitter(const Program& program, const Kernel& kernel)
      : program_(program),
        bounds_(symbol_bounds(program)),
        axles_(axles_of(kernel, bounds_)) {}

  std::vector<Stmt> block(const std::vector<Stmt>& body) {
    std::vector<Stmt> out;
    for (const Stmt& s : body) {
      Stmt next = s.as<For>() ? loops(s.get<For>(), s.origin()) : statement(s);
      out.push_back(next.with_origin(s.origin()));
    }
    return out;
  }

 private:
  // One loop a digit; the outermost one carries.
  Stmt loops(const For& f, const Origin& origin) {
    const Axle& a =
        *std::find_if(axles_.begin(), axles_.end(),
                      [&](const Axle& axle) { return axle.axis == f.axis; });
    for (const Carry& c : f.carries)
      carried_at_[c.cell.name] = open_.size();
    open_.push_back(&a);
    std::vector<Stmt> body = block(f.body);
    open_.pop_back();
    for (std::size_t i = a.wheels.size(); i-- > 0;) {
      const Wheel& w = a.wheels[i];
      For loop{w.name, w.extent, 0, w.hold == Hold::Unrolled, false, {}, body};
      if (i == 0) loop.carries = f.carries;
      body = {Stmt(loop).with_origin(origin)};
    }
    return body[0];
  }

  // Index expressions are written over the digits, and guarded where a tail
  // could take them, or what they compute, beyond the extent.
  Stmt statement(const Stmt& s) {
    Substitution to_digits;
    for (const Axle* a : open_)
      to_digits[a->axis] = a->coordinate;
    Stmt out = map_handles<Expr>(s, [&](const Expr& e) {
      return simplify(substitute(e, to_digits), bounds_);
    });
    if (const Load* load = out.as<Load>()) {
      Load l = *load;
      l.guard = conjunction(tails_of(s.get<Load>().index), l.guard);
      if (l.guard && !l.otherwise) l.otherwise = zero(l.from);
      return l;
    }
    if (const Accum* accum = out.as<Accum>()) {
      Accum a = *accum;
      a.guard =
          conjunction(tails_from(carried_at_.at(a.state[0].name)), a.guard);
      return a;
    }
    if (const Store* store = out.as<Store>()) {
      Store st = *store;
      st.guard = conjunction(tails_from(0), st.guard);
      return st;
    }
    return out;
  }

  // Of the axes that an index mentions.
  Expr tails_of(const std::vector<Expr>& index) const {
    Expr tails;
    for (const Axle* a : open_) {
      if (std::any_of(index.begin(), index.end(),
                      [&](const Expr& e) { return mentions(e, a->axis); })) {
        tails = conjunction(tails, a->tail);
      }
    }
    return tails;
  }

  Expr tails_from(std::size_t first) const {
    Expr tails;
    for (std::size_t i = first; i < open_.size(); i++)
      tails = conjunction(tails, open_[i]->tail);
    return tails;
  }

  Expr zero(const Name& buffer) const {
    const Buffer* b = program_.buffer(buffer);
    return b != nullptr && is_float(b->dtype) ? Expr(Float{0}) : Expr(0);
  }

  const Program& program_;
  Bounds bounds_;
  std::vector<Axle> axles_;  // in loop order
  std::vector<const Axle*> open_;
  std::map<Name, std::size_t> carried_at_;  // loops outside the carrying one
};

}  // namespace

Program split(const Program& program, PassContext&) {
  return map_bodies(program, [&](const Kernel& k) {
    return Splitter(program, k).block(k.body);
  });
}

}  // namespace sextant::tile
