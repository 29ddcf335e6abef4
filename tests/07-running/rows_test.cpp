// The report of a benchmark, and the process that PyTorch is measured in.
#include "chapters/07-running/rows.h"

#include <chrono>
#include <fstream>
#include <sstream>

#include "chapters/07-running/suite.h"
#include "tests/07-running/support.h"
#include "tests/golden.h"

namespace sextant::running {
namespace {

using Catch::Matchers::Contains;

Row row(const char* name, double us, double compile_us) {
  Row r;
  r.name = name;
  r.group = "g";
  r.dtype = "f32";
  r.us = us;
  r.eager_us = 2 * compile_us;
  r.compile_us = compile_us;
  r.floor_us = 1;
  r.kernels = 2;
  r.checked = true;
  r.error = 0.125;
  r.bound = 0.5;
  r.date = "2026-12-01";
  return r;
}

TEST_CASE("a report is read as it was written", "[7.5]") {
  Report report{"card \"A\"", "13.0", {row("a", 10, 15), row("b", 0, 0)}};
  report.rows[1].failed = "kernel k: no\nsecond line";
  std::string text = report_text(report);
  Report again = parse_report(text, "f");
  CHECK(report_text(again) == text);
  CHECK(again.device == report.device);
  CHECK(again.rows[0].ratio() == 1.5);
  CHECK(again.rows[1].failed == report.rows[1].failed);
  CHECK_THAT(text, Contains("\"ratio\":1.5"));
  CHECK_THAT(message_of([] { parse_report("{\"rows\": [{}]}", "f"); }),
             Contains("no report"));
  CHECK_THAT(message_of([] { parse_report("", "f"); }), Contains("no report"));
}

TEST_CASE("what was measured last is a report", "[7.5][golden]") {
  const std::string file = "golden/performance/h200.json";
  Report report = parse_report(test::read_golden(file), file);
  test::expect_golden(file, report_text(report));
  CHECK(report.device == "NVIDIA H200");
  for (const Row& r : report.rows) {
    INFO(r.name);
    CHECK(r.date.size() == 10);
    if (!r.failed.empty()) continue;
    CHECK(r.us > r.floor_us);  // faster than the card is a fault of measuring
    CHECK(r.error <= r.bound);
  }
}

TEST_CASE("what was not checked says so", "[7.3]") {
  Report report{"", "", {row("a", 10, 15), row("b", 10, 15)}};
  CHECK_THAT(table_text(report), !Contains("?"));
  report.rows[1].checked = false;
  CHECK_THAT(table_text(report), Contains("?: not checked"));
  Report again = parse_report(report_text(report), "f");
  CHECK(again.rows[0].checked);
  CHECK(again.rows[0].error == 0.125);
  CHECK(!again.rows[1].checked);
}

TEST_CASE("a row takes the place of the one before it", "[7.5]") {
  Report report;
  merge(report, row("a", 10, 15));
  merge(report, row("b", 1, 1));
  merge(report, row("a", 5, 15));
  REQUIRE(report.rows.size() == 2);
  CHECK(report.rows[0].us == 5);
  Row bf16 = row("a", 7, 15);
  bf16.dtype = "bf16";
  merge(report, bf16);
  CHECK(report.rows.size() == 3);
}

TEST_CASE("the table has the worst first and a line a group", "[7.5]") {
  Report report{"",
                "",
                {row("good", 10, 40), row("bad", 10, 5), row("middle", 10, 20),
                 row("none", 0, 0)}};
  report.rows[3].failed = "not today";
  std::string text = table_text(report);
  std::size_t none = text.find("none f32"), bad = text.find("bad f32");
  CHECK(none < bad);
  CHECK(bad < text.find("middle f32"));
  CHECK(text.find("middle f32") < text.find("good f32"));
  // 4, 2 and 1/2 have the product 4.
  CHECK_THAT(text, Contains("geometric mean 1.59 of 3, worst 0.50"));
}

TEST_CASE("what got slower by a tenth is told", "[7.5]") {
  Report before{"", "", {row("a", 10, 1), row("b", 10, 1), row("c", 10, 1)}};
  Report now{"", "", {row("a", 10.9, 1), row("b", 11.2, 1), row("c", 0, 0)}};
  now.rows[2].failed = "no";
  std::string text = slower_text(before, now);
  CHECK_THAT(text, !Contains("a f32"));
  CHECK_THAT(text, Contains("b f32 is slower: 11.2 us, 10.0 on 2026-12-01\n"));
  CHECK_THAT(text, Contains("c f32 failed"));
}

TEST_CASE("the floor is memory's or arithmetic's", "[7.5]") {
  CHECK(floor_us(67e6, 0, false) == Approx(1));
  CHECK(floor_us(67e6, 4.8e7, false) == Approx(10));
  CHECK(floor_us(99e7, 4.8e6, true) == Approx(1));
}

TEST_CASE("a process answers, is late, or is gone", "[7.5]") {
  std::string line;
  Process echo({"sh", "-c", "while read x; do echo \"<$x>\"; done"});
  REQUIRE(echo.send("one\ntwo"));
  REQUIRE(echo.receive(line, 10));
  CHECK(line == "<one>");
  REQUIRE(echo.receive(line, 10));
  CHECK(line == "<two>");
  CHECK(!echo.receive(line, 0.05));
  // That it is gone is seen at once.
  auto begin = std::chrono::steady_clock::now();
  Process dies({"sh", "-c", "read x; exit 3"});
  dies.send("end");
  CHECK(!dies.receive(line, 60));
  Process none({"/no/such/program"});
  CHECK(!none.receive(line, 60));
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(took.count() < 30);
}

TEST_CASE("PyTorch's process may die; the next program gets another", "[7.5]") {
  Case program;
  program.code = "x";
  std::string error;
  TorchWorker worker({"sh", "-c",
                      "read x; echo '{}'; read x; "
                      "echo '{\"eager\": 2.5, \"compile\": 1.5}'; read x"});
  for (int life = 0; life < 2; life++) {
    worker.begin(program, "f32");
    CHECK(worker.ready(60) == "");
    std::optional<TorchTimes> times = worker.measure(error);
    REQUIRE(times);
    CHECK(times->eager == 2.5);
    CHECK(times->compile == 1.5);
    CHECK(!worker.measure(error));
    CHECK_THAT(error, Contains("ended"));
    CHECK(!worker.measure(error));
  }
  TorchWorker babbles({"sh", "-c", "read x; echo hello; read x"});
  babbles.begin(program, "f32");
  CHECK_THAT(babbles.ready(60), Contains("hello"));
}

TEST_CASE("the script answers, with PyTorch or without", "[7.5]") {
  std::string out;
  if (run_command({"python3", "--version"}, out) != 0) return;
  Case program;
  program.code = "no_such_name";
  TorchWorker worker;
  worker.begin(program, "f32");
  std::string error = worker.ready(120);
  CHECK(error != "");
  CHECK_THAT(error, !Contains("ended") && !Contains("answers"));
}

TEST_CASE("a suite is read, and the line that is none is named", "[7.5]") {
  std::string file = "bench/suite.jsonl";
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  std::vector<Case> suite = parse_suite(text.str(), file);
  REQUIRE(suite.size() == 155);
  CHECK(suite[0].name == "seed.relu_matmul");
  CHECK(suite[0].dtypes == std::vector<std::string>{"f32", "bf16"});
  REQUIRE(suite[0].inputs.size() == 3);
  CHECK(suite[0].inputs[1].first == "bias");
  CHECK(suite[0].inputs[0].second == std::vector<int64_t>{16, 64});
  CHECK(suite[0].flops == 32768);
  try {
    parse_suite(text.str() + "\n{\"name\": 3}\n", file);
    CHECK(false);
  } catch (const Error& e) {
    CHECK(e.diagnostics().front().where.line == 157);
  }
  CHECK(dtype_of("bf16") == DType::BFloat16);
  CHECK_THAT(message_of([] { dtype_of("f64"); }), Contains("f32, f16, bf16"));
}

TEST_CASE("a command's output and exit code", "[7.5]") {
  std::string out;
  CHECK(run_command({"sh", "-c", "echo a; echo b >&2; exit 5"}, out) == 5);
  CHECK(out == "a\nb\n");
  CHECK(run_command({"/no/such/program"}, out) == 127);
}

}  // namespace
}  // namespace sextant::running
