// From the words of a command to a program.
#include <chrono>
#include <cstdio>
#include <memory>

#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/python/build.h"

namespace sextant::cli {
namespace {

// An IR text of this size is no text that anyone wrote.
constexpr std::size_t kLargestFile = std::size_t{1} << 28;

std::string read_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) fail({path, 0, 0, ""}, "the file cannot be opened");
  std::string text;
  char block[1 << 16];
  while (std::size_t n = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, n);
    if (text.size() > kLargestFile) {
      fail({path, 0, 0, ""}, "the file is too large: over {} MB",
           kLargestFile >> 20);
    }
  }
  if (std::ferror(file.get())) {
    fail({path, 0, 0, ""}, "the file cannot be read");
  }
  return text;
}

Compilation load_code(const Command& command, const Tables& tables) {
  python::Options options;
  for (const std::string& text : command.dynamic) {
    try {
      options.dynamic.push_back(python::parse_dynamic(text));
    } catch (const Error& e) {
      throw UsageError("--dynamic " + text + ": " +
                       e.diagnostics().front().message);
    }
  }
  return start_from(python::build(tables, command.code, options), tables);
}

// `NAME=128`
std::pair<Name, int64_t> parse_size(const std::string& text) {
  Line line{0, text, {}};
  Cursor cursor(line);
  Name name;
  int64_t size = 0;
  bool ok = false;
  try {
    ok = cursor.name(name) && cursor.literal("=") && cursor.integer(size) &&
         cursor.position() == text.size() && size >= 0;
  } catch (const Error&) {
  }
  if (!ok) throw UsageError("--dim " + text + ": expected NAME=128");
  return {name, size};
}

// What would be ignored is an error.
void check_still_to_come(const Command& command, Stage first) {
  auto refuse = [&](bool given, const char* option, Stage stage) {
    if (!given || first < stage) return;
    throw UsageError(
        fmt::format("{} is for the lowering to {}; {} is {} already", option,
                    title_of(stage), command.file, title_of(first)));
  };
  refuse(command.has_fuse, "--fuse", Stage::Loop);
  refuse(command.has_schedule, "--schedule", Stage::Tile);
  refuse(command.has_target, "--target", Stage::Tile);
}

}  // namespace

Values sizes_of(const Command& command, const std::vector<Symbol>& symbols) {
  Values sizes;
  for (const Symbol& s : symbols)
    sizes[s.name] = s.hint;
  for (const std::string& text : command.dims) {
    auto [name, size] = parse_size(text);
    const Symbol* symbol = nullptr;
    for (const Symbol& s : symbols) {
      if (s.name == name) symbol = &s;
    }
    if (symbol == nullptr) fail({}, "--dim {}: no symbol {}", text, name);
    if (size < symbol->lo || size > symbol->hi ||
        size % symbol->multiple_of != 0) {
      fail({}, "--dim {}: {} lies in {}..{}{}", text, name, symbol->lo,
           symbol->hi,
           symbol->multiple_of == 1
               ? ""
               : fmt::format(" and is a multiple of {}", symbol->multiple_of));
    }
    sizes[name] = size;
  }
  return sizes;
}

std::vector<Symbol> symbols_of(const Compilation& program) {
  std::vector<Symbol> symbols;
  visit_stage(program, program.first,
              [&](const auto& ir) { symbols = ir.symbols; });
  return symbols;
}

Compilation load(const Command& command, const Tables& tables) {
  Compilation program =
      command.file.empty()
          ? load_code(command, tables)
          : start_from(read_file(command.file), command.file, tables);
  if (!command.file.empty()) check_still_to_come(command, program.first);
  return program;
}

double seconds_now() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

PassContext context_for(const Command& command, const Tables& tables) {
  PassContext context;
  context.tables = &tables;
  context.trace = command.trace;
  if (command.time) {
    context.clock = seconds_now;
  }
  return context;
}

}  // namespace sextant::cli
