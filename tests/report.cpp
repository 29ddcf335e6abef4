#include "tests/report.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

namespace sextant::test {
namespace {

// One run's counters. They are appended when the process ends, so that many
// thousand counts cost one write.
class Report {
 public:
  Report() = default;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    const char* path = std::getenv("SEXTANT_REPORT");
    if (path == nullptr) return;
    std::ofstream out(path, std::ios::app);
    for (const auto& [what, n] : counters)
      out << what << '\t' << n << '\n';
    for (const std::string& golden : goldens) {
      out << "golden:" << golden << "\t1\n";
    }
  }

  std::map<std::string, std::int64_t> counters;
  std::set<std::string> goldens;
};

Report& report() {
  static Report the_report;
  return the_report;
}

}  // namespace

void count(const std::string& what, std::int64_t n) {
  report().counters[what] += n;
}

void note_golden(const std::string& path) {
  report().goldens.insert(path);
}

}  // namespace sextant::test
