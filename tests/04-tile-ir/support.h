// What the tests of chapter 4 share: Loop IR programs, random inputs, and
// comparing arrays within the error of sums in another order.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "chapters/03-loop-ir/interp.h"
#include "chapters/03-loop-ir/syntax.h"
#include "chapters/03-loop-ir/verify.h"
#include "chapters/04-tile-ir/interp.h"
#include "chapters/04-tile-ir/lower.h"
#include "chapters/04-tile-ir/syntax.h"
#include "src/base/array.h"

namespace sextant::test {

inline loop::Program parse_loop(const std::string& text) {
  loop::Program p = parse_program<loop::Kernel>(text, "loop", "test");
  loop::verify(p, all_tables());
  return p;
}

inline std::string text_of(const tile::Program& program) {
  return print_program(program, "tile").text;
}

/// The same with every statement on one line.
inline std::string lines_of(const tile::Program& program) {
  std::string out;
  for (const Line& line : split_lines(text_of(program), "printed"))
    out += std::string(static_cast<std::size_t>(line.indent), ' ') + line.text +
           "\n";
  return out;
}

inline tile::Program lower_with(const loop::Program& program,
                                const std::string& schedules) {
  Tables tables = all_tables();
  PassContext context;
  context.tables = &tables;
  return tile::lower(program, {"sm_90a", schedules}, context);
}

inline Arrays random_inputs(const loop::Program& program,
                            const Values& symbols = {}) {
  Arrays out;
  for (const Buffer& b : program.buffers) {
    if (b.role != Role::Input && b.role != Role::Weight) continue;
    std::vector<int64_t> shape;
    for (const Dim& d : b.shape)
      shape.push_back(evaluate(d, symbols));
    out[b.name] = random_array(b.dtype, shape, 7, b.name);
  }
  return out;
}

/// The largest |a - b| / (1 + |a|) over the elements of all outputs; equal
/// infinities and two NaN are no distance.
inline double distance(const loop::Program& program, const Arrays& a,
                       const Arrays& b) {
  double worst = 0;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::Output) continue;
    const Array &x = a.at(buffer.name), &y = b.at(buffer.name);
    REQUIRE(x.shape() == y.shape());
    for (int64_t i = 0; i < x.size(); i++) {
      bool floats = is_float(buffer.dtype);
      double u = floats ? x.at(i).f : static_cast<double>(x.at(i).i);
      double v = floats ? y.at(i).f : static_cast<double>(y.at(i).i);
      if (u == v || (std::isnan(u) && std::isnan(v))) continue;
      double d = std::fabs(u - v) / (1 + std::fabs(u));
      worst = std::max(worst, std::isnan(d) ? INFINITY : d);
    }
  }
  return worst;
}

/// Sums of up to a few thousand float32 values near 1, in another order.
inline constexpr double kReordered = 2e-5;

}  // namespace sextant::test
