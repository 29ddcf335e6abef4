// The state of one lowering, shared by the files of this folder: what is in
// scope, where statements go, and how names with cells become registers.
#pragma once

#include "chapters/05-kernel-ir/lower.h"

namespace sextant::kernel {

/// A REGISTER axis that a statement is repeated over.
struct CellAxis {
  Name name;
  int64_t extent = 1;
  int64_t step = 1;  // the width of a vector, on the last axis
  // For several axes counted as one: the loop's name, and the other axes,
  // which stand at 0 while `name` counts through all of their cells.
  Name loop = {};
  std::vector<Name> others = {};
};

class Lowering {
 public:
  Lowering(const Tables& tables, const tile::Program& program,
           const tile::Kernel& kernel);
  Kernel run();

 private:
  using Body = std::vector<Stmt>;

  // A name that stands for registers: its REGISTER axes, outer to inner, and
  // how many copies there are (two when loads run one iteration ahead).
  struct Registers {
    std::vector<CellAxis> axes;
    DType dtype = DType::Float32;
    int64_t copies = 1;
    int64_t cells() const;
  };
  // A stage as it lies in shared memory.
  struct Smem {
    const tile::Stage* stage = nullptr;
    std::vector<Dim> shape;  // of one slot
    Expr slot;               // the slot that loads read now
  };

  // --- lowering.cpp: kernel, axes, scalar statements ------------------------
  void decode_axes();
  void decode(const std::vector<tile::Axis>& axes, const Name& number);
  void decode_raster(const tile::Axis& m, const tile::Axis& n);
  void add_globals();
  void statement(const tile::Stmt& s);
  void statements(const std::vector<tile::Stmt>& body);
  void load(const tile::Load& x);
  void store(const tile::Store& x);
  void let(const tile::Let& x);
  void accumulate(const tile::Accum& x);
  void start(const std::vector<tile::Carry>& carries);
  void when(const tile::When& x);

  // --- fill.cpp: copies into stages -----------------------------------------
  void declare_stage(const tile::Stage& stage);
  // What a thread does to bring one tile in: `held` copies come in two halves.
  enum class Half { Issue, Land };
  void fill(const tile::Stage& stage, const Expr& slot, Half half,
            const Substitution& at);
  void copies(const tile::Stage& stage, const Expr& slot, Half half,
              const Substitution& at);
  void copy_cells(const tile::Stage& stage, const Expr& flat,
                  const Expr& number, const Expr& slot, Half half,
                  const Substitution& at);
  bool dense(const std::vector<Expr>& to) const;
  void copy_async(const tile::Stage& stage, const Expr& from, const Expr& guard,
                  const std::vector<Expr>& to);
  void copy_registers(const tile::Stage& stage, const Expr& from,
                      const Expr& guard, const std::vector<Expr>& to,
                      const Expr& number, Half half);
  int64_t copies_of(const tile::Stage& stage) const;
  std::vector<Expr> slab_index(const tile::Stage& stage, const Expr& flat,
                               std::vector<Expr>& along) const;
  Expr smem_offset(const Smem& smem, const Expr& slot,
                   const std::vector<Expr>& index) const;

  // --- pipeline.cpp: loops ---------------------------------------------------
  struct Pipe {
    std::vector<const tile::Stage*> stages;
    std::vector<tile::Stmt> rest;
    const tile::For* inner = nullptr;  // the loop whose loads run ahead
    int64_t depth = 1;                 // slots
    bool async = false, held = false;
  };
  void loop(const tile::For& x);
  void plain_loop(const tile::For& x);
  void single_buffered(const tile::For& x, const Pipe& pipe);
  void pipelined(const tile::For& x, const Pipe& pipe);
  Pipe pipe_of(const tile::For& x);
  enum class Which { All, NotHeld, Held };
  void issue(const Pipe& pipe, const Expr& slot, const Substitution& at,
             Which which);
  void commit(const Pipe& pipe);
  void first_tiles(const tile::For& x, const Pipe& pipe);
  void if_exists(const tile::For& x, int64_t ahead,
                 const std::function<void()>& inside);
  void run_ahead(const tile::For& x, const Pipe& pipe);
  void steps_ahead(const tile::For& x, const Pipe& pipe, bool more);
  void land(const Pipe& pipe, const Expr& slot, const Substitution& at);
  void arrive(const Pipe& pipe, int64_t in_flight);
  void fragments(const tile::For& inner, const Substitution& at,
                 const Expr& slot, const Expr& copy);
  void arithmetic(const tile::For& inner, const Expr& k, const Expr& copy);
  void stage_group(const std::vector<const tile::Stage*>& stages);
  void set_slot(const Pipe& pipe, const Expr& slot);
  bool reads_stage(const tile::Stmt& s) const;

  // --- combine.cpp -----------------------------------------------------------
  void combine(const tile::Combine& x);
  void combine_lanes(const Expr& cell, const Combiner& row, int64_t stride,
                     int64_t lanes);
  void last(const tile::Last& x);
  void combine_warps(const Var& state, const Combiner& row, int64_t stride,
                     int64_t extent);

  // --- emission --------------------------------------------------------------
  void emit(const Stmt& s) {
    out_->push_back(s.origin().empty() ? s.with_origin(origin_) : s);
  }
  // What `inside` emits, as the body of a statement to be.
  template <class F>
  Body collect(F&& inside) {
    Body body;
    Body* outer = out_;
    out_ = &body;
    inside();
    out_ = outer;
    return body;
  }
  Body serial(const std::function<void()>& inside) {
    depth_++;
    Body body = collect(inside);
    depth_--;
    return body;
  }
  // Repeats a statement over cells: spelled out when they are few, else as
  // unrolled loops. `inside` gets the axes' values.
  template <class F>
  void over_cells(const std::vector<CellAxis>& axes, F&& inside);

  std::vector<CellAxis> cell_axes(const std::vector<Expr>& mentioned) const;
  std::vector<CellAxis> merged(const std::vector<CellAxis>& axes,
                               const std::vector<Expr>& in);
  void declare(const Var& out, DType dtype);
  // The expression in Kernel IR: cells become flat register numbers.
  Expr value(const Expr& e, const Substitution& at) const;
  Var place(const Var& v, const Substitution& at) const;
  Expr simple(const Expr& e) const { return simplify(e, bounds_); }
  DType type_of(const Expr& e) const;
  Expr of_type(DType dtype, const Expr& constant) const;
  Expr buffer_offset(const Name& buffer, const std::vector<Expr>& index) const;
  const Buffer& buffer(const Name& name) const;
  Name fresh(const Name& wish);

  const Tables& tables_;
  const tile::Program& program_;
  const tile::Kernel& source_;
  Kernel kernel_;
  Bounds bounds_;
  std::map<Name, Registers> registers_;
  std::map<Name, Smem> stages_;
  std::map<Name, Origin> origins_;  // of the stages
  std::map<Name, Expr> copy_;       // which copy of a doubled name is meant
  std::vector<Name> taken_;
  int depth_ = 0;  // of serial loops around the current statement
  Body* out_ = nullptr;
  Origin origin_;
};

template <class F>
void Lowering::over_cells(const std::vector<CellAxis>& axes, F&& inside) {
  constexpr int64_t kSpelled = 4;
  int64_t times = 1;
  for (const CellAxis& a : axes)
    times *= a.extent / a.step;
  Substitution at;
  // One level a call; what is left of the axes comes inside.
  auto level = [&](auto& self, std::size_t i) -> void {
    if (i == axes.size()) return inside(at);
    const CellAxis& a = axes[i];
    for (const Name& other : a.others)
      at[other] = 0;
    if (times <= kSpelled || a.extent == a.step) {
      for (int64_t c = 0; c < a.extent; c += a.step) {
        at[a.name] = Expr(c);
        self(self, i + 1);
      }
      return;
    }
    Name name = a.loop.empty() ? a.name : a.loop;
    at[a.name] = var(name);
    Body body = collect([&] { self(self, i + 1); });
    emit(For{name, 0, a.extent, a.step == 1 ? Expr() : Expr(a.step), true,
             body});
  };
  level(level, 0);
}

}  // namespace sextant::kernel
