#include "chapters/04-tile-ir/syntax.h"

namespace sextant::tile {
namespace {

// The line that says what a kernel's axes are.
struct Head {
  std::vector<Axis> axes;
  int64_t raster = 0;
  int64_t min_blocks = 0;
};

}  // namespace
}  // namespace sextant::tile

template <>
inline constexpr const char* sextant::format_of<sextant::tile::Head> =
    "Tile(axes=({axes})){? raster={raster}?}{? min_blocks={min_blocks}?}:";

namespace sextant::tile {

void print_field(Printer& p, const Note& note) {
  p.write(note.text);
}

bool parse_field(Parser& p, Note& note) {
  p.cursor().skip_spaces();
  return p.cursor().rest(note.text);
}

void print_field(Printer& p, const Transport& t) {
  p.write(t.name);
}

bool parse_field(Parser& p, Transport& t) {
  // `width=4` may stand where a transport may.
  return p.cursor().name(t.name) && p.cursor().peek() != '=';
}

void print_field(Printer& p, const Kernel& kernel) {
  p.write("kernel " + kernel.name);
  if (!kernel.schedule.text.empty()) p.write("  # " + kernel.schedule.text);
  p.end_line();
  sextant::print_field(p, Head{kernel.axes, kernel.raster, kernel.min_blocks});
  sextant::print_field(p, kernel.body);
}

bool parse_field(Parser& p, Kernel& kernel) {
  Cursor& c = p.cursor();
  if (!c.literal("kernel ") || !c.name(kernel.name)) return false;
  c.skip_spaces();
  if (c.literal("#")) parse_field(p, kernel.schedule);
  if (!c.at_end()) return false;
  p.close_line();
  if (p.at_end()) return false;
  p.open_line();
  Head head;
  if (!sextant::parse_field(p, head)) return false;
  kernel.axes = head.axes;
  kernel.raster = head.raster;
  kernel.min_blocks = head.min_blocks;
  return sextant::parse_field(p, kernel.body);
}

}  // namespace sextant::tile
