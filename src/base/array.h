// Data on the host: the contents of a buffer, and random contents that are a
// function of seed, name and position alone.
#pragma once

#include <map>
#include <vector>

#include "src/base/dtype.h"
#include "src/base/handle.h"

namespace sextant {

/// A dense array in row-major order, stored as the device stores it.
class Array {
 public:
  Array() = default;
  /// Zeros. An `Error` if a size is negative or the bytes overflow.
  Array(DType dtype, std::vector<int64_t> shape);

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t size() const { return size_; }
  Scalar at(int64_t i) const;
  void set(int64_t i, Scalar x);
  std::vector<unsigned char>& bytes() { return bytes_; }
  const std::vector<unsigned char>& bytes() const { return bytes_; }
  bool operator==(const Array&) const = default;

 private:
  DType dtype_ = DType::Float32;
  std::vector<int64_t> shape_;
  int64_t size_ = 0;
  std::vector<unsigned char> bytes_;
};

/// Arrays by buffer name.
using Arrays = std::map<Name, Array>;

/// Product of extents; an `Error` on overflow or a negative extent.
int64_t element_count(const std::vector<int64_t>& shape);
/// Row-major strides in elements.
std::vector<int64_t> strides_of(const std::vector<int64_t>& shape);
/// Calls visit(index) for each index of a shape in row-major order.
template <class F>
void each_index(const std::vector<int64_t>& shape, F&& visit) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t extent : shape) {
    if (extent == 0) return;
  }
  while (true) {
    visit(index);
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0) return;
  }
}

/// 64 random bits; a good mixer of (seed, stream, counter).
uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t counter);
/// A number for a name, to be a stream.
uint64_t hash_name(const Name& name);
/// The element at position i of the random array of that name: floats are
/// near normal with variance 1, rounded to the type; int64 lie in [0, 100);
/// bool is fair.
Scalar random_element(DType dtype, uint64_t seed, const Name& name, int64_t i);
Array random_array(DType dtype, std::vector<int64_t> shape, uint64_t seed,
                   const Name& name);

/// A small sequential generator for tests and property checks.
class Random {
 public:
  explicit Random(uint64_t seed) : seed_(seed) {}
  /// Uniform in [0, n); n > 0.
  int64_t below(int64_t n) {
    return static_cast<int64_t>(random_bits(seed_, 0, next_++) %
                                static_cast<uint64_t>(n));
  }
  /// Uniform in [lo, hi].
  int64_t in(int64_t lo, int64_t hi) { return lo + below(hi - lo + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(
        below(static_cast<int64_t>(from.size())))];
  }

 private:
  uint64_t seed_, next_ = 0;
};

}  // namespace sextant
