// What a command line asks for, and what the commands share.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "src/cli/pipeline.h"

namespace sextant::cli {

/// The command line itself is at fault (exit code 2).
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum ExitCode {
  kOk = 0,
  kUsersFault = 1,
  kUsage = 2,
  kCheckFailed = 3,
  kInternal = 70,
};

/// What a command line said.
struct Command {
  std::string name;  // compile, run, bench, profile, explain, passes, ops
  // The program.
  std::string file;  // empty: `code` is given
  std::string code;
  std::vector<std::string> dynamic;  // NAME@INPUT:AXIS
  std::vector<std::string> dims;     // NAME=128
  Request request;
  // What was given, though it may be the default.
  bool has_target = false, has_schedule = false, has_fuse = false;
  // Of compile.
  std::string ir;
  bool trace = false, time = false, json = false;
  std::string out;  // a folder; of explain, a file
  // Of run and profile.
  std::string device;
  bool check = false;
  int64_t seed = 0;
  std::string blocks;
  bool bench = false;    // of run
  std::string compiler;  // nvcc, nvrtc; empty: the first there is
  double timeout = 60;   // seconds that a kernel may take
  // Of bench.
  std::string suite, only, dtypes, against, report;
  bool resume = false;
};

/// Reads a command line. Returns nothing, with `code` set, when there is
/// nothing left to do: help was asked for, or the usage is wrong and told.
std::optional<Command> parse_command_line(int argc, const char* const* argv,
                                          int& code);

/// The program that a command names, at the stage that it comes in at.
Compilation load(const Command& command, const Tables& tables);
/// Sizes of the program's symbols: those of `--dim`, else the hints.
Values sizes_of(const Command& command, const std::vector<Symbol>& symbols);
/// The symbols of a program, at the stage it came in at.
std::vector<Symbol> symbols_of(const Compilation& program);
/// A clock that never goes back.
double seconds_now();
/// A context with tables, and a clock if times are wanted.
PassContext context_for(const Command& command, const Tables& tables);

// The commands; each returns an exit code.
int run_compile(const Command& command);
int run_run(Command command);
int run_profile(Command command);
int run_bench(const Command& command);
int run_explain(const Command& command);
int run_passes(const Command& command);
int run_ops(const Command& command);

}  // namespace sextant::cli
