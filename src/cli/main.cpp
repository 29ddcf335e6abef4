// The command `sextant`: from its words to an exit code.
#include <cstdio>
#include <exception>
#include <new>

#include "src/cli/command.h"

namespace sextant::cli {
namespace {

int dispatch(const Command& command) {
  if (command.name == "compile") return run_compile(command);
  if (command.name == "run") return run_run(command);
  if (command.name == "bench") return run_bench(command);
  if (command.name == "profile") return run_profile(command);
  if (command.name == "explain") return run_explain(command);
  if (command.name == "passes") return run_passes(command);
  if (command.name == "ops") return run_ops(command);
  INVARIANT(false, "no command {}", command.name);
  return kInternal;
}

void say(const std::string& text) {
  std::fputs((text + "\n").c_str(), stderr);
}

int internal_error(const std::string& what) {
  say("internal error: " + what);
  say("This is a defect of Sextant and no fault of your program. Please "
      "report\n"
      "it, with this message and the command that you typed.");
  return kInternal;
}

int main(int argc, const char* const* argv) {
  int code = kOk;
  try {
    std::optional<Command> command = parse_command_line(argc, argv, code);
    if (command) code = dispatch(*command);
  } catch (const UsageError& e) {
    say(std::string("error: ") + e.what());
    code = kUsage;
  } catch (const Error& e) {
    say(e.what());
    code = kUsersFault;
  } catch (const std::bad_alloc&) {
    say("error: the program needs more memory than there is");
    code = kUsersFault;
  } catch (const std::exception& e) {
    code = internal_error(e.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    say("error: the output cannot be written");
    if (code == kOk) code = kUsersFault;
  }
  return code;
}

}  // namespace
}  // namespace sextant::cli

int main(int argc, char** argv) {
  return sextant::cli::main(argc, argv);
}
