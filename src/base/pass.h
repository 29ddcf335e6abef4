// The pass runner. A pass is a pure function in one visible table; the runner
// verifies before and after, traces what changed as a diff, and takes time
// from a clock that is handed in, since the compiler itself has none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/tables.h"

namespace sextant {

/// What one pass did.
struct PassRecord {
  std::string stage, pass, sentence;
  bool changed = false;
  std::string diff;    // with tracing on
  std::string reason;  // why a pass left the program as it was
  double seconds = 0;
};

/// What a compilation is asked to do beside compiling.
struct PassContext {
  const Tables* tables = nullptr;
  bool trace = false;
  std::function<double()> clock;  // seconds; empty: no times
  std::vector<PassRecord> records;
  /// Called with the text after each pass or lowering: (stage, pass, text).
  std::function<void(const std::string&, const std::string&,
                     const std::string&)>
      observe;
  /// A pass says here why it did nothing.
  std::string reason;
};

/// A pass from one IR to the same IR.
template <class Ir>
struct Pass {
  Name name;
  std::string sentence;
  std::function<Ir(const Ir&, PassContext&)> run;
};

/// Runs passes in order. `verify` raises what is wrong with an IR; what it
/// raises after a pass is a defect of that pass and named so. `text` prints.
template <class Ir>
Ir run_passes(const std::string& stage, const std::vector<Pass<Ir>>& passes,
              Ir ir, PassContext& context,
              const std::function<void(const Ir&)>& verify,
              const std::function<std::string(const Ir&)>& text);

std::string diff_or_nothing(const std::string& before,
                            const std::string& after);

template <class Ir>
Ir run_passes(const std::string& stage, const std::vector<Pass<Ir>>& passes,
              Ir ir, PassContext& context,
              const std::function<void(const Ir&)>& verify,
              const std::function<std::string(const Ir&)>& text) {
  verify(ir);
  for (const Pass<Ir>& pass : passes) {
    context.reason.clear();
    double start = context.clock ? context.clock() : 0;
    Ir next = pass.run(ir, context);
    try {
      verify(next);
    } catch (const Error& e) {
      throw InternalError("after pass " + pass.name + " of " + stage + ": " +
                          e.what() + "\n" + text(next));
    }
    PassRecord record{stage, pass.name, pass.sentence, !(next == ir), "",
                      "",    0};
    if (context.clock) record.seconds = context.clock() - start;
    if (context.trace) record.diff = diff_or_nothing(text(ir), text(next));
    if (!record.changed) record.reason = context.reason;
    context.records.push_back(record);
    if (context.observe) context.observe(stage, pass.name, text(next));
    ir = std::move(next);
  }
  return ir;
}

}  // namespace sextant
