// Comparing a device's result with the reference.
#include <cmath>

#include "chapters/01-torch-ir/evaluate.h"

namespace sextant::torch {
namespace {

void see(Comparison& all, int64_t position, const Array& got,
         const Ball& wanted) {
  Scalar x = got.at(position);
  double value = is_float(got.dtype()) ? x.f : static_cast<double>(x.i);
  bool same =
      value == wanted.value || (std::isnan(value) && std::isnan(wanted.value));
  double error = same ? 0 : std::fabs(value - wanted.value);
  if (std::isnan(error)) error = HUGE_VAL;
  bool within = error <= wanted.bound;
  if (!within) all.beyond++;
  // The worst is what lies furthest beyond, or nearest to, its bound.
  auto share = [](double e, double b) {
    if (e == 0 || std::isinf(b)) return 0.0;
    return b == 0 ? HUGE_VAL : e / b;
  };
  bool first = all.checked++ == 0;
  if (first || share(error, wanted.bound) > share(all.error, all.bound)) {
    all.position = position;
    all.error = error;
    all.bound = wanted.bound;
    all.got = value;
    all.wanted = wanted.value;
  }
  all.pass = all.pass && within;
}

}  // namespace

Comparison compare(const Array& got, const Reference& reference) {
  INVARIANT(got.dtype() == reference.dtype && got.shape() == reference.shape,
            "{} has another type than its reference", reference.name);
  Comparison all;
  for (int64_t i = 0; i < got.size(); i++)
    see(all, i, got, reference.elements[static_cast<std::size_t>(i)]);
  return all;
}

Comparison compare_at(const Array& got, const std::vector<int64_t>& positions,
                      const std::vector<Ball>& expected) {
  INVARIANT(positions.size() == expected.size(), "{} positions, {} values",
            positions.size(), expected.size());
  Comparison all;
  for (std::size_t i = 0; i < positions.size(); i++)
    see(all, positions[i], got, expected[i]);
  return all;
}

std::string to_string(const Comparison& c) {
  if (c.checked == 0) return "no elements";
  std::string text =
      fmt::format("error {:.2g} of {:.2g} at element {} of {} compared",
                  c.error, c.bound, c.position, c.checked);
  if (c.pass) return text;
  return text + fmt::format(": {} instead of {}, {} beyond their bound", c.got,
                            c.wanted, c.beyond);
}

}  // namespace sextant::torch
