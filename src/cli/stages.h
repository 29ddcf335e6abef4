// The six stages by name, and which of them this build has: the command line
// builds for every N, with the chapters above N absent.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sextant::cli {

enum class Stage { Torch, Tensor, Loop, Tile, Kernel, Cuda };

/// torch, tensor, loop, tile, kernel, cuda.
const std::string& name_of(Stage stage);
/// "Loop IR", "CUDA".
std::string title_of(Stage stage);
/// "3_loop.txt", "6_cuda.cu"
std::string file_of(Stage stage);
std::optional<Stage> stage_named(const std::string& name);
/// All stages, first to last.
const std::vector<Stage>& all_stages();
/// The chapter that tells a stage, 1 to 6.
inline int chapter_of(Stage stage) {
  return static_cast<int>(stage) + 1;
}
/// Raises "chapter 4 is not built" if it is not.
void require(Stage stage);
void require_chapter(int chapter);

}  // namespace sextant::cli
