// A solution of exercise 4.1.
#include "chapters/04-tile-ir/exercises/1/coordinate.h"

namespace sextant::exercise {

int64_t coordinate(const std::vector<tile::Digit>& digits, const Place& place) {
  int64_t number = 0;
  for (std::size_t i = 0; i < digits.size(); i++)
    number = number * digits[i].extent + place[i];
  return number;
}

Place place_of(const std::vector<tile::Digit>& digits, int64_t number) {
  Place shown(digits.size());
  for (std::size_t i = digits.size(); i-- > 0;) {
    shown[i] = number % digits[i].extent;
    number /= digits[i].extent;
  }
  return shown;
}

bool counts(const std::vector<tile::Digit>& digits, const Place& place,
            int64_t extent) {
  return coordinate(digits, place) < extent;
}

}  // namespace sextant::exercise
