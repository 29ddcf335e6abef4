// The compiler on one screen: a program goes from stage to stage, and every
// stage it has been at stays. Pure computation, like the chapters.
#pragma once

#include "chapters/01-torch-ir/ir.h"
#include "src/base/pass.h"
#include "src/cli/stages.h"
#if SEXTANT_CHAPTERS >= 2
#include "chapters/02-tensor-ir/ir.h"
#endif
#if SEXTANT_CHAPTERS >= 3
#include "chapters/03-loop-ir/ir.h"
#endif
#if SEXTANT_CHAPTERS >= 4
#include "chapters/04-tile-ir/ir.h"
#endif
#if SEXTANT_CHAPTERS >= 5
#include "chapters/05-kernel-ir/ir.h"
#endif

namespace sextant::cli {

/// The last of chapters 1 to 6 that is built.
inline constexpr int kChapters = SEXTANT_CHAPTERS < 6 ? SEXTANT_CHAPTERS : 6;

/// A program at every stage from the one it came in at to the one it has been
/// brought to.
struct Compilation {
  Stage first = Stage::Torch, reached = Stage::Torch;
  torch::Graph torch;
#if SEXTANT_CHAPTERS >= 2
  tensor::Graph tensor;
#endif
#if SEXTANT_CHAPTERS >= 3
  loop::Program loop;
#endif
#if SEXTANT_CHAPTERS >= 4
  tile::Program tile;
#endif
#if SEXTANT_CHAPTERS >= 5
  kernel::Program kernel;
#endif
  Text cuda;
  std::string given;  // the IR file's text, if it came from one

  bool has(Stage stage) const {
    return first <= stage && stage <= reached;
  }
};

/// What the lowerings are told.
struct Request {
  std::string target = "sm_90a";
  std::string schedules;      // as `--schedule` takes them
  std::string fuse = "auto";  // auto, none, or the stored values
};

/// A program that a front end made.
Compilation start_from(torch::Graph graph, const Tables& tables);
/// Reads and verifies an IR text; its first line tells the stage.
Compilation start_from(std::string_view text, const std::string& file,
                       const Tables& tables);

/// Brings a program to `last`, stage by stage. Each lowering is verified and
/// recorded as the passes are. An `Error` is the user's fault; what a lowering
/// makes and its verifier refuses is an `InternalError` that names it.
Compilation compile(Compilation program, Stage last, const Request& request,
                    PassContext& context);

/// The text of a stage that the program has been at, printed.
Text text_of(const Compilation& program, Stage stage, const Tables& tables);
/// The list that the origins of a stage index.
const std::vector<Source>& sources_of(const Compilation& program, Stage stage);

/// Calls f(graph or program) for a stage that is one: any but CUDA.
template <class C, class F>
void visit_stage(C& program, Stage stage, F&& f) {
  switch (stage) {
    case Stage::Torch: return f(program.torch);
#if SEXTANT_CHAPTERS >= 2
    case Stage::Tensor: return f(program.tensor);
#endif
#if SEXTANT_CHAPTERS >= 3
    case Stage::Loop: return f(program.loop);
#endif
#if SEXTANT_CHAPTERS >= 4
    case Stage::Tile: return f(program.tile);
#endif
#if SEXTANT_CHAPTERS >= 5
    case Stage::Kernel: return f(program.kernel);
#endif
    default: INVARIANT(false, "{} is no program here", title_of(stage));
  }
}

}  // namespace sextant::cli
