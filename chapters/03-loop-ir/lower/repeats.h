// Which statements of a program compute what another one has computed.
#pragma once

#include "chapters/03-loop-ir/lower/splice.h"

namespace sextant::loop {

/// A value that fusion computes in several places says so: from the second
/// place on, in the order of the text, its statements come from a copy of
/// their source that says `again`.
class Repeats {
 public:
  explicit Repeats(const std::vector<Source>& sources) : sources_(sources) {}

  /// Stamps the next kernel of the program.
  void mark(Kernel& kernel, const Made& made);
  /// The program's sources, and the copies after them.
  const std::vector<Source>& sources() const { return sources_; }

 private:
  void mark(std::vector<Stmt>& body, const Made& made);
  int copy_of(int source);

  std::vector<Source> sources_;
  std::map<int, int> copies_;
  int kernel_ = 0;
  std::map<int, std::pair<int, int>> first_;  // kernel and expansion by value
};

}  // namespace sextant::loop
