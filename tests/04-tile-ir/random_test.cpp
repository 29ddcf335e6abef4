// Random kernels under random schedules: what applies must mean the same.
#include "tests/04-tile-ir/support.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

// One digit string for an axis of extent n; `holds` are the letters to use.
std::string digits(Random& random, int64_t n, const std::string& holds) {
  std::vector<std::string> parts;
  int64_t count = 1;
  for (int64_t i = 0; i < random.in(0, 3); i++) {
    int64_t extent = random.in(1, 5);
    count *= extent;
    parts.push_back(fmt::format("{}{}", extent,
                                holds[static_cast<std::size_t>(random.below(
                                    static_cast<int64_t>(holds.size())))]));
  }
  if (count < n || parts.empty() || random.chance(20)) {
    // What is left must not be too much for registers and threads.
    std::string first = n / count > 4 ? (holds[0] == 'b' ? "b" : "s") : holds;
    parts.insert(parts.begin(),
                 std::string("*") + first[static_cast<std::size_t>(random.below(
                                        static_cast<int64_t>(first.size())))]);
  }
  return join(parts, ".");
}

struct Case {
  std::string program, free_axes, reduce_axes;
  std::vector<std::string> operands;
  std::map<std::string, int64_t> extents;
};

Case contraction(Random& random) {
  int64_t b = random.in(1, 3), m = random.in(1, 19), n = random.in(1, 19),
          k = random.in(1, 23);
  bool transposed = random.chance(50), batched = random.chance(50);
  std::string program = fmt::format(
      R"(sextant loop
buffer x: {}[{b}, {m}, {k}] input
buffer c: float32[{k}] weight
buffer w: float32[{w0}, {w1}] input
buffer y: float32[{b}, {m}, {n}] output
launch k_dot

kernel k_dot:
  for a0 in 0..{b}:
    for a1 in 0..{m}:
      for a2 in 0..{n}:
        for a3 in 0..{k}:  # reduce acc0=add
          in0 = load x[a0, {x1}, a3]
          in1 = load c[a3]
          in2 = load w[{index}]
          v0 = add({cast}, in1)
          acc0 <- add(acc0, multiply(v0, in2))
        store y[a0, a1, a2] = relu(acc0)
)",
      random.chance(30) ? "bfloat16" : "float32", fmt::arg("b", b),
      fmt::arg("m", m), fmt::arg("k", k), fmt::arg("n", n),
      fmt::arg("w0", transposed ? n : k), fmt::arg("w1", transposed ? k : n),
      fmt::arg("x1", batched ? "a1" : fmt::format("{} - a1", m - 1)),
      fmt::arg("index", transposed ? "a2, a3" : "a3, a2"),
      fmt::arg("cast", "cast(in0, float32)"));
  return {program,
          "012",
          "3",
          {"x", "c", "w"},
          {{"a0", b}, {"a1", m}, {"a2", n}, {"a3", k}}};
}

Case rows(Random& random) {
  int64_t m = random.in(1, 9), n = random.in(1, 40);
  std::string program = fmt::format(
      R"(sextant loop
buffer x: float32[{m}, {n}] input
buffer s: float32[{m}] output
buffer y: float32[{m}, {n}] output
launch k_row

kernel k_row:
  for a0 in 0..{m}:
    for a1 in 0..{n}:  # reduce acc0=maximum
      in0 = load x[a0, a1]
      acc0 <- maximum(acc0, in0)
    for a1 in 0..{n}:  # reduce acc1=add
      in1 = load x[a0, a1]
      acc1 <- add(acc1, exp(subtract(in1, acc0)))
    store s[a0] = add(acc0, log(acc1))
    for a1 in 0..{n}:
      in2 = load x[a0, a1]
      store y[a0, a1] = divide(exp(subtract(in2, acc0)), acc1)
)",
      fmt::arg("m", m), fmt::arg("n", n));
  return {program, "0", "1", {"x"}, {{"a0", m}, {"a1", n}}};
}

Case map(Random& random) {
  int64_t m = random.in(1, 30), n = random.in(1, 30);
  std::string program = fmt::format(
      R"(sextant loop
buffer x: float32[{n}, {m}] input
buffer z: float32[{m}, {n}] input
buffer y: float32[{m}, {n}] output
launch k_map

kernel k_map:
  for a0 in 0..{m}:
    for a1 in 0..{n}:
      in0 = load x[a1, a0]
      in1 = load z[a0, a1 - 2] if 2 <= a1 else {e}
      store y[a0, a1] = add(in0, multiply(in1, in0))
)",
      fmt::arg("m", m), fmt::arg("n", n),
      fmt::arg("e", random.chance(50) ? "0.0" : "1.5"));
  return {program, "01", "", {"x", "z"}, {{"a0", m}, {"a1", n}}};
}

std::string schedule(Random& random, const Case& c) {
  std::vector<std::string> splits;
  for (char axis : c.free_axes) {
    std::string name = std::string("a") + axis;
    splits.push_back(name + "=" + digits(random, c.extents.at(name), "btrsu"));
  }
  for (char axis : c.reduce_axes) {
    std::string name = std::string("a") + axis;
    std::string split =
        name + "=" +
        digits(random, c.extents.at(name), random.chance(40) ? "bstr" : "stru");
    splits.insert(random.chance(50) ? splits.begin() : splits.end(), split);
  }
  std::vector<std::string> stages;
  int64_t buffers = random.in(1, 3);
  for (const std::string& operand : c.operands) {
    if (random.chance(40)) continue;
    std::string text = operand + ":smem";
    if (buffers > 1) text += fmt::format("*{}", buffers);
    if (random.chance(30)) text += ".async";
    if (random.chance(50)) text += ".kmajor";
    if (random.chance(30)) text += fmt::format(".pad{}", random.in(1, 4));
    stages.push_back(text);
  }
  return join(splits, " ") + (stages.empty() ? "" : " | " + join(stages, " "));
}

TEST_CASE("4.8 random kernels under random schedules", "[4.8]") {
  Random random(2);
  Tables tables = all_tables();
  int agreed = 0, refused = 0;
  while (agreed < 330) {
    Case c = random.chance(50)   ? contraction(random)
             : random.chance(50) ? rows(random)
                                 : map(random);
    std::string chosen = schedule(random, c);
    INFO(c.program << chosen);
    loop::Program program = parse_loop(c.program);
    tile::Program tiled;
    try {
      tiled = lower_with(program, chosen);
    } catch (const Error&) {
      // Nothing to alternate over, nothing to pad, 2-byte copies, threads.
      refused++;
      REQUIRE(refused < 2000);
      continue;
    }
    INFO(text_of(tiled));
    CHECK(parse_program<tile::Kernel>(text_of(tiled), "tile", "t") == tiled);
    Arrays inputs = random_inputs(program);
    Arrays expected = loop::interpret(program, tables, inputs);
    Arrays found = tile::interpret(tiled, tables, inputs);
    bool same = distance(program, expected, found) < kReordered;
    CHECK(same);
    if (!same) break;
    agreed++;
  }
  count("random programs agreed", agreed);
}

}  // namespace
}  // namespace sextant::test
