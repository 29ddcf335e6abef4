// Loops over stages. One iteration of a pipelined loop of depth N:
//
//     issue the copies of tile k + N - 1        (asynchronous, or held)
//     compute on tile k
//     land what is held; wait until tile k + 1 has arrived
//     Sync
//
// The one barrier does two things: all threads see tile k + 1, and none is
// still reading the slot that the next iteration's copies overwrite.
#include "chapters/05-kernel-ir/lower/lowering.h"

namespace sextant::kernel {

Lowering::Pipe Lowering::pipe_of(const tile::For& x) {
  Pipe pipe;
  for (const tile::Stmt& s : x.body) {
    if (const auto* stage = s.as<tile::Stage>()) {
      if (!pipe.rest.empty()) {
        fail({}, "{}: stage {} stands behind statements of its loop",
             source_.name, stage->name);
      }
      pipe.stages.push_back(stage);
      pipe.async = pipe.async || stage->who.transport.name == "async";
      pipe.held = pipe.held || stage->who.transport.name == "held";
    } else {
      pipe.rest.push_back(s);
    }
  }
  pipe.depth = std::max<int64_t>(x.pipeline, 1);
  for (const tile::Stage* stage : pipe.stages) {
    if (stage->who.buffers != pipe.depth) {
      fail({}, "{}: {} has {} buffers in a pipeline of {}", source_.name,
           stage->name, stage->who.buffers, pipe.depth);
    }
  }
  if (pipe.held && pipe.depth != 2) {
    fail({}, "{}: held copies need a pipeline of 2, not {}", source_.name,
         pipe.depth);
  }
  if (!pipe.stages.empty() && pipe.rest.size() == 1) {
    const auto* inner = pipe.rest[0].as<tile::For>();
    if (inner != nullptr && inner->prefetch) pipe.inner = inner;
  }
  return pipe;
}

void Lowering::loop(const tile::For& x) {
  bounds_.set_extent(x.axis, x.extent);
  start(x.carries);
  Pipe pipe = pipe_of(x);
  if (pipe.stages.empty()) return plain_loop(x);
  for (const tile::Stage* stage : pipe.stages)
    declare_stage(*stage);
  if (pipe.depth == 1) return single_buffered(x, pipe);
  if (pipe.inner != nullptr) return run_ahead(x, pipe);
  pipelined(x, pipe);
}

void Lowering::plain_loop(const tile::For& x) {
  Body body = serial([&] { statements(x.body); });
  emit(For{x.axis, 0, x.extent, {}, x.unroll, body});
}

void Lowering::set_slot(const Pipe& pipe, const Expr& slot) {
  for (const tile::Stage* stage : pipe.stages) {
    stages_[stage->name].slot = slot;
  }
}

void Lowering::issue(const Pipe& pipe, const Expr& slot, const Substitution& at,
                     Which which) {
  for (const tile::Stage* stage : pipe.stages) {
    bool held = stage->who.transport.name == "held";
    if (which != Which::All && held != (which == Which::Held)) continue;
    fill(*stage, slot, Half::Issue, at);
  }
}

void Lowering::commit(const Pipe& pipe) {
  if (pipe.async) emit(Call{{}, "commit", {}});
}

void Lowering::land(const Pipe& pipe, const Expr& slot,
                    const Substitution& at) {
  for (const tile::Stage* stage : pipe.stages) {
    fill(*stage, slot, Half::Land, at);
  }
}

void Lowering::arrive(const Pipe& pipe, int64_t in_flight) {
  if (pipe.async) emit(Call{{}, "wait", {Expr(in_flight)}});
  emit(Sync{});
}

void Lowering::single_buffered(const tile::For& x, const Pipe& pipe) {
  Body body = serial([&] {
    stage_group(pipe.stages);
    statements(pipe.rest);
    emit(Sync{});  // nobody overwrites what another still reads
  });
  emit(For{x.axis, 0, x.extent, {}, false, body});
}

// Stages that are filled and waited for where they stand.
void Lowering::stage_group(const std::vector<const tile::Stage*>& stages) {
  Pipe pipe;
  pipe.stages = stages;
  for (const tile::Stage* stage : stages) {
    declare_stage(*stage);
    pipe.async = pipe.async || stage->who.transport.name == "async";
  }
  set_slot(pipe, 0);
  issue(pipe, 0, {}, Which::All);
  commit(pipe);
  land(pipe, 0, {});
  arrive(pipe, 0);
}

// Brings in the tiles that the first iteration finds; tiles that do not exist
// are empty groups, so that waiting counts the same everywhere.
void Lowering::first_tiles(const tile::For& x, const Pipe& pipe) {
  std::optional<int64_t> tiles = constant(x.extent);
  for (int64_t p = 0; p < pipe.depth - 1; p++) {
    Substitution first = {{x.axis, Expr(p)}};
    Body body = collect([&] { issue(pipe, Expr(p), first, Which::All); });
    if (p == 0 || (tiles && p < *tiles)) {
      for (const Stmt& s : body)
        emit(s);
    } else if (!tiles) {
      emit(If{less(Expr(p), x.extent), body, {}});
    }
    commit(pipe);
    land(pipe, Expr(p), first);
  }
}

// Emits `inside` for iterations of which a tile `ahead` exists. In it the
// axis is known to be smaller.
void Lowering::if_exists(const tile::For& x, int64_t ahead,
                         const std::function<void()>& inside) {
  Expr exists = simple(less(var(x.axis) + Expr(ahead), x.extent));
  // The loop may end a tile early already: what exists is counted from the
  // extent of the axis.
  Interval whole = bounds_.of(x.axis);
  bounds_.set_extent(x.axis, x.extent);
  int64_t last = std::max<int64_t>(bounds_.of(x.axis).hi - ahead, 0);
  bounds_.set(x.axis, {0, std::min(last, whole.hi)});
  Body body = collect(inside);
  bounds_.set_extent(x.axis, x.extent);
  if (constant(x.extent)) bounds_.set(x.axis, whole);
  if (body.empty()) return;
  if (!is_true(exists)) return emit(If{exists, body, {}});
  for (const Stmt& s : body)
    emit(s);
}

void Lowering::pipelined(const tile::For& x, const Pipe& pipe) {
  int64_t ahead = pipe.depth - 1;
  Expr k = var(x.axis);
  first_tiles(x, pipe);
  arrive(pipe, ahead - 1);
  Name slot = fresh("slot"), next = fresh("next");
  bounds_.set(slot, {0, pipe.depth - 1});
  bounds_.set(next, {0, pipe.depth - 1});
  Substitution later = {{x.axis, k + Expr(ahead)}};
  Body body = serial([&] {
    emit(Let{Var{slot, {}}, floor_mod(k, Expr(pipe.depth))});
    emit(Let{Var{next, {}}, floor_mod(k + Expr(ahead), Expr(pipe.depth))});
    if_exists(x, ahead, [&] { issue(pipe, var(next), later, Which::All); });
    commit(pipe);
    set_slot(pipe, var(slot));
    statements(pipe.rest);
    if_exists(x, ahead, [&] { land(pipe, var(next), later); });
    arrive(pipe, ahead - 1);
  });
  emit(For{x.axis, 0, x.extent, {}, false, body});
}

// The loop for large tiles. Operands of the next step are fetched from shared
// memory while this step computes, across the edge of the tile as well. Held
// copies rotate: the registers that tile k + 1 has just left take tile k + 2,
// so that no load can sink to where its value is needed; and they are stored
// halfway through the tile, away from the barrier. The last tile is peeled, so
// that the steady loop asks nothing.
void Lowering::run_ahead(const tile::For& x, const Pipe& pipe) {
  int64_t ahead = pipe.depth - 1, steps = value_of(pipe.inner->extent);
  if (steps % 2 != 0) {
    fail({}, "{}: loads run ahead in pairs, and {} has {} steps", source_.name,
         pipe.inner->axis, steps);
  }
  Expr k = var(x.axis);
  first_tiles(x, pipe);
  std::optional<int64_t> tiles = constant(x.extent);
  Substitution one = {{x.axis, 1}};
  if (pipe.held && (!tiles || *tiles > 1)) {
    Body second = collect([&] { issue(pipe, 1, one, Which::Held); });
    if (tiles) {
      for (const Stmt& s : second)
        emit(s);
    } else {
      emit(If{less(1, x.extent), second, {}});
    }
  }
  arrive(pipe, ahead - 1);
  fragments(*pipe.inner, {{x.axis, 0}, {pipe.inner->axis, 0}}, 0, 0);

  bounds_.set_extent(x.axis, x.extent - Expr(1));
  Substitution later = {{x.axis, k + Expr(ahead)}};
  Expr next = floor_mod(k + Expr(ahead), Expr(pipe.depth));
  Body body = serial([&] {
    if_exists(x, ahead, [&] { issue(pipe, next, later, Which::NotHeld); });
    commit(pipe);
    steps_ahead(x, pipe, true);
  });
  emit(For{x.axis, 0, simple(x.extent - Expr(1)), {}, false, body});
  // The last tile.
  emit(Let{Var{x.axis, {}}, simple(x.extent - Expr(1))});
  bounds_.set_extent(x.axis, x.extent);
  steps_ahead(x, pipe, false);
}

// The steps of one tile; `more`: another tile follows.
void Lowering::steps_ahead(const tile::For& x, const Pipe& pipe, bool more) {
  const tile::For& inner = *pipe.inner;
  int64_t steps = value_of(inner.extent), ahead = pipe.depth - 1;
  Expr k = var(x.axis), step = var(inner.axis), after = step + Expr(1);
  bounds_.set(inner.axis, {0, steps - 1});
  Substitution two = {{x.axis, k + Expr(2)}};
  Body body = serial([&] {
    if (more && pipe.held) {
      Body half = collect([&] {
        land(pipe, floor_mod(k + Expr(1), Expr(pipe.depth)), {});
        if_exists(x, 2, [&] { issue(pipe, 0, two, Which::Held); });
      });
      emit(If{binary(BinaryOp::Eq, step, Expr(steps / 2)), half, {}});
    }
    if (more) {
      Body last = collect([&] { arrive(pipe, ahead - 1); });
      emit(If{binary(BinaryOp::Eq, step, Expr(steps - 1)), last, {}});
    }
    Expr tile = more ? k + floor_div(after, steps) : k;
    Substitution at = {{x.axis, tile}, {inner.axis, floor_mod(after, steps)}};
    Body ahead_loads = collect([&] {
      fragments(inner, at, floor_mod(tile, Expr(pipe.depth)),
                floor_mod(after, 2));
    });
    if (more) {
      for (const Stmt& s : ahead_loads)
        emit(s);
    } else {
      emit(If{less(after, steps), ahead_loads, {}});
    }
    arithmetic(inner, step, floor_mod(step, 2));
  });
  emit(For{inner.axis, 0, steps, {}, true, body});
}

bool Lowering::reads_stage(const tile::Stmt& s) const {
  const auto* l = s.as<tile::Load>();
  return l != nullptr && stages_.count(l->from) != 0;
}

// The loads from stages of a step, into one of two copies of their registers.
// `at` says which step of which tile: a guard may depend on both.
void Lowering::fragments(const tile::For& inner, const Substitution& at,
                         const Expr& slot, const Expr& copy) {
  for (const tile::Stmt& s : inner.body) {
    if (!reads_stage(s)) continue;
    tile::Load x = s.get<tile::Load>();
    for (Expr& e : x.index)
      e = substitute(e, at);
    x.guard = substitute(x.guard, at);
    registers_[x.out.name].copies = 2;
    copy_[x.out.name] = copy;
    Smem& smem = stages_[x.from];
    Expr usual = smem.slot;
    smem.slot = slot;
    load(x);
    smem.slot = usual;
  }
}

void Lowering::arithmetic(const tile::For& inner, const Expr& k,
                          const Expr& copy) {
  Substitution at = {{inner.axis, k}};
  for (const tile::Stmt& s : inner.body) {
    if (const auto* l = s.as<tile::Load>(); l != nullptr && reads_stage(s)) {
      copy_[l->out.name] = copy;
    }
  }
  for (const tile::Stmt& s : inner.body) {
    if (reads_stage(s)) continue;
    // What is left mentions the step in indices of buffers only.
    statement(
        map_handles<Expr>(s, [&](const Expr& e) { return substitute(e, at); }));
  }
}

}  // namespace sextant::kernel
