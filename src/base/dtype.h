// Element types, their names and sizes, and the half formats in software.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sextant {

enum class DType { Float32, Float16, BFloat16, Int64, Bool };

/// PyTorch's name: float32, float16, bfloat16, int64, bool.
std::string_view name_of(DType dtype);
/// The type of that name, if it is one of ours.
std::optional<DType> dtype_named(std::string_view name);
/// Bytes of one element.
int64_t size_of(DType dtype);
inline bool is_float(DType t) {
  return t < DType::Int64;
}
/// Half an ulp at 1, the `u` of an error bound: 2^-24, 2^-11, 2^-8.
double unit_roundoff(DType dtype);

/// Rounds to the nearest value of a floating type, ties to even; what is too
/// large becomes infinite. The result is exact in a double.
double round_to(DType dtype, double value);
/// The bits of a half or bfloat16 (IEEE 754 binary16; upper half of float32).
uint16_t to_bits16(DType dtype, double value);
double from_bits16(DType dtype, uint16_t bits);

/// One element of any type: `f` holds floats (exactly), `i` holds int64 and
/// bool. Which one counts is the element type's business.
struct Scalar {
  double f = 0;
  int64_t i = 0;
};

}  // namespace sextant
