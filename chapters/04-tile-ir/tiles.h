// The tiles that a contraction is cut into when nobody says how.
#pragma once

#include "chapters/04-tile-ir/schedule.h"

namespace sextant::tile {

/// The digits of a split, as the codec writes them: "4t.2r".
std::vector<Digit> digits(const std::string& text);

/// A tile, as the digits of its rows and columns and the steps of its loop.
struct Tile {
  std::vector<Digit> m, n;
  int64_t k = 16, min_blocks = 0;
  bool large = false;
  int64_t parts = 1;  // blocks that share a tile's sums

  int64_t rows() const { return size(m); }
  int64_t columns() const { return size(n); }
  int64_t cells() const;  // of a thread
  static int64_t size(const std::vector<Digit>& digits);
};

/// From large, 128 x 128, to small, 16 x 16.
std::vector<Tile> tiles();

}  // namespace sextant::tile
