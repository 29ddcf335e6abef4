// The cache policy of a global access, which Tile and Kernel IR share.
#pragma once

#include "src/base/syntax.h"

namespace sextant {

/// Which caches a global access goes through: as the hardware likes, without
/// keeping what is used once, or through the path for data that no one writes.
enum class Cache { Default, Stream, ReadOnly };
inline constexpr const char* kCacheWords[] = {"default", "stream", "readonly",
                                              ""};
template <>
inline constexpr const char* const* words_of<Cache> = kCacheWords;

}  // namespace sextant
