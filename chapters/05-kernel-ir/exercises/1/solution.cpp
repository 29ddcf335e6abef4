// A solution of exercise 5.1.
#include <algorithm>

#include "chapters/05-kernel-ir/exercises/1/shadow.h"

namespace sextant::exercise {

bool Shadow::read(int thread, int64_t at) {
  Element& e = elements_.at(static_cast<std::size_t>(at));
  if (e.read != phase_) e.readers.clear();
  e.read = phase_;
  e.readers.push_back(thread);
  return e.written != phase_ || e.writer == thread;
}

bool Shadow::write(int thread, int64_t at) {
  Element& e = elements_.at(static_cast<std::size_t>(at));
  bool after_write = e.written != phase_ || e.writer == thread;
  bool after_reads = e.read != phase_ ||
                     std::all_of(e.readers.begin(), e.readers.end(),
                                 [&](int reader) { return reader == thread; });
  e.written = phase_;
  e.writer = thread;
  return after_write && after_reads;
}

void Shadow::barrier() {
  phase_++;
}

}  // namespace sextant::exercise
