// What a kernel costs on a target, estimated from its loops alone.
#pragma once

#include "chapters/03-loop-ir/roles.h"
#include "chapters/03-loop-ir/target.h"

namespace sextant::loop {

/// What something takes: instructions, and bytes out of the L2 cache where a
/// tile loads what others load too.
struct Work {
  double alu = 0, sfu = 0, l2 = 0;
  void add(const Work& w, double times) {
    alu += w.alu * times;
    sfu += w.sfu * times;
    l2 += w.l2 * times;
  }
};

/// Counts for the whole kernel, and the microseconds that follow from them.
struct Price : Work {
  double us = 0;
  double bytes = 0;  // from and to device memory
  double fma = 0;
  double blocks = 1;  // that can run side by side
  Name bound;         // which term is the largest: "memory", "L2", ...
};

/// The price of a kernel in its role:
///
///   launch + max(memory, max(l2/l2_bandwidth, fma/FMA + alu/ALU, sfu/SFU)
///                          * multiprocessors/busy)
///
/// where memory is the norm of order 4 (nearly the larger) of bytes/bandwidth
/// and bytes/(busy*one_bandwidth), and `busy` multiprocessors are at work: all,
/// unless there are too few blocks.
/// A symbolic extent counts as its symbol's hint. What has no role has no
/// price.
Price price(const Program& program, const Kernel& kernel,
            const KernelRole& role, const Tables& tables, const Target& target);

}  // namespace sextant::loop
