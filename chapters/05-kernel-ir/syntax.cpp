#include "chapters/05-kernel-ir/syntax.h"

namespace sextant::kernel {

namespace {

// The first line of a kernel.
struct Head {
  Name name;
  Dim grid;
  int64_t block = 1;
  int64_t min_blocks = 0;
};

}  // namespace
}  // namespace sextant::kernel

template <>
inline constexpr const char* sextant::format_of<sextant::kernel::Head> =
    "kernel {name} grid={grid} block={block}{? min_blocks={min_blocks}?}:";

namespace sextant::kernel {

void print_field(Printer& p, const Kernel& kernel) {
  sextant::print_field(
      p, Head{kernel.name, kernel.grid, kernel.block, kernel.min_blocks});
  p.end_line();
  p.indent(2);
  for (const Object& object : kernel.objects) {
    sextant::print_field(p, object);
    p.end_line();
  }
  p.indent(-2);
  sextant::print_field(p, kernel.body);
}

bool parse_field(Parser& p, Kernel& kernel) {
  Head head;
  if (!sextant::parse_field(p, head)) return false;
  kernel.name = head.name;
  kernel.grid = head.grid;
  kernel.block = head.block;
  kernel.min_blocks = head.min_blocks;
  int outer = p.line().indent;
  if (!p.cursor().at_end()) return false;
  p.close_line();
  bool objects = true;
  while (!p.at_end() && p.line().indent > outer) {
    p.open_line();
    Object object;
    Parser::State start = p.state();
    if (objects && sextant::parse_field(p, object) && p.cursor().at_end()) {
      kernel.objects.push_back(object);
      p.close_line();
      continue;
    }
    p.restore(start);
    objects = false;
    Stmt stmt;
    sextant::parse_field(p, stmt);
    kernel.body.push_back(stmt);
  }
  return true;
}

}  // namespace sextant::kernel
