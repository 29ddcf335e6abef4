// The report of a benchmark, and the process that PyTorch is measured in.
#include "chapters/07-running/rows.h"

#include "chapters/07-running/process.h"
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
  r.error = 0.125;
  r.bound = 0.5;
  r.date = "2026-12-01";
  return r;
}

TEST_CASE("a report is read as it was written", "[7.4]") {
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

TEST_CASE("what was measured last is a report", "[7.4][golden]") {
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

TEST_CASE("a row takes the place of the one before it", "[7.4]") {
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

TEST_CASE("the table has the worst first and a line a group", "[7.4]") {
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

TEST_CASE("what got slower by a tenth is told", "[7.4]") {
  Report before{"", "", {row("a", 10, 1), row("b", 10, 1), row("c", 10, 1)}};
  Report now{"", "", {row("a", 10.9, 1), row("b", 11.2, 1), row("c", 0, 0)}};
  now.rows[2].failed = "no";
  std::string text = slower_text(before, now);
  CHECK_THAT(text, !Contains("a f32"));
  CHECK_THAT(text, Contains("b f32 is slower: 11.2 us, 10.0 on 2026-12-01\n"));
  CHECK_THAT(text, Contains("c f32 failed"));
}

TEST_CASE("the floor is memory's or arithmetic's", "[7.4]") {
  CHECK(floor_us(67e6, 0, false) == Approx(1));
  CHECK(floor_us(67e6, 4.8e7, false) == Approx(10));
  CHECK(floor_us(99e7, 4.8e6, true) == Approx(1));
}

TEST_CASE("a process answers, is late, or is gone", "[7.4]") {
  std::string line;
  Process echo({"sh", "-c", "while read x; do echo \"<$x>\"; done"});
  REQUIRE(echo.send("one\ntwo"));
  REQUIRE(echo.receive(line, 10));
  CHECK(line == "<one>");
  REQUIRE(echo.receive(line, 10));
  CHECK(line == "<two>");
  CHECK(!echo.receive(line, 0.05));
  Process dies({"sh", "-c", "read x; exit 3"});
  dies.send("end");
  CHECK(!dies.receive(line, 10));
  Process none({"/no/such/program"});
  CHECK(!none.receive(line, 10));
}

TEST_CASE("a command's output and exit code", "[7.4]") {
  std::string out;
  CHECK(run_command({"sh", "-c", "echo a; echo b >&2; exit 5"}, out) == 5);
  CHECK(out == "a\nb\n");
  CHECK(run_command({"/no/such/program"}, out) == 127);
}

}  // namespace
}  // namespace sextant::running
