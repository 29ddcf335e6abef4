// sextant explain: one HTML file that shows, two stages at a time, what each
// line came from and what it became.
#include <fstream>

#include "src/cli/json.h"
#include "src/cli/page.h"

namespace sextant::cli {

int run_explain(const Command& command) {
  const Tables tables = all_tables();
  Compilation program = load(command, tables);
  PassContext context = context_for(command, tables);
  const Stage last = std::max(program.first, all_stages()[kChapters - 1]);
  program = compile(std::move(program), last, command.request, context);
  std::string page = kPage;
  const std::string here = "DATA";
  page.replace(page.find(here), here.size(), page_json(program, tables));
  std::ofstream out(command.out, std::ios::binary);
  out << page;
  if (!out.flush()) fail({command.out, 0, 0, ""}, "the file cannot be written");
  return kOk;
}

}  // namespace sextant::cli
