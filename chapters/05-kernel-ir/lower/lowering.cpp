#include "chapters/05-kernel-ir/lower/lowering.h"

#include <algorithm>

#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::kernel {

int64_t Lowering::Registers::cells() const {
  int64_t cells = 1;
  for (const CellAxis& a : axes)
    cells *= a.extent;
  return cells;
}

Lowering::Lowering(const Tables& tables, const tile::Program& program,
                   const tile::Kernel& kernel)
    : tables_(tables),
      program_(program),
      source_(kernel),
      bounds_(symbol_bounds(program)) {}

Kernel Lowering::run() {
  kernel_.name = source_.name;
  kernel_.min_blocks = source_.min_blocks;
  kernel_.origin = source_.origin;
  add_globals();
  kernel_.body = collect([&] {
    decode_axes();
    statements(source_.body);
  });
  for (const auto& [name, r] : registers_) {
    if (r.axes.empty() && r.copies == 1) continue;  // a scalar needs no array
    std::vector<Dim> shape;
    if (r.copies > 1) shape.push_back(r.copies);
    for (const CellAxis& a : r.axes)
      shape.push_back(a.extent);
    kernel_.objects.push_back({Space::Registers, name, shape, r.dtype, 0});
  }
  return kernel_;
}

// The parameters: what is read, in order of first use, then what is written.
void Lowering::add_globals() {
  std::vector<Name> read, written;
  auto note = [](std::vector<Name>& list, const Name& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) {
      list.push_back(name);
    }
  };
  tile::each_stmt(source_.body, [&](const tile::Stmt& s) {
    if (const auto* st = s.as<tile::Stage>()) {
      note(read, st->what.buffer);
      origins_[st->name] = s.origin();
    }
    if (const auto* l = s.as<tile::Load>()) {
      if (program_.buffer(l->from) != nullptr) note(read, l->from);
    }
    if (const auto* w = s.as<tile::Store>()) note(written, w->to);
    if (const auto* t = s.as<tile::Last>()) note(written, t->ticket);
  });
  for (const Name& name : written)
    note(read, name);
  for (const Name& name : read) {
    const Buffer& b = buffer(name);
    kernel_.objects.push_back({Space::Global, b.name, b.shape, b.dtype, 0});
  }
}

const Buffer& Lowering::buffer(const Name& name) const {
  const Buffer* b = program_.buffer(name);
  if (b == nullptr) fail({}, "{}: no buffer '{}'", source_.name, name);
  return *b;
}

Name Lowering::fresh(const Name& wish) {
  Name name = wish;
  for (int i = 1;
       std::find(taken_.begin(), taken_.end(), name) != taken_.end() ||
       program_.buffer(name) != nullptr;
       i++) {
    name = fmt::format("{}_{}", wish, i);
  }
  taken_.push_back(name);
  return name;
}

void Lowering::decode_axes() {
  std::vector<tile::Axis> blocks, threads;
  kernel_.grid = 1;
  for (const tile::Axis& a : source_.axes) {
    bounds_.set_extent(a.name, a.extent);
    taken_.push_back(a.name);
    if (a.level == tile::Level::Block) {
      blocks.push_back(a);
      kernel_.grid = kernel_.grid * a.extent;
    } else if (a.level == tile::Level::Thread) {
      threads.push_back(a);
      kernel_.block *= value_of(a.extent);
    }
  }
  kernel_.grid = simple(kernel_.grid);
  bounds_.set("tid", {0, kernel_.block - 1});
  bounds_.set_extent("bid", kernel_.grid);
  decode(threads, "tid");
  if (source_.raster > 1 && blocks.size() == 2) {
    decode_raster(blocks[0], blocks[1]);
  } else {
    decode(blocks, "bid");
  }
}

// A number in mixed radix, last digit fastest.
void Lowering::decode(const std::vector<tile::Axis>& axes, const Name& number) {
  Expr stride = 1;
  std::vector<Stmt> lets;
  for (std::size_t i = axes.size(); i-- > 0;) {
    Expr digit = floor_div(var(number), stride);
    if (i > 0) digit = floor_mod(digit, axes[i].extent);
    lets.push_back(Let{Var{axes[i].name, {}}, simple(digit)});
    stride = simple(stride * axes[i].extent);
  }
  for (std::size_t i = lets.size(); i-- > 0;)
    emit(lets[i]);
}

// Blocks in groups of `raster` rows, column by column inside a group, so that
// blocks that run at one time share rows and columns of the operands.
void Lowering::decode_raster(const tile::Axis& m, const tile::Axis& n) {
  Expr rows = Expr(source_.raster);
  Expr in_group = rows * n.extent;
  Name group = fresh("group"), tall = fresh("tall"), rest = fresh("rest");
  emit(Let{Var{group, {}}, simple(floor_div(var("bid"), in_group))});
  emit(Let{Var{rest, {}}, simple(floor_mod(var("bid"), in_group))});
  // The last group may have fewer rows.
  emit(Let{Var{tall, {}},
           simple(binary(BinaryOp::Min, rows, m.extent - var(group) * rows))});
  emit(Let{Var{m.name, {}},
           var(group) * rows + floor_mod(var(rest), var(tall))});
  emit(Let{Var{n.name, {}}, floor_div(var(rest), var(tall))});
}

void Lowering::statements(const std::vector<tile::Stmt>& body) {
  // Stages that stand together are filled together, at the cost of one wait.
  std::vector<const tile::Stage*> group;
  for (const tile::Stmt& s : body) {
    if (const auto* stage = s.as<tile::Stage>()) {
      group.push_back(stage);
      continue;
    }
    if (!group.empty()) stage_group(group);
    group.clear();
    statement(s);
  }
  if (!group.empty()) stage_group(group);
}

void Lowering::statement(const tile::Stmt& s) {
  Origin outer = origin_;
  if (!s.origin().empty()) origin_ = s.origin();
  switch (s.kind()) {
    case tile::StmtKind::For: loop(s.get<tile::For>()); break;
    case tile::StmtKind::Carries: start(s.get<tile::Carries>().carries); break;
    case tile::StmtKind::Stage: stage_group({&s.get<tile::Stage>()}); break;
    case tile::StmtKind::Combine: combine(s.get<tile::Combine>()); break;
    case tile::StmtKind::When: when(s.get<tile::When>()); break;
    case tile::StmtKind::Last: last(s.get<tile::Last>()); break;
    case tile::StmtKind::Load: load(s.get<tile::Load>()); break;
    case tile::StmtKind::Accum: accumulate(s.get<tile::Accum>()); break;
    case tile::StmtKind::Store: store(s.get<tile::Store>()); break;
    case tile::StmtKind::Let: let(s.get<tile::Let>()); break;
  }
  origin_ = outer;
}

// The REGISTER axes that expressions mention, in the order of the kernel.
std::vector<CellAxis> Lowering::cell_axes(
    const std::vector<Expr>& mentioned) const {
  std::vector<CellAxis> axes;
  for (const tile::Axis& a : source_.axes) {
    if (a.level != tile::Level::Register) continue;
    bool found =
        std::any_of(mentioned.begin(), mentioned.end(),
                    [&](const Expr& e) { return e && mentions(e, a.name); });
    if (found) axes.push_back({a.name, value_of(a.extent), 1});
  }
  return axes;
}

void Lowering::declare(const Var& out, DType dtype) {
  Registers r;
  r.dtype = dtype;
  for (const Expr& e : out.index) {
    const Var* axis = e.as<Var>();
    std::vector<CellAxis> found = cell_axes({e});
    if (axis == nullptr || found.size() != 1) {
      fail({}, "{}: '{}' is indexed by what is no REGISTER axis", source_.name,
           to_string(Expr(out)));
    }
    r.axes.push_back(found[0]);
  }
  auto known = registers_.find(out.name);
  if (known != registers_.end()) r.copies = known->second.copies;
  registers_[out.name] = r;
}

Var Lowering::place(const Var& v, const Substitution& at) const {
  auto found = registers_.find(v.name);
  if (found == registers_.end()) return v;
  const Registers& r = found->second;
  if (r.axes.empty() && r.copies == 1) return Var{v.name, {}};
  Expr flat = 0;
  for (std::size_t i = 0; i < v.index.size(); i++) {
    flat = flat * Expr(r.axes[i].extent) + substitute(v.index[i], at);
  }
  auto copy = copy_.find(v.name);
  if (copy != copy_.end()) flat = copy->second * Expr(r.cells()) + flat;
  return Var{v.name, {simple(flat)}};
}

Expr Lowering::value(const Expr& e, const Substitution& at) const {
  if (!e) return e;
  if (const Var* v = e.as<Var>()) {
    if (registers_.count(v->name) != 0) return place(*v, at);
    if (!v->index.empty()) {
      fail({}, "{}: '{}' has no cells", source_.name, v->name);
    }
    auto found = at.find(v->name);
    return found == at.end() ? e : found->second;
  }
  Expr mapped =
      map_handles<Expr>(e, [&](const Expr& x) { return value(x, at); });
  return mapped.kind() == ExprKind::Binary ? simple(mapped) : mapped;
}

DType Lowering::type_of(const Expr& e) const {
  return sextant::type_of(tables_, e, [&](const Name& name) {
    auto found = registers_.find(name);
    return found == registers_.end() ? DType::Int64 : found->second.dtype;
  });
}

// Above, a constant has the type of what it stands for; here it says so.
Expr Lowering::of_type(DType dtype, const Expr& constant) const {
  return type_of(constant) == dtype ? constant : Expr(Cast{constant, dtype});
}

Expr Lowering::buffer_offset(const Name& name,
                             const std::vector<Expr>& index) const {
  const Buffer& b = buffer(name);
  if (index.size() != b.shape.size()) {
    fail({}, "{}: '{}' has {} axes, not {}", source_.name, name, b.shape.size(),
         index.size());
  }
  return tile::offset_of(index, b.shape);
}

void Lowering::load(const tile::Load& x) {
  auto staged = stages_.find(x.from);
  bool is_stage = staged != stages_.end();
  declare(x.out, is_stage ? buffer(staged->second.stage->what.buffer).dtype
                          : buffer(x.from).dtype);
  Expr offset = is_stage
                    ? smem_offset(staged->second, staged->second.slot, x.index)
                    : buffer_offset(x.from, x.index);
  std::vector<CellAxis> axes = cell_axes({Expr(x.out), offset, x.guard});
  if (x.width > 1) axes.back().step = x.width;
  over_cells(axes, [&](const Substitution& at) {
    Expr guard = x.guard ? value(x.guard, at) : Expr(), zero;
    if (is_true(guard)) {
      guard = {};  // it holds wherever this stands
    } else {
      zero = of_type(registers_.at(x.out.name).dtype, value(x.otherwise, at));
    }
    emit(Load{place(x.out, at), x.from, simple(substitute(offset, at)), guard,
              zero, x.width, x.cache});
  });
}

void Lowering::let(const tile::Let& x) {
  declare(x.out, type_of(x.value));
  std::vector<CellAxis> axes = cell_axes({Expr(x.out), x.value});
  over_cells(merged(axes, {Expr(x.out), x.value}), [&](const Substitution& at) {
    emit(Let{place(x.out, at), value(x.value, at)});
  });
}

void Lowering::store(const tile::Store& x) {
  Expr offset = buffer_offset(x.to, x.index);
  std::vector<CellAxis> axes = cell_axes({x.value, offset, x.guard});
  if (x.width > 1) axes.back().step = x.width;
  Name out = x.width > 1 ? fresh(x.to + "_out") : "";
  if (x.width > 1) {
    Registers r;
    r.axes = {{"", x.width, 1}};
    r.dtype = buffer(x.to).dtype;
    registers_[out] = r;
  }
  over_cells(axes, [&](Substitution at) {
    Expr to = simple(substitute(offset, at)), guard = value(x.guard, at);
    if (x.width == 1) {
      emit(Store{x.to, to, value(x.value, at), guard, 1, x.cache});
      return;
    }
    // The vector is put together in registers that follow each other.
    Expr first = at[axes.back().name];
    for (int64_t i = 0; i < x.width; i++) {
      at[axes.back().name] = simple(first + Expr(i));
      emit(Let{Var{out, {Expr(i)}}, value(x.value, at)});
    }
    emit(Store{x.to, to, Var{out, {Expr(0)}}, guard, x.width, x.cache});
  });
}

void Lowering::start(const std::vector<tile::Carry>& carries) {
  for (const tile::Carry& c : carries) {
    declare(c.cell, c.dtype);
    Expr identity = identity_of(combiner(tables_, c.combiner), c.dtype);
    std::vector<CellAxis> axes = cell_axes({Expr(c.cell)});
    over_cells(merged(axes, {Expr(c.cell)}), [&](const Substitution& at) {
      emit(Let{place(c.cell, at), identity});
    });
  }
}

void Lowering::accumulate(const tile::Accum& x) {
  const Combiner& row = combiner(tables_, x.combiner);
  std::vector<Expr> mentioned = x.value;
  for (const Var& s : x.state)
    mentioned.push_back(Expr(s));
  if (x.guard) mentioned.push_back(x.guard);
  std::vector<CellAxis> axes = merged(cell_axes(mentioned), mentioned);
  int64_t times = 1;
  for (const CellAxis& a : axes)
    times *= a.extent;
  over_cells(axes, [&](Substitution at) {
    // Every other row runs backwards: the last operand of one row is the first
    // of the next and need not be fetched again from the register file.
    if (axes.size() == 2 && times > 4) {
      Expr row_number = at[axes[0].name], column = at[axes[1].name];
      Expr odd = floor_mod(row_number, 2);
      at[axes[1].name] =
          column + odd * (Expr(axes[1].extent - 1) - column * Expr(2));
    }
    Substitution names;
    for (std::size_t i = 0; i < x.state.size(); i++) {
      names[fmt::format("s{}", i)] = Expr(place(x.state[i], at));
      names[fmt::format("x{}", i)] = value(x.value[i], at);
    }
    Body body = collect([&] {
      for (std::size_t i = 0; i < x.state.size(); i++) {
        emit(Let{place(x.state[i], at), substitute(row.combine[i], names)});
      }
    });
    if (x.guard) return emit(If{value(x.guard, at), body, {}});
    for (const Stmt& s : body)
      emit(s);
  });
}

namespace {

// Whether `e` treats axes a and b as one: whatever has cells along one of them
// has them along both, b right after a, and neither is used as a number.
bool as_one(const Expr& e, const Name& a, const Name& b) {
  if (!e) return true;
  const Var* v = e.as<Var>();
  if (v == nullptr) {
    bool all = true;
    std::visit(
        [&](const auto& node) {
          visit_inside<Expr>(
              node, [&](const Expr& x) { all = all && as_one(x, a, b); });
        },
        e.variant());
    return all;
  }
  if (v->index.empty()) return v->name != a && v->name != b;
  for (std::size_t i = 0; i < v->index.size(); i++) {
    if (v->index[i] == var(b)) return false;  // without a before it
    if (!(v->index[i] == var(a))) continue;
    if (i + 1 == v->index.size() || !(v->index[i + 1] == var(b))) return false;
    i++;
  }
  return true;
}

}  // namespace

// Neighbouring axes that every value has together count as one: registers are
// numbered flat, and two loops of eight read better than four of two and four.
std::vector<CellAxis> Lowering::merged(const std::vector<CellAxis>& axes,
                                       const std::vector<Expr>& in) {
  std::vector<CellAxis> out;
  for (const CellAxis& axis : axes) {
    bool one =
        !out.empty() && std::all_of(in.begin(), in.end(), [&](const Expr& e) {
          return as_one(e, out.back().name, axis.name);
        });
    if (!one) {
      out.push_back(axis);
      continue;
    }
    CellAxis& last = out.back();
    last.others.push_back(last.name);
    last.name = axis.name;
    last.extent *= axis.extent;
    // Its own name: what is known of the axes does not hold for their union.
    if (last.loop.empty()) last.loop = fresh("c");
    bounds_.set(last.loop, {0, last.extent - 1});
  }
  return out;
}

void Lowering::when(const tile::When& x) {
  Body body = collect([&] { statements(x.body); });
  emit(If{value(x.cond, {}), body, {}});
}

Kernel lower_kernel(const Tables& tables, const tile::Program& program,
                    const tile::Kernel& kernel) {
  return Lowering(tables, program, kernel).run();
}

Program lower(const Tables& tables, const tile::Program& program) {
  Program out{program.target,   program.symbols, program.buffers, {},
              program.launches, program.sources};
  for (const tile::Kernel& k : program.kernels) {
    out.kernels.push_back(lower_kernel(tables, program, k));
  }
  return out;
}

}  // namespace sextant::kernel
