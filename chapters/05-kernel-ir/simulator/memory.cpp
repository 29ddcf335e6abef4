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

}  // namespace sextant::kernel
