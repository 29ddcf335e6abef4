#include "tests/cli/binary.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sextant::test {
namespace {

namespace fs = std::filesystem;

fs::path scratch() {
  fs::path folder = fs::path(SEXTANT_BINARY).parent_path() / "cli_test_files";
  fs::create_directories(folder);
  return folder;
}

// In the child: both streams into files, then the command.
[[noreturn]] void become(const std::vector<std::string>& args,
                         const std::string& out, const std::string& err) {
  int to_out = open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  int to_err = open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  dup2(to_out, 1);
  dup2(to_err, 2);
  std::vector<char*> argv = {const_cast<char*>("sextant")};
  for (const std::string& arg : args)
    argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  if (chdir(SEXTANT_SOURCE_DIR) == 0) execv(SEXTANT_BINARY, argv.data());
  _exit(127);
}

}  // namespace

Ran sextant(const std::vector<std::string>& args) {
  std::string out = scratch() / "stdout", err = scratch() / "stderr";
  pid_t child = fork();
  if (child == 0) become(args, out, err);
  int status = 0;
  waitpid(child, &status, 0);
  Ran ran;
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = read_file(out);
  ran.err = read_file(err);
  return ran;
}

std::string temporary(const std::string& name, const std::string& text) {
  std::string path = scratch() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string read_file(const std::string& path) {
  fs::path from_root = fs::path(SEXTANT_SOURCE_DIR) / path;
  std::ifstream in(from_root, std::ios::binary);
  if (!in) FAIL("there is no file " << path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> goldens(const std::string& file) {
  std::vector<std::string> found;
  fs::path root = fs::path(SEXTANT_SOURCE_DIR);
  if (!fs::exists(root / "golden")) return found;
  for (const auto& entry : fs::recursive_directory_iterator(root / "golden")) {
    if (entry.path().filename() == file) {
      found.push_back(fs::relative(entry.path(), root).string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace sextant::test
