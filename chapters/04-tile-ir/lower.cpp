#include "chapters/04-tile-ir/lower.h"

#include "chapters/04-tile-ir/heuristic.h"
#include "chapters/04-tile-ir/passes.h"
#include "chapters/04-tile-ir/syntax.h"
#include "chapters/04-tile-ir/verify.h"

namespace sextant::tile {
namespace {

std::vector<Stmt> serial(const std::vector<loop::Stmt>& body);

std::vector<Var> cells(const std::vector<Name>& names) {
  std::vector<Var> out;
  for (const Name& n : names)
    out.push_back({n, {}});
  return out;
}

Stmt serial(const loop::Stmt& s) {
  switch (s.kind()) {
    case loop::StmtKind::For: {
      const loop::For& f = s.get<loop::For>();
      For out;
      out.axis = f.axis;
      out.extent = f.extent;
      for (const loop::Carry& c : f.carries)
        out.carries.push_back({{c.name, {}}, c.dtype, c.combiner});
      out.body = serial(f.body);
      return out;
    }
    case loop::StmtKind::Load: {
      const loop::Load& l = s.get<loop::Load>();
      return Load{{l.out, {}}, l.buffer, l.index,       l.guard,
                  l.otherwise, 1,        Cache::Default};
    }
    case loop::StmtKind::Accum: {
      const loop::Accum& a = s.get<loop::Accum>();
      return Accum{cells(a.state), a.combiner, a.value, a.guard};
    }
    case loop::StmtKind::Store: {
      const loop::Store& st = s.get<loop::Store>();
      return Store{st.buffer, st.index, st.value, st.guard, 1, Cache::Default};
    }
    case loop::StmtKind::Let: {
      const loop::Let& let = s.get<loop::Let>();
      return Let{{let.out, {}}, let.value};
    }
  }
  return {};
}

std::vector<Stmt> serial(const std::vector<loop::Stmt>& body) {
  std::vector<Stmt> out;
  for (const loop::Stmt& s : body)
    out.push_back(serial(s).with_origin(s.origin()));
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
