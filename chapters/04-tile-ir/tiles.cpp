#include "chapters/04-tile-ir/tiles.h"

namespace sextant::tile {

std::vector<Digit> digits(const std::string& text) {
  return parse_schedule("a0=" + text).splits[0].digits;
}

int64_t Tile::size(const std::vector<Digit>& digits) {
  int64_t size = 1;
  for (const Digit& d : digits)
    size *= d.extent;
  return size;
}

int64_t Tile::cells() const {
  int64_t cells = 1;
  for (const auto* digits : {&m, &n}) {
    for (const Digit& d : *digits)
      cells *= d.hold == Hold::Register ? d.extent : 1;
  }
  return cells;
}

// Threads of a warp lie as 4 x 8 along m and n, four cells each, so that a warp
// reads few rows of shared memory; REGISTER digits outside of that make strips.
std::vector<Tile> tiles() {
  return {
      {digits("4t.2r.4t.4r"), digits("2t.2r.8t.4r"), 16, 2, true},
      {digits("2t.2r.4t.4r"), digits("2t.2r.8t.4r"), 16, 4, true},
      {digits("2r.8t.4r"), digits("2r.8t.4r"), 16, 4, true},
      {digits("4t.2r.4t.4r"), digits("2t.8t.4r"), 16, 2, true},
      {digits("2t.2r.4t.4r"), digits("2t.8t.4r"), 16, 0, true},
      {digits("2t.4t.4r"), digits("2t.8t.4r"), 16, 0, false},
      {digits("2t.4t.4r"), digits("8t.4r"), 16, 0, false},
      {digits("8t.2r"), digits("8t.2r"), 32, 0, false},
  };
}

}  // namespace sextant::tile
