#include "chapters/07-running/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "src/base/error.h"

namespace sextant::running {
namespace {

// Starts a command with its streams at these descriptors (-1: as ours are).
int start(const std::vector<std::string>& command, int in, int out, int err) {
  std::vector<char*> words;
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int pid = fork();
  if (pid == 0) {
    if (in >= 0) dup2(in, 0);
    if (out >= 0) dup2(out, 1);
    if (err >= 0) dup2(err, 2);
    execvp(words[0], words.data());
    _exit(127);
  }
  if (pid < 0) fail({}, "{} cannot be started", command[0]);
  return pid;
}

// A pipe that programs started later do not inherit.
void open_pipe(int& reads, int& writes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail({}, "a pipe cannot be opened");
  reads = ends[0];
  writes = ends[1];
}

int exit_code(int pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Process::Process(const std::vector<std::string>& command) {
  // Writing to a program that died is an answer, not the end of this one.
  signal(SIGPIPE, SIG_IGN);
  int its_in = -1, its_out = -1;
  open_pipe(its_in, to_);
  open_pipe(from_, its_out);
  pid_ = start(command, its_in, its_out, -1);
  close(its_in);
  close(its_out);
}

Process::~Process() {
  close(to_);
  close(from_);
  kill(pid_, SIGTERM);
  exit_code(pid_);
}

bool Process::send(const std::string& line) {
  std::string text = line + "\n";
  std::size_t sent = 0;
  while (sent < text.size()) {
    ssize_t n = write(to_, text.data() + sent, text.size() - sent);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool Process::receive(std::string& line, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    std::size_t newline = read_.find('\n');
    if (newline != std::string::npos) {
      line = read_.substr(0, newline);
      read_.erase(0, newline + 1);
      return true;
    }
    std::chrono::duration<double, std::milli> left = end - Clock::now();
    pollfd waiting{from_, POLLIN, 0};
    if (left.count() <= 0) return false;
    if (poll(&waiting, 1, static_cast<int>(left.count()) + 1) <= 0) continue;
    char block[4096];
    ssize_t n = read(from_, block, sizeof block);
    if (n <= 0) return false;
    read_.append(block, static_cast<std::size_t>(n));
  }
}

int run_command(const std::vector<std::string>& command, std::string& output) {
  int reads = -1, writes = -1;
  open_pipe(reads, writes);
  int pid = start(command, -1, writes, writes);
  close(writes);
  output.clear();
  char block[4096];
  for (ssize_t n; (n = read(reads, block, sizeof block)) > 0;)
    output.append(block, static_cast<std::size_t>(n));
  close(reads);
  return exit_code(pid);
}

}  // namespace sextant::running
