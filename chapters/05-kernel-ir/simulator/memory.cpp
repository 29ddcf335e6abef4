#include "chapters/05-kernel-ir/simulator/memory.h"

#include <cstring>

namespace sextant::kernel {

Memory::Memory(Name name, DType dtype, int64_t size)
    : name_(std::move(name)),
      dtype_(dtype),
      size_(size),
      bytes_each_(size_of(dtype)) {
  std::size_t pages = static_cast<std::size_t>((size + kPage - 1) / kPage);
  pages_.resize(pages);
  cells_.resize(pages);
}

void Memory::lie_in(std::vector<unsigned char>& bytes) {
  for (std::size_t p = 0; p < pages_.size(); p++)
    pages_[p] = bytes.data() + static_cast<int64_t>(p) * kPage * bytes_each_;
}

void Memory::generate(uint64_t seed) {
  generated_ = true;
  seed_ = seed;
}

unsigned char* Memory::touch(int64_t page) {
  std::size_t bytes = static_cast<std::size_t>(kPage * bytes_each_);
  // All bits set is a NaN in every float format.
  own_.push_back(std::make_unique<unsigned char[]>(bytes));
  unsigned char* data = own_.back().get();
  std::memset(data, defined ? 0 : 0xff, bytes);
  pages_[page] = data;
  if (generated_) {
    for (int64_t i = page * kPage; i < std::min(size_, (page + 1) * kPage);
         i++) {
      write_element(dtype_, at(i), random_element(dtype_, seed_, name_, i));
    }
  }
  return data;
}

Cell* Memory::touch_cells(int64_t page) {
  cells_[page] = std::make_unique<Cell[]>(kPage);
  return cells_[page].get();
}

std::vector<int64_t> Memory::written() {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < size_; i++) {
    if (cells_[i >> kShift] == nullptr) {
      i |= kPage - 1;
    } else if (cell(i).written != 0) {
      out.push_back(i);
    }
  }
  return out;
}

Scalar Memory::get(int64_t i) {
  return read_element(dtype_, at(i));
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

}  // namespace sextant::kernel
