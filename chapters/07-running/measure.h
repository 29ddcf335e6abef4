// The one method of measuring, for us and for those we compare with: the
// median time of one replay of a graph, with the L2 cache flushed before it.
#pragma once

#include "chapters/07-running/executable.h"

namespace sextant::running {

/// The middle one of some numbers, or the mean of the middle two; 0 of none.
double median(std::vector<double> numbers);

/// Times what is started in its stream.
class Meter {
 public:
  explicit Meter(const Device& device);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Microseconds of what `work` starts: the median of as many samples as fit
  /// in `milliseconds`. A sample is timed by events of the card, after 256 MB
  /// were written over everything that the caches held.
  double microseconds(const std::function<void()>& work,
                      double milliseconds = 60);
  /// The stream that `work` is to use.
  Opaque stream() const { return stream_; }
  /// Microseconds of a copy that reads `bytes` and writes as many.
  double copy_microseconds(int64_t bytes);

 private:
  void sample(const std::function<void()>& work, std::size_t i);
  double elapsed(std::size_t i) const;

  const Device& device_;
  Opaque stream_ = nullptr;
  Address flushed_ = 0;
  std::vector<Opaque> begins_, ends_;
};

}  // namespace sextant::running
