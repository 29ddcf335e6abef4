// Exercise 1.1, must, about 20 minutes.
// Two operands of an addition need one shape: aligned at their last dimension,
// extents of 1 are stretched, and what is missing in front counts as 1.
//
//   make exercise-1.1 test    your file is my/1.1.cpp, made from this one
//
// An extent is a `Dim`: a number here, but do not ask for its value. Compare
// with `==`, write `Dim(1)` for one; `sextant::to_string(dim)` is its text.
// What cannot be stretched is the user's fault, told by `fail({}, ...)`:
//
//   The size of tensor a (64) must match the size of tensor b (63) at
//   non-singleton dimension 1
//
// (one line; a and b in the order of the arguments; the dimension counted from
// the front of the result).
#include "chapters/01-torch-ir/infer.h"

namespace sextant::exercise {

torch::Shape broadcast_shapes(const torch::Shape& a, const torch::Shape& b);

torch::Shape broadcast_shapes(const torch::Shape& a, const torch::Shape& b) {
  fail({}, "1.1 is yours to write ({} and {} dimensions)", a.size(), b.size());
}

}  // namespace sextant::exercise
