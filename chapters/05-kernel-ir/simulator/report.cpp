// Reports as text: what was found in sentences, what was counted in a table.
#include "chapters/05-kernel-ir/simulator/report.h"

#include <set>

namespace sextant::kernel {

namespace {

// Breaks a line at spaces so that it fits in 80 columns; the rest is indented.
std::string wrapped(std::string text) {
  std::string out;
  while (text.size() > 80) {
    std::size_t at = text.rfind(' ', 80);
    if (at == std::string::npos || at < 4) break;
    out += text.substr(0, at) + "\n";
    text = "    " + text.substr(at + 1);
  }
  return out + text;
}

}  // namespace

std::string Fault::sentence() const {
  if (kernel.empty()) return wrapped(fmt::format("{}: {}", kind, what));
  std::string how_often =
      times > 1 ? fmt::format(", {} times", times) : std::string();
  return wrapped(fmt::format("{}: thread {} of block {} {}", kind, thread,
                             block, what)) +
         "\n" +
         wrapped(
             fmt::format("  at `{}` of {}{}", statement, kernel, how_often));
}

std::string faults_text(const Report& report) {
  std::string text;
  for (const Fault& f : report.faults)
    text += f.sentence() + "\n";
  return text;
}

void Traffic::operator+=(const Traffic& more) {
  bytes += more.bytes;
  requests += more.requests;
  sectors += more.sectors;
  least_sectors += more.least_sectors;
  wavefronts += more.wavefronts;
  least_wavefronts += more.least_wavefronts;
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

namespace {

// 1048576 as 1,048,576.
std::string grouped(int64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

double ratio(int64_t a, int64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

// The accesses to an object, summed.
Traffic sum_over(const KernelCount& k, const Name& object, bool shared) {
  Traffic sum;
  for (const AccessCount& a : k.accesses) {
    if (a.object == object && a.shared == shared) sum += a;
  }
  return sum;
}

std::string global_table(const KernelCount& k) {
  if (k.buffers.empty()) return "";
  std::string text =
      fmt::format("  {:<15}{:>14}{:>14}{:>14}{:>9}{:>12}\n", "global memory",
                  "bytes read", "written", "has bytes", "sectors", "least");
  for (const BufferCount& b : k.buffers) {
    Traffic sum = sum_over(k, b.buffer, false);
    text += fmt::format("  {:<15}{:>14}{:>14}{:>14}{:>9.2f}{:>12.2f}\n",
                        b.buffer, grouped(b.read), grouped(b.written),
                        grouped(b.least), ratio(sum.sectors, sum.requests),
                        ratio(sum.least_sectors, sum.requests));
  }
  return text;
}

std::string shared_table(const KernelCount& k) {
  std::string text;
  std::set<Name> done;
  for (const AccessCount& a : k.accesses) {
    if (!a.shared || !done.insert(a.object).second) continue;
    Traffic sum = sum_over(k, a.object, true);
    text += fmt::format("  {:<15}{:>14}{:>14}{:>14}{:>21}\n", a.object,
                        grouped(sum.requests), grouped(sum.wavefronts),
                        grouped(sum.least_wavefronts),
                        grouped(sum.wavefronts - sum.least_wavefronts));
  }
  if (text.empty()) return "";
  return fmt::format("  {:<15}{:>14}{:>14}{:>14}{:>21}\n", "shared memory",
                     "requests", "wavefronts", "least", "bank conflicts") +
         text;
}

std::string kernel_text(const KernelCount& k) {
  int64_t guards = 0;
  for (const StatementCount& s : k.statements)
    guards += s.guards;
  std::string text = fmt::format(
      "{}: {} of {} blocks of {} threads, {} bytes of shared memory\n",
      k.kernel, grouped(k.blocks_run), grouped(k.grid), k.block,
      grouped(k.shared_bytes));
  text += fmt::format("  {} thread-statements, {} operations on floats\n",
                      grouped(k.executed()),
                      grouped(static_cast<int64_t>(k.flops())));
  text += fmt::format("  {:.1f} barriers a block, {} guards\n",
                      ratio(k.barriers, k.blocks_run), grouped(guards));
  if (k.copies > 0) {
    text += fmt::format(
        "  {} asynchronous copies; {:.0f} statements between commit and wait\n",
        grouped(k.copies), ratio(k.distance, k.copies));
  }
  return text + global_table(k) + shared_table(k);
}

}  // namespace

std::string profile_text(const Report& report) {
  std::string text;
  for (const KernelCount& k : report.kernels)
    text += (text.empty() ? "" : "\n") + kernel_text(k);
  return text;
}

}  // namespace sextant::kernel
