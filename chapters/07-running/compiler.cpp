#include "chapters/07-running/compiler.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "chapters/07-running/process.h"
#include "src/base/text.h"

namespace sextant::running {
namespace {

namespace fs = std::filesystem;

// The first complaint stands in the first line: a table has room for no more.
[[noreturn]] void refuse(const char* compiler, const std::string& log) {
  std::string first;
  for (const std::string& line : split(log, '\n')) {
    if (first.empty() && line.find("error") != std::string::npos) first = line;
  }
  fail({}, "{} refuses the program: {}\n{}", compiler, first, log);
}

// --- nvcc --------------------------------------------------------------------

// A folder that goes away again, with all that is in it.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "sextant-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      fail({}, "no folder can be made in {}",
           fs::temp_directory_path().string());
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

std::string compile_by_nvcc(const std::string& nvcc, const std::string& text,
                            const std::string& arch) {
  Scratch scratch;
  std::string source = scratch.file("program.cu");
  std::string cubin = scratch.file("program.cubin");
  std::ofstream out(source, std::ios::binary);
  out << text;
  out.close();
  if (!out) fail({source, 0, 0, ""}, "the file cannot be written");
  std::string log;
  if (run_command(
          {nvcc, "-arch=" + arch, "-std=c++17", "-cubin", "-o", cubin, source},
          log) != 0) {
    // The file is gone when this is read.
    for (std::size_t at; (at = log.find(source)) != std::string::npos;)
      log.replace(at, source.size(), "program.cu");
    refuse("nvcc", log);
  }
  return read_all(cubin);
}

// "release 13.0" in what `nvcc --version` says: 13000.
int release_in(const std::string& text) {
  std::size_t at = text.find("release ");
  int major = 0, minor = 0;
  if (at == std::string::npos ||
      std::sscanf(text.c_str() + at, "release %d.%d", &major, &minor) != 2) {
    return 0;
  }
  return 1000 * major + 10 * minor;
}

// --- NVRTC -------------------------------------------------------------------

using Program = void*;

struct Nvrtc {
  Function<int*, int*> nvrtcVersion;
  Function<Program*, const char*, const char*, int, const char* const*,
           const char* const*>
      nvrtcCreateProgram;
  Function<Program*> nvrtcDestroyProgram;
  Function<Program, int, const char* const*> nvrtcCompileProgram;
  Function<Program, std::size_t*> nvrtcGetProgramLogSize, nvrtcGetCUBINSize;
  Function<Program, char*> nvrtcGetProgramLog, nvrtcGetCUBIN;
  Describe describe;
};

std::shared_ptr<Nvrtc> load_nvrtc(const Lookup& lookup) {
  auto nvrtc = std::make_shared<Nvrtc>();
  auto load = [&](auto& function, const char* name) {
    find(function, name, lookup, "NVRTC");
    function.describe = &nvrtc->describe;
  };
  load(nvrtc->nvrtcVersion, "nvrtcVersion");
  load(nvrtc->nvrtcCreateProgram, "nvrtcCreateProgram");
  load(nvrtc->nvrtcDestroyProgram, "nvrtcDestroyProgram");
  load(nvrtc->nvrtcCompileProgram, "nvrtcCompileProgram");
  load(nvrtc->nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize");
  load(nvrtc->nvrtcGetProgramLog, "nvrtcGetProgramLog");
  load(nvrtc->nvrtcGetCUBINSize, "nvrtcGetCUBINSize");
  load(nvrtc->nvrtcGetCUBIN, "nvrtcGetCUBIN");
  auto words =
      reinterpret_cast<const char* (*)(int)>(lookup("nvrtcGetErrorString"));
  nvrtc->describe = [words](int code) {
    return words == nullptr ? std::to_string(code) : words(code);
  };
  return nvrtc;
}

std::string compile_by_nvrtc(const Nvrtc& nvrtc, const std::string& text,
                             const std::string& arch) {
  Program program = nullptr;
  nvrtc.nvrtcCreateProgram(&program, text.c_str(), "program.cu", 0, nullptr,
                           nullptr);
  struct Destroy {
    const Nvrtc& nvrtc;
    Program program;
    ~Destroy() { nvrtc.nvrtcDestroyProgram.code(&program); }
  } destroy{nvrtc, program};
  const std::string architecture = "--gpu-architecture=" + arch;
  const char* options[] = {architecture.c_str(), "--std=c++17"};
  std::size_t size = 0;
  if (nvrtc.nvrtcCompileProgram.code(program, 2, options) != 0) {
    nvrtc.nvrtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    nvrtc.nvrtcGetProgramLog(program, log.data());
    refuse("NVRTC", log.c_str());
  }
  nvrtc.nvrtcGetCUBINSize(program, &size);
  std::string cubin(size, '\0');
  nvrtc.nvrtcGetCUBIN(program, cubin.data());
  return cubin;
}

// Where a toolkit is installed.
std::vector<std::string> toolkits() {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* folder = std::getenv(name)) folders.push_back(folder);
  }
  folders.push_back("/usr/local/cuda");
  return folders;
}

}  // namespace

std::optional<Compiler> find_nvcc() {
  std::vector<std::string> places = {"nvcc"};
  for (const std::string& folder : toolkits())
    places.push_back(folder + "/bin/nvcc");
  for (const std::string& nvcc : places) {
    std::string version;
    if (run_command({nvcc, "--version"}, version) != 0) continue;
    auto compile = [nvcc](const std::string& text, const std::string& arch) {
      return compile_by_nvcc(nvcc, text, arch);
    };
    return Compiler{"nvcc", version + "-std=c++17", release_in(version),
                    compile};
  }
  return std::nullopt;
}

std::optional<Compiler> find_nvrtc(Lookup lookup) {
  if (!lookup) {
    std::vector<std::string> files;
    for (const char* file : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
      files.push_back(file);
    for (const std::string& folder : toolkits())
      files.push_back(folder + "/lib64/libnvrtc.so");
    lookup = open_library(files);
  }
  if (!lookup) return std::nullopt;
  std::shared_ptr<Nvrtc> nvrtc = load_nvrtc(lookup);
  int major = 0, minor = 0;
  nvrtc->nvrtcVersion(&major, &minor);
  auto compile = [nvrtc](const std::string& text, const std::string& arch) {
    return compile_by_nvrtc(*nvrtc, text, arch);
  };
  return Compiler{"NVRTC", fmt::format("NVRTC {}.{} -std=c++17", major, minor),
                  1000 * major + 10 * minor, compile};
}

Compiler choose_compiler(const std::string& name, const FindCompiler& nvcc,
                         const FindCompiler& nvrtc) {
  std::optional<Compiler> found;
  if (name != "nvrtc") found = nvcc();
  if (!found && name != "nvcc") found = nvrtc();
  if (found) return *found;
  fail({},
       "there is no {} here: install the CUDA Toolkit, or set CUDA_HOME to "
       "where it is",
       name.empty() ? "CUDA compiler, neither nvcc nor NVRTC," : name);
}

}  // namespace sextant::running
