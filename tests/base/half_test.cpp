// The half formats, against a search over all their numbers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "src/base/array.h"
#include "src/base/dtype.h"

namespace {

using sextant::DType;
using sextant::from_bits16;
using sextant::round_to;
using sextant::to_bits16;

// All finite numbers that are not negative, with their bits, ascending: the
// bits of such numbers are ordered as the numbers are.
std::vector<std::pair<double, uint16_t>> numbers(DType type) {
  std::vector<std::pair<double, uint16_t>> all;
  for (uint32_t bits = 0; bits < 0x8000; bits++) {
    double x = from_bits16(type, static_cast<uint16_t>(bits));
    if (std::isfinite(x)) all.emplace_back(x, static_cast<uint16_t>(bits));
  }
  return all;
}

// The nearest number, the one with even bits in the middle. Beyond the largest
// number lies one more step, from whose middle on the result is infinite.
double nearest(const std::vector<std::pair<double, uint16_t>>& all, double x) {
  double magnitude = std::fabs(x);
  auto above = std::lower_bound(all.begin(), all.end(),
                                std::make_pair(magnitude, uint16_t{0}));
  double result = 0;
  if (above == all.end()) {
    double step = all.back().first - all[all.size() - 2].first;
    bool infinite = magnitude - all.back().first >= step / 2;
    result = infinite ? HUGE_VAL : all.back().first;
  } else if (above->first == magnitude) {
    result = magnitude;
  } else {
    auto below = above - 1;
    double up = above->first - magnitude, down = magnitude - below->first;
    bool take_up = up < down || (up == down && above->second % 2 == 0);
    result = take_up ? above->first : below->first;
  }
  return std::copysign(result, x);
}

}  // namespace

TEST_CASE("halves: bits to a number and back") {
  for (DType type : {DType::Float16, DType::BFloat16}) {
    int wrong = 0;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
      auto b = static_cast<uint16_t>(bits);
      double x = from_bits16(type, b);
      if (std::isnan(x)) {
        wrong += !std::isnan(from_bits16(type, to_bits16(type, x)));
      } else {
        wrong += to_bits16(type, x) != b;
      }
    }
    CHECK(wrong == 0);
  }
  CHECK(from_bits16(DType::Float16, 0x3c00) == 1);
  CHECK(from_bits16(DType::Float16, 0x7bff) == 65504);
  CHECK(from_bits16(DType::Float16, 0x0001) == std::ldexp(1, -24));
  CHECK(from_bits16(DType::BFloat16, 0x3f80) == 1);
  CHECK(from_bits16(DType::BFloat16, 0xc049) == -3.140625);
}

TEST_CASE("halves: rounding is to the nearest, to even in the middle") {
  for (DType type : {DType::Float16, DType::BFloat16}) {
    auto all = numbers(type);
    sextant::Random random(3);
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
      auto at = static_cast<std::size_t>(
          random.below(static_cast<int64_t>(all.size()) - 1));
      double low = all[at].first, high = all[at + 1].first;
      // The middle, a little beside it, and anywhere.
      double x = low + (high - low) * random.pick<double>(
                                          {0.5, 0.5 - 0x1p-12, 0.5 + 0x1p-12,
                                           double(random.below(1000)) / 1000});
      if (random.chance(50)) x = -x;
      wrong += round_to(type, x) != nearest(all, x);
      wrong += from_bits16(type, to_bits16(type, x)) != nearest(all, x);
    }
    CHECK(wrong == 0);
    double top = all.back().first;
    double step = top - all[all.size() - 2].first;
    for (double x : {top + step * 0.49, top + step * 0.5, top * 2}) {
      CHECK(round_to(type, x) == nearest(all, x));
    }
  }
}
