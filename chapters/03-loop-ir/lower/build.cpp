#include "chapters/03-loop-ir/lower/build.h"

#include <algorithm>

#include "chapters/03-loop-ir/lower/repeats.h"
#include "src/base/text.h"

namespace sextant::loop {
namespace {

const tensor::IndexMap* map_of(const Flow& flow, int v) {
  return flow.value(v).op.as<tensor::IndexMap>();
}

// A view that only adds or drops axes of extent 1.
bool only_reshapes_ones(const Flow& flow, int v) {
  const tensor::IndexMap* map = map_of(flow, v);
  if (map == nullptr || map->pieces.size() != 1 || map->pieces[0].where) {
    return false;
  }
  int from = flow.find(map->pieces[0].value);
  if (from < 0 || flow.extents[v] != flow.extents[from]) return false;
  auto long_axes = [&](int value, auto index) {
    std::vector<Expr> list;
    const std::vector<Dim>& shape = flow.value(value).shape;
    for (std::size_t d = 0; d < shape.size(); d++) {
      if (!(shape[d] == Expr(1))) list.push_back(index(d));
    }
    return list;
  };
  return long_axes(v, [](auto d) { return var(tensor::index_name(d)); }) ==
         long_axes(from, [&](auto d) { return map->pieces[0].index[d]; });
}

bool is_cast(const Flow& flow, int v, bool to_wider) {
  const auto* e = flow.value(v).op.as<tensor::Elementwise>();
  const Cast* cast = e == nullptr ? nullptr : e->value.as<Cast>();
  if (cast == nullptr || flow.operands[v].size() != 1) return false;
  int64_t from = size_of(flow.value(flow.operands[v][0]).dtype);
  return to_wider ? size_of(cast->to) > from : size_of(cast->to) < from;
}

// Where a value is stored if it is: after a narrowing cast, if that is all that
// reads it, and under a view that adds or drops axes of extent 1:
// `matmul = red[i, 0, j]`, not `red`.
int home(const Flow& flow, int v) {
  while (!flow.is_output[v] && flow.readers[v].size() == 1) {
    int reader = flow.readers[v][0];
    if (!only_reshapes_ones(flow, reader) && !is_cast(flow, reader, false)) {
      break;
    }
    v = reader;
  }
  return v;
}

// A product of broadcasts that only reductions read, as in a contraction.
bool is_product(const Flow& flow, int v) {
  auto is_reduction = [&](int r) {
    return flow.value(r).op.as<tensor::Reduction>() != nullptr;
  };
  auto spreads = [&](int x) {
    const std::vector<int>& from = flow.operands[x];
    return map_of(flow, x) != nullptr &&
           std::any_of(from.begin(), from.end(), [&](int f) {
             return flow.extents[f].size() < flow.extents[x].size();
           });
  };
  const std::vector<int>& readers = flow.readers[v];
  return flow.value(v).op.as<tensor::Elementwise>() != nullptr &&
         !readers.empty() &&
         std::all_of(readers.begin(), readers.end(), is_reduction) &&
         std::any_of(flow.operands[v].begin(), flow.operands[v].end(), spreads);
}

}  // namespace

std::vector<bool> marks_of(const Flow& flow, const Stored& stored) {
  std::vector<bool> marks(flow.readers.size(), false);
  for (const std::vector<int>& roots : stored.kernels) {
    for (int v : roots)
      marks[v] = true;
  }
  return marks;
}

Stored parse_stored(const Flow& flow, const std::string& list) {
  Stored stored;
  std::vector<bool> seen(flow.readers.size(), false);
  for (const std::string& group : split(list, ',')) {
    std::vector<int> roots;
    for (const std::string& name : split(group, '+')) {
      if (name.empty()) continue;
      int v = flow.find(name);
      if (v < 0) fail({}, "'{}' is no value of the program", name);
      if (flow.is_parameter(v)) fail({}, "'{}' is a parameter", name);
      if (seen[v]) fail({}, "'{}' is stored twice", name);
      if (!roots.empty() && flow.extents[v] != flow.extents[roots[0]]) {
        fail({}, "'{}' and '{}' have different extents: no kernel stores both",
             flow.value(roots[0]).name, name);
      }
      seen[v] = true;
      roots.push_back(v);
    }
    std::sort(roots.begin(), roots.end());
    if (!roots.empty()) stored.kernels.push_back(roots);
  }
  for (std::size_t v = 0; v < seen.size(); v++) {
    if (flow.is_output[v] && !seen[v]) {
      stored.kernels.push_back({static_cast<int>(v)});
    }
  }
  std::sort(stored.kernels.begin(), stored.kernels.end());
  return stored;
}

Stored store_all(const Flow& flow) {
  std::vector<bool> wanted = flow.is_output;
  for (std::size_t i = 0; i < wanted.size(); i++) {
    int v = static_cast<int>(i);
    bool constant = flow.operands[i].empty();
    bool idle = flow.readers[i].empty();
    if (flow.is_parameter(v) || map_of(flow, v) != nullptr || constant ||
        idle || is_product(flow, v) || is_cast(flow, v, true)) {
      continue;
    }
    wanted[static_cast<std::size_t>(home(flow, v))] = true;
  }
  Stored stored;
  for (std::size_t v = 0; v < wanted.size(); v++) {
    if (wanted[v]) stored.kernels.push_back({static_cast<int>(v)});
  }
  return stored;
}

Name kernel_name(const Flow& flow, const std::vector<int>& roots) {
  Name name = "k";
  for (int v : roots)
    name += "_" + flow.value(v).name;
  return name;
}

Program frame_of(const Flow& flow, const std::vector<bool>& is_stored) {
  Program program;
  program.symbols = flow.graph->symbols;
  program.sources = flow.graph->sources;
  for (std::size_t v = 0; v < is_stored.size(); v++) {
    const tensor::Value& value = flow.graph->values[v];
    const auto* input = value.op.as<tensor::Input>();
    if (input == nullptr && !is_stored[v]) continue;
    Role role = input != nullptr    ? input->role
                : flow.is_output[v] ? Role::Output
                                    : Role::Temp;
    // Axes of extent 1 take no part in where an element lies.
    program.buffers.push_back(
        {value.name, value.dtype, flow.extents[v], role, ""});
  }
  return program;
}

std::optional<Program> build(const Flow& flow, const Stored& stored) {
  std::vector<bool> is_stored = marks_of(flow, stored);
  std::vector<Cone> cones;
  for (const std::vector<int>& roots : stored.kernels)
    cones.push_back(cone_of(flow, is_stored, roots));
  std::vector<const Cone*> list;
  for (const Cone& cone : cones)
    list.push_back(&cone);
  std::vector<std::size_t> order = run_order(list);
  if (order.size() < cones.size()) return std::nullopt;
  Program program = frame_of(flow, is_stored);
  Repeats repeats(program.sources);
  for (std::size_t k : order) {
    Made made;
    Kernel kernel = splice(flow, is_stored, stored.kernels[k], made);
    kernel.name = kernel_name(flow, stored.kernels[k]);
    repeats.mark(kernel, made);
    program.launches.push_back({kernel.name, {}});
    program.kernels.push_back(kernel);
  }
  program.sources = repeats.sources();
  return program;
}

}  // namespace sextant::loop
