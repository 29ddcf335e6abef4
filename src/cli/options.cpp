// The words of the command line. The only file that sees CLI11.
#include <CLI/CLI.hpp>

#include "src/cli/command.h"

namespace sextant::cli {
namespace {

const char* const kAbout =
    "Sextant compiles a PyTorch program to CUDA, through six texts.\n"
    "INPUT is an IR text of any stage (its first line is `sextant STAGE`),\n"
    "or -c CODE.";

// The program, and how it is lowered.
void input_options(CLI::App& app, Command& command) {
  app.add_option("input", command.file, "an IR text of any stage")
      ->option_text("INPUT");
  app.add_option("-c", command.code, "a PyTorch program")->option_text("CODE");
  app.add_option("--dynamic", command.dynamic,
                 "make a size of an input of -c symbolic")
      ->option_text("NAME@INPUT:AXIS");
  app.add_option("--dim", command.dims,
                 "the size of a symbol: to be fast at, or to run with")
      ->option_text("NAME=128");
  app.add_option("--target", command.request.target,
                 "the architecture, sm_90a unless told otherwise")
      ->option_text("ARCH");
  app.add_option("--schedule", command.request.schedules,
                 "schedules in one line: [KERNEL:]SCHEDULE; ...")
      ->option_text("S");
  app.add_option("--fuse", command.request.fuse,
                 "auto, none, or the values that are stored: a, b+c")
      ->option_text("F");
  app.add_flag("--json", command.json, "machine-readable output");
}

void compile_options(CLI::App& app, Command& command) {
  input_options(app, command);
  app.add_option("--ir", command.ir,
                 "the stage to print: torch, tensor, loop, tile, kernel, cuda "
                 "(if not told) or all")
      ->option_text("STAGE");
  app.add_flag("--trace", command.trace,
               "what each pass changed, as a diff, on stderr");
  app.add_flag("--time", command.time, "milliseconds of each pass, on stderr");
  app.add_option("-o", command.out, "a folder to write all stages to")
      ->option_text("DIR");
}

void compiler_option(CLI::App& app, Command& command) {
  app.add_option("--compiler", command.compiler,
                 "who compiles for cuda: nvcc or nvrtc")
      ->option_text("NAME");
  app.add_option("--timeout", command.timeout,
                 "seconds after which a kernel is given up, 60 if not told")
      ->option_text("S");
}

void bench_options(CLI::App& app, Command& command) {
  app.add_option("--suite", command.suite,
                 "programs, a line of JSON each; without, a report is printed")
      ->option_text("FILE.jsonl");
  app.add_option("--only", command.only,
                 "groups, or words of names: memory,rmsnorm")
      ->option_text("NAMES");
  app.add_option("--dtype", command.dtypes, "f32,bf16; all if not told")
      ->option_text("TYPES");
  app.add_option("--against", command.against, "torch: measure PyTorch, too")
      ->option_text("torch");
  app.add_option("--json", command.report,
                 "a report to write, and to compare with what it was")
      ->option_text("FILE");
  app.add_flag("--resume", command.resume, "leave out what the report has");
  app.add_option("--seed", command.seed, "of the random inputs, 0 if not told")
      ->option_text("N");
  compiler_option(app, command);
}

void run_options(CLI::App& app, Command& command) {
  input_options(app, command);
  app.add_option("--device", command.device,
                 "sim, the GPU simulator; cpu, the interpreter; cuda")
      ->option_text("DEVICE");
  compiler_option(app, command);
  app.add_option("--seed", command.seed, "of the random inputs, 0 if not told")
      ->option_text("N");
  app.add_option("--blocks", command.blocks,
                 "which blocks the simulator runs: first,last,random:4")
      ->option_text("LIST");
}

void check_input(const CLI::App& app, const Command& command) {
  bool file = app.count("input") > 0, code = app.count("-c") > 0;
  if (file == code) {
    throw UsageError(file ? "INPUT and -c CODE exclude each other"
                          : "a program is missing: INPUT or -c CODE");
  }
  if (file && command.file.empty()) throw UsageError("INPUT is empty");
  if (file && app.count("--dynamic") > 0) {
    throw UsageError("--dynamic is for -c CODE; in a file, write a symbol");
  }
}

}  // namespace

std::optional<Command> parse_command_line(int argc, const char* const* argv,
                                          int& code) {
  Command command;
  CLI::App app{kAbout, "sextant"};
  app.require_subcommand(1);
  CLI::App& compile =
      *app.add_subcommand("compile", "print a program at a stage");
  compile_options(compile, command);
  CLI::App& run = *app.add_subcommand("run", "run a program on random inputs");
  run_options(run, command);
  run.add_flag("--check", command.check,
               "compare with Torch IR's meaning and the bound on the error");
  run.add_flag("--bench", command.bench, "measure the time it takes, on cuda");
  bench_options(*app.add_subcommand("bench", "measure a suite of programs"),
                command);
  run_options(*app.add_subcommand(
                  "profile", "what each kernel does, simulated or measured"),
              command);
  CLI::App& explain = *app.add_subcommand(
      "explain", "make a page that shows where each line comes from");
  input_options(explain, command);
  explain.add_option("-o", command.out, "the page to write")
      ->option_text("PAGE.html")
      ->required();
  app.add_subcommand("passes", "list every pass of every stage");
  app.add_subcommand("ops", "list every operation of Torch IR");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    code = app.exit(e) == 0 ? kOk : kUsage;
    return std::nullopt;
  }
  const CLI::App& chosen = *app.get_subcommands().front();
  command.name = chosen.get_name();
  if (chosen.get_option_no_throw("-c") != nullptr) {
    check_input(chosen, command);
    command.has_target = chosen.count("--target") > 0;
    command.has_schedule = chosen.count("--schedule") > 0;
    command.has_fuse = chosen.count("--fuse") > 0;
  }
  return command;
}

}  // namespace sextant::cli
