// Counts: bank conflicts, sectors, overlap, and the table that shows them.
#include <ctime>

#include "tests/05-kernel-ir/sim.h"

namespace sextant::test {

TEST_CASE("5.9 the seed's rows, 64 apart and 66 apart", "[5.9][machine]") {
  Run run = simulate_file("06_banks");
  CHECK(faults_text(run.report).empty());
  // Of a warp's threads, those of four rows want four words of one bank.
  CHECK(access_to(run.report, "rows").wavefronts == 16 + 4 * 128);
  CHECK(access_to(run.report, "rows").least_wavefronts == 16 + 128);
  Run padded = simulate_file("07_padded");
  CHECK(faults_text(padded.report).empty());
  CHECK(access_to(padded.report, "rows").wavefronts == 16 + 128);
  CHECK(padded.arrays.at("y").bytes() == run.arrays.at("y").bytes());
}

TEST_CASE("5.9 a pad removed: the same values, 32 times the wavefronts",
          "[5.9][machine]") {
  Run good = simulate_file("transpose_padded");
  Run run = simulate_file("transpose");
  CHECK(faults_text(good.report).empty());
  CHECK(faults_text(run.report).empty());
  CHECK(good.arrays.at("y").bytes() == run.arrays.at("y").bytes());
  CHECK(access_to(good.report, "tile").wavefronts == 2 * 8192);
  CHECK(access_to(run.report, "tile").wavefronts == 8192 + 32 * 8192);
  for (const char* buffer : {"x", "y"}) {
    CHECK(access_to(run.report, buffer).sectors ==
          access_to(run.report, buffer).least_sectors);
  }
}

TEST_CASE("5.9 wide accesses of shared memory", "[5.9][machine]") {
  Run run = simulate_file("matmul");
  // A quarter of a warp at a time, unless neighbouring lanes want the same.
  const kernel::KernelCount& k = run.report.kernels[0];
  for (const kernel::AccessCount& a : k.accesses) {
    if (k.statements[a.statement].text.find("in0") == 0)
      CHECK(a.wavefronts == 2 * a.requests);
    if (k.statements[a.statement].text.find("in1") == 0)
      CHECK(a.wavefronts == 4 * a.requests);
  }
}

TEST_CASE("5.9 how far a copy runs ahead", "[5.9][machine]") {
  Run run = simulate_file("matmul");
  const kernel::KernelCount& k = run.report.kernels[0];
  CHECK(k.copies == 32 * 10 * 1024);
  // 31 of 32 are in flight over 16 steps of 64 multiplications and 4 loads.
  CHECK(static_cast<double>(k.distance) / static_cast<double>(k.copies) ==
        Approx((31 * (16 * 68 + 1) + 1) / 32.0));
}

TEST_CASE("5.9 halves: bytes and banks", "[5.9]") {
  Run run = simulate_text(R"(sextant kernel
buffer x: bfloat16[512] input
buffer y: bfloat16[512] output
launch k

kernel k grid=1 block=64:
  Global x[512] (bfloat16)
  Global y[512] (bfloat16)
  Smem s[512] (bfloat16) align=16
  Registers r[8] (bfloat16)
  Registers q[2] (bfloat16)
  r[0] = load x[tid*8] width=8
  store s[tid*8] = r[0] width=8
  Sync
  for i in 0..4 unroll:
    q[0] = load s[i*128 + tid*2] width=2
    for j in 0..2 unroll:
      q[j] = cast(multiply(cast(q[j], float32), 3.0), bfloat16)
    store y[i*128 + tid*2] = q[0] width=2
)");
  CHECK(faults_text(run.report).empty());
  CHECK(access_to(run.report, "x").bytes == 1024);
  CHECK(access_to(run.report, "x").sectors == 32);
  CHECK(access_to(run.report, "s").wavefronts == 2 * 4 + 8);
  for (int64_t i = 0; i < 512; i++) {
    double x = run.arrays.at("x").at(i).f;
    CHECK(run.arrays.at("y").at(i).f == round_to(DType::BFloat16, x * 3));
  }
}

TEST_CASE("5.9 some blocks of a launch too large to hold", "[5.9]") {
  std::string text = edited(machine_text("02_copy"), "1000", "100000000000");
  text = edited(text, "grid=4", "grid=390625000");
  kernel::SimOptions options;
  options.blocks = kernel::parse_blocks("first,last,random:3");
  options.seed = 7;
  Run run = simulate_text(text, options);
  CHECK(faults_text(run.report).empty());
  CHECK(run.report.kernels[0].blocks_run == 5);
  const kernel::Written& y = run.report.written.at("y");
  REQUIRE(y.offsets.size() == 5 * 256);
  for (std::size_t i = 0; i < y.offsets.size(); i += 37) {
    Scalar x = random_element(DType::Float32, 7, "x", y.offsets[i]);
    CHECK(y.values[i].f == x.f);
  }
  CHECK_THROWS_AS(kernel::parse_blocks("first,second"), Error);
}

TEST_CASE("5.9 an output in the place of an input", "[5.9]") {
  std::string text = edited(machine_text("02_copy"), "y: float32[1000] output",
                            "y: float32[1000] output alias=x");
  text = edited(text, "store y[i] = v", "store y[i] = multiply(v, 2.0)");
  Run run = simulate_text(text);
  CHECK(faults_text(run.report).empty());
  for (int64_t i = 0; i < 1000; i++) {
    double x = random_element(DType::Float32, 0, "x", i).f;
    CHECK(run.arrays.at("x").at(i).f == 2 * x);
  }
  // A thread that reads its neighbour's element is too early or too late.
  Run mutant =
      simulate_text(edited(text, "v = load x[i]", "v = load x[999 - i]"));
  CHECK_FALSE(mutant.report.clean());
}

TEST_CASE("5.9 a symbol is given when the program runs", "[5.9]") {
  std::string text = R"(sextant kernel
symbol n in 1..4096 hint=512
buffer x: float32[n, 64] input
buffer y: float32[n, 64] output
launch k

kernel k grid=(n + 3)/4 block=64:
  Global x[n, 64] (float32)
  Global y[n, 64] (float32)
  for r in 0..4:
    if bid*4 + r < n:
      v = load x[(bid*4 + r)*64 + tid]
      store y[(bid*4 + r)*64 + tid] = v
)";
  for (int64_t n : {1, 7, 64}) {
    kernel::SimOptions options;
    options.symbols["n"] = n;
    Run run = simulate_text(text, options);
    CHECK(faults_text(run.report).empty());
    CHECK(run.arrays.at("y").bytes() == run.arrays.at("x").bytes());
  }
  CHECK_THROWS_AS(simulate_text(text), Error);
  kernel::SimOptions options;
  options.symbols["n"] = 4097;
  CHECK_THROWS_AS(simulate_text(text, options), Error);
}

TEST_CASE("5.9 the table of counts fits 80 columns", "[5.9][machine]") {
  for (const char* name : {"matmul", "transpose", "06_banks"}) {
    Run run = simulate_file(name);
    std::string table = profile_text(run.report);
    expect_golden(fmt::format("golden/machine/{}.profile.txt", name), table);
    for (const std::string& line : split(table, '\n'))
      CHECK(line.size() <= 80);
  }
}

TEST_CASE("thread-statements a second", "[.speed]") {
  for (const char* name : {"matmul", "transpose_padded"}) {
    kernel::Program program = parse_kernel(machine_text(name));
    Run run;
    kernel::SimOptions options;
    options.generate = true;
    simulate(all_tables(), program, run.arrays, options);  // makes the inputs
    std::clock_t start = std::clock();
    run.report = simulate(all_tables(), program, run.arrays, options);
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    double statements = static_cast<double>(run.report.kernels[0].executed());
    WARN(name << ": " << statements / seconds / 1e6
              << " million thread-statements a second");
  }
}

}  // namespace sextant::test
