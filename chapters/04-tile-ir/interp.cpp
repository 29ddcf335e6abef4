#include "chapters/04-tile-ir/interp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chapters/04-tile-ir/columns.h"
#include "src/base/scalar_op.h"

namespace sextant::tile {
namespace {

// A stage's cells, row-major over the slab.
struct Held {
  std::vector<int64_t> extents;
  Column column;
};

class Block {
 public:
  Block(const Kernel& kernel, const Tables& tables,
        const std::map<Name, Array*>& memory, Counts& counts)
      : kernel_(kernel), tables_(tables), memory_(memory), counts_(counts) {}

  void run(const Values& uniform) {
    state_.uniform = uniform;
    for (const Axis& a : kernel_.axes) {
      if (a.level == Level::Thread) state_.threads.push_back(a);
      if (a.level == Level::Register) state_.registers.push_back(a);
    }
    body(kernel_.body);
  }

 private:
  void body(const std::vector<Stmt>& list) {
    for (const Stmt& s : list)
      std::visit([&](const auto& node) { run(node); }, s.variant());
  }

  void run(const For& f) {
    start(f.carries);
    int64_t n = sextant::evaluate(f.extent, state_.uniform);
    for (int64_t i = 0; i < n; i++) {
      state_.uniform[f.axis] = i;
      body(f.body);
    }
    state_.uniform.erase(f.axis);
  }

  void run(const Carries& c) { start(c.carries); }

  void start(const std::vector<Carry>& carries) {
    for (const Carry& c : carries) {
      Value& v = fresh(c.cell, c.dtype);
      Expr identity = identity_of(combiner(tables_, c.combiner), c.dtype);
      Scalar first = evaluate(state_, tables_, Points{}, identity).at[0];
      v.column.at.assign(v.column.at.size(), first);
    }
  }

  // Makes room for a value with the index of `cell`.
  Value& fresh(const Var& cell, DType type) {
    Value v;
    for (const Expr& e : cell.index) {
      Points points = points_of(state_, {e});
      v.extents.push_back(static_cast<int64_t>(points.cells));
      v.cells *= points.cells;
    }
    v.column.type = type;
    v.column.at.resize(v.cells * state_.thread_count());
    return state_.values[cell.name] = v;
  }

  void run(const When& w) {
    conditions_.push_back(w.cond);
    body(w.body);
    conditions_.pop_back();
  }

  void run(const Last& l) {
    int64_t blocks = 1;
    for (const Axis& a : kernel_.axes) {
      if (std::count(l.axes.begin(), l.axes.end(), a.name) != 0) {
        blocks *= sextant::evaluate(a.extent, state_.uniform);
      }
    }
    Array* tickets = memory_.at(l.ticket);
    int64_t at =
        offsets(Points{}, l.index, tickets->shape(), {true}, l.ticket)[0];
    int64_t turn = tickets->at(at).i;
    tickets->set(at, {0, (turn + 1) % blocks});
    if (turn + 1 == blocks) body(l.body);
  }

  // Every expression that says where or whether.
  std::vector<Expr> with_conditions(std::vector<Expr> list,
                                    const Expr& guard) const {
    list.insert(list.end(), conditions_.begin(), conditions_.end());
    if (guard) list.push_back(guard);
    return list;
  }

  std::vector<bool> holds(const Points& points, const Expr& guard) {
    std::vector<bool> out(points.count(), true);
    for (const Expr& cond : with_conditions({}, guard)) {
      Column c = evaluate(state_, tables_, points, cond);
      for (std::size_t p = 0; p < out.size(); p++)
        out[p] = out[p] && c.at[p].i != 0;
    }
    return out;
  }

  // Row-major element of each point; outside is an error where `where` holds.
  std::vector<int64_t> offsets(const Points& points,
                               const std::vector<Expr>& index,
                               const std::vector<int64_t>& shape,
                               const std::vector<bool>& where,
                               const Name& name) {
    std::vector<int64_t> out(points.count(), 0);
    for (std::size_t d = 0; d < index.size(); d++) {
      Column c = evaluate(state_, tables_, points, index[d]);
      for (std::size_t p = 0; p < out.size(); p++) {
        int64_t i = c.at[p].i;
        if (where[p] && (i < 0 || i >= shape[d])) {
          fail({}, "kernel {} goes to {} along axis {} of {}, which has {}",
               kernel_.name, i, d, name, shape[d]);
        }
        out[p] = out[p] * shape[d] + i;
      }
    }
    return out;
  }

  void run(const Load& l) {
    std::vector<Expr> list = with_conditions(l.index, l.guard);
    list.insert(list.end(), l.out.index.begin(), l.out.index.end());
    Points points = points_of(state_, list);
    std::vector<bool> where = holds(points, l.guard);
    auto stage = stages_.find(l.from);
    const Held* held = stage == stages_.end() ? nullptr : &stage->second;
    const Array* array = held != nullptr ? nullptr : memory_.at(l.from);
    std::vector<int64_t> at = offsets(
        points, l.index, held ? held->extents : array->shape(), where, l.from);
    DType type = held ? held->column.type : array->dtype();
    Scalar other;
    if (l.otherwise) {
      Column c = evaluate(state_, tables_, Points{}, l.otherwise);
      other = convert(c.at[0], c.type, type);
    }
    Value& v = fresh(l.out, type);
    std::vector<std::size_t> to = elements(state_, tables_, points, l.out);
    for (std::size_t p = 0; p < points.count(); p++) {
      Scalar x = other;
      if (where[p] && held)
        x = held->column.at[static_cast<std::size_t>(at[p])];
      if (where[p] && !held) x = array->at(at[p]);
      counts_.loads[l.from] += where[p] && !held;
      v.column.at[to[p]] = x;
    }
  }

  void run(const Let& l) {
    std::vector<Expr> list = l.out.index;
    list.push_back(l.value);
    Points points = points_of(state_, list);
    Column c = evaluate(state_, tables_, points, l.value);
    Value& v = fresh(l.out, c.type);
    std::vector<std::size_t> to = elements(state_, tables_, points, l.out);
    for (std::size_t p = 0; p < points.count(); p++)
      v.column.at[to[p]] = c.at[p];
  }

  void run(const Store& s) {
    std::vector<Expr> list = with_conditions(s.index, s.guard);
    list.push_back(s.value);
    Points points = points_of(state_, list);
    std::vector<bool> where = holds(points, s.guard);
    Array* array = memory_.at(s.to);
    std::vector<int64_t> at =
        offsets(points, s.index, array->shape(), where, s.to);
    Column c = evaluate(state_, tables_, points, s.value);
    for (std::size_t p = 0; p < points.count(); p++) {
      if (!where[p]) continue;
      array->set(at[p], convert(c.at[p], c.type, array->dtype()));
      counts_.stores[s.to]++;
    }
  }

  void run(const Accum& a) {
    std::vector<Expr> list = with_conditions(a.value, a.guard);
    for (const Var& v : a.state)
      list.insert(list.end(), v.index.begin(), v.index.end());
    Points points = points_of(state_, list);
    std::vector<bool> where = holds(points, a.guard);
    std::vector<Column> values;
    for (const Expr& e : a.value)
      values.push_back(evaluate(state_, tables_, points, e));
    std::vector<std::size_t> at = elements(state_, tables_, points, a.state[0]);
    for (std::size_t p = 0; p < points.count(); p++) {
      if (!where[p]) continue;
      std::vector<Scalar> x;
      for (const Column& c : values)
        x.push_back(c.at[p]);
      set(a.state, at[p], combined(a.combiner, a.state, at[p], x));
    }
  }

  // Threads that differ along the joined axes alone fold into one value, in
  // the order of their numbers; then each of them gets it.
  void run(const Combine& c) {
    std::size_t threads = state_.thread_count();
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>>
        groups;  // (first thread, cell) -> elements of the states
    const Value& first = state_.values.at(c.state[0].name);
    for (std::size_t t = 0; t < threads; t++) {
      for (std::size_t cell = 0; cell < first.cells; cell++) {
        groups[{leader(t, c.axes), cell}].push_back(t * first.cells + cell);
      }
    }
    for (const auto& [key, members] : groups) {
      for (std::size_t m = 1; m < members.size(); m++) {
        set(c.state, members[0],
            combined(c.combiner, c.state, members[0],
                     states_at(c.state, members[m])));
      }
      for (std::size_t e : members)
        set(c.state, e, states_at(c.state, members[0]));
    }
  }

  // The thread with digit 0 along the given axes.
  std::size_t leader(std::size_t thread, const std::vector<Name>& axes) const {
    std::size_t below = 1, out = thread;
    for (std::size_t a = state_.threads.size(); a-- > 0;) {
      const Axis& axis = state_.threads[a];
      auto n = static_cast<std::size_t>(value_of(axis.extent));
      if (std::find(axes.begin(), axes.end(), axis.name) != axes.end()) {
        out -= thread / below % n * below;
      }
      below *= n;
    }
    return out;
  }

  Column& column(const Var& v) { return state_.values.at(v.name).column; }

  std::vector<Scalar> states_at(const std::vector<Var>& states,
                                std::size_t element) {
    std::vector<Scalar> out;
    for (const Var& v : states)
      out.push_back(column(v).at[element]);
    return out;
  }

  void set(const std::vector<Var>& states, std::size_t element,
           const std::vector<Scalar>& to) {
    for (std::size_t k = 0; k < states.size(); k++)
      column(states[k]).at[element] = to[k];
  }

  // What an element of the states becomes when x enters: s0, s1, ... stand for
  // the states, x0, x1, ... for what enters.
  std::vector<Scalar> combined(const Name& name, const std::vector<Var>& states,
                               std::size_t element,
                               const std::vector<Scalar>& x) {
    std::vector<Scalar> s = states_at(states, element), out;
    auto number = [](const Name& n) {
      return static_cast<std::size_t>(n[1] - '0');
    };
    auto type = [&](const Name& n) { return column(states[number(n)]).type; };
    auto of = [&](const Var& v) {
      return (v.name[0] == 's' ? s : x)[number(v.name)];
    };
    for (const Expr& e : combiner(tables_, name).combine)
      out.push_back(compute(tables_, e, type, of));
    return out;
  }

  // The source cells that the slab covers; zeros outside the buffer.
  void run(const Stage& stage) {
    const Array* array = memory_.at(stage.what.buffer);
    Held held;
    for (const Slab& s : stage.what.slab)
      held.extents.push_back(s.extent);
    held.column.type = array->dtype();
    std::vector<int64_t> origin;
    for (const Expr& e : stage.what.origin)
      origin.push_back(sextant::evaluate(e, state_.uniform));
    each_index(held.extents, [&](const std::vector<int64_t>& index) {
      std::vector<int64_t> inside(origin.size(), 0);
      for (std::size_t a = 0; a < index.size(); a++) {
        auto d = static_cast<std::size_t>(stage.what.slab[a].dim);
        inside[d] = inside[d] * held.extents[a] + index[a];
      }
      bool outside = false;
      int64_t at = 0;
      for (std::size_t d = 0; d < origin.size(); d++) {
        int64_t i = origin[d] + inside[d];
        outside = outside || i < 0 || i >= array->shape()[d];
        at = at * array->shape()[d] + i;
      }
      held.column.at.push_back(outside ? Scalar{} : array->at(at));
      counts_.staged[stage.what.buffer] += !outside;
    });
    stages_[stage.name] = held;
  }

  const Kernel& kernel_;
  const Tables& tables_;
  const std::map<Name, Array*>& memory_;
  Counts& counts_;
  State state_;
  std::map<Name, Held> stages_;
  std::vector<Expr> conditions_;  // of the open `when`s
};

// The array of every buffer, by the program's names: made where it is not
// there yet, of NaN where the type has it, so that what nobody wrote shows.
std::map<Name, Array*> arrays_of(const Program& program, const Values& symbols,
                                 Arrays& memory) {
  std::map<Name, Array*> out;
  for (const Buffer& b : program.buffers) {
    const Name& name = b.alias.empty() ? b.name : b.alias;
    if (memory.count(name) == 0) {
      std::vector<int64_t> shape;
      for (const Dim& d : b.shape)
        shape.push_back(evaluate(d, symbols));
      Array fresh(b.dtype, shape);
      bool zeros = b.role == Role::Workspace || !is_float(b.dtype);
      for (int64_t i = 0; !zeros && i < fresh.size(); i++)
        fresh.set(i, {std::numeric_limits<double>::quiet_NaN(), 0});
      memory[name] = fresh;
    }
    out[b.name] = &memory[name];
  }
  return out;
}

// The digits of a block's number along the BLOCK axes.
Values block_values(const Kernel& kernel, int64_t block, Values uniform) {
  for (std::size_t a = kernel.axes.size(); a-- > 0;) {
    const Axis& axis = kernel.axes[a];
    if (axis.level != Level::Block) continue;
    int64_t n = evaluate(axis.extent, uniform);
    uniform[axis.name] = block % n;
    block /= n;
  }
  return uniform;
}

int64_t grid_of(const Kernel& kernel, const Values& symbols) {
  int64_t n = 1;
  for (const Axis& a : kernel.axes) {
    if (a.level == Level::Block) n *= evaluate(a.extent, symbols);
  }
  return n;
}

}  // namespace

int64_t Counts::sum(const std::map<Name, int64_t>& counts) {
  int64_t n = 0;
  for (const auto& [name, count] : counts)
    n += count;
  return n;
}

Arrays interpret(const Program& program, const Tables& tables,
                 const Arrays& inputs, const Values& symbols,
                 const Watch& watch) {
  Arrays memory = inputs;
  Counts ignored;
  Counts& counts = watch.counts != nullptr ? *watch.counts : ignored;
  std::map<Name, Array*> arrays = arrays_of(program, symbols, memory);
  for (const Launch& launch : program.launches) {
    const Kernel* kernel = program.kernel(launch.kernel);
    if (kernel == nullptr) fail({}, "no kernel {} to launch", launch.kernel);
    std::map<Name, Array*> bound = arrays;
    for (const Binding& b : launch.bindings)
      bound[b.param] = arrays.at(b.buffer);
    std::vector<int64_t> chosen = watch.blocks;
    int64_t grid = grid_of(*kernel, symbols);
    for (int64_t b = 0; watch.blocks.empty() && b < grid; b++)
      chosen.push_back(b);
    for (int64_t b : chosen) {
      if (b >= grid)
        fail({}, "{} has {} blocks, not {}", kernel->name, grid, b);
      Block(*kernel, tables, bound, counts)
          .run(block_values(*kernel, b, symbols));
    }
  }
  for (const Buffer& b : program.buffers)
    memory[b.name] = *arrays.at(b.name);
  return memory;
}

}  // namespace sextant::tile
