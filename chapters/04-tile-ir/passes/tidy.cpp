// Names in order of appearance: in0, in1, ... for what is loaded, v0, ... for
// what is computed, acc0, ... for what is carried. Equal kernels are then
// equal texts.
#include <set>

#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

class Tidier {
 public:
  explicit Tidier(const Program& program) {
    for (const Buffer& b : program.buffers)
      taken_.insert(b.name);
    for (const Symbol& s : program.symbols)
      taken_.insert(s.name);
  }

  std::vector<Stmt> run(const Kernel& kernel) {
    each_stmt(kernel.body, [&](const Stmt& s) {
      if (const For* f = s.as<For>()) carries(f->carries);
      if (const Carries* c = s.as<Carries>()) carries(c->carries);
      if (const Load* l = s.as<Load>()) next("in", l->out.name);
      if (const Let* l = s.as<Let>()) next("v", l->out.name);
    });
    std::vector<Stmt> out;
    for (const Stmt& s : kernel.body)
      out.push_back(rename(s, names_));
    return out;
  }

 private:
  void carries(const std::vector<Carry>& list) {
    for (const Carry& c : list)
      next("acc", c.cell.name);
  }

  void next(const char* prefix, const Name& name) {
    Name fresh;
    do {
      fresh = fmt::format("{}{}", prefix, next_[prefix]++);
    } while (taken_.count(fresh) != 0);
    names_[name] = fresh;
  }

  std::set<Name> taken_;
  std::map<Name, int> next_;
  Renaming names_;
};

}  // namespace

Program tidy(const Program& program, PassContext& context) {
  context.reason = "the names are canonical already";
  return map_bodies(program,
                    [&](const Kernel& k) { return Tidier(program).run(k); });
}

}  // namespace sextant::tile
