#include "chapters/07-running/rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "src/base/error.h"

namespace sextant::running {
namespace {

using Json = nlohmann::ordered_json;

// Three digits say all that a measurement knows.
double short_number(double x) {
  return std::stod(fmt::format("{:.4g}", x));
}

Json row_json(const Row& r) {
  Json json = {{"name", r.name}, {"group", r.group}, {"dtype", r.dtype}};
  auto number = [&](const char* key, double x) {
    if (x > 0) json[key] = short_number(x);
  };
  number("us", r.us);
  number("eager_us", r.eager_us);
  number("compile_us", r.compile_us);
  // Of the numbers that are written, so that a reader can check it.
  if (r.ratio() > 0) {
    number("ratio", short_number(r.compile_us) / short_number(r.us));
  }
  number("floor_us", r.floor_us);
  if (r.kernels > 0) json["kernels"] = r.kernels;
  if (r.checked) {
    json["error"] = short_number(r.error);
    json["bound"] = short_number(r.bound);
  }
  if (!r.failed.empty()) json["failed"] = r.failed;
  json["date"] = r.date;
  return json;
}

Row row_of(const Json& json) {
  Row r;
  r.name = json.at("name");
  r.group = json.value("group", "");
  r.dtype = json.at("dtype");
  r.us = json.value("us", 0.0);
  r.eager_us = json.value("eager_us", 0.0);
  r.compile_us = json.value("compile_us", 0.0);
  r.floor_us = json.value("floor_us", 0.0);
  r.kernels = json.value("kernels", 0);
  r.checked = json.contains("bound");
  r.error = json.value("error", 0.0);
  r.bound = json.value("bound", 0.0);
  r.date = json.value("date", "");
  r.failed = json.value("failed", "");
  return r;
}

std::string cell(double x) {
  if (x <= 0) return "-";
  return x < 1000 ? fmt::format("{:.1f}", x) : fmt::format("{:.0f}", x);
}

std::string line_of(const Row& r) {
  std::string name = r.name + " " + r.dtype;
  std::string line = fmt::format("{:<34}", name);
  if (!r.failed.empty()) {
    return line + " " + r.failed.substr(0, 45) + "\n";  // the report has all
  }
  line += fmt::format("{:>9}{:>9}{:>9}{:>9}", cell(r.us), cell(r.eager_us),
                      cell(r.compile_us), cell(r.floor_us));
  const std::string ratio =
      r.ratio() > 0 ? fmt::format("{:.2f}", r.ratio()) : "-";
  return line +
         fmt::format("{:>6}{:>3}{}\n", ratio, r.kernels, r.checked ? "" : "?");
}

}  // namespace

Report parse_report(const std::string& text, const std::string& file) {
  Report report;
  try {
    Json json = Json::parse(text);
    report.device = json.value("device", "");
    report.driver = json.value("driver", "");
    for (const Json& row : json.at("rows"))
      report.rows.push_back(row_of(row));
  } catch (const nlohmann::json::exception& e) {
    fail({file, 0, 0, ""}, "this is no report of a benchmark: {}", e.what());
  }
  return report;
}

std::string report_text(const Report& report) {
  auto text = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string out = fmt::format("{{\"device\": {}, \"driver\": {}, \"rows\": [",
                                text(report.device), text(report.driver));
  for (std::size_t i = 0; i < report.rows.size(); i++) {
    out += (i == 0 ? "\n" : ",\n") + text(row_json(report.rows[i]));
  }
  return out + "\n]}\n";
}

void merge(Report& report, const Row& row) {
  for (Row& r : report.rows) {
    if (r.name == row.name && r.dtype == row.dtype) {
      r = row;
      return;
    }
  }
  report.rows.push_back(row);
}

double geometric_mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (double x : numbers)
    sum += std::log(x);
  return numbers.empty() ? 0
                         : std::exp(sum / static_cast<double>(numbers.size()));
}

std::string table_text(const Report& report) {
  std::vector<Row> rows = report.rows;
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.failed.empty() != b.failed.empty() ? !a.failed.empty()
                                                : a.ratio() < b.ratio();
  });
  std::string out =
      fmt::format("{:<34}{:>9}{:>9}{:>9}{:>9}{:>6}{:>3}\n", "microseconds",
                  "ours", "eager", "compile", "floor", "ratio", "k");
  std::map<std::string, std::vector<double>> groups;
  bool all_checked = true;
  for (const Row& r : rows) {
    out += line_of(r);
    all_checked = all_checked && (r.checked || !r.failed.empty());
    if (r.ratio() > 0) groups[r.group + " " + r.dtype].push_back(r.ratio());
  }
  if (!all_checked) {
    out += "?: not checked, since one element takes the reference too long\n";
  }
  for (const auto& [group, ratios] : groups) {
    out += fmt::format("{:<34} geometric mean {:.2f} of {}, worst {:.2f}\n",
                       group, geometric_mean(ratios), ratios.size(),
                       *std::min_element(ratios.begin(), ratios.end()));
  }
  return out;
}

std::string slower_text(const Report& before, const Report& now) {
  std::string out;
  for (const Row& r : now.rows) {
    for (const Row& old : before.rows) {
      if (old.name != r.name || old.dtype != r.dtype || old.us <= 0) continue;
      if (!r.failed.empty()) {
        out += fmt::format("{} {} failed, and took {} us on {}\n", r.name,
                           r.dtype, cell(old.us), old.date);
      } else if (r.us > 1.1 * old.us) {
        out += fmt::format("{} {} is slower: {} us, {} on {}\n", r.name,
                           r.dtype, cell(r.us), cell(old.us), old.date);
      }
    }
  }
  return out;
}

double floor_us(double flops, double bytes, bool tensor_cores) {
  double arithmetic = flops / (tensor_cores ? 990e6 : 67e6);
  return std::max(arithmetic, bytes / 4.8e6);
}

}  // namespace sextant::running
