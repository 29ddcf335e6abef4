// Tile IR: the first IR that knows the GPU. The axes of a kernel are digits of
// the loops it came from, each held by a block, a thread or a register of a
// thread; what is left are serial loops. The coordinate over THREAD and
// REGISTER axes is the layout of a value.
//
// Meaning: a block executes one statement for all its threads, and for all
// cells of the REGISTER axes that the statement mentions, before the next
// statement begins. A name with an index over REGISTER axes has one value a
// cell and thread; THREAD axes need no mention, since a value is its thread's
// own. There are no barriers here: lowering inserts them, and the simulator
// proves that it did.
#pragma once

#include "src/base/cache.h"
#include "src/base/program.h"
#include "src/base/scalar_op.h"

namespace sextant::tile {

struct For;
struct Carries;
struct Stage;
struct Combine;
struct When;
struct Last;
struct Load;
struct Accum;
struct Store;
struct Let;

enum class StmtKind {
  For,
  Carries,
  Stage,
  Combine,
  When,
  Last,
  Load,
  Accum,
  Store,
  Let
};

class Stmt : public Handle<Stmt, For, Carries, Stage, Combine, When, Last, Load,
                           Accum, Store, Let> {
 public:
  using Handle::Handle;
  StmtKind kind() const { return static_cast<StmtKind>(index()); }
};

/// Who holds a digit.
enum class Level { Block, Thread, Register };
inline constexpr const char* kLevelWords[] = {"BLOCK", "THREAD", "REGISTER",
                                              ""};

/// A digit that is held in space. The BLOCK axes in order are the number of
/// the block, the THREAD axes the number of the thread, last fastest. Only the
/// first BLOCK axis may have a symbolic extent.
struct Axis {
  Name name;
  Dim extent;
  Level level = Level::Block;
  bool operator==(const Axis&) const = default;
};

/// Carried state: one value a thread and cell of the REGISTER axes in the
/// index of `cell`. It starts at the combiner's identity.
struct Carry {
  Var cell;
  DType dtype = DType::Float32;
  Name combiner;
  bool operator==(const Carry&) const = default;
};

/// A serial loop, the same for all threads. `pipeline` n > 1: the stages
/// inside are filled n - 1 iterations ahead. `prefetch`: loads from stages run
/// one iteration ahead of the arithmetic that uses them.
struct For {
  Name axis;
  Dim extent;
  int64_t pipeline = 0;
  bool unroll = false;
  bool prefetch = false;
  std::vector<Carry> carries;
  std::vector<Stmt> body;
  bool operator==(const For&) const = default;
};

/// State of a reduction that has no serial loop: it starts here.
struct Carries {
  std::vector<Carry> carries;
  bool operator==(const Carries&) const = default;
};

/// One axis of a stage: cells 0 .. extent - 1 along axis `dim` of the source.
/// Of several slab axes on one dim, the earlier one counts more: they are the
/// digits of the coordinate. The name is a label: a digit's where the axis is
/// one digit (`t0:8@0, k1:32@1, r0:2@0`), a new one where it spans several
/// (`k1:16@1, m:128@0`, read as `load a_smem[k1, r0*64 + t0*16 + t2*4 + r1]`).
struct Slab {
  Name axis;
  int64_t extent = 1;
  int64_t dim = 0;
  bool operator==(const Slab&) const = default;
};

/// What a stage holds: the cells origin + slab of a buffer, zero outside it.
struct What {
  Name buffer;
  std::vector<Expr> origin;  // one an axis of the buffer
  std::vector<Slab> slab;
  bool operator==(const What&) const = default;
};

/// How the cells lie in shared memory: row-major in the order in which the
/// slab axes are listed, each axis lengthened by its `pad` (one a slab axis;
/// empty: none), so that slab (k1:16, m:128) with pad (0, 4) has rows 132
/// apart. `swizzle` n: bits 2.. of the offset are exchanged with the row
/// number's low n bits by exclusive or.
struct How {
  std::vector<int64_t> pad;
  int64_t swizzle = 0;
  bool operator==(const How&) const = default;
};

/// How bytes travel: empty (through registers at once), `async` (cp.async), or
/// `held` (loaded to registers early, stored to shared memory late).
struct Transport {
  Name name;
  bool operator==(const Transport&) const = default;
};

/// Who fills a stage: all threads together, neighbouring threads taking
/// neighbouring cells of the source, `width` elements a copy, into one of
/// `buffers` slots of the loop `over`, taken in turn.
struct Who {
  int64_t buffers = 1;
  Name over;
  Transport transport;
  int64_t width = 1;
  bool operator==(const Who&) const = default;
};

/// A block of cells of a buffer in shared memory, read by Load under the
/// stage's name with one index a slab axis.
struct Stage {
  Name name;
  What what;
  How how;
  Who who;
  bool operator==(const Stage&) const = default;
};

/// Joins the partial states of all threads along THREAD axes; afterwards each
/// of them holds the whole.
struct Combine {
  std::vector<Var> state;
  Name combiner;
  std::vector<Name> axes;
  bool operator==(const Combine&) const = default;
};

/// Executes the body in the blocks, threads and cells for which `cond` holds;
/// a body with a Stage or a Combine needs one that is the same for a block.
struct When {
  Expr cond;
  std::vector<Stmt> body;
  bool operator==(const When&) const = default;
};

/// Of the blocks that differ along `axes`, the last one to come here executes
/// the body; it sees what all of them have stored before. `ticket[index]`, of a
/// workspace, counts them, and is zero again afterwards.
struct Last {
  std::vector<Name> axes;
  Name ticket;
  std::vector<Expr> index;
  std::vector<Stmt> body;
  bool operator==(const Last&) const = default;
};

/// out = from[index], a buffer (one index an axis) or a stage (one a slab
/// axis); `otherwise` where `guard` does not hold. `width` elements at a time
/// along the last REGISTER axis of `out`.
struct Load {
  Var out;
  Name from;
  std::vector<Expr> index;
  Expr guard, otherwise;
  int64_t width = 1;
  Cache cache = Cache::Default;
  bool operator==(const Load&) const = default;
};

/// state <- combiner(state, value) where `guard` holds. REGISTER axes that the
/// value mentions and the state lacks are folded in order inside the thread.
struct Accum {
  std::vector<Var> state;
  Name combiner;
  std::vector<Expr> value;
  Expr guard;
  bool operator==(const Accum&) const = default;
};

/// to[index] = value where `guard` holds; `width` as in Load.
struct Store {
  Name to;
  std::vector<Expr> index;
  Expr value;
  Expr guard;
  int64_t width = 1;
  Cache cache = Cache::Default;
  bool operator==(const Store&) const = default;
};

/// out = value.
struct Let {
  Var out;
  Expr value;
  bool operator==(const Let&) const = default;
};

/// Text to the end of the line.
struct Note {
  std::string text;
  bool operator==(const Note&) const = default;
};

/// A kernel. `schedule` is the codec's text of the schedule that made it; the
/// body is what counts, and the verifier says when the two disagree.
/// `raster` n: blocks run in groups of n rows, so that neighbours share
/// operands in the L2 cache.
struct Kernel {
  Name name;
  Note schedule;
  std::vector<Axis> axes;
  int64_t raster = 0;
  int64_t min_blocks = 0;
  std::vector<Stmt> body;
  Origin origin;  // no part of equality
  bool operator==(const Kernel& o) const {
    return name == o.name && schedule == o.schedule && axes == o.axes &&
           raster == o.raster && min_blocks == o.min_blocks && body == o.body;
  }
};

using Program = sextant::Program<Kernel>;

}  // namespace sextant::tile
