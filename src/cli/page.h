// The page of `sextant explain`, but for its data. It needs nothing beside
// itself and works from a file.
#pragma once

namespace sextant::cli {

/// HTML with style and script; `DATA` stands where the JSON goes.
extern const char* const kPage;

}  // namespace sextant::cli
