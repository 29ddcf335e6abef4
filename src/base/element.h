// An element in memory, as the device stores it.
#pragma once

#include "src/base/dtype.h"

namespace sextant {

/// Reads an element of that type from where it lies, and writes it.
Scalar read_element(DType dtype, const unsigned char* at);
void write_element(DType dtype, unsigned char* at, Scalar x);

}  // namespace sextant
