#include "chapters/03-loop-ir/names.h"
#include "chapters/03-loop-ir/passes.h"

namespace sextant::loop {

// Canonical names: equal kernels are equal texts.
Program rename_values(const Program& program, PassContext& context) {
  context.reason = "the names are canonical already";
  std::set<Name> taken;
  for (const Buffer& b : program.buffers)
    taken.insert(b.name);
  for (const Symbol& s : program.symbols)
    taken.insert(s.name);
  Program result = program;
  for (Kernel& kernel : result.kernels) {
    Renaming to;
    std::map<Name, int> next;
    auto give = [&](const Name& name, const Name& prefix) {
      if (to.count(name) != 0) return;  // an axis that several loops have
      do {
        to[name] = fmt::format("{}{}", prefix, next[prefix]++);
      } while (taken.count(to[name]) != 0);
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
    for (Stmt& stmt : kernel.body)
      stmt = rename(stmt, to);
  }
  return result;
}

}  // namespace sextant::loop
