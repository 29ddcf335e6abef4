// Joining the partial states of threads: a ladder of shuffles inside a warp,
// shared memory between warps. Afterwards every thread holds the whole. And
// telling which block is the last to bring its part.
#include <algorithm>

#include "chapters/05-kernel-ir/lower/lowering.h"

namespace sextant::kernel {
namespace {

bool power_of_two(int64_t x) {
  return x > 0 && (x & (x - 1)) == 0;
}

}  // namespace

void Lowering::combine(const tile::Combine& x) {
  const Combiner& row = combiner(tables_, x.combiner);
  if (x.state.size() != 1) {
    fail({}, "{}: Combine of {} states", source_.name, x.state.size());
  }
  for (const Name& axis : x.axes) {
    // The distance of neighbours along the axis, in thread numbers.
    int64_t stride = 1, extent = 0;
    for (std::size_t i = source_.axes.size(); i-- > 0;) {
      const tile::Axis& a = source_.axes[i];
      if (a.level != tile::Level::Thread) continue;
      if (a.name == axis) {
        extent = value_of(a.extent);
        break;
      }
      stride *= value_of(a.extent);
    }
    if (extent == 0) {
      fail({}, "{}: Combine over '{}', which is no THREAD axis", source_.name,
           axis);
    }
    int64_t lanes = 1;
    if (power_of_two(stride) && power_of_two(extent) && stride < 32 &&
        kernel_.block % 32 == 0) {
      lanes = std::min<int64_t>(extent, 32 / stride);
    }
    std::vector<CellAxis> axes = cell_axes({Expr(x.state[0])});
    over_cells(axes, [&](const Substitution& at) {
      combine_lanes(Expr(place(x.state[0], at)), row, stride, lanes);
    });
    if (lanes < extent) {
      combine_warps(x.state[0], row, stride * lanes, extent / lanes);
    }
  }
}

// Each step halves the distance: after log2(lanes) steps all lanes agree.
void Lowering::combine_lanes(const Expr& cell, const Combiner& row,
                             int64_t stride, int64_t lanes) {
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    Var other{fresh("other"), {}};
    emit(Call{{other}, "shfl_xor", {cell, Expr(distance * stride)}});
    Substitution names = {{"s0", cell}, {"x0", Expr(other)}};
    emit(Let{cell.get<Var>(), substitute(row.combine[0], names)});
  }
}

// Every thread writes its partial state, waits, and reads those of all places
// along the axis; in the same order, so that all threads get the same sum.
void Lowering::combine_warps(const Var& state, const Combiner& row,
                             int64_t stride, int64_t extent) {
  Name smem = fresh(state.name + "_smem");
  std::vector<CellAxis> axes = cell_axes({Expr(state)});
  int64_t cells = registers_.at(state.name).cells();
  DType dtype = registers_.at(state.name).dtype;
  kernel_.objects.push_back(
      {Space::Smem, smem, {Expr(cells), Expr(kernel_.block)}, dtype, 0});
  Expr tid = var("tid");
  auto row_of = [&](const Var& cell) {
    return cell.index.empty() ? Expr(0) : cell.index[0] * Expr(kernel_.block);
  };
  if (depth_ > 0) emit(Sync{});  // an earlier turn may still be reading
  over_cells(axes, [&](const Substitution& at) {
    Var cell = place(state, at);
    emit(Store{smem, simple(row_of(cell) + tid), Expr(cell), {}});
  });
  emit(Sync{});
  Name first = fresh("first");
  Expr place_on_axis = floor_mod(floor_div(tid, stride), extent);
  emit(Let{Var{first, {}}, simple(tid - place_on_axis * Expr(stride))});
  bounds_.set(first, {0, kernel_.block - 1});
  over_cells(axes, [&](const Substitution& at) {
    Var cell = place(state, at);
    Name j = fresh("j");
    bounds_.set(j, {0, extent - 1});
    emit(Let{cell, identity_of(row, dtype)});
    Var other{fresh("other"), {}};
    Body body = collect([&] {
      Expr from = simple(row_of(cell) + var(first) + var(j) * Expr(stride));
      emit(Load{other, smem, from, {}, {}});
      Substitution names = {{"s0", Expr(cell)}, {"x0", Expr(other)}};
      emit(Let{cell, substitute(row.combine[0], names)});
    });
    emit(For{j, 0, extent, {}, true, body});
  });
}

// Every block draws a number. Before it does so, the fence has made what it
// stored visible to whoever draws a later one.
void Lowering::last(const tile::Last& x) {
  Dim blocks = 1;
  for (const tile::Axis& a : source_.axes) {
    if (std::count(x.axes.begin(), x.axes.end(), a.name) != 0) {
      blocks = blocks * a.extent;
    }
  }
  Name shared = fresh("drawn"), ticket = fresh("ticket"), turn = fresh("turn");
  kernel_.objects.push_back({Space::Smem, shared, {1}, DType::Int64, 0});
  Expr place = simple(buffer_offset(x.ticket, x.index));
  Expr first = binary(BinaryOp::Eq, var("tid"), Expr(0));
  emit(Call{{}, "fence", {}});
  emit(Sync{});
  Body draw = collect([&] {
    emit(Call{{Var{ticket, {}}}, "atomic_add", {var(x.ticket, {place}), 1}});
    emit(Store{shared, 0, var(ticket), {}});
  });
  emit(If{first, draw, {}});
  emit(Sync{});
  emit(Load{Var{turn, {}}, shared, 0, {}, {}});
  Body body = collect([&] {
    emit(Call{{}, "fence", {}});
    statements(x.body);
    emit(Store{x.ticket, place, 0, first});
  });
  emit(If{binary(BinaryOp::Eq, var(turn), simple(blocks - Expr(1))), body, {}});
}

}  // namespace sextant::kernel
