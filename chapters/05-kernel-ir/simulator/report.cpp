#include "chapters/05-kernel-ir/simulator/report.h"

namespace sextant::kernel {

std::string Fault::sentence() const {
  if (kernel.empty()) return fmt::format("{}: {}", kind, what);
  std::string text =
      fmt::format("{}: thread {} of block {} {}", kind, thread, block, what);
  text += fmt::format("\n  at `{}` of {}", statement, kernel);
  if (times > 1) text += fmt::format(", {} times", times);
  return text;
}

std::string faults_text(const Report& report) {
  std::string text;
  for (const Fault& f : report.faults)
    text += f.sentence() + "\n";
  return text;
}

int64_t KernelCount::executed() const {
  int64_t sum = 0;
  for (const StatementCount& s : statements)
    sum += s.executed;
  return sum;
}

double KernelCount::flops() const {
  double sum = 0;
  for (const StatementCount& s : statements)
    sum += s.flops;
  return sum;
}

std::string profile_text(const Report&) {
  return "";
}

}  // namespace sextant::kernel
