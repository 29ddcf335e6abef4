// The intrinsic table: what `call` reaches. One row says all about a hardware
// primitive that is no plain load or store: its operands, what it does to
// memory and to the order of things, how the simulator executes it and how
// CUDA spells it. A later chapter adds a primitive by adding a row.
#pragma once

#include "chapters/05-kernel-ir/ir.h"
#include "src/base/error.h"

namespace sextant::kernel {

class Machine;  // of the simulator
struct Site;    // a call, compiled for it

/// What an operand is: a place in memory (`x[o]`, with x an object), an
/// integer that is constant once loops are unrolled, an index, or a scalar.
enum class Operand { Shared, Global, Constant, Index, Value };

/// What a row does beside computing.
struct Effects {
  int reads = -1, writes = -1;  // operands that are places; -1: none
  /// An asynchronous copy of as many elements as operand 2 says.
  bool copies = false;
};

struct Intrinsic {
  Name name;
  std::vector<Operand> operands;
  /// The operand whose element type the result has; -1: no result.
  int result = -1;
  Effects effects;
  /// What is wrong with a call beyond the kinds of its operands; else empty.
  std::string (*verify)(const Call&, const Kernel&);
  void (*simulate)(Machine&, const Site&);
  /// CUDA's spelling: {0}, {1} are operands (a place as an lvalue), {bytes} is
  /// how much a copy moves. Functions that CUDA lacks are chapter 6's.
  const char* cuda;
};

/// The object of that name, or null.
const Object* find_object(const Kernel& kernel, const Name& name);

}  // namespace sextant::kernel
