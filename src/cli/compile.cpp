// sextant compile: a program at the stage that is asked for.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "src/cli/json.h"

namespace sextant::cli {
namespace {

// An IR file at its own stage is printed as it is, comments and all.
std::string shown(const Compilation& program, Stage stage,
                  const Tables& tables) {
  bool own = stage == program.first && !program.given.empty();
  return own ? program.given : text_of(program, stage, tables).text;
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_all(const Compilation& program, const Tables& tables) {
  for (Stage stage : all_stages()) {
    if (!program.has(stage)) continue;
    if (stage != program.first) put("\n");
    put(fmt::format("=== {}\n\n", title_of(stage)));
    put(shown(program, stage, tables));
  }
}

void write_folder(const Compilation& program, const std::string& folder,
                  const Tables& tables) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail({folder, 0, 0, ""}, "the folder cannot be made");
  for (Stage stage : all_stages()) {
    if (!program.has(stage)) continue;
    std::string path =
        (std::filesystem::path(folder) / file_of(stage)).string();
    std::ofstream out(path, std::ios::binary);
    out << shown(program, stage, tables);
    if (!out.flush()) fail({path, 0, 0, ""}, "the file cannot be written");
  }
}

// One paragraph a pass: its name and sentence, then the diff or why there is
// none.
std::string trace_text(const std::vector<PassRecord>& records) {
  std::string out;
  for (const PassRecord& r : records) {
    if (r.pass == "lower") {
      out += fmt::format("=== {}: {}\n\n", r.stage, r.sentence);
      continue;
    }
    out += fmt::format("--- {}, {}: {}\n", r.stage, r.pass, r.sentence);
    if (r.changed) {
      out += r.diff.empty() ? "changed nothing that is printed\n" : r.diff;
    } else {
      out += "unchanged";
      out += r.reason.empty() ? "\n" : ": " + r.reason + "\n";
    }
    out += "\n";
  }
  return out;
}

std::string time_text(const std::vector<PassRecord>& records) {
  std::string out = fmt::format("{:<8} {:<24} {:>9}\n", "stage", "pass", "ms");
  double total = 0;
  for (const PassRecord& r : records) {
    out += fmt::format("{:<8} {:<24} {:>9.3f}\n", r.stage, r.pass,
                       r.seconds * 1e3);
    total += r.seconds;
  }
  return out + fmt::format("{:<8} {:<24} {:>9.3f}\n", "all", "", total * 1e3);
}

// The stage that was asked for: `cuda` unless told otherwise; for `all`, and
// for a folder, as far as there are chapters.
Stage last_stage(const Command& command) {
  std::string ir = command.ir;
  if (ir.empty()) ir = command.out.empty() ? "cuda" : "all";
  if (ir == "all") return all_stages()[kChapters - 1];
  std::optional<Stage> stage = stage_named(ir);
  if (!stage) {
    throw UsageError("--ir " + ir +
                     ": expected torch, tensor, loop, tile, kernel, cuda or "
                     "all");
  }
  return *stage;
}

// `--dim rows=128`: the size to be fast at. It changes a file's text.
void set_hints(const Command& command, Compilation& program) {
  if (command.dims.empty()) return;
  Values sizes = sizes_of(command, symbols_of(program));
  visit_stage(program, program.first, [&](auto& ir) {
    for (Symbol& s : ir.symbols)
      s.hint = sizes.at(s.name);
  });
  program.given.clear();
}

// What was traced and timed, also when the lowering did not come to its end.
Compilation compile_and_tell(const Command& command, Compilation program,
                             Stage last, const Tables& tables) {
  PassContext context = context_for(command, tables);
  auto tell = [&] {
    if (command.trace) std::fputs(trace_text(context.records).c_str(), stderr);
    if (command.time) std::fputs(time_text(context.records).c_str(), stderr);
  };
  try {
    program = compile(std::move(program), last, command.request, context);
  } catch (const std::exception&) {
    tell();
    throw;
  }
  tell();
  return program;
}

}  // namespace

int run_compile(const Command& command) {
  const Stage last = last_stage(command);
  const Tables tables = all_tables();
  Compilation program = load(command, tables);
  if (last < program.first) {
    throw UsageError(fmt::format("--ir {}: {} is {} already", name_of(last),
                                 command.file, title_of(program.first)));
  }
  set_hints(command, program);
  program = compile_and_tell(command, std::move(program), last, tables);
  if (!command.out.empty()) write_folder(program, command.out, tables);
  if (command.json) {
    put(compile_json(program, command.request, tables));
  } else if (command.out.empty() && command.ir == "all") {
    print_all(program, tables);
  } else if (command.out.empty()) {
    put(shown(program, last, tables));
  }
  return kOk;
}

}  // namespace sextant::cli
