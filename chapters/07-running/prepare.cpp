#include "chapters/07-running/prepare.h"

namespace sextant::running {

std::unique_ptr<Executable> prepare(const Device& device, const Tables& tables,
                                    const kernel::Program& program,
                                    const std::string& cuda,
                                    const Values& sizes,
                                    const Compiler& compiler,
                                    const std::string& folder) {
  // The card's own architecture, even if the schedules are for an older one:
  // code of one generation does not run on the next.
  const Name& arch = device.target(tables).name;
  std::string code = compile_cached(folder, compiler, cuda + kFillText, arch);
  return std::make_unique<Executable>(device, program, code, sizes);
}

}  // namespace sextant::running
