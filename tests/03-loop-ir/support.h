// What the tests of chapter 3 share.
#pragma once

#include "chapters/02-tensor-ir/ir.h"
#include "chapters/03-loop-ir/ir.h"
#include "src/base/array.h"

namespace sextant::test {

const Tables& tables();

/// Fails unless the program is legal, reads back as it prints, and computes
/// the outputs of `expected` bit for bit: fusion changes no rounding and no
/// order of a sum.
void expect_same(const tensor::Graph& graph, const Arrays& expected,
                 const loop::Program& program, const Arrays& inputs,
                 const Values& symbols = {});

/// How many statements a program executes.
double executed(const loop::Program& program, const Values& symbols = {});

}  // namespace sextant::test
