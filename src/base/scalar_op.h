// The scalar operations: what `Call` nodes in expressions mean, on every
// stage. One row says how an operation computes on the CPU, what its error is,
// what it costs, and how CUDA spells it.
#pragma once

#include <functional>

#include "src/base/dtype.h"
#include "src/base/expr.h"
#include "src/base/tables.h"

namespace sextant {

struct ScalarOp {
  Name name;
  int arity = 1;
  enum class Result { Same, Bool } result = Result::Same;
  /// CUDA's spelling for float32; "{0}" is the first operand, in parentheses
  /// where the precedence (C++'s, 17 for a call) asks for them.
  const char* cuda = nullptr;
  int precedence = 17;
  /// The exact result in double; for comparisons 0 or 1. Null: not for floats.
  double (*eval)(const double*) = nullptr;
  /// On int64 and bool. Null: not for integers.
  int64_t (*eval_int)(const int64_t*) = nullptr;
  /// Partial derivatives, for error bounds. Null: piecewise constant.
  void (*derivative)(const double*, double*) = nullptr;
  /// Largest error of the float32 function on the device, in units in the
  /// last place (CUDA C++ Programming Guide, mathematical functions; 0.5 is
  /// correctly rounded).
  double ulp = 0.5;
  /// Device instructions, on the arithmetic units and on the special function
  /// units.
  double alu = 1, sfu = 0;
};

/// A combiner: the operation of a reduction, its neutral element and how one
/// more value enters. `identity` and `combine` have one entry a state; state
/// i is named si and the new value xi.
struct Combiner {
  Name name;
  std::vector<Expr> identity;
  std::vector<Expr> combine;
};

/// The row, or a defect of Sextant.
const ScalarOp& scalar_op(const Tables& tables, const Name& name);
const Combiner& combiner(const Tables& tables, const Name& name);
/// The neutral element of a combiner's first state in a type, for maximum of
/// float32: -inf, of int64: the smallest.
Expr identity_of(const Combiner& row, DType dtype);

/// The type of a scalar expression; `of` tells the type of a value by name
/// (Int64 for an axis or symbol). Raises an `Error` where operands disagree or
/// an operation has no meaning on them.
DType type_of(const Tables& tables, const Expr& e,
              const std::function<DType(const Name&)>& of);

/// What an operation makes of operands of a type (for `where`, of the type it
/// chooses from), rounded as a device would. `args` has `row.arity` entries.
Scalar apply(const ScalarOp& row, DType operands, const Scalar* args);

/// Computes a scalar expression as a device would: every operation rounds to
/// its type. `of` gives values by name and index; `type` as in `type_of`.
Scalar compute(const Tables& tables, const Expr& e,
               const std::function<DType(const Name&)>& type,
               const std::function<Scalar(const Var&)>& of);

/// A scalar as a truth value or as another type, as PyTorch converts.
Scalar convert(Scalar x, DType from, DType to);

}  // namespace sextant
