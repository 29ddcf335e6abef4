#include "src/base/program.h"

namespace sextant {

StageLine stage_of(std::string_view text) {
  // Only the first line that says anything is read: what follows may be
  // another language.
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) end = text.size();
    Parser p(text.substr(start, end - start), "");
    start = end + 1;
    if (p.at_end()) continue;
    p.open_line();
    StageLine line;
    return parse_field(p, line) ? line : StageLine{};
  }
  return {};
}

}  // namespace sextant
