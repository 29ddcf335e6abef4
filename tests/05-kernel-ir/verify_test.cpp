// What the verifier refuses, each by an edit of a kernel that is legal.
#include "chapters/05-kernel-ir/verify.h"

#include "tests/05-kernel-ir/sim.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

const char* kLegal = R"(sextant kernel sm_90a
symbol n in 1..64 hint=8
buffer x: float32[n, 64] input
buffer h: float16[64] input
buffer y: float32[n, 64] output
launch k

kernel k grid=n block=64:
  Global x[n, 64] (float32)
  Global h[64] (float16)
  Global y[n, 64] (float32)
  Smem s[2, 64] (float32) align=16
  Registers r[8] (float32)
  q = load h[tid]
  for i in 0..2 unroll:
    r[i*4] = load x[bid*64 + tid%8*8 + i*4] width=4
  Sync
  call cp_async(s[tid*2], x[bid*64], 2) 
  call commit()
  call wait(0)
  for f in tid..64 step 64:
    v = load s[f] if f < 64 else 0.0
    w = call shfl_xor(v, 1)
    store y[bid*64 + f] = add(w, r[0])
)";

// What is said of the legal kernel with `what` replaced.
std::string refusal(const std::string& what, const std::string& by) {
  try {
    verify(all_tables(), parse_kernel(edited(kLegal, what, by)));
  } catch (const Error& e) {
    count("refusals checked");
    std::string all;
    for (const Diagnostic& d : e.diagnostics())
      all += d.message + "\n";
    return all;
  }
  return "nothing";
}

void refuses(const std::string& what, const std::string& by,
             const std::string& words) {
  std::string said = refusal(what, by);
  INFO(what << " -> " << by);
  CHECK_THAT(said, Catch::Contains(words));
}

}  // namespace

TEST_CASE("5.8 the verifier takes what is legal", "[5.8]") {
  CHECK(refusal("bid*64", "bid*64") == "nothing");
  for (const char* name : {"01_hello", "05_race", "12_ticket", "matmul"})
    CHECK_NOTHROW(verify(all_tables(), parse_kernel(machine_text(name))));
}

TEST_CASE("5.8 the verifier refuses names, types and places", "[5.8]") {
  refuses("add(w, r[0])", "add(u, r[0])", "'u' has no value here");
  refuses("add(w, r[0])", "add(w, s[0])", "'s' has no cells in registers");
  refuses("add(w, r[0])", "add(w, s)", "a load reads it");
  refuses("add(w, r[0])", "add(w, q)", "mixes float32 and float16");
  refuses("add(w, r[0])", "tid", "y holds float32, not int64");
  refuses("load h[tid]", "load g[tid]", "no object is named g");
  refuses("load h[tid]", "load r[tid]", "which have names, not places");
  refuses("load s[f] if f < 64 else 0.0", "load s[f] if f < 64",
          "come together");
  refuses("else 0.0", "else 0", "`else` is int64");
  refuses("s[f] if", "s[v] if", "'v' has no value here");
  refuses("tid%8*8 + i*4] width", "q] width",
          "counts with 'q', which is float16");
  refuses("Smem s[2, 64]", "Smem x[2, 64]", "two things are named x");
  refuses("v = load s[f]", "f = load s[f]", "'f' cannot be assigned");
  refuses("for f in tid..64 step 64:", "for tid in 0..64:",
          "'tid' has a meaning already");
  refuses("store y[", "store x[", "is an input");
  refuses("Smem s[2, 64]", "Smem s[n, 64]", "needs constant extents");
}

TEST_CASE("5.8 the verifier refuses registers that have no number", "[5.8]") {
  refuses("r[i*4] = load", "r[i*8] = load", "cell 11 of r, which has 8");
  refuses("add(w, r[0])", "add(w, r[8])", "cell 8 of r, which has 8");
  refuses("add(w, r[0])", "add(w, r[f])", "'f' is none");
  refuses("for i in 0..2 unroll", "for i in 0..2", "'i' is none");
  refuses("for i in 0..2 unroll", "for i in 0..n unroll",
          "an unrolled loop has constant bounds");
  refuses("add(w, r[0])", "add(w, r[0, 1])", "needs one number");
}

TEST_CASE("5.8 the verifier refuses widths and alignments", "[5.8]") {
  refuses("width=4", "width=3", "wanted 1, 2, 4 or 8");
  refuses("width=4", "width=8", "are 32 bytes");
  refuses("tid%8*8 + i*4]", "tid%8*8 + i*4 + 2]", "2 more than a multiple");
  refuses("v = load s[f] if f < 64 else 0.0",
          "v = load s[f]\n    r[0] = load s[0] width=4\n    r[1] = load s[0]",
          "nothing");
  refuses(" align=16", "", "nothing");
  refuses("(float32) align=16", "(float32) align=6", "power of two");
}

TEST_CASE("5.8 the verifier refuses vectors of loose objects", "[5.8]") {
  std::string loose = edited(kLegal, " align=16", "");
  loose = edited(loose, "v = load s[f] if f < 64 else 0.0",
                 "v = load s[f]\n    r[0] = load s[0] width=4");
  CHECK_THROWS_WITH(verify(all_tables(), parse_kernel(loose)),
                    Catch::Contains("s is aligned to 4 bytes"));
}

TEST_CASE("5.8 the verifier refuses barriers that not all reach", "[5.8]") {
  refuses("  Sync\n", "  if tid < 32:\n    Sync\n", "depends on tid");
  refuses("  Sync\n", "  t = tid/8\n  if t == 0:\n    Sync\n",
          "depends on tid");
  refuses("    v = load", "    Sync\n    v = load", "depends on tid");
  refuses("  Sync\n", "  Sync barrier=3\n", "there is no barrier 3");
  refuses("  Sync\n", "  if bid == 0:\n    Sync\n", "nothing");
}

TEST_CASE("5.8 the verifier refuses calls", "[5.8]") {
  refuses("call commit()", "call comit()", "no intrinsic is named comit");
  refuses("call commit()", "call commit(1)", "takes 0 operands, not 1");
  refuses("call wait(0)", "call wait(tid)", "operand 1 of wait is a constant");
  refuses("call commit()", "z = call commit()", "commit has no result");
  refuses("cp_async(s[tid*2], x[bid*64], 2)", "cp_async(x[0], s[tid*2], 2)",
          "a place in shared memory");
  refuses("cp_async(s[tid*2], x[bid*64], 2)",
          "cp_async(s[tid*2], x[bid*64], 3)", "copies 12 bytes");
  refuses("cp_async(s[tid*2], x[bid*64], 2)", "cp_async(s[tid*2], h[0], 2)",
          "copies float16 into float32");
  refuses("shfl_xor(v, 1)", "shfl_xor(v, 32)", "the mask is 32");
}

TEST_CASE("5.8 the verifier refuses shapes and loops", "[5.8]") {
  refuses("block=64", "block=2048", "1 to 1024 threads");
  refuses("Smem s[2, 64]", "Smem s[1024, 64]", "bytes of shared memory");
  refuses("step 64", "step n - 1", "may not be positive");
  refuses("step 64", "step tid + 1", "differs between threads");
  refuses("tid..64 step 64:\n", "tid..m step 64:\n    m = 3\n",
          "'m' has no value here");
  refuses("  for f in tid..64 step 64:\n",
          "  m = 64\n  for f in tid..m step 64:\n    m = 3\n",
          "the loop assigns 'm'");
  refuses("Global h[64]", "Global h[65]", "h has 64 elements");
  refuses("h: float16[64]", "h: float32[64]", "h is float32");
  refuses("launch k\n", "launch kk\n", "no such kernel");
  refuses("f < 64 else", "f/0 < 64 else", "division by zero");
}

}  // namespace sextant::test
