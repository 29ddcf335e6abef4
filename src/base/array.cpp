#include "src/base/array.h"

#include <cmath>
#include <cstring>

#include "src/base/element.h"
#include "src/base/error.h"

namespace sextant {

int64_t element_count(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0) fail({}, "negative extent {}", extent);
    if (extent == 0) return 0;
  }
  for (int64_t extent : shape)
    count = checked_mul(count, extent, "the size");
  return count;
}

std::vector<int64_t> strides_of(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * shape[d];
  }
  return strides;
}

Array::Array(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), size_(element_count(shape_)) {
  int64_t bytes = checked_mul(size_, size_of(dtype), "the array");
  bytes_.resize(static_cast<std::size_t>(bytes));
}

namespace {

template <class T>
T raw(const unsigned char* at) {
  T x;
  std::memcpy(&x, at, sizeof x);
  return x;
}
template <class T>
void put(unsigned char* at, T x) {
  std::memcpy(at, &x, sizeof x);
}

}  // namespace

Scalar read_element(DType dtype, const unsigned char* at) {
  switch (dtype) {
    case DType::Float32: return {raw<float>(at), 0};
    case DType::Float16:
    case DType::BFloat16: return {from_bits16(dtype, raw<uint16_t>(at)), 0};
    case DType::Int64: return {0, raw<int64_t>(at)};
    case DType::Bool: return {0, *at != 0};
  }
  return {};
}

void write_element(DType dtype, unsigned char* at, Scalar x) {
  switch (dtype) {
    case DType::Float32: return put(at, static_cast<float>(x.f));
    case DType::Float16:
    case DType::BFloat16: return put(at, to_bits16(dtype, x.f));
    case DType::Int64: return put(at, x.i);
    case DType::Bool: return put<uint8_t>(at, x.i != 0);
  }
}

Scalar Array::at(int64_t i) const {
  INVARIANT(i >= 0 && i < size_, "element {} of {}", i, size_);
  return read_element(dtype_, bytes_.data() + i * size_of(dtype_));
}

void Array::set(int64_t i, Scalar x) {
  INVARIANT(i >= 0 && i < size_, "element {} of {}", i, size_);
  write_element(dtype_, bytes_.data() + i * size_of(dtype_), x);
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t counter) {
  // Two rounds of a multiply-xorshift mixer over the three words.
  uint64_t x = seed * 0x9e3779b97f4a7c15u + stream;
  for (int round = 0; round < 2; round++) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 29;
    x += counter * 0xa0761d6478bd642fu + 0x8ebc6af09c88c6e3u;
  }
  x ^= x >> 32;
  x *= 0xe7037ed1a0b428dbu;
  return x ^ x >> 31;
}

uint64_t hash_name(const Name& name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

Scalar random_element(DType dtype, uint64_t seed, const Name& name, int64_t i) {
  uint64_t bits = random_bits(seed, hash_name(name), static_cast<uint64_t>(i));
  if (dtype == DType::Int64) return {0, static_cast<int64_t>(bits % 100)};
  if (dtype == DType::Bool) return {0, static_cast<int64_t>(bits >> 40 & 1)};
  // The sum of four uniforms has variance 1/3: scaled, near enough to normal.
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    sum += static_cast<double>(bits >> (16 * k) & 0xffff) / 65536.0;
  }
  return {round_to(dtype, (sum - 2) * std::sqrt(3.0)), 0};
}

Array random_array(DType dtype, std::vector<int64_t> shape, uint64_t seed,
                   const Name& name) {
  Array array(dtype, std::move(shape));
  for (int64_t i = 0; i < array.size(); i++) {
    array.set(i, random_element(dtype, seed, name, i));
  }
  return array;
}

}  // namespace sextant
