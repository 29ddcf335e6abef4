// The free loops of a kernel, before anything stands in them.
#pragma once

#include <set>

#include "chapters/02-tensor-ir/ir.h"
#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

/// The free loops of a kernel and where its roots stand in them.
struct Nest {
  struct Axis {
    Name name;
    Dim extent;
    bool operator==(const Axis&) const = default;
  };
  std::vector<Axis> axes;   // outermost first
  std::vector<Expr> index;  // one for each axis of a root that is longer than 1
  bool operator==(const Nest&) const = default;
};

/// What splicing a kernel showed about its loops.
struct Findings {
  struct Fold {
    std::set<Name> axes;  // what a reduction's place depends on
    Dim extent;           // how much it reduces
  };
  std::vector<Fold> folds;
  std::set<std::pair<Name, int64_t>> quotients;   // `axis/c` in a load
  std::set<std::pair<Name, int64_t>> remainders;  // `axis%c`
};
/// Adds the divisions of bare names in an index expression.
void note_digits_of(const Expr& e, Findings& findings);

/// One loop for each axis longer than 1.
Nest bare_nest(const tensor::Value& root);
/// Where the root's element stands in the nest: an index for each of its axes.
std::vector<Expr> place(const tensor::Value& root, const Nest& nest);
/// A nest that suits what was found:
/// - an axis that is read as axis/c and axis%c becomes two;
/// - the axes below a reduction that spans them all become one, so that the
///   row has one loop;
/// - axes that more reductions depend on go outside.
Nest refine(const Nest& nest, const Findings& findings);

}  // namespace sextant::loop
