// Exercise 4.1, must, about 20 minutes.
// The section on digits tells what is needed: a digit counts how many there are
// of all that lies inside it. The functions are described in coordinate.h.
// make exercise-4.1 test      your file: my/4.1.cpp, made at the first call
#include "chapters/04-tile-ir/exercises/1/coordinate.h"
#include "src/base/error.h"

namespace sextant::exercise {

int64_t coordinate(const std::vector<tile::Digit>&, const Place&) {
  fail({}, "4.1 is yours to write");
}

Place place_of(const std::vector<tile::Digit>&, int64_t) {
  fail({}, "4.1 is yours to write");
}

bool counts(const std::vector<tile::Digit>&, const Place&, int64_t) {
  fail({}, "4.1 is yours to write");
}

}  // namespace sextant::exercise
