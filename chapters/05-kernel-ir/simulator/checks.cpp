// What the shadow of an element forbids, and how that is said. All of this is
// off the usual path: an access that finds its cell untouched, or touched
// before a barrier, never comes here.
#include "chapters/05-kernel-ir/simulator/machine.h"

namespace sextant::kernel {

std::pair<uint32_t, int64_t> Machine::block_of(uint32_t when) const {
  auto next = std::partition_point(
      blocks_.begin(), blocks_.end(),
      [&](const auto& block) { return block.first < when; });
  return next == blocks_.begin() ? std::make_pair(uint32_t{0}, int64_t{0})
                                 : *(next - 1);
}

// Whether a block that ran earlier has made known to this one, by a fence and
// a counter that both have added to, what its `warps` did at that time.
bool Machine::made_known(uint32_t when, uint32_t warps) const {
  uint32_t begin = block_of(when).first;
  for (const Release& r : acquired_) {
    bool all = r.begin == begin;
    for (int w = 0; w < Clocks::kWarps; w++) {
      bool counts = (warps >> w & 1) != 0;
      all = all && (!counts || when <= r.published[w]);
    }
    if (all) return true;
  }
  return false;
}

bool Machine::check_read(const Access& a, const Cell& c, int64_t at,
                         int thread) {
  const Memory& memory = *objects_[a.object];
  const Name& name = kernel_.objects[a.object].name;
  Place here{a.statement, thread, a.object, at};
  if (c.written == kInFlight) {
    complain("in flight", here,
             "reads {}[{}], into which a copy of thread {} is still in flight",
             name, at, c.writer);
    return true;
  }
  bool mine = c.written > clocks_.begin;
  bool known = memory.shared ? mine : c.written != 0 || memory.defined;
  if (!known) {
    complain("uninitialised", here, "reads {}[{}], which nobody has written",
             name, at);
    return false;
  }
  int writer = c.writer % kAtomic;
  if (by_other_block(c.written)) {
    if (made_known(c.written, 1u << (writer / 32))) return true;
    complain("blocks", here,
             "reads {}[{}], which block {} wrote; no fence and counter make "
             "that known",
             name, at, block_of(c.written).second);
  } else if (mine && !clocks_.after_write(c, thread)) {
    complain("race", here,
             "reads {}[{}], which thread {} wrote; no barrier stands between",
             name, at, writer);
  }
  return true;
}

void Machine::check_write(const Access& a, const Cell& c, int64_t at,
                          int thread, bool atomic) {
  const Memory& memory = *objects_[a.object];
  const Name& name = kernel_.objects[a.object].name;
  Place here{a.statement, thread, a.object, at};
  if (c.written == kInFlight) {
    return complain(
        "in flight", here,
        "writes {}[{}], into which a copy of thread {} is still in flight",
        name, at, c.writer);
  }
  bool both_add = atomic && (c.writer & kAtomic) != 0;
  int writer = c.writer % kAtomic;
  if (!memory.shared && !both_add && by_other_block(c.written) &&
      !made_known(c.written, 1u << (writer / 32))) {
    complain("blocks", here, "writes {}[{}], which block {} writes too", name,
             at, block_of(c.written).second);
  } else if (!memory.shared && by_other_block(c.read) &&
             !made_known(c.read, c.readers)) {
    complain("blocks", here,
             "writes {}[{}], which block {} reads in the same launch", name, at,
             block_of(c.read).second);
  }
  if (c.written > clocks_.begin && !both_add &&
      !clocks_.after_write(c, thread)) {
    complain("race", here,
             "writes {}[{}], which thread {} wrote too; no barrier stands "
             "between",
             name, at, writer);
  } else if (c.read > clocks_.begin && !clocks_.after_reads(c, thread)) {
    complain("race", here,
             "writes {}[{}], which {} read; no barrier stands between", name,
             at,
             c.reader == kMany ? std::string("several threads")
                               : fmt::format("thread {}", c.reader));
  }
}

}  // namespace sextant::kernel
