// CUDA: a one-to-one walk of Kernel IR into text. The walk decides nothing:
// each statement has one spelling.
#pragma once

#include "chapters/05-kernel-ir/ir.h"

namespace sextant::cuda {

/// The translation unit of a program: helpers that its kernels use, then the
/// kernels. It includes nothing and compiles with nvcc and NVRTC. Parameters of
/// a kernel are its Global objects in order, then the symbols that it mentions
/// in the program's order.
Text emit(const Tables& tables, const kernel::Program& program);

/// The symbols that a kernel takes as parameters, in order.
std::vector<Symbol> symbols_of(const kernel::Program& program,
                               const kernel::Kernel& kernel);
/// More shared memory than this is asked for at launch.
inline constexpr int64_t kStaticShared = 48 * 1024;

/// The text of an expression in CUDA, with parentheses where precedence asks
/// for them. `type` tells the type of a value; `wide` says that an index may
/// exceed 32 bits, so that arithmetic on it is done in 64.
std::string expr_text(const Tables& tables, const Expr& e,
                      const std::function<DType(const Name&)>& type,
                      bool wide = false);
/// CUDA's name of an element type.
std::string type_text(DType dtype);

}  // namespace sextant::cuda
