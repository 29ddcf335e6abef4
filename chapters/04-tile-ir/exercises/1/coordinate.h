// Exercise 4.1: from the digits of an axis to its coordinate and back.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/04-tile-ir/schedule.h"

namespace sextant::exercise {

/// What each digit shows, outermost first: of 8t.2r, {2, 1} is register 1 of
/// thread 2.
using Place = std::vector<int64_t>;

/// The number that the digits write at a place.
int64_t coordinate(const std::vector<tile::Digit>& digits, const Place& place);
/// The place at which they write it; `number` is less than they can count.
Place place_of(const std::vector<tile::Digit>& digits, int64_t number);
/// Whether the place belongs to an axis of this extent. Digits may count
/// further than the axis goes; what is beyond is the tail, and is masked.
bool counts(const std::vector<tile::Digit>& digits, const Place& place,
            int64_t extent);

}  // namespace sextant::exercise
