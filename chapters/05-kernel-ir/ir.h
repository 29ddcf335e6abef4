// Kernel IR: one thread's program, with the hardware's own primitives. Memory
// is touched by statements only; every address is an object and an element
// offset; every width is explicit; control is structured. It knows no
// framework: another back end than CUDA would start here.
#pragma once

#include "src/base/cache.h"
#include "src/base/program.h"
#include "src/base/scalar_op.h"

namespace sextant::kernel {

struct Let;
struct Load;
struct Store;
struct For;
struct If;
struct Sync;
struct Call;

enum class StmtKind { For, If, Sync, Call, Load, Store, Let };

class Stmt : public Handle<Stmt, For, If, Sync, Call, Load, Store, Let> {
 public:
  using Handle::Handle;
  StmtKind kind() const { return static_cast<StmtKind>(index()); }
};

enum class Space { Global, Smem, Registers };
inline constexpr const char* kSpaceWords[] = {"Global", "Smem", "Registers",
                                              ""};

/// Memory by name. Global objects are the kernel's parameters, named as the
/// program's buffers; Smem is shared by the block and holds nothing defined at
/// first; Registers are an array of the thread, indexed by expressions that
/// are constant once `unroll` loops are unrolled. Offsets are flat: in
/// elements, row-major in `shape`, which already counts padding and copies.
struct Object {
  Space space = Space::Global;
  Name name;
  std::vector<Dim> shape;
  DType dtype = DType::Float32;
  int64_t align = 0;  // bytes; 0: of one element
  bool operator==(const Object&) const = default;
};

/// out = value. `out` is a new scalar, an assignment to one that is in scope,
/// or a cell of a register object: `acc[r0*8 + r1] = add(...)`. Integer values
/// are indices and may appear in offsets. `tid` and `bid` are the numbers of
/// the thread in its block and of the block in the grid.
struct Let {
  Var out;
  Expr value;
  bool operator==(const Let&) const = default;
};

/// `width` consecutive elements from[offset ..] to `out` and the register
/// cells that follow it; offset*size must be a multiple of the whole width.
/// Where `guard` does not hold, every element is `otherwise`, and memory is
/// not touched.
struct Load {
  Var out;
  Name from;
  Expr offset;
  Expr guard, otherwise;
  int64_t width = 1;
  Cache cache = Cache::Default;
  bool operator==(const Load&) const = default;
};

/// `width` consecutive elements to[offset ..] = value and the register cells
/// that follow it (width 1: any scalar expression), where `guard` holds.
struct Store {
  Name to;
  Expr offset;
  Expr value;
  Expr guard;
  int64_t width = 1;
  Cache cache = Cache::Default;
  bool operator==(const Store&) const = default;
};

/// for var = begin; var < end; var += step. `unroll` loops have constant
/// bounds and may index registers.
struct For {
  Name var;
  Expr begin, end, step;
  bool unroll = false;
  std::vector<Stmt> body;
  bool operator==(const For&) const = default;
};

struct If {
  Expr cond;
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  bool operator==(const If&) const = default;
};

/// All threads of the block wait for each other; what they wrote to shared
/// and global memory is then seen by all of them. All of them must arrive.
struct Sync {
  int64_t barrier = 0;  // 0: the whole block
  bool operator==(const Sync&) const = default;
};

/// The open door: a row of the intrinsic table. An operand `x[e]` whose name
/// is an object means that place in memory; anything else is a value.
/// `s = call shfl_xor(v, 16)`, `call cp_async(x_smem[o], x[p], 4)`.
struct Call {
  std::vector<Var> out;
  Name intrinsic;
  std::vector<Expr> in;
  bool operator==(const Call&) const = default;
};

/// A kernel: `grid` blocks of `block` threads.
struct Kernel {
  Name name;
  Dim grid;
  int64_t block = 1;
  int64_t min_blocks = 0;  // asked of each multiprocessor; 0: nothing asked
  std::vector<Object> objects;
  std::vector<Stmt> body;
  Origin origin;  // no part of equality
  bool operator==(const Kernel& o) const {
    return name == o.name && grid == o.grid && block == o.block &&
           min_blocks == o.min_blocks && objects == o.objects && body == o.body;
  }
};

using Program = sextant::Program<Kernel>;

}  // namespace sextant::kernel
