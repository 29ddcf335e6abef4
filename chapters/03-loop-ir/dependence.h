// Which axes a value depends on.
#pragma once

#include <unordered_map>

#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

/// A set of a kernel's axes, a bit for each.
using AxisSet = uint64_t;

/// The axes that each value of a kernel depends on, through all that it is
/// computed from: indices, guards, operands. A reduction's result does not
/// depend on the axis that it ran over. Loops of one name are one axis.
class Dependence {
 public:
  explicit Dependence(const Kernel& kernel) { read(kernel.body); }

  AxisSet of(const Expr& e) const;
  AxisSet of(const std::vector<Expr>& list) const;
  AxisSet of(const Name& value) const;  // or of the axis itself
  AxisSet all(const std::vector<Name>& axes) const;

 private:
  void read(const std::vector<Stmt>& body);
  void read(const Stmt& stmt);

  std::unordered_map<Name, AxisSet> of_;
  int axes_ = 0;
};

}  // namespace sextant::loop
