// usage: nvrtc FILE.cu ARCH: compiles FILE by NVRTC and prints its log.
#include <nvrtc.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream in(argv[1]);
  std::stringstream text;
  text << in.rdbuf();
  nvrtcProgram program;
  nvrtcCreateProgram(&program, text.str().c_str(), argv[1], 0, nullptr,
                     nullptr);
  const std::string arch = std::string("--gpu-architecture=") + argv[2];
  const char* options[] = {arch.c_str(), "--std=c++17"};
  const nvrtcResult result = nvrtcCompileProgram(program, 2, options);
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  nvrtcGetProgramLog(program, log.data());
  std::printf("%s\n", log.c_str());
  return result == NVRTC_SUCCESS ? 0 : 1;
}
