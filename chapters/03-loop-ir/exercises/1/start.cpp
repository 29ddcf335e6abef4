// Exercise 3.1, must, about 30 minutes.
//
// `need` is the value of a name at an index, as an expression of the kernel
// that is being written. A parameter is loaded. Every other value is its own
// definition, with its indices replaced by sigma:
//
// - of an elementwise value each operand is needed at the same sigma, and what
//   the expression is called becomes a `let`;
// - of an index map (here: one piece, no predicate) the source is needed where
//   the piece's index says. It speaks of index_name(0), index_name(1), ...,
//   which sigma replaces; `simplify` the result, so that equal places have
//   equal texts;
// - a reduction is given: `body.reduce`.
//
// What was needed once at an index is not computed again: `body.known`.
#include "chapters/03-loop-ir/exercises/1/body.h"

namespace sextant::exercise {

Expr need(Body& body, const Name& name, const Index& sigma) {
  (void)body;
  (void)name;
  (void)sigma;
  fail({}, "3.1 is yours to write");
}

}  // namespace sextant::exercise
