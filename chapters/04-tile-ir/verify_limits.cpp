#include "chapters/04-tile-ir/verify_limits.h"

#include <algorithm>

#include "chapters/03-loop-ir/target.h"
#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/schedule.h"
#include "chapters/04-tile-ir/syntax.h"
#include "chapters/04-tile-ir/verify.h"
#include "chapters/04-tile-ir/walk.h"
#include "src/base/array.h"

namespace sextant::tile {
namespace {

// Whether the axes of one level are the schedule's, in any order; a `*` is
// whatever is left.
bool agrees(const Kernel& kernel, const Schedule& schedule, Level level) {
  std::vector<int64_t> left;
  for (const Axis& a : kernel.axes) {
    if (a.level == level) left.push_back(constant(a.extent).value_or(0));
  }
  std::size_t rest = 0;
  for (const Split& s : schedule.splits) {
    for (const Digit& d : s.digits) {
      if (d.hold != static_cast<Hold>(level)) continue;
      auto at = std::find(left.begin(), left.end(), d.extent);
      if (d.extent == 0) {
        rest++;
      } else if (at == left.end()) {
        return false;
      } else {
        left.erase(at);
      }
    }
  }
  return left.size() == rest;
}

void check_schedule(const Kernel& kernel, const Complaints& wrong) {
  if (kernel.schedule.text.empty()) return;
  Schedule schedule = parse_schedule(kernel.schedule.text);
  bool same = agrees(kernel, schedule, Level::Block) &&
              agrees(kernel, schedule, Level::Thread) &&
              agrees(kernel, schedule, Level::Register);
  std::set<Name> asked, staged;
  for (const Staging& s : schedule.stages)
    asked.insert(s.operand);
  each_stmt(kernel.body, [&](const Stmt& s) {
    if (const Stage* stage = s.as<Stage>()) staged.insert(stage->what.buffer);
  });
  if (same && asked == staged) return;
  std::vector<std::string> axes;
  for (const Axis& a : kernel.axes) {
    axes.push_back(print(a));
    axes.back().pop_back();  // the end of its line
  }
  wrong.add(
      "the schedule in its first line, {}, is not that of the axes {} and "
      "the stages of {}; the axes and the body are what counts, so drop "
      "that comment, or have another schedule applied with --schedule",
      kernel.schedule.text, join(axes),
      join(std::vector<std::string>(staged.begin(), staged.end())));
}

}  // namespace

void verify_limits(const Program& program, const Kernel& kernel,
                   const Tables& tables, const Complaints& wrong) {
  check_schedule(kernel, wrong);
  constexpr int64_t kThreads = 1024;
  int64_t threads = threads_of(kernel), bytes = shared_bytes(program, kernel);
  if (threads > kThreads) {
    wrong.add("{} threads in a block, {} at most", threads, kThreads);
  }
  const Target* target = tables.find<Target>(program.target);
  if (target != nullptr && bytes > target->shared_per_block) {
    wrong.add("its stages need {} bytes of shared memory, {} has {}", bytes,
              target->name, target->shared_per_block);
  }
}

int64_t shared_bytes(const Program& program, const Kernel& kernel) {
  int64_t bytes = 0;
  each_stmt(kernel.body, [&](const Stmt& s) {
    const Stage* stage = s.as<Stage>();
    if (stage == nullptr) return;
    DType dtype = program.buffer(stage->what.buffer)->dtype;
    bytes +=
        element_count(smem_shape(*stage)) * stage->who.buffers * size_of(dtype);
  });
  return bytes;
}

}  // namespace sextant::tile
