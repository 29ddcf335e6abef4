// Loops whose stages have several buffers become pipelines: while one slab is
// computed with, the next ones are on their way. With `prefetch`, the loop
// that reads from stages reads one step ahead of its arithmetic.
//
//   for k0 in 0..2:                       for k0 in 0..2 pipeline=2:
//     x_smem = Stage(x, ...) buffers=2@k0   x_smem = Stage(x, ...) buffers=2@k0
#include <algorithm>
#include <set>

#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/schedule.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

// How many buffers the stages of a loop have; all of them the same number.
int64_t depth(const For& f, const Name& kernel) {
  int64_t buffers = 0;
  for (const Stmt& s : f.body) {
    const Stage* stage = s.as<Stage>();
    if (stage == nullptr) continue;
    if (buffers != 0 && buffers != stage->who.buffers) {
      fail({}, "{}: stages of one loop have {} and {} buffers", kernel, buffers,
           stage->who.buffers);
    }
    buffers = stage->who.buffers;
  }
  return buffers > 1 ? buffers : 0;
}

bool reads(const For& f, const std::set<Name>& stages) {
  return std::any_of(f.body.begin(), f.body.end(), [&](const Stmt& s) {
    const Load* l = s.as<Load>();
    return l != nullptr && stages.count(l->from) != 0;
  });
}

std::vector<Stmt> block(const std::vector<Stmt>& body, const Kernel& kernel,
                        bool prefetch, std::set<Name> stages) {
  std::vector<Stmt> out;
  for (const Stmt& s : body) {
    Stmt next = s;
    if (const Stage* stage = s.as<Stage>()) stages.insert(stage->name);
    if (const std::vector<Stmt>* inner = body_of(s)) {
      next = with_body(s, block(*inner, kernel, prefetch, stages));
    }
    if (next.as<For>()) {
      For f = next.get<For>();
      f.pipeline = depth(f, kernel.name);
      f.prefetch = prefetch && reads(f, stages);
      next = Stmt(f).with_origin(s.origin());
    }
    out.push_back(next);
  }
  return out;
}

}  // namespace

Program pipeline(const Program& program, PassContext& context) {
  context.reason = "no stage has two buffers";
  Program out = program;
  for (Kernel& k : out.kernels) {
    Schedule schedule = parse_schedule(k.schedule.text);
    k.body = block(k.body, k, schedule.prefetch, {});
    k.raster = schedule.raster;
    k.min_blocks = schedule.min_blocks;
    bool found = false;
    each_stmt(k.body, [&](const Stmt& s) {
      found = found || (s.as<For>() && s.get<For>().prefetch);
    });
    if (schedule.prefetch && !found) {
      fail({}, "{} has no loop that reads stages, so nothing to prefetch",
           k.name);
    }
  }
  return out;
}

}  // namespace sextant::tile
