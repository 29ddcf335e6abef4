// Each loop becomes one loop a digit. The coordinate along the old axis is the
// number that the digits write in mixed radix; where they can write more than
// the extent, statements inside get a guard.
//
//   for a0 in 0..16:               for t0 in 0..8:
//     store y[a0] = ...              for r0 in 0..2:
//                          8t.2r       store y[t0*2 + r0] = ...
#include <algorithm>

#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/schedule.h"

namespace sextant::tile {
namespace {

// A digit with its name, extent and what one step of it counts.
struct Wheel {
  Name name;
  Dim extent;
  int64_t place = 1;
  bool unroll = false;
};

// A loop axis: its digits, outermost first, and the guard of its tail.
struct Axle {
  Name axis;
  Dim extent;
  bool reduces = false;
  std::vector<Digit> digits;
  std::vector<Wheel> wheels;
  Expr coordinate;
  Expr tail;  // empty: the digits write no more than the extent
};

void collect_axes(const std::vector<Stmt>& body, bool reduces,
                  std::vector<Axle>& axes) {
  for (const Stmt& s : body) {
    const For* f = s.as<For>();
    if (f == nullptr) continue;
    auto found = std::find_if(axes.begin(), axes.end(),
                              [&](const Axle& a) { return a.axis == f->axis; });
    if (found == axes.end()) {
      axes.push_back({f->axis, f->extent, false, {}, {}, {}, {}});
      found = axes.end() - 1;
    }
    bool inside = reduces || !f->carries.empty();
    found->reduces = found->reduces || inside;
    collect_axes(f->body, inside, axes);
  }
}

class Splitter {
 public:
  Splitter(const Kernel& kernel, const Bounds& symbols)
      : kernel_(kernel), bounds_(symbols) {}

  Kernel run(const Program& program) {
    Schedule schedule = parse_schedule(kernel_.schedule.text);
    collect_axes(kernel_.body, false, axes_);
    for (const Split& s : schedule.splits) {
      if (std::none_of(axes_.begin(), axes_.end(),
                       [&](const Axle& a) { return a.axis == s.axis; })) {
        fail({}, "the schedule of {} splits {}, which is no axis of it",
             kernel_.name, s.axis);
      }
    }
    for (Axle& axle : axes_)
      read_digits(axle, schedule.split(axle.axis));
    name_digits();
    name_threads(schedule);
    for (Axle& axle : axes_)
      write_coordinate(axle);
    program_ = &program;
    Kernel out = kernel_;
    out.body = block(kernel_.body);
    return out;
  }

 private:
  // An axis without digits in the schedule is one serial digit.
  void read_digits(Axle& axle, const Split* split) {
    axle.digits = {{0, Hold::Serial}};
    if (split != nullptr) axle.digits = split->digits;
    int64_t fixed = 1;
    for (const Digit& d : axle.digits) {
      if (d.extent != 0) fixed = checked_mul(fixed, d.extent, axle.axis);
    }
    int64_t place = fixed;
    for (const Digit& d : axle.digits) {
      Dim extent = d.extent == 0 ? ceil_div(axle.extent, fixed) : d.extent;
      if (d.extent != 0) place /= d.extent;
      axle.wheels.push_back(
          {"", simplify(extent, bounds_), place, d.hold == Hold::Unrolled});
    }
    bool rest = axle.digits[0].extent == 0;
    if (!rest && bounds_of(axle.extent, bounds_).hi > fixed) {
      fail({},
           "{}: the digits of {} count to {}, but it has {}; begin with '*'",
           kernel_.name, axle.axis, fixed, to_string(axle.extent));
    }
    if (!axle.reduces) return;
    for (const Digit& d : axle.digits) {
      if (d.hold == Hold::Block) {
        fail({}, "{}: a sum along {} cannot be split over blocks", kernel_.name,
             axle.axis);
      }
    }
  }

  // BLOCK b0, b1, ...; THREAD t0, ...; REGISTER r0, ...; serial k0, ... .
  void name_digits() {
    for (const auto& [hold, letter] :
         {std::pair{Hold::Block, 'b'}, std::pair{Hold::Register, 'r'},
          std::pair{Hold::Serial, 'k'}}) {
      int next = 0;
      for (Axle& axle : axes_) {
        for (std::size_t i = 0; i < axle.digits.size(); i++) {
          Hold h = axle.digits[i].hold;
          if (h == Hold::Unrolled) h = Hold::Serial;
          if (h == hold) {
            axle.wheels[i].name = fmt::format("{}{}", letter, next++);
          }
        }
      }
    }
  }

  // The order of THREAD digits is the number of the thread, the last one
  // fastest: axes in the order in which the schedule lists them. Free axes side
  // by side go together, the last digit of each beside the last digits of the
  // others, so that a warp is a patch of the tile.
  void name_threads(const Schedule& schedule) {
    std::vector<std::vector<Wheel*>> together;
    int next = 0;
    auto name_all = [&] {
      std::size_t longest = 0;
      for (const std::vector<Wheel*>& threads : together)
        longest = std::max(longest, threads.size());
      for (std::size_t place = longest; place-- > 0;) {
        for (std::vector<Wheel*>& threads : together) {
          if (place >= threads.size()) continue;
          Wheel* wheel = threads[threads.size() - 1 - place];
          wheel->name = fmt::format("t{}", next++);
        }
      }
      together.clear();
    };
    for (const Split& split : schedule.splits) {
      Axle& axle = find(split.axis);
      if (axle.reduces) name_all();
      together.push_back({});
      for (std::size_t i = 0; i < axle.digits.size(); i++) {
        if (axle.digits[i].hold == Hold::Thread) {
          together.back().push_back(&axle.wheels[i]);
        }
      }
      if (axle.reduces) name_all();
    }
    name_all();
  }

  void write_coordinate(Axle& axle) {
    Expr sum(0);
    for (const Wheel& w : axle.wheels) {
      bounds_.set_extent(w.name, w.extent);
      sum = sum + var(w.name) * Expr(w.place);
    }
    axle.coordinate = simplify(sum, bounds_);
    Expr tail = canonical(less(axle.coordinate, axle.extent), bounds_);
    if (constant(tail) != 1) axle.tail = tail;
  }

  Axle& find(const Name& axis) {
    return *std::find_if(axes_.begin(), axes_.end(),
                         [&](const Axle& a) { return a.axis == axis; });
  }

  std::vector<Stmt> block(const std::vector<Stmt>& body) {
    std::vector<Stmt> out;
    for (const Stmt& s : body) {
      Stmt next = s.as<For>() ? loops(s.get<For>(), s.origin()) : statement(s);
      out.push_back(next.with_origin(s.origin()));
    }
    return out;
  }

  Stmt loops(const For& f, const Origin& origin) {
    const Axle& a = find(f.axis);
    std::size_t outside = open_.size();
    open_.push_back(&a);
    for (const Carry& c : f.carries)
      carried_at_[c.cell.name] = outside;
    std::vector<Stmt> body = block(f.body);
    open_.pop_back();
    for (std::size_t i = a.wheels.size(); i-- > 0;) {
      const Wheel& w = a.wheels[i];
      std::vector<Carry> carries;
      if (i == 0) carries = f.carries;
      Stmt loop = For{w.name, w.extent, 0, w.unroll, false, carries, body};
      body = {loop.with_origin(origin)};
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
    if (const Load* load = s.as<Load>()) {
      Load l = out.get<Load>();
      Expr tails;
      for (const Axle* a : open_) {
        bool inside =
            std::any_of(load->index.begin(), load->index.end(),
                        [&](const Expr& e) { return mentions(e, a->axis); });
        if (inside) tails = conjunction(tails, a->tail);
      }
      l.guard = conjunction(tails, l.guard);
      if (l.guard && !l.otherwise) l.otherwise = zero(l.from);
      return l;
    }
    if (out.as<Accum>()) {
      Accum a = out.get<Accum>();
      a.guard =
          conjunction(tails_from(carried_at_.at(a.state[0].name)), a.guard);
      return a;
    }
    if (out.as<Store>()) {
      Store st = out.get<Store>();
      st.guard = conjunction(tails_from(0), st.guard);
      return st;
    }
    return out;
  }

  Expr tails_from(std::size_t first) const {
    Expr tails;
    for (std::size_t i = first; i < open_.size(); i++)
      tails = conjunction(tails, open_[i]->tail);
    return tails;
  }

  Expr zero(const Name& buffer) const {
    const Buffer* b = program_->buffer(buffer);
    return b != nullptr && is_float(b->dtype) ? Expr(Float{0}) : Expr(0);
  }

  const Kernel& kernel_;
  const Program* program_ = nullptr;
  Bounds bounds_;
  std::vector<Axle> axes_;  // in loop order
  std::vector<const Axle*> open_;
  std::map<Name, std::size_t> carried_at_;  // loops outside the carrying one
};

}  // namespace

Program split(const Program& program, PassContext&) {
  Program out = program;
  for (Kernel& k : out.kernels)
    k = Splitter(k, symbol_bounds(program)).run(program);
  return out;
}

}  // namespace sextant::tile
