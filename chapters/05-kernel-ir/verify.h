// What is legal in Kernel IR.
#pragma once

#include <set>

#include "chapters/05-kernel-ir/ir.h"

namespace sextant::kernel {

/// Raises one `Error` with everything that is wrong: names without a value or
/// object; types that do not agree; register cells that are not constant once
/// loops are unrolled, or out of range; accesses wider than 16 bytes or
/// provably misaligned; stores to inputs; barriers that not all threads reach;
/// more shared memory than the target has. What cannot be told from the text
/// (a race, an offset out of bounds) is left to the simulator.
void verify(const Tables& tables, const Program& program);
void verify(const Tables& tables, const Program& program, const Kernel& kernel);
/// What is wrong with one kernel.
Diagnostics diagnose(const Tables& tables, const Program& program,
                     const Kernel& kernel);
/// What a statement assigns itself, without the statements inside it.
std::vector<Var> assigned_by(const Stmt& stmt);
/// The number of an object's elements, where its extents are constant.
int64_t elements_of(const Object& object);
/// The buffer that a launch gives to a global object of its kernel.
const Name& buffer_of(const Launch& launch, const Name& object);
/// The objects in memory that a kernel writes.
std::set<Name> written_objects(const Tables& tables, const Kernel& kernel);

/// Shared memory of a block in bytes, each object at its alignment.
int64_t shared_bytes(const Kernel& kernel);
/// Shared memory that a block may have on a target, in bytes.
int64_t shared_limit(const std::string& target);

/// The first line of a statement's text, for messages.
std::string line_of(const Stmt& stmt);

}  // namespace sextant::kernel
