#include "chapters/07-running/module_cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/base/array.h"

namespace sextant::running {
namespace {

namespace fs = std::filesystem;

// 128 bits of a text, as 32 digits. Good against chance, not against malice:
// who can write to the folder can run code here anyway.
std::string digest(const std::string& text) {
  uint64_t low = 0, high = text.size();
  for (std::size_t i = 0; i < text.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + i,
                std::min<std::size_t>(8, text.size() - i));
    low = random_bits(low, word, 1);
    high = random_bits(high, word, 2);
  }
  return fmt::format("{:016x}{:016x}", high, low);
}

// A file is one line that says what must follow, then the code. A file that
// was cut short, or is none of ours, does not keep what its line says.
std::string packed(const std::string& code) {
  return fmt::format("sextant module {} {}\n", code.size(), digest(code)) +
         code;
}

std::optional<std::string> read_module(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  std::string text = bytes.str();
  std::size_t line = text.find('\n');
  if (!in || line == std::string::npos) return std::nullopt;
  std::string code = text.substr(line + 1);
  if (packed(code) != text) return std::nullopt;
  return code;
}

// Into a file of another name, then renamed: who reads sees all or nothing.
void write_module(const fs::path& path, const std::string& code) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  static std::atomic<int> count = 0;
  fs::path temporary = path;
  temporary += fmt::format(".{}-{}.tmp", getpid(), count++);
  std::ofstream out(temporary, std::ios::binary);
  out << packed(code);
  out.close();
  if (out) fs::rename(temporary, path, error);
  if (!out || error) fs::remove(temporary, error);
}

}  // namespace

std::string cache_folder() {
  if (const char* folder = std::getenv("SEXTANT_CACHE")) return folder;
  if (const char* folder = std::getenv("XDG_CACHE_HOME")) {
    return std::string(folder) + "/sextant";
  }
  if (const char* home = std::getenv("HOME")) {
    return std::string(home) + "/.cache/sextant";
  }
  return "";
}

std::string compile_cached(const std::string& folder, const Compiler& compiler,
                           const std::string& text, const std::string& arch) {
  if (folder.empty()) return compiler.compile(text, arch);
  // Lengths, so that no two different keys run together.
  std::string key =
      fmt::format("{} {} {} {}\n", compiler.name.size(),
                  compiler.version.size(), arch.size(), text.size()) +
      compiler.name + compiler.version + arch + text;
  fs::path path = fs::path(folder) / (digest(key) + ".cubin");
  if (std::optional<std::string> code = read_module(path)) return *code;
  std::string code = compiler.compile(text, arch);
  write_module(path, code);
  return code;
}

}  // namespace sextant::running
