// The kernels of golden/machine, which the book's section on the machine runs.
#include <catch2/catch.hpp>

#include "tests/05-kernel-ir/sim.h"

namespace sextant::test {

TEST_CASE("machine hello: a number for every thread", "[machine]") {
  Run run = simulate_file("01_hello");
  CHECK(faults_text(run.report).empty());
  const Array& y = run.arrays.at("y");
  for (int64_t i = 0; i < 32; i++)
    CHECK(y.at(i).i == i % 8);
  CHECK(run.report.kernels[0].executed() == 64);
}

TEST_CASE("machine copy: a tail is masked", "[machine]") {
  Run run = simulate_file("02_copy");
  CHECK(faults_text(run.report).empty());
  CHECK(run.arrays.at("y").bytes() == run.arrays.at("x").bytes());
  const kernel::AccessCount& load = access_to(run.report, "x");
  CHECK(load.requests == 32);
  CHECK(load.sectors == 125);  // 1000 floats of 4 bytes, 32 a sector
}

TEST_CASE("machine stride: every lane pays for a sector", "[machine]") {
  Run run = simulate_file("03_stride");
  CHECK(faults_text(run.report).empty());
  CHECK(access_to(run.report, "x").sectors == 64 * 64);
  CHECK(access_to(run.report, "x").least_sectors == 64 * 64 / 8);
  CHECK(access_to(run.report, "y").sectors == 64 * 64 / 8);
}

TEST_CASE("machine reverse: a barrier orders", "[machine]") {
  Run run = simulate_file("04_reverse");
  CHECK(faults_text(run.report).empty());
  for (int64_t i = 0; i < 256; i++) {
    int64_t from = i / 64 * 64 + 63 - i % 64;
    CHECK(run.arrays.at("y").at(i).f == run.arrays.at("x").at(from).f);
  }
}

TEST_CASE("machine race: right values, and yet wrong", "[machine]") {
  Run good = simulate_file("04_reverse");
  Run run = simulate_file("05_race");
  CHECK(run.arrays.at("y").bytes() == good.arrays.at("y").bytes());
  REQUIRE(run.report.faults.size() == 1);
  CHECK(run.report.faults[0].kind == "race");
  CHECK(run.report.faults[0].object == "s");
}

}  // namespace sextant::test
