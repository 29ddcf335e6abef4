// One block at a time, all its threads in step: the state of a launch while it
// is simulated.
//
// Threads of a block that run in step are one case of what a GPU may do. That
// is enough, since no check rests on the order that was taken: a race is found
// by clocks, a copy arrives only when it is waited for, and what nobody filled
// is known by its shadow.
#pragma once

#include "chapters/05-kernel-ir/simulator/code.h"
#include "chapters/05-kernel-ir/simulator/mask.h"
#include "chapters/05-kernel-ir/simulator/memory.h"
#include "chapters/05-kernel-ir/simulator/report.h"

namespace sextant::kernel {

class Machine {
 public:
  struct Reader;
  struct Writer;

  /// `objects` has the memory of each of the kernel's objects; registers have
  /// none. Clocks go on from launch to launch.
  Machine(const Code& code, const Kernel& kernel, std::vector<Memory*> objects,
          Clocks& clocks, std::vector<Fault>& faults);
  void run_block(int64_t block);
  KernelCount take_counts();

  // --- what intrinsics do, for all active threads ----------------------------
  void start_copies(const Site& site, bool or_zero);
  void commit();
  void wait(const Site& site);
  void shuffle_xor(const Site& site);
  void atomic_add(const Site& site);
  void fence();
  void sync_warps(const Site& site);

 private:
  // An asynchronous copy of one thread that has not been waited for.
  struct Copy {
    const Site* site;
    int thread;
    int64_t group, to, from;
    uint64_t source;  // what the shadow of the source said
    unsigned char bytes[16];
  };
  // What blocks made known to the grid through one counter: for each of them,
  // up to which time of each of its warps.
  struct Release {
    uint32_t begin;  // which block: its first time
    uint32_t published[Clocks::kWarps];
  };
  // An access, its requests when they were last computed, and its counts.
  struct Cached {
    int64_t version = -1, mask = -1, phase = -1;
    Requests requests;
    Traffic count;
  };
  // Which threads have given each slot a value: all of them, or some.
  struct Given {
    std::vector<uint8_t> whole;
    std::vector<uint32_t> by;  // a bit a lane
  };
  // Where a fault is.
  struct Place {
    int statement, thread, object = -1;
    int64_t offset = 0;
  };

  // --- machine.cpp: control --------------------------------------------------
  void run(const std::vector<Instr>& code);
  int control(const Instr& i);
  void sync(const Instr& i);
  // Those of `from` that are kept become the active threads.
  template <class Keep>
  void push(const Mask& from, Keep&& keep) {
    if (depth_ + 1 == masks_.size()) masks_.resize(masks_.size() * 2);
    narrow(from, next_mask_++, masks_[depth_ + 1], keep);
    depth_++;
  }
  void push_mask(const Index& x, bool replace);
  void flip_mask();
  const Mask& mask() const { return masks_[depth_]; }
  const int64_t* lanes_of(const Index& x) const {
    return x.lane < 0 ? zeros_.data() : lanes_.data() + x.lane * stride_;
  }
  int64_t scalar_of(const Index& x) const {
    return x.constant + (x.uniform < 0 ? 0 : uniforms_[x.uniform]);
  }
  int64_t integer(const Index& x, int thread) const {
    return lanes_of(x)[thread] + scalar_of(x);
  }
  // Of the faults of a kind, by a statement, in an object, the first is told.
  Fault& fault(const char* kind, const Place& at);
  template <class... Args>
  void complain(const char* kind, const Place& at,
                fmt::format_string<Args...> what, Args&&... args) {
    Fault& f = fault(kind, at);
    if (f.times++ == 0) f.what = fmt::format(what, std::forward<Args>(args)...);
  }

  // --- lanes.cpp: arithmetic
  // ---------------------------------------------------
  void compute(const Instr& i);
  void integers(const Instr& i);
  int64_t combine(const Instr& i, int thread, int64_t a, int64_t b);
  void floats(const Instr& i);
  void converts(const Instr& i);
  void check_defined(const Instr& i);
  void check_slot(int slot, bool lane, int statement) {
    bool fine = slot < 0 || given_[lane].whole[slot] != 0;
    if (!fine) find_undefined(slot, lane, statement);
  }
  void find_undefined(int slot, bool lane, int statement);
  void define(int slot, bool lane);

  // --- accesses.cpp: loads and stores
  // ------------------------------------------
  void load(const Access& a);
  void store(const Access& a);
  const Requests& requests(const Access& a, const Mask& m, int64_t& shift);
  const Mask& admit(const Access& a);
  template <class Type, class F>
  void each_element(const Access& a, const Mask& m, F&& f);

  // --- checks.cpp: what the shadow of an element forbids
  // ------------------------
  bool check_read(const Access& a, const Cell& c, int64_t at, int thread);
  void check_write(const Access& a, const Cell& c, int64_t at, int thread,
                   bool atomic);
  bool by_other_block(uint32_t when) const {
    return when > launch_begin_ && when <= clocks_.begin;
  }
  bool made_known(uint32_t when, uint32_t warps) const;
  // The block whose time it was: its first time, its number.
  std::pair<uint32_t, int64_t> block_of(uint32_t when) const;

  // --- primitives.cpp --------------------------------------------------------
  void start_copy(const Site& site, int thread, bool zero);
  void deliver(const Copy& copy);
  uint64_t state_of_source(const Access& from, int64_t at, int64_t width);

  float* float_at(int slot) { return floats_.data() + slot * stride_; }
  int64_t* lane_at(int slot) { return lanes_.data() + slot * stride_; }
  Scalar get(int slot, bool lane, int thread) {
    if (lane) return {0, lane_at(slot)[thread]};
    return {float_at(slot)[thread], 0};
  }
  void set(int slot, bool lane, int thread, Scalar x) {
    if (lane) {
      lane_at(slot)[thread] = x.i;
    } else {
      float_at(slot)[thread] = static_cast<float>(x.f);
    }
  }

  const Code& code_;
  const Kernel& kernel_;
  std::vector<Memory*> objects_;
  Clocks& clocks_;
  std::vector<Fault>& faults_;
  std::map<std::tuple<const char*, int, int>, std::size_t> known_;

  std::size_t stride_ = 0;  // lanes of a slot
  std::vector<float> floats_;
  std::vector<int64_t> lanes_, uniforms_, versions_;
  std::vector<int64_t> zeros_;
  Given given_[2];  // of floats, of lanes
  std::size_t words_ = 1;

  std::vector<Mask> masks_;
  std::size_t depth_ = 0;
  int64_t next_mask_ = 1;
  Mask guarded_, admitted_, targets_, sources_;  // reused, not kept

  int64_t block_ = 0;
  uint32_t launch_begin_ = 1;  // what earlier launches did is done
  std::vector<std::pair<uint32_t, int64_t>> blocks_;  // first time, number
  int64_t turn_ = 0;  // statements that a thread has executed in this block
  std::vector<Cached> cached_;
  KernelCount counts_;

  std::vector<Copy> copies_;
  std::vector<int64_t> committed_;     // groups of each thread
  std::vector<int64_t> commit_turns_;  // when each group was closed
  std::vector<uint32_t> published_;
  std::map<std::pair<Memory*, int64_t>, std::vector<Release>> releases_;
  std::vector<Release> acquired_;
};

}  // namespace sextant::kernel
