#include "chapters/03-loop-ir/lower/flow.h"

#include <algorithm>

namespace sextant::loop {

Flow::Flow(const tensor::Graph& g)
    : graph(&g),
      operands(g.values.size()),
      readers(g.values.size()),
      extents(g.values.size()),
      is_output(g.values.size()) {
  for (std::size_t v = 0; v < g.values.size(); v++) {
    for (const Name& name : operands_of(g.values[v].op)) {
      int from = find(name);
      if (from < 0) continue;
      operands[v].push_back(from);
      readers[static_cast<std::size_t>(from)].push_back(static_cast<int>(v));
    }
    for (const Dim& d : g.values[v].shape) {
      if (!(d == Expr(1))) extents[v].push_back(d);
    }
    number_[g.values[v].name] = static_cast<int>(v);
  }
  for (const Name& name : g.outputs) {
    if (is_parameter(find(name))) {
      fail({}, "the program returns its parameter '{}' as it is", name);
    }
    is_output[static_cast<std::size_t>(find(name))] = true;
  }
}

bool Flow::is_parameter(int v) const {
  return value(v).op.as<tensor::Input>() != nullptr;
}

int Flow::find(const Name& name) const {
  auto found = number_.find(name);
  return found == number_.end() ? -1 : found->second;
}

Cone cone_of(const Flow& flow, const std::vector<bool>& is_stored,
             const std::vector<int>& roots) {
  Cone cone{roots, {}, std::vector<bool>(is_stored.size(), false)};
  for (int v : roots)
    cone.touches[v] = true;
  std::vector<int> open = roots;
  while (!open.empty()) {
    int v = open.back();
    open.pop_back();
    for (int x : flow.operands[v]) {
      if (cone.touches[x]) continue;
      cone.touches[x] = true;
      bool loaded = is_stored[x] || flow.is_parameter(x);
      (loaded ? cone.loads : open).push_back(x);
    }
  }
  std::sort(cone.loads.begin(), cone.loads.end());
  return cone;
}

std::vector<std::size_t> run_order(const std::vector<const Cone*>& cones) {
  std::vector<std::size_t> order, left(cones.size());
  for (std::size_t k = 0; k < cones.size(); k++)
    left[k] = k;
  auto loads = [&](std::size_t k, int v) {
    const std::vector<int>& list = cones[k]->loads;
    return std::binary_search(list.begin(), list.end(), v);
  };
  auto is_ready = [&](std::size_t k) {
    return std::none_of(left.begin(), left.end(), [&](std::size_t other) {
      const std::vector<int>& made = cones[other]->roots;
      return std::any_of(made.begin(), made.end(),
                         [&](int v) { return loads(k, v); });
    });
  };
  while (true) {
    auto next = std::find_if(left.begin(), left.end(), is_ready);
    if (next == left.end()) return order;
    order.push_back(*next);
    left.erase(next);
  }
}

}  // namespace sextant::loop
