// Which axes a value depends on.
#pragma once

#include <set>

#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

/// The axes that each value of a kernel depends on, through all that it is
/// computed from: indices, guards, operands. A reduction's result does not
/// depend on the axis that it ran over.
class Dependence {
 public:
  explicit Dependence(const Kernel& kernel) { read(kernel.body); }
  std::set<Name> of(const Expr& e) const;

 private:
  void read(const std::vector<Stmt>& body);
  void read(const Stmt& stmt);

  std::map<Name, std::set<Name>> of_;
};

}  // namespace sextant::loop
