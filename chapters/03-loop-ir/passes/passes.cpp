#include "chapters/03-loop-ir/passes.h"

namespace sextant::loop {
namespace {

// A pass on kernels as a pass on programs.
Program each_kernel(const Program& program,
                    const std::function<Kernel(const Kernel&)>& f) {
  Program result = program;
  for (Kernel& kernel : result.kernels)
    kernel = f(kernel);
  return result;
}

Program lay_out_pass(const Program& program, PassContext& context) {
  context.reason = "no temporary is read by digits that lie apart";
  return lay_out(program);
}

Program collapse_pass(const Program& program, PassContext& context) {
  context.reason = "no two axes are walked as one";
  return collapse(program);
}

Program rename_pass(const Program& program, PassContext& context) {
  context.reason = "the names are canonical already";
  std::set<Name> taken;
  for (const Buffer& b : program.buffers)
    taken.insert(b.name);
  for (const Symbol& s : program.symbols)
    taken.insert(s.name);
  return each_kernel(program,
                     [&](const Kernel& k) { return rename_values(k, taken); });
}

}  // namespace

std::vector<Pass<Program>> passes() {
  return {
      {"lay_out", "temporaries lie as their readers take them", lay_out_pass},
      {"collapse", "axes that are walked as one become one", collapse_pass},
      {"rename_values", "names follow the order of appearance", rename_pass},
  };
}

}  // namespace sextant::loop
