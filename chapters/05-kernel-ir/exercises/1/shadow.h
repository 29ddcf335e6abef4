// Exercise 5.1: what is remembered of shared memory, so that races are found.
#pragma once

#include <cstdint>
#include <vector>

namespace sextant::exercise {

/// Phases are what barriers separate: they are counted from 0.
struct Element {
  int writer = -1;           // the thread that wrote last; -1: nobody
  int64_t written = -1;      // in which phase
  std::vector<int> readers;  // the threads that have read in phase `read`
  int64_t read = -1;
};

class Shadow {
 public:
  explicit Shadow(int64_t elements) : elements_(elements) {}

  /// `thread` reads element `at`: false if that is a race.
  bool read(int thread, int64_t at);
  /// `thread` writes element `at`: false if that is a race.
  bool write(int thread, int64_t at);
  /// All threads meet: what they did before lies behind them.
  void barrier();

 private:
  std::vector<Element> elements_;
  int64_t phase_ = 0;
};

}  // namespace sextant::exercise
