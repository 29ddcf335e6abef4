#include "src/base/dtype.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace sextant {
namespace {

struct Row {
  std::string_view name;
  int64_t size;
  int mantissa;  // explicit bits; 0 for types that do not round
  int min_exponent, max_exponent;  // of normal numbers
};

constexpr Row kRows[] = {
    {"float32", 4, 23, -126, 127}, {"float16", 2, 10, -14, 15},
    {"bfloat16", 2, 7, -126, 127}, {"int64", 8, 0, 0, 0},
    {"bool", 1, 0, 0, 0},
};

const Row& row(DType t) {
  return kRows[static_cast<int>(t)];
}

}  // namespace

std::string_view name_of(DType dtype) {
  return row(dtype).name;
}

std::optional<DType> dtype_named(std::string_view name) {
  for (int i = 0; i < 5; i++) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int64_t size_of(DType dtype) {
  return row(dtype).size;
}

double unit_roundoff(DType dtype) {
  return row(dtype).mantissa == 0 ? 0 : std::ldexp(0.5, -row(dtype).mantissa);
}

double round_to(DType dtype, double value) {
  if (dtype == DType::Float32) return static_cast<float>(value);
  if (!std::isfinite(value) || value == 0) return value;
  // Scale so that the last kept bit has weight one, round to even, undo.
  const Row& r = row(dtype);
  int exponent = std::ilogb(value);
  if (exponent < r.min_exponent) exponent = r.min_exponent;
  double scaled = std::ldexp(value, r.mantissa - exponent);
  double rounded = std::ldexp(std::nearbyint(scaled), exponent - r.mantissa);
  double largest = std::ldexp(2 - std::ldexp(1, -r.mantissa), r.max_exponent);
  if (std::fabs(rounded) > largest) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return rounded;
}

uint16_t to_bits16(DType dtype, double value) {
  float rounded = static_cast<float>(round_to(dtype, value));
  uint32_t bits = 0;
  std::memcpy(&bits, &rounded, 4);
  if (dtype == DType::BFloat16) {
    // A NaN whose payload lies in the lower half must stay a NaN.
    if (std::isnan(rounded)) return static_cast<uint16_t>(bits >> 16 | 0x40);
    return static_cast<uint16_t>(bits >> 16);
  }
  uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  if (std::isnan(rounded)) return sign | 0x7e00;
  if (std::isinf(rounded)) return sign | 0x7c00;
  double magnitude = std::fabs(rounded);
  if (magnitude < std::ldexp(1, -14)) {  // subnormal: a multiple of 2^-24
    return sign | static_cast<uint16_t>(std::ldexp(magnitude, 24));
  }
  int exponent = std::ilogb(magnitude);
  double fraction = std::ldexp(magnitude, -exponent) - 1;
  return sign |
         static_cast<uint16_t>(((exponent + 15) << 10) +
                               static_cast<int>(std::ldexp(fraction, 10)));
}

double from_bits16(DType dtype, uint16_t bits) {
  if (dtype == DType::BFloat16) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value = 0;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  double sign = (bits & 0x8000) != 0 ? -1 : 1;
  int exponent = bits >> 10 & 31;
  int mantissa = bits & 1023;
  if (exponent == 31) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

}  // namespace sextant
