#include "src/cli/stages.h"

#include "src/base/error.h"
#include "src/cli/pipeline.h"

namespace sextant::cli {
namespace {

const std::string kNames[] = {"torch", "tensor", "loop",
                              "tile",  "kernel", "cuda"};

}  // namespace

const std::string& name_of(Stage stage) {
  return kNames[static_cast<int>(stage)];
}

std::string title_of(Stage stage) {
  if (stage == Stage::Cuda) return "CUDA";
  std::string title = name_of(stage) + " IR";
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

std::string file_of(Stage stage) {
  return fmt::format("{}_{}.{}", chapter_of(stage), name_of(stage),
                     stage == Stage::Cuda ? "cu" : "txt");
}

std::optional<Stage> stage_named(const std::string& name) {
  for (Stage stage : all_stages()) {
    if (name_of(stage) == name) return stage;
  }
  return std::nullopt;
}

const std::vector<Stage>& all_stages() {
  static const std::vector<Stage> all = {Stage::Torch,  Stage::Tensor,
                                         Stage::Loop,   Stage::Tile,
                                         Stage::Kernel, Stage::Cuda};
  return all;
}

void require(Stage stage) {
  if (chapter_of(stage) > kChapters) {
    fail({}, "chapter {} is not built, so there is no {} here",
         chapter_of(stage), title_of(stage));
  }
}

void require_chapter(int chapter) {
  if (chapter > SEXTANT_CHAPTERS) {
    fail({}, "chapter {} is not built", chapter);
  }
}

}  // namespace sextant::cli
