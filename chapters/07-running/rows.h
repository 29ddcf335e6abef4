// What a benchmark found, as rows: read, merged, compared, printed.
#pragma once

#include <string>
#include <vector>

namespace sextant::running {

/// One program of a suite in one type. Times are in microseconds; what was not
/// measured is 0.
struct Row {
  std::string name, group, dtype;
  double us = 0;                        // ours
  double eager_us = 0, compile_us = 0;  // PyTorch's, in the same run
  double floor_us = 0;                  // no program can be faster
  int kernels = 0;
  bool checked = false;  // against the reference, which may take for ever
  double error = 0, bound = 0;  // of the element that is worst for its bound
  std::string date;             // when it was measured
  std::string failed;           // why there is no time

  /// PyTorch's time over ours: above 1, we are faster. 0: unknown.
  double ratio() const {
    return us > 0 && compile_us > 0 ? compile_us / us : 0;
  }
};

struct Report {
  std::string device, driver;
  std::vector<Row> rows;
};

/// {device, driver, rows: [...]}, a row a line. An `Error` if the text is none.
Report parse_report(const std::string& text, const std::string& file);
std::string report_text(const Report& report);

/// Puts a row where there is one of its name and type, else at the end.
void merge(Report& report, const Row& row);

/// Above 0, if all are.
double geometric_mean(const std::vector<double>& numbers);

/// The rows, worst ratio first, then a line for each group. Failures stand at
/// the top.
std::string table_text(const Report& report);

/// A line for each row that takes over a tenth longer than in `before`.
std::string slower_text(const Report& before, const Report& now);

/// The data sheet of an H200: what its memory and its arithmetic take at the
/// least. Products of bfloat16 could run on tensor cores.
double floor_us(double flops, double bytes, bool tensor_cores);

}  // namespace sextant::running
