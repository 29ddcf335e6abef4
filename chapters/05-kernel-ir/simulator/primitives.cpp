// What the rows of the intrinsic table do in the simulator.
#include <cstring>

#include "chapters/05-kernel-ir/simulator/check.h"

namespace sextant::kernel {

// --- asynchronous copies
// ---------------------------------------------------------
//
// A copy is checked as a read of its source and a write of its destination when
// it starts, and its bytes are put aside. They arrive as late as is legal: when
// the thread that started it waits. Until then the destination holds nothing,
// and to other threads it is written only then, so that they need a barrier
// after the wait.

void Machine::start_copies(const Site& site, bool or_zero) {
  const Access& to = code_.accesses[site.in[0].access];
  const Access& from = code_.accesses[site.in[1].access];
  // Bounds and alignment of both places, and the traffic.
  targets_ = admit(to);
  if (or_zero) {
    const Index& cond = site.in[3].index;
    counts_.statements[site.statement].guards += mask().count;
    push(targets_, [&](int t) { return integer(cond, t) != 0; });
  } else {
    push(targets_, [](int) { return true; });
  }
  sources_ = mask().count > 0 ? admit(from) : mask();
  depth_--;
  targets_.each([&](int t) { start_copy(site, t, !sources_.has(t)); });
}

void Machine::start_copy(const Site& site, int thread, bool zero) {
  const Access& to = code_.accesses[site.in[0].access];
  const Access& from = code_.accesses[site.in[1].access];
  Copy copy;
  copy.site = &site;
  copy.thread = thread;
  copy.group = committed_[thread];
  copy.to = integer(to.offset, thread);
  copy.from = zero ? -1 : integer(from.offset, thread);
  std::size_t bytes = static_cast<std::size_t>(to.width * size_of(to.dtype));
  std::memset(copy.bytes, 0, sizeof copy.bytes);
  copy.source = 0;
  if (!zero) {
    Memory& source = *objects_[from.object];
    Reader reader{*this, from};
    for (int64_t j = 0; !source.constant && j < from.width; j++)
      reader.read(source.cell(copy.from + j), copy.from + j, thread);
    copy.source = state_of_source(from, copy.from, from.width);
    std::memcpy(copy.bytes, source.at(copy.from), bytes);
  }
  Writer writer{*this, to};
  Cell* cells = &objects_[to.object]->cell(copy.to);
  for (int64_t j = 0; j < to.width; j++) {
    writer.write(cells[j], copy.to + j, thread);
    cells[j].written = kInFlight;
  }
  copies_.push_back(copy);
}

// A number that changes when somebody writes the elements.
uint64_t Machine::state_of_source(const Access& from, int64_t at,
                                  int64_t width) {
  Memory& memory = *objects_[from.object];
  uint64_t state = 0;
  for (int64_t j = 0; !memory.constant && j < width; j++) {
    const Cell& c = memory.cell(at + j);
    state =
        state * 0x9e3779b97f4a7c15u + (uint64_t{c.written} << 16) + c.writer;
  }
  return state;
}

void Machine::commit() {
  mask().each([&](int t) {
    std::size_t group = static_cast<std::size_t>(committed_[t]++);
    if (commit_turns_.size() <= group) commit_turns_.resize(group + 1, turn_);
  });
}

void Machine::wait(const Site& site) {
  int64_t open = scalar_of(site.in[0].index);
  std::size_t kept = 0;
  for (const Copy& copy : copies_) {
    bool done =
        mask().has(copy.thread) && copy.group < committed_[copy.thread] - open;
    if (done) {
      deliver(copy);
      counts_.copies++;
      counts_.distance += turn_ - commit_turns_[copy.group];
    } else {
      copies_[kept++] = copy;
    }
  }
  copies_.resize(kept);
}

void Machine::deliver(const Copy& copy) {
  const Access& to = code_.accesses[copy.site->in[0].access];
  const Access& from = code_.accesses[copy.site->in[1].access];
  Memory& memory = *objects_[to.object];
  std::size_t bytes = static_cast<std::size_t>(to.width * size_of(to.dtype));
  bool changed =
      copy.from >= 0 && !objects_[from.object]->constant &&
      (state_of_source(from, copy.from, from.width) != copy.source ||
       std::memcmp(objects_[from.object]->at(copy.from), copy.bytes, bytes));
  if (changed) {
    complain("in flight", {from.statement, copy.thread, from.object, copy.from},
             "copies from {}[{}], which changed while the copy was in flight",
             kernel_.objects[from.object].name, copy.from);
  }
  std::memcpy(memory.at(copy.to), copy.bytes, bytes);
  for (int64_t j = 0; j < to.width; j++)
    clocks_.note_write(memory.cell(copy.to + j), copy.thread);
}

// --- warps and the grid
// ------------------------------------------------------------

void Machine::shuffle_xor(const Site& site) {
  const SiteOperand& v = site.in[0];
  int distance = static_cast<int>(scalar_of(site.in[1].index));
  bool lane = !is_float(v.dtype);
  check_slot(v.slot, lane, site.statement);
  std::vector<Scalar> given(stride_);
  mask().each([&](int t) { given[t] = get(v.slot, lane, t); });
  mask().each([&](int t) {
    int from = t ^ distance;
    if (from >= code_.block || !mask().has(from)) {
      complain("shuffle", {site.statement, t},
               "takes a value from lane {} of its warp, which does not take "
               "part",
               from % 32);
      from = t;
    }
    if (site.out >= 0) set(site.out, lane, t, given[from]);
  });
  if (site.out >= 0) define(site.out, lane);
}

void Machine::atomic_add(const Site& site) {
  const Access& a = code_.accesses[site.in[0].access];
  const SiteOperand& v = site.in[1];
  Memory& memory = *objects_[a.object];
  bool lane = !is_float(v.dtype);
  check_slot(v.slot, lane, site.statement);
  Mask m = admit(a);
  m.each([&](int t) {
    int64_t at = integer(a.offset, t);
    Writer{*this, a, true}.write(memory.cell(at), at, t);
    std::vector<Release>& releases = releases_[{&memory, at}];
    for (const Release& r : releases) {
      if (r.begin != clocks_.begin) acquired_.push_back(r);
    }
    Release mine{clocks_.begin, {}};
    for (int w = 0; w < static_cast<int>(words_); w++) {
      uint32_t seen = w == t / 32 ? clocks_.now[w] : clocks_.seen[t / 32][w];
      mine.published[w] = std::min(published_[w], seen);
    }
    releases.push_back(mine);
    Scalar before = memory.get(at), more = get(v.slot, lane, t);
    write_element(a.dtype, memory.at(at),
                  {before.f + more.f, before.i + more.i});
    if (site.out >= 0) set(site.out, lane, t, before);
  });
  if (site.out >= 0) define(site.out, lane);
}

// A fence covers what its thread did and what it has seen of the block.
void Machine::fence() {
  for (int w = 0; w < static_cast<int>(words_); w++) {
    if (mask().warps[w] == 0) continue;
    for (int v = 0; v < static_cast<int>(words_); v++)
      published_[v] = std::max(published_[v], clocks_.seen[w][v]);
    published_[w] = clocks_.now[w]++;
  }
}

void Machine::sync_warps(const Site& site) {
  Mask all = full_mask(code_.block);
  for (std::size_t w = 0; w < words_; w++) {
    uint32_t here = mask().warps[w];
    if (here == 0) continue;
    if (here != all.warps[w]) {
      complain("barrier",
               {site.statement, static_cast<int>(w) * 32 + __builtin_ctz(here)},
               "waits for its warp, and {} lanes of it do not come",
               __builtin_popcount(all.warps[w] & ~here));
    }
    clocks_.sync_warp(static_cast<int>(w));
  }
}

}  // namespace sextant::kernel
