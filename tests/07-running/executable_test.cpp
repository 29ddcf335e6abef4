// Programs on a card that is none: what is launched, with what, and where.
#include "chapters/07-running/executable.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>

#include "chapters/05-kernel-ir/syntax.h"
#include "chapters/07-running/measure.h"
#include "chapters/07-running/prepare.h"
#include "tests/07-running/fake_driver.h"
#include "tests/07-running/support.h"
#include "tests/golden.h"

namespace sextant::running {
namespace {

using Catch::Matchers::Contains;

kernel::Program golden(const std::string& name) {
  std::string file = "golden/" + name + "/5_kernel.txt";
  return parse_program<kernel::Kernel>(test::read_golden(file), "kernel", file);
}

// A fake that knows how many parameters the kernels have.
FakeDriver fake_for(const kernel::Program& program) {
  FakeDriver how;
  for (const kernel::Kernel& k : program.kernels) {
    how.parameters[k.name] = static_cast<std::size_t>(std::count_if(
        k.objects.begin(), k.objects.end(),
        [](const auto& o) { return o.space == kernel::Space::Global; }));
  }
  return how;
}

// What a compiler would have made.
std::vector<std::string> codes_of(const kernel::Program& program) {
  return std::vector<std::string>(program.kernels.size() + 1, "code");
}

TEST_CASE("launches come in order, with the buffers of the program", "[7.2]") {
  kernel::Program program = golden("attention");
  fake = fake_for(program);
  Device device(fake_library());
  Executable run(device, program, codes_of(program), {});
  run.run();
  REQUIRE(fake.launched.size() == program.launches.size());
  std::map<Name, uint64_t> addresses;
  for (std::size_t i = 0; i < fake.launched.size(); i++) {
    const FakeDriver::Launched& l = fake.launched[i];
    CHECK(l.kernel == program.launches[i].kernel);
    const kernel::Kernel& k = *program.kernel(l.kernel);
    CHECK(l.grid == evaluate(k.grid, {}));
    CHECK(l.block == k.block);
    // One buffer is one address, whoever asks.
    std::size_t at = 0;
    for (const kernel::Object& o : k.objects) {
      if (o.space != kernel::Space::Global) continue;
      uint64_t address = l.parameters.at(at++);
      CHECK(address % 256 == 0);
      CHECK(addresses.emplace(o.name, address).first->second == address);
    }
  }
}

TEST_CASE("sizes become parameters and grids", "[7.2]") {
  kernel::Program program = golden("rmsnorm_dynamic");
  fake = fake_for(program);
  fake.parameters[program.kernels[0].name]++;
  Device device(fake_library());
  for (int64_t rows : {1, 7, 100}) {
    fake.launched.clear();
    Executable run(device, program, codes_of(program), {{"rows", rows}});
    run.run();
    REQUIRE(fake.launched.size() == 1);
    CHECK(static_cast<int>(fake.launched[0].parameters.back()) == rows);
    CHECK(fake.launched[0].grid ==
          evaluate(program.kernels[0].grid, {{"rows", rows}}));
  }
}

TEST_CASE("outputs are poisoned, inputs are not", "[7.2]") {
  kernel::Program program = golden("seed");
  fake = fake_for(program);
  Device device(fake_library());
  Executable run(device, program, codes_of(program), {});
  Array x = random_array(DType::Float32, {16, 64}, 1, "x");
  run.write("x", x);
  run.poison();
  CHECK(run.read("x") == x);
  run.write("relu", Array(DType::Float32, {16, 16}));
  run.poison();
  Array out = run.read("relu");
  for (int64_t i = 0; i < out.size(); i++)
    REQUIRE(std::isnan(out.at(i).f));
}

TEST_CASE("a workspace holds zeros from the first run on", "[7.2]") {
  kernel::Program program = golden("seed");
  program.buffers.push_back(
      {"counters", DType::Int64, {3}, Role::Workspace, ""});
  fake = fake_for(program);
  Device device(fake_library());
  Executable run(device, program, codes_of(program), {});
  Array zeros(DType::Int64, {3});
  CHECK(run.read("counters") == zeros);
  run.write("counters", random_array(DType::Int64, {3}, 1, "counters"));
  run.poison();
  CHECK(run.read("counters") == zeros);
}

TEST_CASE("a kernel that fails or hangs is named", "[7.2]") {
  kernel::Program program = golden("gated_mlp");
  fake = fake_for(program);
  const Name first = program.launches[0].kernel;
  {
    fake.fails = "cuLaunchKernel";
    Device device(fake_library());
    Executable run(device, program, codes_of(program), {});
    CHECK(message_of([&] { run.run(); }) ==
          "kernel " + first +
              ": cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (719, unspecified "
              "launch failure)");
    fake.fails = "";
  }
  {
    fake.hangs = program.launches[1].kernel;
    Device device(fake_library());
    device.patience = 0.01;
    Executable run(device, program, codes_of(program), {});
    CHECK_THAT(message_of([&] { run.run(); }),
               Contains("kernel " + fake.hangs + " has not ended"));
  }
}

TEST_CASE("code that the driver does not take says which driver", "[7.2]") {
  kernel::Program program = golden("seed");
  fake = {};
  fake.refuses_code = true;
  fake.version = 12040;
  Device device(fake_library());
  CHECK_THAT(message_of([&] {
               Executable run(device, program, codes_of(program), {});
             }),
             Contains("Fake 1, whose driver knows CUDA 12.4: "
                      "CUDA_ERROR_OF_A_TEST (222"));
  CHECK(fake.allocated == 0);
  CHECK(fake.streams == 0);
}

TEST_CASE("nothing is left on the card", "[7.2]") {
  kernel::Program program = golden("gated_mlp");
  fake = fake_for(program);
  Device device(fake_library());
  {
    Executable run(device, program, codes_of(program), {});
    run.run();
    Graph graph(device, run.stream(), [&](Opaque s) { run.start(s); });
    graph.start();
    Meter meter(device);
    CHECK(meter.microseconds([&] { graph.start(); }, 1) == 250);
    CHECK(fake.allocated == 2);
    CHECK(fake.graphs == 1);
    CHECK(!fake.capturing);
  }
  CHECK(fake.allocated == 0);
  CHECK(fake.modules == 0);
  CHECK(fake.streams == 0);
  CHECK(fake.graphs == 0);
}

TEST_CASE("each kernel is compiled once, wherever it occurs", "[7.4]") {
  kernel::Program program = golden("attention");
  auto mutex = std::make_shared<std::mutex>();
  auto texts = std::make_shared<std::vector<std::string>>();
  Compiler compiler{"fake", "1", 0, nullptr};
  compiler.compile = [=](const std::string& text, const std::string& arch) {
    std::lock_guard<std::mutex> lock(*mutex);
    texts->push_back(text);
    return arch + text;
  };
  Tables tables = all_tables();
  std::string folder =
      (std::filesystem::temp_directory_path() / "kernels-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  std::vector<std::string> codes =
      compile_kernels(tables, program, compiler, "sm_1", folder);
  REQUIRE(codes.size() == program.kernels.size() + 1);
  for (std::size_t i = 0; i + 1 < codes.size(); i++) {
    CHECK_THAT(codes[i], Contains(program.kernels[i].name + "("));
    CHECK_THAT(codes[i], !Contains(program.kernels[(i + 1) % 3].name + "("));
  }
  CHECK(codes.back() == std::string("sm_1") + kFillText);
  CHECK(texts->size() == codes.size());
  // Another program that has one of them compiles the others alone.
  program.kernels.erase(program.kernels.begin());
  compile_kernels(tables, program, compiler, "sm_1", folder);
  CHECK(texts->size() == codes.size());
  std::filesystem::remove_all(folder);
}

TEST_CASE("work in parallel is all done, and its error is told", "[7.4]") {
  for (std::size_t n : {0, 1, 2, 100}) {
    std::vector<int> done(n);
    in_parallel(n, [&](std::size_t i) { done[i]++; });
    CHECK(done == std::vector<int>(n, 1));
  }
  std::atomic<int> done = 0;
  CHECK(message_of([&] {
          in_parallel(50, [&](std::size_t i) {
            done++;
            if (i == 7) fail({}, "seven");
          });
        }) == "seven");
  CHECK(done == 50);
}

TEST_CASE("the median", "[7.5]") {
  CHECK(median({}) == 0);
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 2}) == 2);
  CHECK(median({9, 1, 2, 4}) == 3);
}

}  // namespace
}  // namespace sextant::running
