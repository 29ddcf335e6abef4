// The schedule that a kernel gets when nobody gives it one.
#include "chapters/03-loop-ir/target.h"
#include "tests/04-tile-ir/programs.h"
#include "tests/04-tile-ir/support.h"
#include "tests/report.h"
namespace sextant::test {
namespace {
TEST_CASE("4.8 a schedule for every role", "[4.8]") {
  for (const char* text :
       {kSeed, kSoftmax, kRmsNorm, kLayerNorm, kLinear, kScores, kValues,
        kGatedMlp, kStats, kTranspose, kPad, kGather, kColumnSum}) {
    loop::Program program = parse_loop(text);
    Values symbols = {{"rows", 5}};
    tile::Program tiled = lower_with(program, "");
    INFO(text_of(tiled));
    Arrays inputs = random_inputs(program, symbols);
    Arrays expected = loop::interpret(program, all_tables(), inputs, symbols);
    Arrays found = tile::interpret(tiled, all_tables(), inputs, symbols);
    CHECK(distance(program, expected, found) < kReordered);
    count("programs agreed");
  }
}

// y = x w^T of so many rows, columns and terms.
loop::Program linear(int64_t rows, int64_t columns, int64_t terms) {
  std::string m = std::to_string(rows), n = std::to_string(columns);
  std::string k = std::to_string(terms);
  return parse_loop("sextant loop\nbuffer x: float32[" + m + ", " + k +
                    "] input\nbuffer w: float32[" + n + ", " + k +
                    "] weight\nbuffer y: float32[" + m + ", " + n +
                    "] output\nlaunch k\n\nkernel k:\n  for a0 in 0.." + m +
                    ":\n    for a1 in 0.." + n + ":\n      for a2 in 0.." + k +
                    ":  # reduce acc0=add\n"
                    "        in0 = load x[a0, a2]\n"
                    "        in1 = load w[a1, a2]\n"
                    "        v0 = multiply(in0, in1)\n"
                    "        acc0 <- add(acc0, v0)\n"
                    "      store y[a0, a1] = acc0\n");
}

int64_t product(const tile::Kernel& kernel, tile::Level level) {
  int64_t product = 1;
  for (const tile::Axis& a : kernel.axes)
    product *= a.level == level ? value_of(a.extent) : 1;
  return product;
}

TEST_CASE("4.9 few rows keep every multiprocessor busy", "[4.9]") {
  Tables tables = all_tables();
  int64_t all = target_named(tables, "sm_90a").multiprocessors;
  for (int64_t rows : {2, 16, 32, 64, 100, 128}) {
    for (int64_t columns : {2048, 3584}) {
      CAPTURE(rows, columns);
      tile::Program program = lower_with(linear(rows, columns, 2048), "");
      const tile::Kernel& kernel = program.kernels[0];
      CAPTURE(kernel.schedule.text);
      int64_t blocks = product(kernel, tile::Level::Block);
      CHECK(blocks <= all);
      CHECK(blocks > all * 9 / 10);
      CHECK(product(kernel, tile::Level::Thread) == 256);
    }
  }
}

TEST_CASE("4.9 few rows: what the warps add up is the sum", "[4.9]") {
  loop::Program program = linear(12, 132, 640);
  tile::Program tiled = lower_with(program, "");
  INFO(text_of(tiled));
  CHECK(tiled.kernels[0].schedule.text.find("8t.2s.4r") != std::string::npos);
  Arrays inputs = random_inputs(program, {});
  Arrays expected = loop::interpret(program, all_tables(), inputs, {});
  Arrays found = tile::interpret(tiled, all_tables(), inputs, {});
  CHECK(distance(program, expected, found) < kReordered);
}

// y = x w of so many rows, columns and terms.
loop::Program product_of(int64_t rows, int64_t columns, int64_t terms) {
  return parse_loop(fmt::format(
      "sextant loop\nbuffer x: float32[{m}, {k}] input\n"
      "buffer w: float32[{k}, {n}] weight\nbuffer y: float32[{m}, {n}] output\n"
      "launch k\n\nkernel k:\n  for a0 in 0..{m}:\n    for a1 in 0..{n}:\n"
      "      for a2 in 0..{k}:  # reduce acc0=add\n"
      "        in0 = load x[a0, a2]\n        in1 = load w[a2, a1]\n"
      "        acc0 <- add(acc0, multiply(in0, in1))\n"
      "      store y[a0, a1] = acc0\n",
      fmt::arg("m", rows), fmt::arg("n", columns), fmt::arg("k", terms)));
}

loop::Program column_sum(int64_t rows, int64_t columns) {
  return parse_loop(fmt::format(
      "sextant loop\nbuffer x: float32[{m}, {n}] input\n"
      "buffer y: float32[{n}] output\nlaunch k\n\nkernel k:\n"
      "  for a0 in 0..{n}:\n    for a1 in 0..{m}:  # reduce acc0=add\n"
      "      in0 = load x[a1, a0]\n      acc0 <- add(acc0, in0)\n"
      "    store y[a0] = acc0\n",
      fmt::arg("m", rows), fmt::arg("n", columns)));
}

TEST_CASE("4.9 blocks share a sum where there are few of them", "[4.9]") {
  struct {
    loop::Program program;
    std::string digits;
  } cases[] = {
      {column_sum(2048, 64), "a1=8b.4u.64t "},
      {product_of(48, 48, 256), "a2=2b.8s.16s "},
      {column_sum(70000, 1), "a1=*b.2s.4u.1024t "},  // one long row
  };
  for (const auto& c : cases) {
    tile::Program tiled = lower_with(c.program, "");
    INFO(text_of(tiled));
    CHECK((tiled.kernels[0].schedule.text + " ").find(c.digits) !=
          std::string::npos);
    // Whole numbers: their sums are the same in any order.
    Arrays inputs = random_inputs(c.program);
    for (auto& [name, array] : inputs) {
      for (int64_t i = 0; i < array.size(); i++)
        array.set(i, {std::round(4 * array.at(i).f), 0});
    }
    Arrays expected = loop::interpret(c.program, all_tables(), inputs);
    Arrays found = tile::interpret(tiled, all_tables(), inputs);
    CHECK(distance(c.program, expected, found) == 0);
  }
  // Where they are enough, each has its sums alone.
  for (const loop::Program& p :
       {column_sum(8192, 8192), product_of(4096, 4096, 4096)}) {
    std::string text = text_of(lower_with(p, ""));
    CHECK(text.find("last of") == std::string::npos);
  }
}

}  // namespace
}  // namespace sextant::test
