// Stages: how their cells lie in shared memory, and the copies that fill them.
//
// Threads take the cells in the order of the source, so that neighbouring
// threads read neighbouring addresses; where a cell lies in shared memory
// follows from its slab index. A `held` copy is made in two halves: loads into
// registers early, stores to shared memory late.
#include "chapters/04-tile-ir/layout.h"
#include "chapters/05-kernel-ir/lower/lowering.h"

namespace sextant::kernel {

void Lowering::declare_stage(const tile::Stage& stage) {
  if (stages_.count(stage.name) != 0) return;
  std::vector<int64_t> slot = tile::smem_shape(stage);
  std::vector<Dim> shape(slot.begin(), slot.end());
  stages_[stage.name] = {&stage, shape, 0};
  if (stage.who.buffers > 1) shape.insert(shape.begin(), stage.who.buffers);
  DType dtype = buffer(stage.what.buffer).dtype;
  kernel_.objects.push_back({Space::Smem, stage.name, shape, dtype, 16});
}

Expr Lowering::smem_offset(const Smem& smem, const Expr& slot,
                           const std::vector<Expr>& index) const {
  Expr offset = tile::offset_of(index, smem.shape);
  if (smem.stage->how.swizzle > 0) {
    // Rows are told apart by the first slab axis.
    Expr row = floor_mod(index[0], Expr(int64_t{1} << smem.stage->how.swizzle));
    offset = binary(BinaryOp::Xor, simple(offset), row * Expr(4));
  }
  Expr size = 1;
  for (const Dim& extent : smem.shape)
    size = size * extent;
  return slot * size + offset;
}

int64_t Lowering::copies_of(const tile::Stage& stage) const {
  int64_t cells = tile::cells_of(stage);
  if (cells % stage.who.width != 0) {
    fail({}, "{}: {} cells of {} are no multiple of width {}", source_.name,
         cells, stage.name, stage.who.width);
  }
  return cells / stage.who.width;
}

// The slab index of a cell, counted in the order of the source, and its
// coordinate along each axis of the source.
std::vector<Expr> Lowering::slab_index(const tile::Stage& stage,
                                       const Expr& cell,
                                       std::vector<Expr>& along) const {
  const std::vector<tile::Slab>& slab = stage.what.slab;
  std::size_t rank = stage.what.origin.size();
  std::vector<int64_t> extent(rank, 1);
  for (const tile::Slab& s : slab)
    extent[s.dim] *= s.extent;
  Expr rest = cell;
  along.assign(rank, 0);
  for (std::size_t d = rank; d-- > 0;) {
    along[d] = simple(floor_mod(rest, extent[d]));
    rest = simple(floor_div(rest, extent[d]));
  }
  std::vector<Expr> index(slab.size());
  std::vector<Expr> left = along;
  for (std::size_t i = slab.size(); i-- > 0;) {
    index[i] = simple(floor_mod(left[slab[i].dim], slab[i].extent));
    left[slab[i].dim] = simple(floor_div(left[slab[i].dim], slab[i].extent));
  }
  return index;
}

// A copy comes from where its stage does, wherever in a loop it is made.
void Lowering::fill(const tile::Stage& stage, const Expr& slot, Half half,
                    const Substitution& at) {
  if (half == Half::Land && stage.who.transport.name != "held") return;
  Origin outer = std::exchange(origin_, origins_.at(stage.name));
  copies(stage, slot, half, at);
  origin_ = outer;
}

void Lowering::copies(const tile::Stage& stage, const Expr& slot, Half half,
                      const Substitution& at) {
  bool held = stage.who.transport.name == "held";
  int64_t count = copies_of(stage), threads = kernel_.block;
  Expr tid = var("tid");
  if (count % threads == 0) {
    int64_t each = count / threads;
    if (each == 1) return copy_cells(stage, tid, 0, slot, half, at);
    Name i = stage.name + "_i";
    bounds_.set(i, {0, each - 1});
    Body body = collect([&] {
      copy_cells(stage, var(i) * Expr(threads) + tid, var(i), slot, half, at);
    });
    return emit(For{i, 0, each, {}, true, body});
  }
  if (count < threads) {
    bounds_.set("tid", {0, count - 1});
    Body body = collect([&] { copy_cells(stage, tid, 0, slot, half, at); });
    bounds_.set("tid", {0, threads - 1});
    return emit(If{less(tid, count), body, {}});
  }
  if (held) {
    fail({}, "{}: {} held copies of {} do not divide among {} threads",
         source_.name, count, stage.name, threads);
  }
  Name f = stage.name + "_f";
  bounds_.set(f, {0, count - 1});
  Body body = collect([&] { copy_cells(stage, var(f), 0, slot, half, at); });
  emit(For{f, tid, count, threads, false, body});
}

void Lowering::copy_cells(const tile::Stage& stage, const Expr& flat,
                          const Expr& number, const Expr& slot, Half half,
                          const Substitution& at) {
  const Buffer& b = buffer(stage.what.buffer);
  std::vector<Expr> along, place;
  Expr first_cell = flat * Expr(stage.who.width);
  slab_index(stage, first_cell, along);
  Expr guard;
  for (std::size_t d = 0; d < along.size(); d++) {
    place.push_back(simple(substitute(stage.what.origin[d], at) + along[d]));
    Expr inside = simple(less(place[d], b.shape[d]));
    if (!is_true(inside)) guard = both(guard, inside);
    Expr after = simple(less_equal(0, place[d]));
    if (!is_true(after)) guard = both(guard, after);
  }
  Expr from = simple(buffer_offset(b.name, place));

  // Where each element of the copy goes: they are neighbours in the source.
  const Smem& smem = stages_.at(stage.name);
  std::vector<Expr> to;
  for (int64_t e = 0; e < stage.who.width; e++) {
    std::vector<Expr> cell = slab_index(stage, first_cell + Expr(e), along);
    to.push_back(simple(smem_offset(smem, slot, cell)));
  }
  if (stage.who.transport.name == "async") {
    return copy_async(stage, from, guard, to);
  }
  copy_registers(stage, from, guard, to, number, half);
}

// Whether elements first .. first + count of a copy follow each other.
bool Lowering::dense(const std::vector<Expr>& to) const {
  for (std::size_t e = 1; e < to.size(); e++) {
    if (!(simple(to[e] - to[0]) == Expr(static_cast<int64_t>(e)))) {
      return false;
    }
  }
  return true;
}

void Lowering::copy_async(const tile::Stage& stage, const Expr& from,
                          const Expr& guard, const std::vector<Expr>& to) {
  if (!dense(to)) {
    fail({}, "{}: {} elements of {} do not lie together in shared memory",
         source_.name, stage.who.width, stage.name);
  }
  std::vector<Expr> in = {var(stage.name, {to[0]}),
                          var(stage.what.buffer, {from}),
                          Expr(stage.who.width)};
  if (guard) in.push_back(guard);
  emit(Call{{}, guard ? "cp_async_zfill" : "cp_async", in});
}

// Through registers: at once, or (`held`) in two halves, for which each copy
// of a thread has registers of its own.
void Lowering::copy_registers(const tile::Stage& stage, const Expr& from,
                              const Expr& guard, const std::vector<Expr>& to,
                              const Expr& number, Half half) {
  bool held = stage.who.transport.name == "held";
  int64_t width = stage.who.width;
  DType dtype = buffer(stage.what.buffer).dtype;
  Name name = stage.name + "_held";
  if (registers_.count(name) == 0) {
    int64_t each = std::max<int64_t>(copies_of(stage) / kernel_.block, 1);
    Registers r;
    r.dtype = dtype;
    r.axes = {{"", (held ? each : 1) * width, 1}};
    registers_[name] = r;
  }
  Expr first = held ? simple(number * Expr(width)) : Expr(0);
  if (!held || half == Half::Issue) {
    Expr zero = is_float(dtype) ? Expr(Float{0}) : Expr(0);
    emit(Load{Var{name, {first}}, stage.what.buffer, from, guard,
              guard ? of_type(dtype, zero) : Expr(), width, Cache::Default});
  }
  if (held && half == Half::Issue) return;
  // One wide store where the elements lie together, else one each.
  int64_t wide = dense(to) ? width : 1;
  for (int64_t e = 0; e < width; e += wide) {
    Var cell{name, {simple(first + Expr(e))}};
    emit(Store{stage.name, to[e], cell, {}, wide, Cache::Default});
  }
}

}  // namespace sextant::kernel
