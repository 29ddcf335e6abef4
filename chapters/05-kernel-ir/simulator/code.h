// What a kernel is compiled to before it runs: flat code over vectors with one
// element a thread. A loop that is to be unrolled is unrolled here; names have
// become slots; what an address adds up from has been sorted into the part
// that differs between threads, which rarely changes, and the part that does
// not.
#pragma once

#include "chapters/05-kernel-ir/intrinsics.h"
#include "src/base/scalar_op.h"

namespace sextant::kernel {

/// An integer of each thread: lane slot + uniform slot + constant. A slot of
/// -1 is absent.
struct Index {
  int lane = -1, uniform = -1;
  int64_t constant = 0;
  bool is_constant() const { return lane < 0 && uniform < 0; }
};

enum class Op : uint8_t {
  // Control. `extra` is a jump, relative to the instruction.
  Jump,
  JumpUnless,  // x, which is uniform
  PushMask,    // of the active threads those with x; jumps if there is none
  FlipMask,    // the others of the same; jumps if there is none
  NarrowMask,  // as PushMask, in place of the mask that is on top
  PopMask,
  Count,  // a statement that needed no code of its own
  Sync,
  Intrinsic,  // site `extra`
  Load,       // access `extra`
  Store,
  // Integers: out = x `binary` y, on uniform slots and on lane slots.
  Uniform,
  Lane,
  // Integers from others.
  IntegerApply,  // lane out = row `extra` of x, y, z, integers
  Compare,       // lane out = row `extra` of float a, b
  ToInteger,     // lane out = float a, to type `dtype`
  // Floats: out = f(a, b, c), on float slots.
  Move,
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  MultiplyAdd,  // a*b + c, rounded twice
  Select,       // x ? b : c
  Apply,        // row `extra` of a, b, c
  Round,        // a, to type `dtype`
  FromInteger,  // x, to type `dtype`
};

struct Instr {
  Op op = Op::Count;
  BinaryOp binary = BinaryOp::Add;
  DType dtype = DType::Float32;
  bool counts = false;  // the last instruction of a statement
  int statement = -1;
  int out = -1, a = -1, b = -1, c = -1;
  Index x = {}, y = {}, z = {};
  int extra = 0;
};

/// A load or store, or a place that an intrinsic names.
struct Access {
  int number = 0;  // its place in the code's list
  int object = 0;  // which of the kernel's
  DType dtype = DType::Float32;
  int64_t width = 1;
  Index offset;
  bool writes = false, guarded = false;
  Index guard;
  int statement = -1;
  int slot = -1;  // the first register; float or lane by the type
  int otherwise = -1;
};

struct SiteOperand {
  Index index;      // Constant, Index
  int access = -1;  // Shared, Global
  int slot = -1;    // Value, of type `dtype`
  DType dtype = DType::Float32;
};
struct Site {
  const Intrinsic* row = nullptr;
  std::vector<SiteOperand> in;
  int out = -1;
  int statement = -1;
};

/// A statement as messages and counts know it; all unrolled copies are one.
struct Statement {
  std::string text;  // its first line
  double flops = 0;  // of one thread
};

struct Code {
  int64_t grid = 1;
  int block = 1;
  std::vector<Instr> once;  // run before the first block
  std::vector<Instr> body;  // run for each block
  std::vector<Access> accesses;
  std::vector<Site> sites;
  std::vector<Statement> statements;
  std::vector<const ScalarOp*> rows;
  std::vector<std::pair<int, float>> constants;  // float slots
  // Slots, with their names; temporaries and constants have none.
  std::vector<std::string> floats, lanes;
  int uniforms = 0;
};

// Slots that every code has.
inline constexpr int kTid = 0;  // lane
inline constexpr int kBid = 0;  // uniform

/// Compiles a kernel that `verify` accepts. `symbols` gives the value of every
/// symbol of the program.
Code compile(const Tables& tables, const Kernel& kernel, const Values& symbols);

}  // namespace sextant::kernel
