// What `--json` prints, and the data of the page that `explain` makes.
#pragma once

#include "src/cli/run.h"

namespace sextant::cli {

/// {target, kernels: [{name, role, schedule}], launches, stages, sources,
/// provenance}. `stages` has each stage's text by name; `provenance` has for
/// each stage a list with one entry a line: numbers in `sources`.
std::string compile_json(const Compilation& program, const Request& request,
                         const Tables& tables);

/// {stages: [{name, title, lines, from}], sources}, fit to stand in HTML.
std::string page_json(const Compilation& program, const Tables& tables);

/// {device, checked, outputs: [{name, dtype, shape, first, error, bound, at,
/// beyond}], faults, ok}
std::string run_json(const RunResult& result);

/// {kernels: [...], faults}
std::string profile_json(const RunResult& result);

}  // namespace sextant::cli
