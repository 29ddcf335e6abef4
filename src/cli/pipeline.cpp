#include "src/cli/pipeline.h"

#include "chapters/01-torch-ir/infer.h"
#include "chapters/01-torch-ir/syntax.h"
#if SEXTANT_CHAPTERS >= 2
#include "chapters/02-tensor-ir/lower.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/02-tensor-ir/verify.h"
#endif
#if SEXTANT_CHAPTERS >= 3
#include "chapters/03-loop-ir/lower.h"
#include "chapters/03-loop-ir/syntax.h"
#include "chapters/03-loop-ir/verify.h"
#endif
#if SEXTANT_CHAPTERS >= 4
#include "chapters/04-tile-ir/lower.h"
#include "chapters/04-tile-ir/syntax.h"
#include "chapters/04-tile-ir/verify.h"
#endif
#if SEXTANT_CHAPTERS >= 5
#include "chapters/05-kernel-ir/lower.h"
#include "chapters/05-kernel-ir/syntax.h"
#include "chapters/05-kernel-ir/verify.h"
#endif
#if SEXTANT_CHAPTERS >= 6
#include "chapters/06-cuda/emit.h"
#endif

namespace sextant::cli {
namespace {

// Text and legality of each IR, under one name.

void read(torch::Graph& graph, std::string_view text, const std::string& file,
          Stage, const Tables& tables) {
  graph = torch::parse_graph(tables, text, file);
}
void check(const torch::Graph& graph, const Tables& tables) {
  torch::verify(tables, graph);
}
Text print(const torch::Graph& graph, Stage, const Tables& tables) {
  return torch::print_graph(tables, graph);
}

#if SEXTANT_CHAPTERS >= 2
void read(tensor::Graph& graph, std::string_view text, const std::string& file,
          Stage, const Tables&) {
  graph = tensor::parse_graph(text, file);
}
void check(const tensor::Graph& graph, const Tables& tables) {
  tensor::verify(graph, tables);
}
Text print(const tensor::Graph& graph, Stage, const Tables&) {
  return tensor::print_graph(graph);
}
#endif

template <class Kernel>
void read(Program<Kernel>& program, std::string_view text,
          const std::string& file, Stage stage, const Tables&) {
  program = parse_program<Kernel>(text, name_of(stage), file);
}
template <class Kernel>
void check(const Program<Kernel>& program, const Tables& tables) {
  if constexpr (requires { verify(tables, program); }) {
    verify(tables, program);
  } else {
    verify(program, tables);
  }
}
template <class Kernel>
Text print(const Program<Kernel>& program, Stage stage, const Tables&) {
  return print_program(program, name_of(stage));
}

void verify_stage(const Compilation& program, Stage stage,
                  const Tables& tables) {
  if (stage == Stage::Cuda) return;  // text: its judge is nvcc
  visit_stage(program, stage, [&](const auto& ir) { check(ir, tables); });
}

// Runs one lowering, with all that goes around it: the record that `--trace`
// and `--time` show, in front of those of the passes that ran in it, and the
// verifier, whose complaint is about Sextant here.
template <class F>
void step(Compilation& program, Stage stage, const char* sentence,
          PassContext& context, F&& lower) {
  std::size_t first = context.records.size();
  double start = context.clock ? context.clock() : 0;
  const std::string from = title_of(program.reached);
  try {
    lower();
  } catch (const InternalError& e) {
    throw InternalError(fmt::format("in the lowering of {} to {}: {}", from,
                                    title_of(stage), e.what()));
  }
  PassRecord record{name_of(stage), "lower", sentence, true, "", "", 0};
  if (context.clock) record.seconds = context.clock() - start;
  for (std::size_t i = first; i < context.records.size(); i++)
    record.seconds -= context.records[i].seconds;
  context.records.insert(
      context.records.begin() + static_cast<std::ptrdiff_t>(first), record);
  program.reached = stage;
  try {
    verify_stage(program, stage, *context.tables);
  } catch (const Error& e) {
    throw InternalError(fmt::format(
        "after the lowering of {} to {}: {}\n{}", from, title_of(stage),
        e.what(), text_of(program, stage, *context.tables).text));
  }
}

}  // namespace

Compilation compile(Compilation program, Stage last,
                    [[maybe_unused]] const Request& request,
                    PassContext& context) {
  [[maybe_unused]] const Tables& tables = *context.tables;
  auto missing = [&](Stage stage) {
    return program.reached < stage && stage <= last;
  };
  for (Stage stage : all_stages()) {
    if (missing(stage)) require(stage);
  }
  [[maybe_unused]] auto to = [&](Stage stage, const char* sentence,
                                 auto&& lower) {
    if (missing(stage)) step(program, stage, sentence, context, lower);
  };
#if SEXTANT_CHAPTERS >= 2
  to(Stage::Tensor, "each operation becomes one or more of three primitives",
     [&] { program.tensor = tensor::compile(program.torch, context); });
#endif
#if SEXTANT_CHAPTERS >= 3
  to(Stage::Loop, "what is stored is chosen; each kernel is a loop nest", [&] {
    program.loop =
        loop::lower(program.tensor, request.fuse, request.target, context);
  });
#endif
#if SEXTANT_CHAPTERS >= 4
  to(Stage::Tile, "each kernel gets a schedule, which the passes carry out",
     [&] {
       program.tile = tile::lower(program.loop,
                                  {request.target, request.schedules}, context);
     });
#endif
#if SEXTANT_CHAPTERS >= 5
  to(Stage::Kernel, "digits, stages and combines become hardware primitives",
     [&] { program.kernel = kernel::lower(tables, program.tile); });
#endif
#if SEXTANT_CHAPTERS >= 6
  to(Stage::Cuda, "each statement is spelled in CUDA",
     [&] { program.cuda = cuda::emit(tables, program.kernel); });
#endif
  return program;
}

Compilation start_from(torch::Graph graph, const Tables& tables) {
  Compilation program;
  program.torch = std::move(graph);
  verify_stage(program, Stage::Torch, tables);
  return program;
}

Compilation start_from(std::string_view text, const std::string& file,
                       const Tables& tables) {
  StageLine line = stage_of(text);
  std::optional<Stage> stage = stage_named(line.stage);
  if (!stage || *stage == Stage::Cuda) {
    fail({file, 1, 1, ""},
         "expected 'sextant STAGE' in the first line, with one of torch, "
         "tensor, loop, tile, kernel");
  }
  require(*stage);
  Compilation program;
  program.first = program.reached = *stage;
  program.given = std::string(text);
  visit_stage(program, *stage, [&](auto& ir) {
    read(ir, text, file, *stage, tables);
    check(ir, tables);
  });
  return program;
}

Text text_of(const Compilation& program, Stage stage, const Tables& tables) {
  INVARIANT(program.has(stage), "there is no {}", title_of(stage));
  if (stage == Stage::Cuda) return program.cuda;
  Text text;
  visit_stage(program, stage,
              [&](const auto& ir) { text = print(ir, stage, tables); });
  return text;
}

const std::vector<Source>& sources_of(const Compilation& program, Stage stage) {
  Stage at = std::min(stage, Stage::Kernel);  // CUDA's text is a walk of it
  const std::vector<Source>* sources = nullptr;
  visit_stage(program, at, [&](const auto& ir) { sources = &ir.sources; });
  return *sources;
}

}  // namespace sextant::cli
