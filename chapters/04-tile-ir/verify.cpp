#include "chapters/04-tile-ir/verify.h"

#include <algorithm>
#include <set>

#include "chapters/04-tile-ir/verify_limits.h"
#include "chapters/04-tile-ir/walk.h"
#include "chapters/04-tile-ir/widths.h"
#include "src/base/scalar_op.h"

namespace sextant::tile {
namespace {

class Verifier {
 public:
  Verifier(const Program& program, const Kernel& kernel, const Tables& tables,
           Diagnostics& wrong, bool complete)
      : program_(program),
        kernel_(kernel),
        tables_(tables),
        complete_(complete),
        wrong_{kernel.name, wrong} {
    for (const Symbol& s : program.symbols)
      types_[s.name] = DType::Int64;
  }

  void run() {
    if (!axes()) return;
    rules_.emplace(program_, kernel_);
    body(kernel_.body);
  }

 private:
  bool axes() {
    bool good = true, first_block = true;
    for (const Axis& a : kernel_.axes) {
      bool first = a.level == Level::Block && first_block;
      first_block = first_block && a.level != Level::Block;
      std::optional<int64_t> n = constant(a.extent);
      if ((!n && !first) || (n && *n < 1)) {
        wrong_.add("the extent {} of {} is no number above 0",
                   to_string(a.extent), a.name);
        good = false;
      }
      good = fresh(a.name) && good;
      types_[a.name] = DType::Int64;
      levels_[a.name] = a.level;
    }
    return good;
  }

  bool fresh(const Name& name) {
    if (types_.count(name) == 0) return true;
    wrong_.add("{} is defined twice", name);
    return false;
  }

  // --- Expressions
  // --------------------------------------------------------------- The type,
  // or nothing, and a complaint, if there is none.
  std::optional<DType> type(const Expr& e) {
    if (!uses(e)) return std::nullopt;
    try {
      return type_of(tables_, e, [&](const Name& n) { return types_.at(n); });
    } catch (const Error& error) {
      wrong_.add("{}", error.diagnostics()[0].message);
      return std::nullopt;
    }
  }

  // Whether every name is in scope and has the index that it was defined with.
  bool uses(const Expr& e) {
    bool good = true;
    each_var(e, [&](const Var& v) { good = uses(v) && good; });
    return good;
  }

  bool uses(const Var& v) {
    if (types_.count(v.name) == 0) {
      wrong_.add("{} is used where it is not defined", v.name);
      return false;
    }
    auto cells = cells_.find(v.name);
    std::size_t rank = cells == cells_.end() ? 0 : cells->second;
    if (v.index.size() == rank) return true;
    wrong_.add("{} has {} indices, not {}", v.name, rank, v.index.size());
    return false;
  }

  void integer(const Expr& e, const char* what) {
    if (!e) return;
    std::optional<DType> t = type(e);
    if (t && is_float(*t)) {
      wrong_.add("the {} '{}' is {}", what, to_string(e), name_of(*t));
    }
  }

  void define(const Var& cell, DType dtype) {
    fresh(cell.name);
    for (const Expr& e : cell.index) {
      const Var* axis = e.as<Var>();
      auto level = axis == nullptr ? levels_.end() : levels_.find(axis->name);
      if (level == levels_.end() || level->second != Level::Register) {
        wrong_.add("{} is indexed by {}, which is no REGISTER axis", cell.name,
                   to_string(e));
      }
    }
    types_[cell.name] = dtype;
    cells_[cell.name] = cell.index.size();
    scope_.push_back(cell.name);
  }

  // What a value is computed from may differ along its own cells alone.
  void covers(const Var& out, const Stmt& s) {
    for (const Name& axis : registers_of(s)) {
      if (levels_.count(axis) == 0) continue;
      bool there = std::any_of(out.index.begin(), out.index.end(),
                               [&](const Expr& e) { return e == var(axis); });
      if (!there) wrong_.add("{} differs along {}", out.name, axis);
    }
  }

  // --- Statements
  // ------------------------------------------------------------------
  void body(const std::vector<Stmt>& list) {
    std::size_t outer = scope_.size();
    depth_++;
    for (const Stmt& s : list) {
      std::visit([&](const auto& node) { check(node); }, s.variant());
      if (const Var* out = defined_by(s)) covers(*out, s);
    }
    for (std::size_t i = outer; i < scope_.size(); i++) {
      types_.erase(scope_[i]);
      cells_.erase(scope_[i]);
    }
    scope_.resize(outer);
    depth_--;
  }

  void check(const For& f) {
    integer(f.extent, "extent");
    if (!fresh(f.axis)) return;
    carry(f.carries);
    loops_.push_back(&f);
    types_[f.axis] = DType::Int64;
    rules_->bounds.set_extent(f.axis, f.extent);
    for (const Stmt& s : f.body) {
      const Stage* stage = s.as<Stage>();
      if (stage != nullptr && f.pipeline > 1 &&
          stage->who.buffers != f.pipeline) {
        wrong_.add("{} has {} buffers in a pipeline of {}", stage->name,
                   stage->who.buffers, f.pipeline);
      }
    }
    body(f.body);
    types_.erase(f.axis);
    loops_.pop_back();
  }

  void check(const Carries& c) { carry(c.carries); }

  void carry(const std::vector<Carry>& carries) {
    for (const Carry& c : carries) {
      if (tables_.find<Combiner>(c.combiner) == nullptr) {
        wrong_.add("there is no combiner {}", c.combiner);
      }
      define(c.cell, c.dtype);
      carried_[c.cell.name] = c;
    }
  }

  void check(const When& w) {
    integer(w.cond, "condition");
    bool shared = false;
    each_stmt(w.body, [&](const Stmt& s) {
      shared = shared || s.as<Stage>() != nullptr || s.as<Combine>() != nullptr;
    });
    if (shared && !is_same_for_block(w.cond)) {
      wrong_.add("threads disagree on '{}', but inside they work together",
                 to_string(w.cond));
    }
    body(w.body);
  }

  void check(const Last& l) {
    const Buffer* ticket = program_.buffer(l.ticket);
    if (ticket == nullptr || ticket->dtype != DType::Int64 ||
        ticket->role != Role::Workspace ||
        ticket->shape.size() != l.index.size()) {
      wrong_.add("{} is no int64 workspace of {} axes", l.ticket,
                 l.index.size());
    }
    std::set<Name> joined(l.axes.begin(), l.axes.end());
    for (const Name& axis : l.axes) {
      auto level = levels_.find(axis);
      if (level == levels_.end() || level->second != Level::Block) {
        wrong_.add("last of {}, which is no BLOCK axis", axis);
      }
    }
    // Blocks that share a ticket are those that it does not tell apart.
    for (const Expr& e : l.index) {
      integer(e, "index");
      for (const Name& n : names_in(e))
        joined.insert(n);
    }
    for (const Axis& a : kernel_.axes) {
      if (a.level == Level::Block && joined.count(a.name) == 0) {
        wrong_.add("blocks that differ along {} share a ticket", a.name);
      }
    }
    if (depth_ > 1) wrong_.add("'last' stands inside of another statement");
    body(l.body);
  }

  // Axes of threads and registers differ, and so may every value.
  bool is_same_for_block(const Expr& e) const {
    std::vector<Name> names = names_in(e);
    return std::all_of(names.begin(), names.end(), [&](const Name& n) {
      auto level = levels_.find(n);
      bool differs = level != levels_.end() && level->second != Level::Block;
      return !differs && cells_.count(n) == 0;
    });
  }

  void check(const Stage& s) {
    const Buffer* buffer = program_.buffer(s.what.buffer);
    if (buffer == nullptr) {
      return wrong_.add("{} stages {}, which is no buffer", s.name,
                        s.what.buffer);
    }
    if (program_.buffer(s.name) != nullptr ||
        rules_->stages.count(s.name) != 0) {
      return wrong_.add("{} is defined twice", s.name);
    }
    if (s.what.origin.size() != buffer->shape.size()) {
      return wrong_.add("{} has {} origins for {} axes", s.name,
                        s.what.origin.size(), buffer->shape.size());
    }
    for (const Expr& e : s.what.origin) {
      integer(e, "origin");
      if (!is_same_for_block(e)) {
        wrong_.add("threads disagree on the origin '{}'", to_string(e));
      }
    }
    slab(s);
    who(s, *buffer);
    rules_->stages[s.name] = s;
  }

  void slab(const Stage& s) {
    std::set<Name> names;
    auto rank = static_cast<int64_t>(s.what.origin.size());
    for (const Slab& a : s.what.slab) {
      if (!names.insert(a.axis).second) {
        wrong_.add("{} has two slab axes {}", s.name, a.axis);
      }
      if (a.extent < 1 || a.dim < 0 || a.dim >= rank) {
        wrong_.add("{} has no axis {} for {}:{}", s.what.buffer, a.dim, a.axis,
                   a.extent);
      }
    }
    if (!s.how.pad.empty() && s.how.pad.size() != s.what.slab.size()) {
      wrong_.add("{} has {} pads for {} slab axes", s.name, s.how.pad.size(),
                 s.what.slab.size());
    }
  }

  void who(const Stage& s, const Buffer& buffer) {
    const Name& transport = s.who.transport.name;
    if (transport != "" && transport != "async" && transport != "held") {
      wrong_.add("{} has no transport {}", s.name, transport);
    }
    if (complete_ && transport == "async" &&
        s.who.width * size_of(buffer.dtype) < 4) {
      wrong_.add("{} copies {} bytes at a time, async takes 4 at least", s.name,
                 s.who.width * size_of(buffer.dtype));
    }
    width(s.name, s.who.width, buffer.dtype,
          [&] { return rules_->can_fill(s, s.who.width); });
    bool alternates = !loops_.empty() && loops_.back()->axis == s.who.over;
    if (s.who.buffers > 1 && !alternates) {
      wrong_.add("{} alternates over {}, which is not the loop around it",
                 s.name, s.who.over);
    }
  }

  template <class Legal>
  void width(const Name& name, int64_t w, DType dtype, Legal&& legal) {
    bool known = w == 2 || w == 4 || w == 8 || w == 16;
    if (w == 1) return;
    if (!known || w * size_of(dtype) > kWidest) {
      wrong_.add("width {} of {} makes no vector of at most {} bytes", w, name,
                 kWidest);
    } else if (!legal()) {
      wrong_.add("width {} of {}: not aligned, or not side by side", w, name);
    }
  }

  void check(const Combine& c) {
    for (const Var& v : c.state) {
      if (uses(v)) is_state(v, c.combiner);
    }
    for (const Name& axis : c.axes) {
      auto level = levels_.find(axis);
      if (level == levels_.end() || level->second != Level::Thread) {
        wrong_.add("Combine joins along {}, which is no THREAD axis", axis);
      }
    }
  }

  const Carry* is_state(const Var& v, const Name& combiner) {
    auto carry = carried_.find(v.name);
    if (carry != carried_.end() && carry->second.combiner == combiner) {
      return &carry->second;
    }
    wrong_.add("{} is no state of {}", v.name, combiner);
    return nullptr;
  }

  void check(const Load& l) {
    auto stage = rules_->stages.find(l.from);
    bool staged = stage != rules_->stages.end();
    if (!staged && program_.buffer(l.from) == nullptr) {
      return wrong_.add("there is no buffer or stage {}", l.from);
    }
    std::size_t rank = staged ? stage->second.what.slab.size()
                              : program_.buffer(l.from)->shape.size();
    access(l, l.from, rank);
    DType dtype = rules_->dtype(l.from);
    bool is_constant =
        l.otherwise && (is_float(dtype) ? l.otherwise.as<Float>() != nullptr
                                        : l.otherwise.as<Int>() != nullptr);
    if (l.guard && !is_constant) {
      wrong_.add("a guarded load of {} needs a constant for 'else'", l.from);
    }
    define(l.out, dtype);
  }

  template <class Access>
  void access(const Access& a, const Name& object, std::size_t rank) {
    for (const Expr& e : a.index)
      integer(e, "index");
    integer(a.guard, "guard");
    if (a.index.size() != rank) {
      wrong_.add("{} has {} axes and {} indices", object, rank, a.index.size());
    } else {
      width(object, a.width, rules_->dtype(object), [&] {
        return rules_->can_access(object, a.index, a.guard,
                                  rules_->vector_axis(a), a.width);
      });
    }
  }

  void check(const Let& l) {
    std::optional<DType> t = type(l.value);
    define(l.out, t.value_or(DType::Float32));
  }

  void check(const Accum& a) {
    const Combiner* row = tables_.find<Combiner>(a.combiner);
    std::size_t states = row == nullptr ? 0 : row->identity.size();
    if (a.state.size() != states || a.value.size() != states) {
      return wrong_.add("'{}' does not fit its combiner", a.combiner);
    }
    integer(a.guard, "guard");
    for (std::size_t i = 0; i < states; i++) {
      std::optional<DType> t = type(a.value[i]);
      const Carry* carry =
          uses(a.state[i]) ? is_state(a.state[i], a.combiner) : nullptr;
      if (carry != nullptr && t && *t != carry->dtype) {
        wrong_.add("{} takes {}, not {}", a.state[i].name,
                   name_of(carry->dtype), name_of(*t));
      }
    }
  }

  void check(const Store& s) {
    const Buffer* buffer = program_.buffer(s.to);
    if (buffer == nullptr) return wrong_.add("there is no buffer {}", s.to);
    access(s, s.to, buffer->shape.size());
    std::optional<DType> t = type(s.value);
    if (t && *t != buffer->dtype) {
      wrong_.add("{} is stored into {}, which is {}", name_of(*t), s.to,
                 name_of(buffer->dtype));
    }
    if (buffer->role == Role::Input || buffer->role == Role::Weight) {
      wrong_.add("{} is a parameter", s.to);
    }
  }

  const Program& program_;
  const Kernel& kernel_;
  const Tables& tables_;
  bool complete_;  // widths are chosen
  Complaints wrong_;
  std::optional<WidthRules> rules_;
  std::map<Name, DType> types_;        // of what is in scope
  std::map<Name, std::size_t> cells_;  // how many indices a value has
  std::map<Name, Level> levels_;
  std::map<Name, Carry> carried_;
  std::vector<Name> scope_;
  std::vector<const For*> loops_;
  int depth_ = 0;  // of bodies
};

void check_launches(const Program& program, Diagnostics& wrong) {
  for (const Launch& l : program.launches) {
    if (program.kernel(l.kernel) == nullptr) {
      wrong.add({}, "launch {}: there is no such kernel", l.kernel);
    }
  }
}

}  // namespace

void verify_structure(const Program& program, const Tables& tables) {
  Diagnostics wrong;
  check_launches(program, wrong);
  for (const Kernel& k : program.kernels)
    Verifier(program, k, tables, wrong, false).run();
  wrong.raise();
}

void verify(const Program& program, const Tables& tables) {
  Diagnostics wrong;
  check_launches(program, wrong);
  for (const Kernel& k : program.kernels) {
    Verifier(program, k, tables, wrong, true).run();
    // Later checks count on axes and stages that are right.
    if (!wrong.empty()) continue;
    verify_limits(program, k, tables, Complaints{k.name, wrong});
  }
  wrong.raise();
}

}  // namespace sextant::tile
