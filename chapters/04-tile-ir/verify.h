// What a legal Tile IR program is.
#pragma once

#include "chapters/04-tile-ir/layout.h"
#include "src/base/tables.h"

namespace sextant::tile {

/// Raises an `Error` with everything that is wrong with a program, whoever
/// wrote it:
/// - axes: constant extents but for the first BLOCK axis, at most 1024
///   threads, and what the schedule's comment says of them;
/// - names: defined once, before their uses, with one index a REGISTER axis;
/// - types: an index and a guard are integers, a store writes the buffer's own
///   type, an `Accum` fits the state that a loop around it carries;
/// - stages: slabs and pads fit the source, buffers alternate over a loop
///   around, and all of them fit the target's shared memory;
/// - widths: of 2, 4, 8 or 16 elements and at most 16 bytes, aligned.
void verify(const Program& program, const Tables& tables);

/// The same without what holds at the end of the passes alone: the schedule's
/// comment, the limits of the target, copies of 4 bytes.
void verify_structure(const Program& program, const Tables& tables);

/// Bytes of shared memory that a kernel's stages need.
int64_t shared_bytes(const Program& program, const Kernel& kernel);

}  // namespace sextant::tile
