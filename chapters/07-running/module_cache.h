// Compiled modules on disk, found by what they were compiled from.
#pragma once

#include "chapters/07-running/compiler.h"

namespace sextant::running {

/// $SEXTANT_CACHE, else `sextant` in the user's folder of caches; "" if there
/// is none.
std::string cache_folder();

/// Machine code of a text: from `folder` if it has been compiled before with
/// the same compiler for the same architecture, else compiled and kept there.
/// A folder that cannot be read or written costs time and nothing else; ""
/// keeps nothing. Several processes may use one folder.
std::string compile_cached(const std::string& folder, const Compiler& compiler,
                           const std::string& text, const std::string& arch);

}  // namespace sextant::running
