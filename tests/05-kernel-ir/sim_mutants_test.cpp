// One mutant for each thing that the simulator refuses: a kernel that is right
// is changed in one place, and the change must be seen.
#include <cmath>
#include <set>

#include "tests/05-kernel-ir/sim.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

// The kinds of fault that a run found, each once.
std::set<std::string> kinds(const Run& run) {
  std::set<std::string> out;
  for (const kernel::Fault& f : run.report.faults)
    out.insert(f.kind);
  count("refusals checked", static_cast<int64_t>(out.size()));
  return out;
}
using Kinds = std::set<std::string>;

// The largest difference between c and the product of a and b, in float64.
double product_error(const Arrays& arrays) {
  const Array &a = arrays.at("a"), &b = arrays.at("b"), &c = arrays.at("c");
  double worst = 0;
  for (int64_t i = 0; i < 256; i += 17) {
    for (int64_t j = 0; j < 256; j += 5) {
      double sum = 0;
      for (int64_t k = 0; k < 512; k++)
        sum += a.at(i * 512 + k).f * b.at(k * 256 + j).f;
      double error = std::abs(sum - c.at(i * 256 + j).f);
      worst = error <= worst ? worst : error;  // keeps a NaN
    }
  }
  return worst;
}

// The loop's last statements, which a mutant lacks one of.
const char* kLoopEnd = "    call wait(0)\n    Sync\n  for r";

}  // namespace

TEST_CASE("5.8 the tiled product is clean and right", "[5.8][machine]") {
  Run run = simulate_text(machine_text("matmul"));
  CHECK(faults_text(run.report).empty());
  CHECK(product_error(run.arrays) < 3e-4);
  CHECK(run.report.kernels[0].flops() == 2.0 * 256 * 256 * 512);
  CHECK(run.report.kernels[0].barriers == 33 * 4);
}

TEST_CASE("5.8 without a barrier the values are right", "[5.8][machine]") {
  std::string text =
      edited(machine_text("matmul"), kLoopEnd, "    call wait(0)\n  for r");
  Run run = simulate_text(text);
  CHECK(product_error(run.arrays) < 3e-4);  // lockstep hides it
  CHECK(kinds(run) == Kinds{"race"});
}

TEST_CASE("5.8 a wait removed: in flight, and wrong values", "[5.8][machine]") {
  std::string text =
      edited(machine_text("matmul"), kLoopEnd, "    Sync\n  for r");
  Run run = simulate_text(text);
  CHECK(!(product_error(run.arrays) < 1));
  CHECK(kinds(run).count("in flight") == 1);
}

TEST_CASE("5.8 a copy that nobody waits for", "[5.8][machine]") {
  std::string text = edited(machine_text("09_async"), "  store y",
                            "  call cp_async(s[tid], x[tid], 1)\n"
                            "  call commit()\n  store y");
  CHECK(kinds(simulate_text(text)) == Kinds{"exit"});
}

TEST_CASE("5.8 a group too many left open by the wait", "[5.8][machine]") {
  std::string text =
      edited(machine_text("09_async"), "    call wait(0)", "    call wait(1)");
  Kinds found = kinds(simulate_text(text));
  CHECK(found.count("in flight") == 1);
}

TEST_CASE("5.8 without a commit nothing is waited for", "[5.8][machine]") {
  std::string text =
      edited(machine_text("09_async"), "      call commit()\n", "");
  CHECK(kinds(simulate_text(text)).count("in flight") == 1);
}

TEST_CASE("5.8 a copy into the slot that is being read", "[5.8][machine]") {
  std::string text = edited(machine_text("09_async"), "s[(k + 1)%2*64 + tid]",
                            "s[k%2*64 + tid]");
  Kinds found = kinds(simulate_text(text));
  CHECK(found.count("in flight") == 1);
}

TEST_CASE("5.8 a slot refilled before all have read it", "[5.8]") {
  std::string good = R"(sextant kernel
buffer x: float32[2, 64] input
buffer y: float32[64] output
launch k

kernel k grid=1 block=64:
  Global x[2, 64] (float32)
  Global y[64] (float32)
  Smem s[64] (float32)
  sum = 0.0
  for k in 0..2:
    v = load x[k*64 + tid]
    store s[tid] = v
    Sync
    w = load s[63 - tid]
    sum = add(sum, w)
    Sync
  store y[tid] = sum
)";
  CHECK(kinds(simulate_text(good)).empty());
  std::string text =
      edited(good, "sum = add(sum, w)\n    Sync", "sum = add(sum, w)");
  Run run = simulate_text(text);
  CHECK(run.arrays.at("y").bytes() ==
        simulate_text(good).arrays.at("y").bytes());
  CHECK(kinds(run) == Kinds{"race"});
  CHECK(run.report.faults[0].statement == "store s[tid] = v");
}

TEST_CASE("5.8 the source changes while the copy is in flight", "[5.8]") {
  std::string good = R"(sextant kernel
buffer y: float32[64] output
buffer t: float32[64] temp
launch k

kernel k grid=1 block=64:
  Global y[64] (float32)
  Global t[64] (float32)
  Smem s[64] (float32)
  store t[tid] = 1.0
  call cp_async(s[tid], t[tid], 1)
  call commit()
  call wait(0)
  store t[tid] = 2.0
  w = load s[tid]
  store y[tid] = w
)";
  CHECK(kinds(simulate_text(good)).empty());
  std::string text = edited(good, "  call wait(0)\n  store t[tid] = 2.0\n",
                            "  store t[tid] = 2.0\n  call wait(0)\n");
  CHECK(kinds(simulate_text(text)) == Kinds{"in flight"});
}

TEST_CASE("5.8 a guard removed", "[5.8]") {
  std::string text =
      edited(machine_text("02_copy"), "if i < 1000:", "if i < 1001:");
  Run run = simulate_text(text);
  CHECK(kinds(run) == Kinds{"bounds"});
  CHECK(run.report.faults.size() == 2);  // the load and the store
  CHECK(run.report.faults[0].offset == 1000);
}

TEST_CASE("5.8 a guard on the access itself", "[5.8]") {
  std::string text = edited(
      machine_text("02_copy"),
      "  if i < 1000:\n    v = load x[i]\n    store y[i] = v\n",
      "  v = load x[i] if i < 1000 else 0.0\n  store y[i] = v if i < 1000\n");
  Run run = simulate_text(text);
  CHECK(kinds(run).empty());
  int64_t guards = 0;
  for (const auto& s : run.report.kernels[0].statements)
    guards += s.guards;
  CHECK(guards == 2 * 1024);
  Run mutant = simulate_text(edited(text, "= v if i < 1000", "= v"));
  CHECK(kinds(mutant) == Kinds{"bounds"});
}

TEST_CASE("5.8 a width that is not aligned", "[5.8]") {
  std::string good = R"(sextant kernel
buffer x: float32[260] input
buffer y: float32[256] output
launch k

kernel k grid=1 block=64:
  Global x[260] (float32)
  Global y[256] (float32)
  Registers r[4] (float32)
  n = 4
  r[0] = load x[tid*n] width=4
  store y[tid*4] = r[0] width=4
)";
  CHECK(kinds(simulate_text(good)).empty());
  // Which words a thread wants is data here, so that only a run can tell.
  std::string text =
      edited(good, "  n = 4\n  r[0] = load x[tid*n] width=4",
             "  f = load x[tid]\n  n = cast(less(f, 0.0), int64)\n"
             "  r[0] = load x[tid*4 + n] width=4");
  CHECK(kinds(simulate_text(text)) == Kinds{"alignment"});
}

TEST_CASE("5.8 two blocks write one element", "[5.8]") {
  std::string text =
      edited(machine_text("01_hello"), "i = bid*8 + tid", "i = bid*7 + tid");
  Run run = simulate_text(text);
  CHECK(kinds(run) == Kinds{"blocks", "unwritten"});
  CHECK(run.report.faults[0].what == "writes y[7], which block 0 writes too");
}

TEST_CASE("5.8 an output that nobody wrote", "[5.8]") {
  std::string text = edited(machine_text("01_hello"), "grid=4", "grid=3");
  Run run = simulate_text(text);
  CHECK(kinds(run) == Kinds{"unwritten"});
  CHECK(run.report.faults[0].times == 8);
}

TEST_CASE("5.8 shared memory that nobody filled", "[5.8][machine]") {
  std::string text = edited(machine_text("04_reverse"), "  store s[tid] = v\n",
                            "  store s[tid/2] = v if tid%2 == 0\n");
  Run run = simulate_text(text);
  CHECK(kinds(run) == Kinds{"uninitialised"});
  CHECK(std::isnan(run.arrays.at("y").at(0).f));
}

TEST_CASE("5.8 what an earlier block left in shared memory is nothing",
          "[5.8][machine]") {
  std::string text = edited(machine_text("04_reverse"), "  store s[tid] = v\n",
                            "  if bid == 0:\n    store s[tid] = v\n");
  Run run = simulate_text(text);
  CHECK(kinds(run) == Kinds{"uninitialised"});
  CHECK(run.report.faults[0].block == 1);
}

TEST_CASE("5.8 global memory that nobody wrote", "[5.8]") {
  std::string text = edited(machine_text("02_copy"), "x: float32[1000] input",
                            "x: float32[1000] temp");
  CHECK(kinds(simulate_text(text)) == Kinds{"uninitialised"});
}

TEST_CASE("5.8 a barrier that some threads do not reach", "[5.8][machine]") {
  CHECK(kinds(simulate_text(machine_text("08_divergent"))) == Kinds{"barrier"});
  // A condition on data that is the same for all threads is none.
  std::string text =
      edited(machine_text("08_divergent"), "if n < 50:", "if n < 100:");
  CHECK(kinds(simulate_text(text)).empty());
}

TEST_CASE("5.8 a register that has no value yet", "[5.8][machine]") {
  std::string text = edited(machine_text("matmul"), "for i in 0..64 unroll",
                            "for i in 0..63 unroll");
  Run run = simulate_text(text);
  CHECK(kinds(run) == Kinds{"undefined"});
  CHECK(run.report.faults[0].what ==
        "uses acc[63], which it has given no value");
}

TEST_CASE("5.8 a register that only some threads have given a value", "[5.8]") {
  std::string good = R"(sextant kernel
buffer y: float32[64] output
launch k

kernel k grid=1 block=64:
  Global y[64] (float32)
  Registers r[1] (float32)
  if tid < 40:
    r[0] = 1.0
  else:
    r[0] = 2.0
  store y[tid] = r[0]
)";
  CHECK(kinds(simulate_text(good)).empty());
  Run run = simulate_text(edited(good, "  else:\n    r[0] = 2.0\n", ""));
  CHECK(kinds(run) == Kinds{"undefined"});
  CHECK(run.report.faults[0].thread == 40);
}

TEST_CASE("5.8 a shuffle from a lane that is not there", "[5.8][machine]") {
  CHECK(kinds(simulate_text(machine_text("11_shuffle"))).empty());
  std::string text =
      edited(machine_text("11_shuffle"),
             "  other = call shfl_xor(sum, 1)\n  sum = add(sum, other)\n",
             "  if tid%32 < 31:\n    other = call shfl_xor(sum, 1)\n"
             "    sum = add(sum, other)\n");
  CHECK(kinds(simulate_text(text)) == Kinds{"shuffle"});
}

TEST_CASE("5.8 the ticket protocol, and a fence removed", "[5.8][machine]") {
  Run run = simulate_text(machine_text("12_ticket"));
  CHECK(kinds(run).empty());
  for (int64_t i = 0; i < 64; i++) {
    float sum = 0;
    for (int64_t b = 0; b < 8; b++) {
      float x = static_cast<float>(run.arrays.at("x").at(b * 64 + i).f);
      sum += x * x;
    }
    CHECK(run.arrays.at("y").at(i).f == sum);
  }
  std::string fenceless =
      edited(machine_text("12_ticket"), "  call fence()\n", "");
  CHECK(kinds(simulate_text(fenceless)) == Kinds{"blocks"});
}

TEST_CASE("5.8 a fence by the thread that takes the ticket will do",
          "[5.8][machine]") {
  std::string text = edited(machine_text("12_ticket"), "  call fence()\n", "");
  text = edited(text, "  if tid == 0:\n    ticket",
                "  if tid == 0:\n    call fence()\n    ticket");
  CHECK(kinds(simulate_text(text)).empty());
  // But not without the barrier before it: it has not seen the other warp.
  text = edited(text, "multiply(v, v)\n  Sync\n", "multiply(v, v)\n");
  CHECK(kinds(simulate_text(text)) == Kinds{"blocks"});
}

TEST_CASE("5.8 a counter that is not atomic", "[5.8][machine]") {
  std::string text = edited(machine_text("12_ticket"),
                            "    ticket = call atomic_add(counter[0], 1)\n",
                            "    ticket = load counter[0]\n"
                            "    store counter[0] = ticket + 1\n");
  CHECK(kinds(simulate_text(text)).count("blocks") == 1);
}

TEST_CASE("5.8 workspace that is not zero again", "[5.8][machine]") {
  std::string text =
      edited(machine_text("12_ticket"),
             "    if tid == 0:\n      store counter[0] = 0\n", "");
  CHECK(kinds(simulate_text(text)) == Kinds{"workspace"});
}

TEST_CASE("5.8 a block reads what another writes in the launch", "[5.8]") {
  std::string text = R"(sextant kernel
buffer t: float32[128] temp
buffer y: float32[128] output
launch k

kernel k grid=2 block=64:
  Global t[128] (float32)
  Global y[128] (float32)
  store t[bid*64 + tid] = 1.0
  Sync
  v = load t[tid]
  store y[bid*64 + tid] = v
)";
  CHECK(kinds(simulate_text(text)) == Kinds{"blocks"});
  // The same in two launches is fine.
  std::string two = edited(text, "  Sync\n  v = load", R"(
kernel k2 grid=2 block=64:
  Global t[128] (float32)
  Global y[128] (float32)
  v = load)");
  two = edited(two, "launch k\n", "launch k\nlaunch k2\n");
  two = edited(two,
               "block=64:\n  Global t[128] (float32)\n  Global y[128] "
               "(float32)\n  store",
               "block=64:\n  Global t[128] (float32)\n  store");
  CHECK(kinds(simulate_text(two)).empty());
  // And a write of what an earlier block has read is no better.
  std::string after = edited(text, "store t[bid*64 + tid] = 1.0",
                             "store t[bid*64 + tid] = 1.0 if bid == 0");
  after =
      edited(after, "  store y[bid*64 + tid] = v\n",
             "  store y[bid*64 + tid] = v\n  store t[tid] = 0.0 if bid == 1\n");
  CHECK(kinds(simulate_text(after)) == Kinds{"blocks"});
}

TEST_CASE("5.8 a race in global memory", "[5.8]") {
  std::string text = R"(sextant kernel
buffer t: float32[64] temp
buffer y: float32[64] output
launch k

kernel k grid=1 block=64:
  Global t[64] (float32)
  Global y[64] (float32)
  store t[tid] = 1.0
  Sync
  v = load t[63 - tid]
  store y[tid] = v
)";
  CHECK(kinds(simulate_text(text)).empty());
  CHECK(kinds(simulate_text(edited(text, "  Sync\n", ""))) == Kinds{"race"});
}

TEST_CASE("5.8 two threads write one value into one element",
          "[5.8][machine]") {
  std::string text =
      edited(machine_text("04_reverse"), "store s[tid] = v",
             "store s[tid/2] = 1.0\n  store s[32 + tid/2] = 1.0");
  CHECK(kinds(simulate_text(text)) == Kinds{"race"});
}

TEST_CASE("5.8 a warp's barrier orders its lanes and no others",
          "[5.8][machine]") {
  std::string within =
      edited(machine_text("04_reverse"), "  Sync\n", "  call sync_warp()\n");
  CHECK(kinds(simulate_text(within)) == Kinds{"race"});
  std::string text = edited(within, "63 - tid", "tid/32*32 + 31 - tid%32");
  CHECK(kinds(simulate_text(text)).empty());
  CHECK(kinds(simulate_text(edited(text, "  call sync_warp()\n", ""))) ==
        Kinds{"race"});
  std::string partial = edited(text, "  call sync_warp()\n",
                               "  if v < 0.0:\n    call sync_warp()\n");
  partial = edited(partial, "if v < 0.0", "c = less(v, 0.0)\n  if c");
  CHECK(kinds(simulate_text(partial)).count("barrier") == 1);
}

TEST_CASE("5.8 division by zero", "[5.8][machine]") {
  std::string text = edited(
      machine_text("08_divergent"),
      "  if n < 50:\n    Sync\n    n = load s[63 - tid]\n", "  n = 7/(n/50)\n");
  CHECK(kinds(simulate_text(text)) == Kinds{"division"});
}

TEST_CASE("5.8 zeros where a copy has no source", "[5.8]") {
  std::string text = R"(sextant kernel
buffer x: float32[40] input
buffer y: float32[64] output
launch k

kernel k grid=1 block=64:
  Global x[40] (float32)
  Global y[64] (float32)
  Smem s[64] (float32)
  call cp_async_zfill(s[tid], x[tid], 1, tid < 40)
  call commit()
  call wait(0)
  w = load s[tid]
  store y[tid] = w
)";
  Run run = simulate_text(text);
  CHECK(kinds(run).empty());
  for (int64_t i = 0; i < 64; i++)
    CHECK(run.arrays.at("y").at(i).f ==
          (i < 40 ? run.arrays.at("x").at(i).f : 0));
  CHECK(kinds(simulate_text(edited(text, "tid < 40", "tid < 41"))) ==
        Kinds{"bounds"});
}

}  // namespace sextant::test
