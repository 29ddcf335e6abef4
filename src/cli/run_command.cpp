// sextant run and sextant profile: what they print.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/base/text.h"
#include "src/cli/card.h"
#include "src/cli/json.h"
#include "src/cli/run.h"

namespace sextant::cli {
namespace {

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::vector<std::string> parts;
  for (int64_t n : shape)
    parts.push_back(std::to_string(n));
  return "(" + join(parts) + (shape.size() == 1 ? ",)" : ")");
}

// The index of a row-major position: "[3, 7]".
std::string index_text(int64_t position, const std::vector<int64_t>& shape) {
  std::vector<std::string> parts(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    parts[d] = std::to_string(position % shape[d]);
    position /= shape[d];
  }
  return "[" + join(parts) + "]";
}

std::string element_text(const Array& array, int64_t position) {
  Scalar x = array.at(position);
  if (is_float(array.dtype())) return fmt::format("{:.6g}", x.f);
  return std::to_string(x.i);
}

// The first elements that were computed, as many as fit in a line.
std::string first_elements(const OutputResult& o) {
  std::string line = "  ";
  int64_t n =
      o.sampled ? static_cast<int64_t>(o.positions.size()) : o.array.size();
  for (int64_t i = 0; i < n; i++) {
    int64_t at = o.sampled ? o.positions[static_cast<std::size_t>(i)] : i;
    std::string next = element_text(o.array, at);
    if (line.size() + next.size() + 5 > 80) return line + " ...";
    line += (i == 0 ? "" : " ") + next;
  }
  return line;
}

std::string verdict_text(const OutputResult& o) {
  const torch::Comparison& c = o.comparison;
  int64_t n =
      o.sampled ? static_cast<int64_t>(o.positions.size()) : o.array.size();
  if (n == 0) return "  nothing to compare\n";
  const bool some = !o.sampled && c.checked > 0 && c.checked < n;
  const std::string checked =
      some ? fmt::format("  compared {} of {} elements\n", c.checked, n) : "";
  std::string where = index_text(c.position, o.array.shape());
  if (c.pass && c.error == 0 && c.bound == 0) return checked + "  exact\n";
  std::string out =
      checked +
      fmt::format("  largest error {:.2g} at {}, where {:.2g} is allowed\n",
                  c.error, where, c.bound);
  if (!c.pass) {
    out +=
        fmt::format("  got {:.9g}, wanted {:.9g}; {} of {} beyond the bound\n",
                    c.got, c.wanted, c.beyond, n);
  }
  return out;
}

std::string result_text(const RunResult& result) {
  std::string out;
  for (const OutputResult& o : result.outputs) {
    out += fmt::format("{} {} {}", o.name, name_of(o.array.dtype()),
                       shape_text(o.array.shape()));
    if (o.sampled)
      out += fmt::format(", {} elements of it", o.positions.size());
    out += "\n" + first_elements(o) + "\n";
    if (!result.reference.empty()) out += verdict_text(o);
  }
  if (!result.why.empty()) {
    out += result.why + "\n";
  } else if (!result.reference.empty()) {
    out += fmt::format("{}: {} against {}\n", result.within() ? "ok" : "WRONG",
                       result.executed, result.reference);
  }
  return out + result.notes;
}

void check_device(Command& command) {
  std::string& device = command.device;
  if (command.bench && !device.empty() && device != "cuda") {
    throw UsageError("--bench is for --device cuda: it measures a card");
  }
  if (command.bench) device = "cuda";
  if (device.empty() && command.name == "profile") device = "sim";
  if (device.empty()) device = card_is_there() ? "cuda" : "cpu";
  if (device == "cuda") require_chapter(7);
  if (device != "sim" && device != "cpu" && device != "cuda") {
    throw UsageError("--device " + device + ": expected sim, cpu or cuda");
  }
  if (device == "cpu" && command.name == "profile") {
    throw UsageError("--device cpu: the cpu counts nothing; sim does");
  }
  if (device != "sim" && !command.blocks.empty()) {
    throw UsageError("--blocks is for --device sim: others run them all");
  }
  if (!command.compiler.empty() && device != "cuda") {
    throw UsageError("--compiler is for --device cuda: nothing else compiles");
  }
  if (!command.compiler.empty() && command.compiler != "nvcc" &&
      command.compiler != "nvrtc") {
    throw UsageError("--compiler " + command.compiler +
                     ": expected nvcc or nvrtc");
  }
}

}  // namespace

int exit_code(const RunResult& result) {
  if (!result.clean()) return kUsersFault;
  return result.within() ? kOk : kCheckFailed;
}

int run_run(Command command) {
  check_device(command);
  Tables tables = all_tables();
  RunResult result = execute(load(command, tables), command, tables);
  if (command.json) {
    put(run_json(result));
  } else {
    put(result_text(result));
#if SEXTANT_CHAPTERS >= 5
    std::fputs(kernel::faults_text(result.report).c_str(), stderr);
#endif
  }
  return exit_code(result);
}

int run_profile(Command command) {
  check_device(command);
  require(Stage::Kernel);
  Tables tables = all_tables();
  if (command.device == "cuda") {
    return profile_on_card(load(command, tables), command, tables);
  }
  RunResult result = execute(load(command, tables), command, tables);
#if SEXTANT_CHAPTERS >= 5
  if (command.json) {
    put(profile_json(result));
  } else {
    put(kernel::profile_text(result.report));
    std::fputs(kernel::faults_text(result.report).c_str(), stderr);
  }
#endif
  return exit_code(result);
}

}  // namespace sextant::cli
