// Every kernel of the suite, taken alone: whatever it reads is random, some of
// its blocks run in the simulator, and what they store is compared with the
// Loop IR within a computed bound.
#if SEXTANT_CHAPTERS >= 5
#include "tests/cli/alone.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "chapters/03-loop-ir/names.h"
#include "chapters/05-kernel-ir/simulator.h"
#include "chapters/05-kernel-ir/syntax.h"
#include "src/base/text.h"
#include "src/cli/pipeline.h"
#include "src/python/build.h"
#include "tests/cli/binary.h"
#include "tests/report.h"

namespace sextant::test {
namespace {

constexpr uint64_t kSeed = 5;

cli::Compilation compiled(const nlohmann::json& row, const std::string& dtype,
                          const Tables& tables) {
  python::Options options;
  if (dtype == "bf16") options.default_dtype = DType::BFloat16;
  for (const auto& [name, sizes] : row["inputs"].items()) {
    torch::Type type;
    type.dtype = options.default_dtype;
    for (int64_t n : sizes)
      type.shape.push_back(n);
    options.inputs.emplace_back(name, type);
  }
  PassContext context;
  context.tables = &tables;
  return cli::compile(
      cli::start_from(
          python::build(tables, row["code"].get<std::string>(), options),
          tables),
      cli::Stage::Kernel, {}, context);
}

// The program that launches one kernel, on inputs of its own.
kernel::Program alone(const kernel::Program& whole, const loop::Program& loops,
                      const kernel::Kernel& k, const std::set<Name>& stored) {
  kernel::Program one = whole;
  one.kernels = {k};
  one.launches = {{k.name, {}}};
  one.buffers.clear();
  for (const kernel::Object& o : k.objects) {
    if (o.space != kernel::Space::Global) continue;
    Buffer b = *whole.buffer(o.name);
    b.alias.clear();
    // Tile IR has buffers of its own, for sums that blocks share.
    if (loops.buffer(o.name) != nullptr)
      b.role = stored.count(o.name) != 0 ? Role::Output : Role::Input;
    one.buffers.push_back(b);
  }
  return one;
}

// Some of what the blocks that ran have stored, each within its bound.
void check_stored(Alone& reference, const Name& buffer,
                  const kernel::Written& written, std::size_t samples) {
  std::size_t n = written.offsets.size();
  for (std::size_t i = 0; i < std::min(samples, n); i++) {
    // Spread, and not on a grid of whole rows.
    std::size_t at = i + 1 == samples ? n - 1 : i * (n / samples) + i % 7;
    if (at >= n) continue;
    std::optional<torch::Ball> ball = reference.at(buffer, written.offsets[at]);
    if (!ball) {
      count("stored elements whose loops cannot be told");
      continue;
    }
    const Scalar& got = written.values[at];
    double value = got.f != 0 ? got.f : static_cast<double>(got.i);
    if (!std::isfinite(ball->bound)) {
      count("stored elements with an infinite bound");
      continue;
    }
    CAPTURE(buffer, written.offsets[at], value, ball->value, ball->bound);
    bool near = std::fabs(value - ball->value) <= ball->bound ||
                (std::isnan(value) && std::isnan(ball->value)) ||
                value == ball->value;
    CHECK(near);
    count("stored elements compared");
  }
}

TEST_CASE("every kernel of the suite, alone, stores what its loops say",
          "[cli]") {
  const bool all = std::getenv("SEXTANT_LONG") != nullptr;
  const char* only = std::getenv("SEXTANT_ONLY");
  Tables tables = all_tables();
  std::set<std::string> seen;  // many programs share a kernel
  std::size_t number = 0;
  for (const std::string& line : split(read_file("bench/suite.jsonl"), '\n')) {
    if (line.empty()) continue;
    nlohmann::json row = nlohmann::json::parse(line);
    std::string name = row["name"];
    number++;
    if (only != nullptr && name.find(only) == std::string::npos) continue;
    for (std::string dtype : row["dtypes"]) {
      // The short run takes the cases that cost little.
      bool small = row["flops"].get<int64_t>() < int64_t{20} << 20;
      if (!all && only == nullptr && !(small && number % 3 == 0)) continue;
      CAPTURE(name, dtype);
      cli::Compilation program = compiled(row, dtype, tables);
      for (const kernel::Kernel& k : program.kernel.kernels) {
        const loop::Kernel* loops = nullptr;
        for (const loop::Kernel& l : program.loop.kernels)
          if (l.name == k.name) loops = &l;
        REQUIRE(loops != nullptr);
        std::set<Name> stored;
        loop::each_stmt(loops->body, [&](const loop::Stmt& stmt) {
          if (const auto* w = stmt.as<loop::Store>()) stored.insert(w->buffer);
        });
        kernel::Program one = alone(program.kernel, program.loop, k, stored);
        if (!seen.insert(print_program(one, "kernel").text).second) continue;
        kernel::SimOptions options;
        options.blocks = kernel::parse_blocks("first,last,random:2");
        // Blocks that share a sum end it together: all of them run.
        bool shares = std::any_of(
            one.buffers.begin(), one.buffers.end(),
            [](const Buffer& b) { return b.role == Role::Workspace; });
        if (shares) options.blocks = {};
        if (shares && row["flops"].get<int64_t>() > int64_t{6} << 30) {
          count("kernels that share sums, too long to simulate");
          continue;
        }
        options.seed = kSeed;
        options.generate = true;
        Arrays arrays;
        kernel::Report report = kernel::simulate(tables, one, arrays, options);
        for (const Name& name : stored) {
          if (!options.blocks.all) continue;
          kernel::Written& written = report.written[name];
          for (int64_t i = 0; i < arrays.at(name).size(); i++) {
            written.offsets.push_back(i);
            written.values.push_back(arrays.at(name).at(i));
          }
        }
        CAPTURE(k.name);
        CHECK(faults_text(report) == "");
        Alone reference(tables, program.loop, *loops, kSeed);
        for (const auto& [buffer, written] : report.written)
          check_stored(reference, buffer, written, 12);
        CHECK(report.written.size() == stored.size());
        count("kernels of the suite simulated");
      }
    }
  }
  CHECK(number > 150);
}

}  // namespace
}  // namespace sextant::test
#endif
