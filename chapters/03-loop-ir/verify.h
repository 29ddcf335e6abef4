// What a legal Loop IR program is.
#pragma once

#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

/// Raises an `Error` with everything that is wrong with a program:
/// - a name is defined once in its kernel, before its uses, in a body that
///   encloses them; what a reduce loop carries can be read after the loop;
/// - expressions are typed: an index and a guard are integers, a store writes
///   the buffer's own type, an `Accum` fits its loop's carry;
/// - a buffer has one index for each of its axes;
/// - every buffer that is not a parameter is written by one kernel, once in
///   each element as far as affine indices show, before anyone reads it; no
///   kernel reads what it writes, and no store stands in a reduce loop.
void verify(const Program& program, const Tables& tables);

}  // namespace sextant::loop
