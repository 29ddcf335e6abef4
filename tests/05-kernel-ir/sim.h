// What the simulator's tests share: kernels from texts, with edits.
#pragma once

#include <catch2/catch.hpp>

#include "chapters/05-kernel-ir/simulator.h"
#include "chapters/05-kernel-ir/syntax.h"
#include "src/base/text.h"
#include "tests/golden.h"

namespace sextant::test {

/// A simulated run: what it left in the buffers, and what it found.
struct Run {
  Arrays arrays;
  kernel::Report report;
};

inline kernel::Program parse_kernel(const std::string& text) {
  return parse_program<kernel::Kernel>(text, "kernel", "text");
}

/// Runs a text on random inputs.
inline Run simulate_text(const std::string& text,
                         const kernel::SimOptions& options = {}) {
  Run run;
  kernel::SimOptions all = options;
  all.generate = true;
  run.report =
      kernel::simulate(all_tables(), parse_kernel(text), run.arrays, all);
  return run;
}

inline std::string machine_text(const std::string& name) {
  return read_golden("golden/machine/" + name + ".txt");
}
inline Run simulate_file(const std::string& name) {
  return simulate_text(machine_text(name));
}

/// The text with `what`, which must be there, replaced.
inline std::string edited(std::string text, const std::string& what,
                          const std::string& by) {
  std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  while (at != std::string::npos) {
    text.replace(at, what.size(), by);
    at = text.find(what, at + by.size());
  }
  return text;
}

/// All accesses of the first kernel to an object, summed.
inline kernel::AccessCount access_to(const kernel::Report& report,
                                     const Name& object) {
  kernel::AccessCount sum;
  for (const kernel::AccessCount& a : report.kernels.at(0).accesses) {
    if (a.object == object) sum += a;
  }
  return sum;
}

}  // namespace sextant::test
