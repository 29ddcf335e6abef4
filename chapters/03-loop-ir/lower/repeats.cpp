#include "chapters/03-loop-ir/lower/repeats.h"

#include <algorithm>

namespace sextant::loop {

void Repeats::mark(Kernel& kernel, const Made& made) {
  kernel_++;
  mark(kernel.body, made);
}

void Repeats::mark(std::vector<Stmt>& body, const Made& made) {
  for (Stmt& stmt : body) {
    if (const auto* loop = stmt.as<For>()) {
      For marked = *loop;
      mark(marked.body, made);
      stmt = Stmt(marked).with_origin(stmt.origin());
      continue;
    }
    const auto* let = stmt.as<Let>();
    const auto* accum = stmt.as<Accum>();
    if (let == nullptr && accum == nullptr) continue;
    auto found = made.find(let != nullptr ? let->out : accum->state[0]);
    if (found == made.end()) continue;
    const auto& [value, expansion] = found->second;
    auto place = std::make_pair(kernel_, expansion);
    if (first_.emplace(value, place).first->second == place) continue;
    Origin again;
    for (int source : stmt.origin())
      again.push_back(copy_of(source));
    std::sort(again.begin(), again.end());
    stmt = stmt.with_origin(again);
  }
}

int Repeats::copy_of(int source) {
  auto [known, is_new] =
      copies_.emplace(source, static_cast<int>(sources_.size()));
  if (is_new) {
    Source copy = sources_[static_cast<std::size_t>(source)];
    copy.again = source;
    sources_.push_back(copy);
  }
  return known->second;
}

}  // namespace sextant::loop
