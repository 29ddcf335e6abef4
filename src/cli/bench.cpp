// sextant bench: a suite of programs, each beside PyTorch in the same run.
#include "src/cli/card.h"
#if SEXTANT_CHAPTERS >= 7
#include <cctype>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "chapters/07-running/rows.h"
#include "chapters/07-running/suite.h"
#include "src/base/text.h"
#include "src/cli/on_card.h"
#include "src/python/build.h"
#endif

namespace sextant::cli {

#if SEXTANT_CHAPTERS >= 7

namespace {

// A sample says as much of a product as the whole.
constexpr double kSecondsToCheck = 0.3;

using running::Case;
using running::Report;
using running::Row;
using running::TorchTimes;

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail({path, 0, 0, ""}, "the file cannot be opened");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Whoever stops us finds the old report or the new one, whole.
void write_report(const std::string& path, const Report& report) {
  if (path.empty()) return;
  std::ofstream out(path + ".tmp", std::ios::binary);
  out << running::report_text(report);
  out.close();
  std::error_code error;
  std::filesystem::rename(path + ".tmp", path, error);
  if (!out || error) fail({path, 0, 0, ""}, "the file cannot be written");
}

std::string today() {
  std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

// Whether a name has these whole words: "q_proj.s1" is no part of
// "q_proj.s128".
bool has_words(const std::string& name, const std::string& words) {
  auto inside = [&](std::size_t i) {
    return i < name.size() && std::isalnum(static_cast<unsigned char>(name[i]));
  };
  for (std::size_t at = name.find(words); at != std::string::npos;
       at = name.find(words, at + 1)) {
    if ((at == 0 || !inside(at - 1)) && !inside(at + words.size())) return true;
  }
  return false;
}

bool chosen(const Command& command, const Case& c, const std::string& dtype) {
  auto one_of = [](const std::string& list, auto&& fits) {
    if (list.empty()) return true;
    for (const std::string& word : split(list, ',')) {
      if (fits(word)) return true;
    }
    return false;
  };
  return one_of(command.only,
                [&](const std::string& word) {
                  return word == c.group || has_words(c.name, word);
                }) &&
         one_of(command.dtypes,
                [&](const std::string& word) { return word == dtype; });
}

Compilation program_of(const Case& c, const std::string& dtype,
                       const Tables& tables) {
  python::Options options;
  options.file = c.name;
  options.default_dtype = running::dtype_of(dtype);
  for (const auto& [name, shape] : c.inputs) {
    torch::Type type;
    type.dtype = options.default_dtype;
    for (int64_t extent : shape)
      type.shape.push_back(extent);
    options.inputs.emplace_back(name, type);
  }
  return start_from(python::build(tables, c.code, options), tables);
}

class Bench {
 public:
  Bench(const Command& command, const Tables& tables,
        const running::Device& device)
      : command_(command), tables_(tables), device_(device), meter_(device) {
    if (!command.report.empty() && std::filesystem::exists(command.report)) {
      before_ =
          running::parse_report(read_text(command.report), command.report);
    }
    report_ = before_;
    report_.device = device_.name();
    report_.driver = running::version_text(device_.driver().version);
  }

  int run(const std::vector<Case>& suite) {
    Report measured;
    std::vector<std::pair<const Case*, std::string>> todo;
    for (const Case& c : suite) {
      for (const std::string& dtype : c.dtypes) {
        if (chosen(command_, c, dtype) && !has(c, dtype))
          todo.emplace_back(&c, dtype);
      }
    }
    if (todo.empty()) fail({}, "there is nothing to measure");
    for (std::size_t i = 0; i < todo.size(); i++) {
      Row row = measure(*todo[i].first, todo[i].second);
      running::merge(measured, row);
      running::merge(report_, row);
      write_report(command_.report, report_);
      std::fprintf(stderr, "%zu of %zu: %s %s: %s\n", i + 1, todo.size(),
                   row.name.c_str(), row.dtype.c_str(), said(row).c_str());
    }
    std::string out =
        running::table_text(measured) + running::slower_text(before_, measured);
    std::fputs(out.c_str(), stdout);
    return beyond_ ? kCheckFailed : kOk;
  }

 private:
  bool has(const Case& c, const std::string& dtype) const {
    for (const Row& r : before_.rows) {
      if (r.name == c.name && r.dtype == dtype && r.failed.empty())
        return command_.resume;
    }
    return false;
  }

  static std::string said(const Row& r) {
    if (!r.failed.empty()) return r.failed;
    std::string ours = fmt::format("{:.1f} us", r.us);
    if (r.compile_us <= 0) return ours;
    return ours + fmt::format(", PyTorch {:.1f} and {:.1f} us compiled",
                              r.eager_us, r.compile_us);
  }

  // PyTorch compiles while we do; then nobody but the one that is measured
  // runs.
  Row measure(const Case& c, const std::string& dtype) {
    Row row;
    row.name = c.name;
    row.group = c.group;
    row.dtype = dtype;
    row.date = today();
    row.floor_us = running::floor_us(
        c.flops,
        c.elements * static_cast<double>(size_of(running::dtype_of(dtype))),
        dtype != "f32");
    const bool torch = !command_.against.empty();
    if (torch) worker_.begin(c, dtype);
    OnCard card;
    try {
      card = put_on_card(device_, program_of(c, dtype, tables_), command_,
                         tables_);
      check(card, row);
    } catch (const Error& e) {
      if (device_.lost()) throw;
      row.failed = split(e.diagnostics().front().message, '\n').front();
    } catch (const InternalError& e) {
      row.failed = "internal error: " + split(e.what(), '\n').front();
    }
    std::string error = torch ? worker_.ready() : "";
    if (!error.empty()) std::fprintf(stderr, "PyTorch: %s\n", error.c_str());
    time(row.failed.empty() ? &card : nullptr, torch && error.empty(), row);
    return row;
  }

  void check(const OnCard& card, Row& row) {
    const auto seed = static_cast<uint64_t>(command_.seed);
    RunResult result = run_on_card(card, seed);
    check_some(card.compiled, card.sizes, seed, {kSecondsToCheck}, tables_,
               result);
    row.kernels = static_cast<int>(card.program->launches().size());
    // Nothing, if one element takes the reference too long.
    row.checked = !result.reference.empty();
    torch::Comparison worst;
    for (const OutputResult& o : result.outputs) {
      if (worst.pass) worst = o.comparison;
    }
    row.error = worst.error;
    row.bound = worst.bound;
    if (!result.within()) {
      beyond_ = true;
      row.failed = fmt::format("WRONG: got {:.9g}, wanted {:.9g} within {:.2g}",
                               worst.got, worst.wanted, worst.bound);
    }
  }

  // PyTorch before and after us: if it has not kept its pace, again.
  void time(const OnCard* card, bool torch, Row& row) {
    for (int round = 0; round < 3; round++) {
      TorchTimes first, last;
      if (torch) first = torch_times();
      if (card != nullptr) row.us = graph_microseconds(*card, meter_);
      if (torch) last = torch_times();
      row.eager_us = (first.eager + last.eager) / 2;
      row.compile_us = (first.compile + last.compile) / 2;
      if (std::fabs(first.compile - last.compile) <= 0.05 * row.compile_us)
        break;
    }
  }

  TorchTimes torch_times() {
    std::string error;
    std::optional<TorchTimes> times = worker_.measure(error);
    if (!times) std::fprintf(stderr, "PyTorch: %s\n", error.c_str());
    return times.value_or(TorchTimes{});
  }

  const Command& command_;
  const Tables& tables_;
  const running::Device& device_;
  Meter meter_;
  running::TorchWorker worker_;
  Report before_, report_;
  bool beyond_ = false;
};

int print_report(const Report& report) {
  std::string out =
      fmt::format("{}, driver for CUDA {}\n", report.device, report.driver) +
      running::table_text(report);
  std::fputs(out.c_str(), stdout);
  return kOk;
}

}  // namespace

int run_bench(const Command& command) {
  if (!command.against.empty() && command.against != "torch") {
    throw UsageError("--against " + command.against + ": expected torch");
  }
  if (command.suite.empty()) {
    if (command.report.empty())
      throw UsageError("bench needs --suite or --json");
    return print_report(
        running::parse_report(read_text(command.report), command.report));
  }
  std::vector<Case> suite =
      running::parse_suite(read_text(command.suite), command.suite);
  Tables tables = all_tables();
  return with_card(command, [&](const running::Device& device) {
    return Bench(command, tables, device).run(suite);
  });
}

#else

int run_bench(const Command&) {
  fail({}, "chapter 7 is not built");
}

#endif

}  // namespace sextant::cli
