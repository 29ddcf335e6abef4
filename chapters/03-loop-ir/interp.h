// What Loop IR means.
#pragma once

#include "chapters/03-loop-ir/ir.h"
#include "src/base/array.h"

namespace sextant::loop {

/// Runs a program, launch by launch, loops in order. `inputs` has an array of
/// the right type and number of elements for every input and weight, `symbols`
/// a size for every symbol. Every operation on floats rounds to float32, every
/// store to the buffer's type. What comes back holds every buffer by name. An
/// `Error` if an input is missing or unfit, or an index lies outside its
/// buffer.
Arrays interpret(const Program& program, const Tables& tables,
                 const Arrays& inputs, const Values& symbols = {});

}  // namespace sextant::loop
