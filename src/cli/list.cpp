// sextant passes and sextant ops: the tables, as tables.
#include <algorithm>
#include <cstdio>

#include "chapters/01-torch-ir/op_table.h"
#include "src/cli/command.h"
#if SEXTANT_CHAPTERS >= 2
#include "chapters/02-tensor-ir/passes.h"
#endif
#if SEXTANT_CHAPTERS >= 3
#include "chapters/03-loop-ir/passes.h"
#endif
#if SEXTANT_CHAPTERS >= 4
#include "chapters/04-tile-ir/passes.h"
#endif

namespace sextant::cli {
namespace {

// Words in lines of at most 80 columns, the first of which is begun already.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = indent, start = 0;
  while (start < text.size()) {
    std::size_t end = std::min(text.find(' ', start), text.size());
    if (column + (end - start) > 80 && column > indent) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (start > 0) {
      out += " ";
      column++;
    }
    out += text.substr(start, end - start);
    column += end - start;
    start = end + 1;
  }
  return out + "\n";
}

template <class Ir>
void print_passes(const char* stage, const std::vector<Pass<Ir>>& passes) {
  for (const Pass<Ir>& pass : passes) {
    std::string head = fmt::format("{:<8}{:<18} ", stage, pass.name);
    std::fputs((head + wrapped(pass.sentence, head.size())).c_str(), stdout);
  }
}

const char* kind_of(const torch::Meaning& meaning) {
  static constexpr const char* kKinds[] = {
      "parameter",   "elementwise", "reduction", "index map",
      "contraction", "constant",    "composite", "several"};
  return kKinds[meaning.index()];
}

}  // namespace

int run_passes(const Command&) {
#if SEXTANT_CHAPTERS >= 2
  print_passes("tensor", tensor::passes());
#endif
#if SEXTANT_CHAPTERS >= 3
  print_passes("loop", loop::passes());
#endif
#if SEXTANT_CHAPTERS >= 4
  print_passes("tile", tile::passes());
#endif
  return kOk;
}

int run_ops(const Command&) {
  Tables tables = all_tables();
  for (const torch::OpRow& row : tables.rows<torch::OpRow>()) {
    std::fputs(
        (row.schema.empty() ? row.name + "\n" : wrapped(row.schema, 4)).c_str(),
        stdout);
    std::fputs(
        ("    " +
         wrapped(fmt::format("{}: {}", kind_of(row.meaning), row.doc), 4))
            .c_str(),
        stdout);
  }
  return kOk;
}

}  // namespace sextant::cli
