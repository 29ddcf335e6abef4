// The program level that Loop, Tile and Kernel IR and CUDA share: which
// kernels run, in what order, on which buffers. It is the header of every
// stage's text.
#pragma once

#include "src/base/syntax.h"

namespace sextant {

/// An operation of the source program, for provenance. An `Origin` indexes a
/// program's list of these. A program that was read from a file below Torch IR
/// comes from the file's statements, which have a place alone.
struct Source {
  Name op;             // "torch.relu", "matmul"
  Name value;          // the graph value it made
  std::string module;  // module path, empty outside modules
  Span where;
  // The source that this one is a copy of: what has it for an origin computes
  // a second time what the program wrote once. -1: what the program wrote.
  int again = -1;
  bool operator==(const Source&) const = default;
};

/// A symbolic dimension. `hint` is the size to be fast at.
struct Symbol {
  Name name;
  int64_t lo = 1, hi = 0, multiple_of = 1, hint = 0;
  bool operator==(const Symbol&) const = default;
};
template <>
inline constexpr const char* format_of<Symbol> =
    "symbol {name} in {lo}..{hi}{? multiple_of={multiple_of}?} hint={hint}";

enum class Role { Input, Weight, Output, Temp, Workspace };
inline constexpr const char* kRoleWords[] = {"input", "weight",    "output",
                                             "temp",  "workspace", ""};
template <>
inline constexpr const char* const* words_of<Role> = kRoleWords;

/// Memory of the device. Its elements lie in row-major order. A workspace
/// holds zeros when the program starts and again when it ends.
struct Buffer {
  Name name;
  DType dtype = DType::Float32;
  std::vector<Dim> shape;
  Role role = Role::Input;
  Name alias;  // the input whose memory this output is; empty: its own
  bool operator==(const Buffer&) const = default;
};
template <>
inline constexpr const char* format_of<Buffer> =
    "buffer {name}: {dtype}[{shape}] {role}{? alias={alias}?}";

/// A kernel's name for a buffer, where it differs from the program's.
struct Binding {
  Name param, buffer;
  bool operator==(const Binding&) const = default;
};
template <>
inline constexpr const char* format_of<Binding> = "{param}={buffer}";

/// One launch. Kernels name the program's buffers; one kernel may be launched
/// on several sets of buffers through bindings.
struct Launch {
  Name kernel;
  std::vector<Binding> bindings;
  bool operator==(const Launch&) const = default;
};
template <>
inline constexpr const char* format_of<Launch> =
    "launch {kernel}{?({bindings})?}";

template <class Kernel>
struct Program {
  std::string target;  // "sm_90a"; empty before Tile IR
  std::vector<Symbol> symbols;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Launch> launches;
  std::vector<Source> sources;  // provenance, no part of equality

  const Buffer* buffer(const Name& name) const {
    for (const Buffer& b : buffers) {
      if (b.name == name) return &b;
    }
    return nullptr;
  }
  const Kernel* kernel(const Name& name) const {
    for (const Kernel& k : kernels) {
      if (k.name == name) return &k;
    }
    return nullptr;
  }
  bool operator==(const Program& o) const {
    return target == o.target && symbols == o.symbols && buffers == o.buffers &&
           kernels == o.kernels && launches == o.launches;
  }
};

/// A printed stage: the text, and for each of its lines what it came from.
struct Text {
  std::string text;
  std::vector<Origin> origins;
};

/// The first line of an IR file: "sextant loop" or "sextant tile sm_90a".
struct StageLine {
  Name stage;
  Name target;
};
template <>
inline constexpr const char* format_of<StageLine> =
    "sextant {stage}{? {target}?}";
/// Reads the first line of a text; an empty stage if it is no IR file.
StageLine stage_of(std::string_view text);

/// Bounds of the program's symbols.
template <class Kernel>
Bounds symbol_bounds(const Program<Kernel>& program) {
  Bounds bounds;
  for (const Symbol& s : program.symbols)
    bounds.set(s.name, {s.lo, s.hi});
  return bounds;
}

template <class Kernel>
Text print_program(const Program<Kernel>& program, const Name& stage) {
  Printer p;
  print_field(p, StageLine{stage, program.target});
  p.end_line();
  auto lines = [&](const auto& list) {
    for (const auto& x : list) {
      print_field(p, x);
      p.end_line();
    }
  };
  lines(program.symbols);
  lines(program.buffers);
  lines(program.launches);
  for (const Kernel& k : program.kernels) {
    p.end_line();
    p.open_origin(k.origin);
    print_field(p, k);
    p.close_origin();
  }
  Text text{p.take(), {}};
  text.origins = p.origins();
  return text;
}

/// Reads a program of the given stage; an `Error` says what is wrong where.
template <class Kernel>
Program<Kernel> parse_program(std::string_view text, const Name& stage,
                              const std::string& file) {
  Parser p(text, file);
  Program<Kernel> program;
  StageLine first;
  if (!p.at_end()) p.open_line();
  if (p.at_end() || !parse_field(p, first) || first.stage != stage) {
    fail(p.where(), "expected 'sextant {}' in the first line", stage);
  }
  program.target = first.target;
  p.close_line();
  auto line = [&](auto x, auto& list) {
    Parser::State start = p.state();
    if (!parse_field(p, x) || !p.cursor().at_end()) {
      p.restore(start);
      return false;
    }
    list.push_back(x);
    p.close_line();
    return true;
  };
  while (!p.at_end()) {
    p.open_line();
    if (line(Symbol{}, program.symbols) || line(Buffer{}, program.buffers) ||
        line(Launch{}, program.launches)) {
      continue;
    }
    Kernel kernel;
    std::size_t at = p.state().next;
    if (!parse_field(p, kernel)) {
      if (p.state().next == at) {
        fail(p.cursor().where(p.cursor().furthest()),
             "expected a symbol, buffer, launch or kernel");
      }
      fail(p.where(), "this is no part of a kernel");
    }
    int end = static_cast<int>(p.statements().size());
    for (int i = static_cast<int>(program.sources.size()); i < end; i++) {
      program.sources.push_back(
          {"", "", "", p.statements()[static_cast<std::size_t>(i)]});
      kernel.origin.push_back(i);
    }
    program.kernels.push_back(kernel);
  }
  return program;
}

}  // namespace sextant
