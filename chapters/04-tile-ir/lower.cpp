#include "chapters/04-tile-ir/lower.h"

#include "chapters/04-tile-ir/heuristic.h"
#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/syntax.h"
#include "chapters/04-tile-ir/verify.h"

namespace sextant::tile {
namespace {

std::vector<Stmt> serial(const std::vector<loop::Stmt>& body);

// Each statement for one thread, which has one cell of everything.
Stmt lift(const loop::For& f) {
  For out{f.axis, f.extent, 0, false, false, {}, serial(f.body)};
  for (const loop::Carry& c : f.carries)
    out.carries.push_back({{c.name, {}}, c.dtype, c.combiner});
  return out;
}

Stmt lift(const loop::Load& l) {
  return Load{{l.out, {}}, l.buffer, l.index, l.guard, l.otherwise};
}

Stmt lift(const loop::Accum& a) {
  Accum out{{}, a.combiner, a.value, a.guard};
  for (const Name& n : a.state)
    out.state.push_back({n, {}});
  return out;
}

Stmt lift(const loop::Store& s) {
  return Store{s.buffer, s.index, s.value, s.guard};
}

Stmt lift(const loop::Let& l) {
  return Let{{l.out, {}}, l.value};
}

std::vector<Stmt> serial(const std::vector<loop::Stmt>& body) {
  std::vector<Stmt> out;
  for (const loop::Stmt& s : body) {
    Stmt lifted =
        std::visit([](const auto& node) { return lift(node); }, s.variant());
    out.push_back(lifted.with_origin(s.origin()));
  }
  return out;
}

}  // namespace

Program start(const loop::Program& program, const LowerOptions& options,
              PassContext& context) {
  const Target& target = target_named(*context.tables, options.target);
  Program out{target.name, program.symbols,  program.buffers,
              {},          program.launches, program.sources};
  for (const loop::Kernel& k : program.kernels) {
    std::optional<std::string> given = schedule_for(options.schedules, k.name);
    // Read and printed, so that equal schedules are equal text.
    Schedule schedule =
        given ? parse_schedule(*given) : heuristic(program, k, target);
    Kernel kernel;
    kernel.name = k.name;
    kernel.schedule.text = to_string(schedule);
    kernel.body = serial(k.body);
    kernel.origin = k.origin;
    out.kernels.push_back(kernel);
  }
  return out;
}

Program lower(const loop::Program& program, const LowerOptions& options,
              PassContext& context) {
  const Tables& tables = *context.tables;
  Program out = run_passes<Program>(
      "tile", passes(), start(program, options, context), context,
      [&](const Program& p) { verify_structure(p, tables); },
      [](const Program& p) { return print_program(p, "tile").text; });
  verify(out, tables);
  return out;
}

}  // namespace sextant::tile
