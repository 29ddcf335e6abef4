// A value and how far a device's may lie from it: the arithmetic of error
// bounds, and scalar expressions computed in it.
#pragma once

#include "src/base/scalar_op.h"

namespace sextant::torch {

/// The exact value, and the largest distance of a device's. For integers and
/// truth values the bound is 0 unless the operands leave the answer open.
struct Ball {
  double value = 0;
  double bound = 0;
};

/// One more rounding to a type, of `ulp` units in the last place (0.5 is to
/// nearest). What is known exactly and is a number of the type stays exact.
Ball rounded(Ball x, DType dtype, double ulp = 0.5);
/// A conversion as PyTorch converts.
Ball converted(Ball x, DType from, DType to);
/// A scalar operation in float32, or on integers.
Ball apply(const ScalarOp& op, const Ball* x, bool floats);
/// The bound of a sum of n terms in float32, in any order: `terms` is the sum
/// of their magnitudes, `errors` of their bounds.
double sum_bound(int64_t n, double terms, double errors);

/// A scalar or index expression made ready to run many times.
class BallProgram {
 public:
  /// What names stand for: indices, symbols, operands, in this order (a value
  /// may be named k). A variable with an index is a cell of an operand.
  struct Scope {
    std::vector<Name> index;
    std::vector<Name> operands;
    std::function<DType(const Name&)> type;
    Values symbols;
  };
  /// Where operands and cells come from while a program runs.
  struct Source {
    virtual ~Source() = default;
    virtual Ball operand(int number) const = 0;
    virtual Ball cell(int operand, const Ball* index, int count) const = 0;
  };

  BallProgram() = default;
  BallProgram(const Tables& tables, const Expr& e, const Scope& scope);
  bool empty() const { return steps_.empty(); }
  Ball run(const int64_t* index, const Source& source) const;

 private:
  struct Step {
    enum Kind { Constant, Index, Operand, Cell, Binary, Call, Cast } kind;
    Ball constant = {};
    int number = 0;  // of an index or operand
    int arity = 0;
    BinaryOp binary = BinaryOp::Add;
    const ScalarOp* call = nullptr;
    bool floats = false;
    DType from = DType::Float32, to = DType::Float32;
  };
  DType compile(const Tables& tables, const Expr& e, const Scope& scope);
  DType compile_var(const Tables& tables, const Var& v, const Scope& scope);
  DType compile_call(const Tables& tables, const Call& c, const Scope& scope);

  std::vector<Step> steps_;
};

}  // namespace sextant::torch
