// The passes of Tile IR. Each is a pure function in a file of its own; the
// table is the order in which they run.
#pragma once

#include "chapters/04-tile-ir/ir.h"
#include "src/base/pass.h"

namespace sextant::tile {

std::vector<Pass<Program>> passes();

Program split(const Program& program, PassContext& context);
Program bind(const Program& program, PassContext& context);
Program merge(const Program& program, PassContext& context);
Program stage(const Program& program, PassContext& context);
Program pipeline(const Program& program, PassContext& context);
Program inline_once(const Program& program, PassContext& context);
Program vectorize(const Program& program, PassContext& context);
Program tidy(const Program& program, PassContext& context);

/// What `bind` does to each sum that blocks share, given the types of states;
/// its memory enters `program`.
void join_blocks(Kernel& kernel, const std::map<Name, DType>& types,
                 Program& program);

}  // namespace sextant::tile
