// Memory that threads share: elements in pages, each with its shadow.
#pragma once

#include <memory>

#include "chapters/05-kernel-ir/simulator/shadow.h"
#include "src/base/array.h"
#include "src/base/element.h"

namespace sextant::kernel {

/// A buffer in global memory or an object in shared memory. Pages come into
/// being when they are touched: the simulator can run a few blocks of a launch
/// whose buffers would not fit.
class Memory {
 public:
  static constexpr int kShift = 8;  // 256 elements a page
  static constexpr int64_t kPage = int64_t{1} << kShift;

  Memory(Name name, DType dtype, int64_t size);
  /// The elements are those of `bytes`, which must outlive this.
  void lie_in(std::vector<unsigned char>& bytes);
  /// Elements are what `random_element` says, page by page.
  void generate(uint64_t seed);

  const Name& name() const { return name_; }
  DType dtype() const { return dtype_; }
  int64_t size() const { return size_; }
  unsigned char* at(int64_t i) {
    unsigned char* page = pages_[i >> kShift];
    if (page == nullptr) page = touch(i >> kShift);
    return page + (i & (kPage - 1)) * bytes_each_;
  }
  Cell& cell(int64_t i) {
    std::unique_ptr<Cell[]>& page = cells_[i >> kShift];
    if (page == nullptr) page = std::make_unique<Cell[]>(kPage);
    return page[i & (kPage - 1)];
  }
  /// Elements that were written, in order.
  std::vector<int64_t> written();
  Scalar get(int64_t i) { return read_element(dtype_, at(i)); }

  bool shared = false;    // in shared memory
  bool constant = false;  // nobody writes it: no shadow needed
  bool defined = false;   // before the first write

 private:
  unsigned char* touch(int64_t page);

  Name name_;
  DType dtype_;
  int64_t size_, bytes_each_;
  bool generated_ = false;
  uint64_t seed_ = 0;
  std::vector<unsigned char*> pages_;
  std::vector<std::unique_ptr<unsigned char[]>> own_;
  std::vector<std::unique_ptr<Cell[]>> cells_;
};

}  // namespace sextant::kernel
