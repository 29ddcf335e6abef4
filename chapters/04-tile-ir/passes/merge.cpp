// What is loaded or computed twice is kept: a row that was read for its sum
// stays in registers for what comes after. Only within one scope, so nothing
// is kept across a serial loop, whose next iteration needs the registers.
//
//   in0[r0] = load x[b0, t0*4 + r0]      in0[r0] = load x[b0, t0*4 + r0]
//   acc0 <- add(acc0, in0[r0])           acc0 <- add(acc0, in0[r0])
//   in1[r0] = load x[b0, t0*4 + r0]      v0[r0] = multiply(in0[r0], acc0)
//   v0[r0] = multiply(in1[r0], acc0)
#include <algorithm>

#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

class Merger {
 public:
  std::vector<Stmt> block(const std::vector<Stmt>& body,
                          std::vector<Stmt> known) {
    std::vector<Stmt> out;
    for (const Stmt& before : body) {
      Stmt s = rename(before, same_);
      forget(s, known);
      if (const std::vector<Stmt>* inner = body_of(s)) {
        s = with_body(s, block(*inner, known));
      } else if (const Var* v = defined_by(s)) {
        auto twin =
            std::find_if(known.begin(), known.end(), [&](const Stmt& k) {
              return rename(k, {{defined_by(k)->name, v->name}}) == s;
            });
        if (twin != known.end()) {
          same_[v->name] = defined_by(*twin)->name;
          continue;
        }
        known.push_back(s);
      }
      out.push_back(s);
    }
    return out;
  }

 private:
  // Values computed from a state that changes are another's from here on.
  static void forget(const Stmt& s, std::vector<Stmt>& known) {
    for (const Name& state : changed_by(s)) {
      std::erase_if(known, [&](const Stmt& k) {
        const Let* let = k.as<Let>();
        return let != nullptr && mentions(let->value, state);
      });
    }
  }

  Renaming same_;
};

}  // namespace

Program merge(const Program& program, PassContext& context) {
  context.reason = "nothing is loaded or computed twice";
  return map_bodies(program,
                    [](const Kernel& k) { return Merger().block(k.body, {}); });
}

}  // namespace sextant::tile
