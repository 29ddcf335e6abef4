// The passes of Loop IR.
#pragma once

#include "chapters/03-loop-ir/ir.h"
#include "src/base/pass.h"

namespace sextant::loop {

/// The axes of a temporary, in the order in which a reader takes two of them
/// as the digits of one number.
Program lay_out(const Program& program, PassContext& context);

/// Adjacent axes that every access treats as one number become one axis: of
/// loops nested without anything between them, and of the buffers that they
/// read and write.
Program collapse(const Program& program, PassContext& context);

/// Names by order of appearance: axes a0, a1, ...; loaded values in0, ...;
/// computed values v0, ...; carried states acc0, ...
Program rename_values(const Program& program, PassContext& context);

/// The table of passes, in the order in which they run.
std::vector<Pass<Program>> passes();

}  // namespace sextant::loop
