// From CUDA text to machine code, by NVIDIA's compilers.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "chapters/07-running/library.h"

namespace sextant::running {

/// A compiler: what identifies its output beside text and architecture, and
/// how it is called. A test gives one of its own.
struct Compiler {
  std::string name;     // "nvcc", "NVRTC"
  std::string version;  // with the flags that it is called with
  int cuda = 0;         // 13000 is CUDA 13.0; 0: unknown
  /// Text and architecture to machine code; an `Error` has the compiler's log.
  std::function<std::string(const std::string&, const std::string&)> compile;
};

/// The toolkit's command, if it is on the path or where it is installed.
std::optional<Compiler> find_nvcc();
/// The library behind a lookup, this machine's if none is given.
std::optional<Compiler> find_nvrtc(Lookup lookup = {});

using FindCompiler = std::function<std::optional<Compiler>()>;
/// The compiler of that name, "nvcc" or "nvrtc"; for "", the first there is.
/// NVRTC comes second: it addresses shared memory by 64 bits, which takes
/// registers that a large tile has not. An `Error` if there is none.
Compiler choose_compiler(
    const std::string& name, const FindCompiler& nvcc = find_nvcc,
    const FindCompiler& nvrtc = [] { return find_nvrtc(); });

}  // namespace sextant::running
