// Control: which instruction is next, and for which threads.
#include "chapters/05-kernel-ir/simulator/machine.h"

#include <limits>

#include "chapters/05-kernel-ir/verify.h"

namespace sextant::kernel {

Machine::Machine(const Code& code, const Kernel& kernel,
                 std::vector<Memory*> objects, Clocks& clocks,
                 std::vector<Fault>& faults)
    : code_(code),
      kernel_(kernel),
      objects_(std::move(objects)),
      clocks_(clocks),
      faults_(faults),
      launch_begin_(clocks.last()) {
  stride_ = static_cast<std::size_t>((code.block + 31) / 32 * 32);
  words_ = stride_ / 32;
  floats_.assign(code.floats.size() * stride_,
                 std::numeric_limits<float>::quiet_NaN());
  lanes_.assign(code.lanes.size() * stride_, 0);
  zeros_.assign(stride_, 0);
  versions_.assign(code.lanes.size(), 0);
  uniforms_.assign(static_cast<std::size_t>(code.uniforms), 0);
  for (const auto& [slot, value] : code.constants)
    std::fill_n(float_at(slot), stride_, value);
  for (int t = 0; t < code.block; t++)
    lane_at(kTid)[t] = t;
  cached_.resize(code.accesses.size());
  masks_.resize(64);
  masks_[0] = full_mask(code.block);
  counts_.kernel = kernel.name;
  counts_.grid = code.grid;
  counts_.block = code.block;
  counts_.shared_bytes = shared_bytes(kernel);
  for (const Statement& s : code.statements)
    counts_.statements.push_back({s.text});
  given_[0].whole.assign(code.floats.size(), 1);
  given_[1].whole.assign(code.lanes.size(), 1);
  run(code.once);
}

void Machine::run_block(int64_t block) {
  uniforms_[kBid] = block_ = block;
  clocks_.start_block(static_cast<int>(words_));
  blocks_.push_back({clocks_.begin, block});
  // Named slots hold nothing yet.
  for (bool lane : {false, true}) {
    const std::vector<std::string>& names = lane ? code_.lanes : code_.floats;
    for (std::size_t i = 0; i < names.size(); i++)
      given_[lane].whole[i] = names[i].empty();
    given_[lane].by.assign(names.size() * words_, 0);
  }
  turn_ = 0;
  copies_.clear();
  committed_.assign(stride_, 0);
  commit_turns_.clear();
  published_.assign(Clocks::kWarps, 0);
  acquired_.clear();
  run(code_.body);
  counts_.blocks_run++;
  for (const Copy& c : copies_) {
    const Access& to = code_.accesses[c.site->in[0].access];
    complain("exit", {c.site->statement, c.thread, to.object, c.to},
             "ends while its copy into {}[{}] is still in flight",
             kernel_.objects[to.object].name, c.to);
    for (int64_t j = 0; j < to.width; j++)
      objects_[to.object]->cell(c.to + j) = {};
  }
}

KernelCount Machine::take_counts() {
  for (std::size_t i = 0; i < code_.statements.size(); i++)
    counts_.statements[i].flops =
        code_.statements[i].flops *
        static_cast<double>(counts_.statements[i].executed);
  // Unrolled copies of a statement count as one.
  std::map<std::pair<int, int>, AccessCount> sums;
  for (const Access& a : code_.accesses) {
    AccessCount& to = sums[{a.statement, a.object}];
    to.statement = a.statement;
    to.object = kernel_.objects[a.object].name;
    to.shared = kernel_.objects[a.object].space == Space::Smem;
    to.writes = a.writes;
    to += cached_[a.number].count;
  }
  for (const auto& [key, count] : sums)
    counts_.accesses.push_back(count);
  return counts_;
}

Fault& Machine::fault(const char* kind, const Place& at) {
  auto [found, fresh] = known_.emplace(
      std::make_tuple(kind, at.statement, at.object), faults_.size());
  if (fresh) {
    Fault& first = faults_.emplace_back();
    first.kind = kind;
    first.kernel = kernel_.name;
    first.offset = at.offset;
    first.block = block_;
    first.thread = at.thread;
    if (at.statement >= 0)
      first.statement = code_.statements[at.statement].text;
    if (at.object >= 0) first.object = kernel_.objects[at.object].name;
  }
  return faults_[found->second];
}

// --- masks
// ---------------------------------------------------------------------

void Machine::push_mask(const Index& x, bool replace) {
  const int64_t* lane = lanes_of(x);
  int64_t scalar = scalar_of(x);
  auto keep = [&](int t) { return lane[t] + scalar != 0; };
  if (replace) {
    narrow(mask(), next_mask_++, admitted_, keep);
    std::swap(masks_[depth_], admitted_);
    return;
  }
  Mask from = mask();
  push(from, keep);
}

void Machine::flip_mask() {
  const Mask& taken = mask();
  narrow(masks_[depth_ - 1], next_mask_++, admitted_,
         [&](int t) { return !taken.has(t); });
  std::swap(masks_[depth_], admitted_);
}

// --- execution
// -------------------------------------------------------------------

void Machine::run(const std::vector<Instr>& code) {
  std::size_t at = 0;
  while (at < code.size()) {
    const Instr& i = code[at];
    if (i.counts) {
      counts_.statements[i.statement].executed += mask().count;
      turn_++;
    }
    if (i.op < Op::Count) {
      at += static_cast<std::size_t>(control(i));
      continue;
    }
    switch (i.op) {
      case Op::Count: break;
      case Op::Sync: sync(i); break;
      case Op::Intrinsic:
        code_.sites[i.extra].row->simulate(*this, code_.sites[i.extra]);
        break;
      case Op::Load: load(code_.accesses[i.extra]); break;
      case Op::Store: store(code_.accesses[i.extra]); break;
      default: compute(i);
    }
    at++;
  }
}

// How far to go from a control instruction.
int Machine::control(const Instr& i) {
  int jump = i.extra;
  switch (i.op) {
    case Op::Jump: return jump;
    case Op::JumpUnless: return scalar_of(i.x) == 0 ? jump : 1;
    case Op::PushMask:
    case Op::NarrowMask:
      check_slot(i.x.lane, true, i.statement);
      push_mask(i.x, i.op == Op::NarrowMask);
      return mask().count == 0 ? jump : 1;
    case Op::FlipMask: flip_mask(); return mask().count == 0 ? jump : 1;
    case Op::PopMask: depth_--; return 1;
    default: break;
  }
  INVARIANT(false, "no control instruction");
  return 1;
}

void Machine::sync(const Instr& i) {
  counts_.barriers++;
  const Mask& m = mask();
  if (m.count < code_.block) {
    int absent = 0;
    while (m.has(absent))
      absent++;
    complain("barrier", {i.statement, m.spans[0].begin},
             "waits at a barrier that thread {} does not reach: {} of {} "
             "threads are here",
             absent, m.count, code_.block);
  }
  clocks_.sync();
}

}  // namespace sextant::kernel
