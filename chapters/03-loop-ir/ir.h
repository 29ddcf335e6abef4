// Loop IR: kernels as loop nests over named axes. The reduce loop owns the
// state that it carries. Values are scalars with names, computed once where
// they stand; memory is touched by Load and Store alone.
#pragma once

#include "src/base/program.h"
#include "src/base/scalar_op.h"

namespace sextant::loop {

enum class StmtKind { For, Load, Accum, Store, Let };

class Stmt : public Handle<Stmt, struct For, struct Load, struct Accum,
                           struct Store, struct Let> {
 public:
  using Handle::Handle;
  StmtKind kind() const { return static_cast<StmtKind>(index()); }
};

/// A value that a reduce loop carries from iteration to iteration. It starts
/// at the combiner's identity and may be read after the loop.
struct Carry {
  Name name;
  DType dtype = DType::Float32;
  Name combiner;
  bool operator==(const Carry&) const = default;
};

/// A loop over axis = 0 .. extent - 1. With carries it is a reduce loop, whose
/// iterations may run in any order and be joined by the combiner; without, a
/// free loop, whose iterations are independent.
struct For {
  Name axis;
  Dim extent;
  std::vector<Carry> carries;
  std::vector<Stmt> body;
  bool operator==(const For&) const = default;
};

/// out = buffer[index], of the buffer's type; where `guard` does not hold,
/// `otherwise` (a constant), and memory is not touched.
struct Load {
  Name out;
  Name buffer;
  std::vector<Expr> index;  // one an axis of the buffer
  Expr guard;
  Expr otherwise;
  bool operator==(const Load&) const = default;
};

/// out = value, a scalar expression over values and axes in scope.
struct Let {
  Name out;
  Expr value;
  bool operator==(const Let&) const = default;
};

/// state <- combiner(state, value), in the reduce loop that carries `state`;
/// where `guard` does not hold, nothing.
struct Accum {
  std::vector<Name> state;
  Name combiner;
  std::vector<Expr> value;
  Expr guard;
  bool operator==(const Accum&) const = default;
};

/// buffer[index] = value where `guard` holds.
struct Store {
  Name buffer;
  std::vector<Expr> index;
  Expr value;
  Expr guard;
  bool operator==(const Store&) const = default;
};

/// A kernel: what it reads and writes follows from its body.
struct Kernel {
  Name name;
  std::vector<Stmt> body;
  Origin origin;  // no part of equality
  bool operator==(const Kernel& o) const {
    return name == o.name && body == o.body;
  }
};

using Program = sextant::Program<Kernel>;

}  // namespace sextant::loop
