// The cache of modules, with a compiler that is none.
#include "chapters/07-running/module_cache.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/07-running/support.h"

namespace sextant::running {
namespace {

namespace fs = std::filesystem;

// An empty folder that goes away.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "cache-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path))
      found.push_back(entry.path());
    return found;
  }
  fs::path path;
};

struct Fake {
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  Compiler compiler{"fake", "1", 0, nullptr};
  Fake() {
    auto n = calls;
    compiler.compile = [n](const std::string& text, const std::string& arch) {
      ++*n;
      return arch + std::string(1, '\0') + std::string(100000, 'x') + text;
    };
  }
  std::string run(const fs::path& folder, const std::string& text = "text",
                  const std::string& arch = "sm_90a") {
    std::string code = compile_cached(folder.string(), compiler, text, arch);
    CHECK(code ==
          arch + std::string(1, '\0') + std::string(100000, 'x') + text);
    return code;
  }
};

TEST_CASE("what was compiled once is not compiled again", "[7.4]") {
  Folder folder;
  Fake fake;
  fake.run(folder.path / "made");
  fake.run(folder.path / "made");
  CHECK(*fake.calls == 1);
  CHECK(compile_cached("", fake.compiler, "text", "sm_90a").size() > 100000);
  CHECK(*fake.calls == 2);
}

TEST_CASE("text, architecture, compiler and version are the key", "[7.4]") {
  Folder folder;
  Fake fake;
  fake.run(folder.path);
  fake.run(folder.path, "text ");
  fake.run(folder.path, "text", "sm_86a");
  fake.compiler.version = "2";
  fake.run(folder.path);
  fake.compiler.name = "fake2";
  fake.compiler.version = "";
  fake.run(folder.path);
  CHECK(*fake.calls == 5);
  CHECK(folder.files().size() == 5);
}

TEST_CASE("a file that is cut short or changed is made again", "[7.4]") {
  Folder folder;
  Fake fake;
  fake.run(folder.path);
  const fs::path file = folder.files().at(0);
  const auto size = fs::file_size(file);
  int calls = 1;
  for (std::uintmax_t keep :
       {std::uintmax_t{0}, std::uintmax_t{10}, size / 2, size - 1}) {
    fs::resize_file(file, keep);
    fake.run(folder.path);
    CHECK(*fake.calls == ++calls);
    CHECK(fs::file_size(file) == size);
  }
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
          .seekp(static_cast<std::streamoff>(size - 7))
      << "?";
  fake.run(folder.path);
  CHECK(*fake.calls == ++calls);
}

TEST_CASE("a folder that cannot be made costs time alone", "[7.4]") {
  Folder folder;
  Fake fake;
  std::ofstream(folder.path / "file") << "a file is no folder";
  fake.run(folder.path / "file" / "cache");
  fake.run("/proc/sextant");
  CHECK(*fake.calls == 2);
  if (geteuid() == 0) return;  // who may write everywhere sees no refusal
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  fake.run(folder.path);
  fs::permissions(folder.path, fs::perms::owner_all);
  CHECK(folder.files().size() == 1);
}

TEST_CASE("a full disk leaves nothing behind", "[7.4]") {
  Folder folder;
  // In a process of its own: no file may grow beyond 1000 bytes there.
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Fake fake;
    std::string code =
        compile_cached(folder.path.string(), fake.compiler, "text", "sm_90a");
    _exit(code.size() > 100000 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(folder.files().empty());
}

TEST_CASE("processes that compile the same do not disturb each other",
          "[7.4]") {
  Folder folder;
  std::vector<pid_t> children;
  for (int k = 0; k < 4; k++) {
    pid_t child = fork();
    if (child == 0) {
      Fake fake;
      bool ok = true;
      for (int i = 0; i < 50 && ok; i++) {
        std::string text = std::to_string(i % 5);
        std::string code =
            compile_cached(folder.path.string(), fake.compiler, text, "a");
        ok = code.size() == 100003 && code.back() == text[0];
        // Others find it missing, or half of it.
        std::error_code none;
        for (const auto& file : folder.files()) {
          if (i % 7 == k) fs::remove(file, none);
        }
      }
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  for (const fs::path& file : folder.files())
    CHECK(file.extension() == ".cubin");
}

}  // namespace
}  // namespace sextant::running
