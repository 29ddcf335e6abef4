#include "chapters/03-loop-ir/lower.h"

#include "chapters/03-loop-ir/lower/build.h"
#include "chapters/03-loop-ir/lower/search.h"
#include "chapters/03-loop-ir/passes.h"
#include "chapters/03-loop-ir/syntax.h"
#include "chapters/03-loop-ir/verify.h"

namespace sextant::loop {

Program lower(const tensor::Graph& graph, const std::string& fuse,
              const Name& target_name, PassContext& context) {
  double start = context.clock ? context.clock() : 0;
  const Tables& tables = *context.tables;
  const Target& target = target_named(tables, target_name);
  Flow flow(graph);
  PassRecord record{
      "loop", "fuse", "what is stored, and the kernels that follow", true, "",
      "",     0};
  Stored stored = store_all(flow);
  if (fuse == "auto") {
    Fusion fusion = search(flow, stored, tables, target);
    stored = fusion.stored;
    record.diff = fusion.trace;
  } else if (fuse != "none") {
    stored = parse_stored(flow, fuse);
  }
  std::optional<Program> program = build(flow, stored);
  if (!program) {
    fail({}, "kernels of '{}' would wait for each other", fuse);
  }
  if (context.clock) record.seconds = context.clock() - start;
  if (!context.trace) record.diff.clear();
  context.records.push_back(record);
  auto text = [](const Program& p) { return print_program(p, "loop").text; };
  if (context.observe) context.observe("loop", "fuse", text(*program));
  return run_passes<Program>(
      "loop", passes(), *program, context,
      [&](const Program& p) { verify(p, tables); }, text);
}

}  // namespace sextant::loop
