// Canonical names: equal kernels are equal texts.
#include "chapters/03-loop-ir/names.h"
#include "chapters/03-loop-ir/passes.h"

namespace sextant::loop {

Kernel rename_values(const Kernel& kernel, const std::set<Name>& taken) {
  Renaming to;
  std::map<Name, int> next;
  auto give = [&](const Name& name, const Name& prefix) {
    if (to.count(name) != 0) return;  // an axis that several loops have
    Name fresh;
    do {
      fresh = fmt::format("{}{}", prefix, next[prefix]++);
    } while (taken.count(fresh) != 0);
    to[name] = fresh;
  };
  each_stmt(kernel.body, [&](const Stmt& stmt) {
    if (const For* loop = stmt.as<For>()) {
      give(loop->axis, "a");
      for (const Carry& carry : loop->carries)
        give(carry.name, "acc");
    }
    if (const Load* load = stmt.as<Load>()) give(load->out, "in");
    if (const Let* let = stmt.as<Let>()) give(let->out, "v");
  });
  Kernel result = kernel;
  for (Stmt& stmt : result.body)
    stmt = rename(stmt, to);
  return result;
}

}  // namespace sextant::loop
