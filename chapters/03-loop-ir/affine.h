// Index expressions as sums of axes, where they are that.
#pragma once

#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

/// constant + the sum of coefficient*name, each name once.
struct Affine {
  int64_t constant = 0;
  std::map<Name, int64_t> terms;
};
/// The expression as a sum, if it is one with constant coefficients.
std::optional<Affine> affine(const Expr& e);

/// Whether high and low are n/extent and n%extent of the same n.
bool are_digits(const Expr& high, const Expr& low, const Dim& extent);

}  // namespace sextant::loop
