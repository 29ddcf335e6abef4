// A buffer that the schedule names is copied to shared memory, a slab at a
// time, and read from there. The slab is what the threads, their registers and
// the innermost serial loop around the load go through; what is outside of
// that loop gives the origin.
//
//   for k0 in 0..2:                    for k0 in 0..2:
//     for k1 in 0..32:                   x_smem = Stage(x, origin=(0, k0*32),
//       in1[r0] = load x[                    slab=(t0:8@0, k1:32@1, r0:2@0))
//           t0*2 + r0, k0*32 + k1]       for k1 in 0..32:
//                                          in1[r0] = load x_smem[t0, k1, r0]
#include <algorithm>
#include <set>

#include "chapters/02-tensor-ir/ir.h"
#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/schedule.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

// The index along one axis of the source: what is the same for the block, and
// the digits within, outermost first.
struct Part {
  Expr origin;
  std::vector<Term> inside;
  bool is_number = true;  // each digit counts what those below it can write
};

class Stager {
 public:
  Stager(const Program& program, const Kernel& kernel)
      : program_(program),
        kernel_(kernel),
        schedule_(parse_schedule(kernel.schedule.text)),
        bounds_(symbol_bounds(program)) {
    for (const Axis& a : kernel.axes) {
      bounds_.set_extent(a.name, a.extent);
      extents_[a.name] = a.extent;
    }
  }

  std::vector<Stmt> run() {
    std::vector<Stmt> out = block(kernel_.body);
    for (const Staging& s : schedule_.stages) {
      if (staged_.count(s.operand) != 0) continue;
      if (s.buffers > 1) {
        fail({}, "{} buffers for {} need a serial loop around its stage",
             s.buffers, s.operand);
      } else {
        fail({}, "the schedule of {} stages {}, which it does not load",
             kernel_.name, s.operand);
      }
    }
    return out;
  }

 private:
  // How a load is staged, if it is: slots that are taken in turn are for the
  // loads inside a loop over them, and other loads of the buffer stay as they
  // are.
  const Staging* staging(const Name& buffer) const {
    for (const Staging& s : schedule_.stages) {
      if (s.operand == buffer && (s.buffers == 1 || open_.size() > 1)) {
        return &s;
      }
    }
    return nullptr;
  }

  std::vector<Stmt> block(const std::vector<Stmt>& body) {
    std::vector<Stmt> out, first;
    for (const Stmt& s : body) {
      Stmt next = s;
      std::vector<Stmt> before;  // stages that this loop needs
      if (const For* f = s.as<For>()) {
        bounds_.set_extent(f->axis, f->extent);
        extents_[f->axis] = f->extent;
        open_.push_back(f);
        std::swap(before, wanted_);
        std::vector<Stmt> inner = block(f->body);
        std::swap(before, wanted_);
        open_.pop_back();
        next = with_body(s, inner);
      } else if (body_of(s) != nullptr) {
        next = with_body(s, block(*body_of(s)));
      } else if (const Load* l = s.as<Load>();
                 l != nullptr && staging(l->from) != nullptr) {
        next = from_stage(*l, s.origin());
      }
      // Stages stand first in the body of a loop, so that they can be filled
      // ahead; outside of loops, where they are wanted.
      std::vector<Stmt>& to = open_.empty() ? out : first;
      to.insert(to.end(), before.begin(), before.end());
      if (open_.empty()) {
        to.insert(to.end(), wanted_.begin(), wanted_.end());
        wanted_.clear();
      }
      out.push_back(next);
    }
    out.insert(out.begin(), first.begin(), first.end());
    return out;
  }

  // The load from a stage, which is noted in `wanted_`.
  Stmt from_stage(const Load& load, const Origin& origin) {
    const Staging& staging = *this->staging(load.from);
    staged_.insert(load.from);
    std::vector<Part> parts;
    for (std::size_t d = 0; d < load.index.size(); d++)
      parts.push_back(part(load, d));
    Stage stage;
    stage.what.buffer = load.from;
    for (const Part& p : parts)
      stage.what.origin.push_back(p.origin);
    Load out = load;
    out.index = slab_of(parts, staging.kmajor, stage.what.slab);
    add_pad(staging, stage);
    add_who(staging, stage.who);
    out.guard = guard_left(load);
    if (!out.guard) out.otherwise = {};
    stage.name = wanted(stage, origin);
    out.from = stage.name;
    return Stmt(out).with_origin(origin);
  }

  Part part(const Load& load, std::size_t d) {
    Affine sum = affine(simplify(load.index[d], bounds_));
    Affine same{{}, sum.constant};
    Part out;
    for (const Term& t : sum.terms) {
      std::vector<Name> names = names_in(t.atom);
      bool varies = std::any_of(names.begin(), names.end(),
                                [&](const Name& n) { return is_inside(n); });
      if (!varies) {
        same.terms.push_back(t);
      } else if (t.factor < 0 || t.atom.as<Var>() == nullptr ||
                 extents_.count(names[0]) == 0 ||
                 !constant(extents_.at(names[0]))) {
        fail({}, "{} cannot be staged: along axis {}, '{}' is no sum of digits",
             load.from, d, to_string(load.index[d]));
      } else {
        out.inside.push_back(t);
      }
    }
    out.origin = to_expr(same);
    std::stable_sort(
        out.inside.begin(), out.inside.end(),
        [](const Term& a, const Term& b) { return a.factor > b.factor; });
    int64_t below = 1;
    for (std::size_t i = out.inside.size(); i-- > 0;) {
      out.is_number = out.is_number && out.inside[i].factor == below;
      below = out.inside[i].factor * extent_of(out.inside[i]);
    }
    return out;
  }

  int64_t extent_of(const Term& t) const {
    return value_of(extents_.at(name_of(t)));
  }

  // Threads, registers, the innermost loop, and what was loaded or computed.
  bool is_inside(const Name& name) const {
    if (!open_.empty() && name == open_.back()->axis) return true;
    bool outer = std::any_of(open_.begin(), open_.end(),
                             [&](const For* f) { return f->axis == name; });
    bool symbol = std::any_of(program_.symbols.begin(), program_.symbols.end(),
                              [&](const Symbol& s) { return s.name == name; });
    return !outer && !symbol && level_of(name) != Level::Block;
  }

  // The slab in memory order, and the load's index in it. An axis of the source
  // is one digit, or a digit and a REGISTER digit, which goes to the end, so
  // that a thread's cells lie together; or else a row of its own.
  std::vector<Expr> slab_of(const std::vector<Part>& parts, bool kmajor,
                            std::vector<Slab>& slab) const {
    std::vector<Expr> index, cell_index;
    std::vector<Slab> cells;
    for (bool first : {true, false}) {
      for (std::size_t d = 0; d < parts.size(); d++) {
        std::vector<Term> inside = parts[d].inside;
        if (inside.empty() || first != (kmajor && along_loop(inside))) continue;
        auto dim = static_cast<int64_t>(d);
        if (!kmajor && has_cells(parts[d])) {
          cells.push_back({name_of(inside[1]), extent_of(inside[1]), dim});
          cell_index.push_back(inside[1].atom);
          inside = {{1, inside[0].atom}};
        }
        slab.push_back(row(inside, dim));
        index.push_back(to_expr({inside, 0}));
      }
    }
    slab.insert(slab.end(), cells.begin(), cells.end());
    index.insert(index.end(), cell_index.begin(), cell_index.end());
    return index;
  }

  bool has_cells(const Part& part) const {
    return part.is_number && part.inside.size() == 2 &&
           level_of(name_of(part.inside[1])) == Level::Register;
  }

  Slab row(const std::vector<Term>& inside, int64_t dim) const {
    bool digit = inside.size() == 1 && inside[0].factor == 1;
    int64_t extent = 1;
    for (const Term& t : inside)
      extent += t.factor * (extent_of(t) - 1);
    Name label = tensor::index_name(static_cast<std::size_t>(dim));
    return {digit ? name_of(inside[0]) : label, extent, dim};
  }

  static const Name& name_of(const Term& t) { return t.atom.get<Var>().name; }

  bool along_loop(const std::vector<Term>& inside) const {
    return !open_.empty() &&
           std::any_of(inside.begin(), inside.end(), [&](const Term& t) {
             return t.atom == var(open_.back()->axis);
           });
  }

  void add_pad(const Staging& staging, Stage& stage) const {
    if (staging.pad == 0) return;
    if (stage.what.slab.size() < 2) {
      fail({}, "{} lies in one row: there is nothing to pad", staging.operand);
    }
    stage.how.pad.assign(stage.what.slab.size(), 0);
    stage.how.pad[1] = staging.pad;
  }

  void add_who(const Staging& staging, Who& who) const {
    who.transport = {staging.transport};
    who.buffers = staging.buffers;
    if (staging.buffers > 1) who.over = open_[open_.size() - 2]->axis;
  }

  // Outside the buffer a stage holds zeros: what only says "inside" goes.
  Expr guard_left(const Load& load) const {
    if (!load.guard) return {};
    bool zero = load.otherwise == Expr(0) || load.otherwise == Expr(Float{0});
    const std::vector<Dim>& shape = program_.buffer(load.from)->shape;
    Expr left;
    for (const Expr& cond : conjuncts(load.guard)) {
      Expr negative = negative_where(cond, bounds_);
      bool inside = false;
      for (std::size_t d = 0; d < load.index.size() && zero && negative; d++) {
        const Expr& i = load.index[d];
        inside = inside ||
                 negative == negative_where(less(i, shape[d]), bounds_) ||
                 negative == negative_where(less_equal(0, i), bounds_);
      }
      if (!inside) left = conjunction(left, cond);
    }
    return left;
  }

  // The name of an equal stage that is wanted here already, or a new one.
  Name wanted(Stage stage, const Origin& origin) {
    for (const Stmt& s : wanted_) {
      stage.name = s.get<Stage>().name;
      if (s.get<Stage>() == stage) return stage.name;
    }
    int n = 0;
    do {
      stage.name =
          stage.what.buffer + "_smem" + (n == 0 ? "" : fmt::format("{}", n));
      n++;
    } while (!names_.insert(stage.name).second ||
             program_.buffer(stage.name) != nullptr);
    wanted_.push_back(Stmt(stage).with_origin(origin));
    return stage.name;
  }

  const Program& program_;
  const Kernel& kernel_;
  Schedule schedule_;
  Bounds bounds_;
  std::map<Name, Dim> extents_;
  std::vector<const For*> open_;
  std::vector<Stmt> wanted_;  // stages, before the loop that is being read
  std::set<Name> staged_, names_;
};

}  // namespace

Program stage(const Program& program, PassContext& context) {
  context.reason = "no schedule stages anything";
  return map_bodies(program,
                    [&](const Kernel& k) { return Stager(program, k).run(); });
}

}  // namespace sextant::tile
