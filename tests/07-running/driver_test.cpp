// The driver and the card, without either.
#include "chapters/07-running/device.h"
#include "tests/07-running/fake_driver.h"
#include "tests/07-running/support.h"

namespace sextant::running {
namespace {

using Catch::Matchers::Contains;

std::string opening(FakeDriver how) {
  fake = how;
  return message_of([] { Device device(fake_library()); });
}

TEST_CASE("no library is no driver", "[7.1]") {
  CHECK_FALSE(open_library({"libsextant-has-no-such.so", "/no/where.so"}));
  CHECK(open_library({"/no/where.so", "libc.so.6"}));
}

TEST_CASE("a driver that is too old says what it knows", "[7.1]") {
  FakeDriver how;
  how.version = 10020;
  CHECK(opening(how) ==
        "the NVIDIA driver is too old: it knows CUDA 10.2, 11.4 is needed");
  how.version = 13000;
  how.lacks = "cuGraphInstantiateWithFlags";
  CHECK(opening(how) ==
        "libcuda has no cuGraphInstantiateWithFlags: it is too old");
}

TEST_CASE("a driver that finds nothing says so", "[7.1]") {
  FakeDriver how;
  how.cards = 0;
  CHECK(opening(how) == "the NVIDIA driver finds no GPU");
}

TEST_CASE("a call that fails is named, with its code and the words", "[7.1]") {
  FakeDriver how;
  for (const char* name : {"cuInit", "cuDeviceGet", "cuCtxSetCurrent"}) {
    how.fails = name;
    CHECK(opening(how) == std::string(name) +
                              ": CUDA_ERROR_LAUNCH_FAILED (719, unspecified "
                              "launch failure)");
  }
}

TEST_CASE("the target is the card's own generation", "[7.1]") {
  Tables tables = all_tables();
  auto target = [&](int major, int minor) {
    fake = {};
    fake.major = major;
    fake.minor = minor;
    return Device(fake_library()).target(tables).name;
  };
  CHECK(target(9, 0) == "sm_90a");
  CHECK(target(8, 0) == "sm_80");
  CHECK(target(8, 7) == "sm_86");
  CHECK(target(8, 9) == "sm_89");
  CHECK(target(12, 0) == "sm_120");
  CHECK_THAT(message_of([&] { target(7, 5); }),
             Contains("Fake 1, of compute capability 7.5; there are sm_80"));
  CHECK_THAT(message_of([&] { target(10, 0); }), Contains("10.0"));
}

TEST_CASE("memory that is not there is told in numbers", "[7.1]") {
  fake = {};
  Device device(fake_library());
  CHECK(message_of([&] { device.allocate(int64_t{3} << 30, "the program"); }) ==
        "the program needs 3221.2 MB on Fake 1, where 1073.7 of 2147.5 are "
        "free");
}

TEST_CASE("what does not end is not waited for for ever", "[7.1]") {
  fake = {};
  Device device(fake_library());
  device.patience = 0.01;
  device.wait(nullptr, "nothing");
  CHECK(!device.lost());
  fake.stuck = true;
  CHECK(message_of([&] { device.wait(nullptr, "kernel k_x"); }) ==
        "kernel k_x has not ended after 0.01 seconds");
  CHECK(device.lost());
}

}  // namespace
}  // namespace sextant::running
