#include "chapters/07-running/measure.h"

#include <algorithm>
#include <chrono>

namespace sextant::running {
namespace {

constexpr std::size_t kFlush = 256u << 20;

}  // namespace

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::sort(numbers.begin(), numbers.end());
  std::size_t half = numbers.size() / 2;
  if (numbers.size() % 2 == 1) return numbers[half];
  return (numbers[half - 1] + numbers[half]) / 2;
}

Meter::Meter(const Device& device) : device_(device) {
  device.driver().cuStreamCreate(&stream_, 1);
  flushed_ = device.allocate(kFlush, "flushing the caches");
}

Meter::~Meter() {
  if (device_.lost()) return;
  device_.release(flushed_);
  for (Opaque event : begins_)
    device_.driver().cuEventDestroy_v2.code(event);
  for (Opaque event : ends_)
    device_.driver().cuEventDestroy_v2.code(event);
  device_.driver().cuStreamDestroy_v2.code(stream_);
}

void Meter::sample(const std::function<void()>& work, std::size_t i) {
  const Driver& driver = device_.driver();
  while (begins_.size() <= i) {
    begins_.push_back(nullptr);
    driver.cuEventCreate(&begins_.back(), 0);
    ends_.push_back(nullptr);
    driver.cuEventCreate(&ends_.back(), 0);
  }
  driver.cuMemsetD8Async(flushed_, 0, kFlush, stream_);
  driver.cuEventRecord(begins_[i], stream_);
  work();
  driver.cuEventRecord(ends_[i], stream_);
}

double Meter::elapsed(std::size_t i) const {
  float milliseconds = 0;
  device_.driver().cuEventElapsedTime(&milliseconds, begins_[i], ends_[i]);
  return 1e3 * static_cast<double>(milliseconds);
}

double Meter::microseconds(const std::function<void()>& work,
                           double milliseconds) {
  using Clock = std::chrono::steady_clock;
  auto run = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; i++)
      sample(work, i);
    device_.wait(stream_, "a measurement");
  };
  run(1);  // what only the first one pays
  const auto begin = Clock::now();
  run(5);
  std::chrono::duration<double, std::milli> five = Clock::now() - begin;
  const double one = five.count() / 5;
  auto fit = [&](double wanted) {
    return static_cast<std::size_t>(std::clamp(wanted / one, 1.0, 2000.0));
  };
  run(fit(milliseconds / 6));
  const std::size_t samples = fit(milliseconds);
  run(samples);
  std::vector<double> times;
  for (std::size_t i = 0; i < samples; i++)
    times.push_back(elapsed(i));
  return median(times);
}

double Meter::copy_microseconds(int64_t bytes) {
  Address from = device_.allocate(2 * bytes, "a copy");
  Address to = from + static_cast<Address>(bytes);
  double us = microseconds([&] {
    device_.driver().cuMemcpyDtoDAsync_v2(
        to, from, static_cast<std::size_t>(bytes), stream_);
  });
  device_.release(from);
  return us;
}

}  // namespace sextant::running
