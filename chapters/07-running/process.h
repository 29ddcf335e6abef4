// Another program, started and talked to.
#pragma once

#include <string>
#include <vector>

namespace sextant::running {

/// A program that reads lines from us and answers with lines. It ends when
/// this does.
class Process {
 public:
  /// Starts `command`, found on the path.
  explicit Process(const std::vector<std::string>& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Sends a line; false if the program is gone.
  bool send(const std::string& line);
  /// Waits for a line; false if the program ended or `seconds` passed.
  bool receive(std::string& line, double seconds);

 private:
  int pid_ = -1, to_ = -1, from_ = -1;
  std::string read_;  // what came after the last line
};

/// Runs a command to its end: its exit code, and what it printed on both
/// streams. 127 if there is no such command.
int run_command(const std::vector<std::string>& command, std::string& output);

}  // namespace sextant::running
