#include "chapters/03-loop-ir/lower/build.h"

#include <algorithm>

#include "chapters/03-loop-ir/lower/repeats.h"
#include "chapters/03-loop-ir/names.h"
#include "chapters/03-loop-ir/passes.h"
#include "src/base/text.h"

namespace sextant::loop {
namespace {

bool holds(const std::vector<int>& list, int v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

bool is_map(const Flow& flow, int v) {
  return flow.value(v).op.as<tensor::IndexMap>() != nullptr;
}

std::vector<Dim> long_extents(const tensor::Value& v) {
  std::vector<Dim> extents;
  for (const Dim& d : v.shape) {
    if (!(d == Expr(1))) extents.push_back(d);
  }
  return extents;
}

// A view that only adds or drops axes of extent 1.
bool only_reshapes_ones(const Flow& flow, int v) {
  const auto* map = flow.value(v).op.as<tensor::IndexMap>();
  if (map == nullptr || map->pieces.size() != 1 || map->pieces[0].where) {
    return false;
  }
  int from = flow.find(map->pieces[0].value);
  if (from < 0 || !same_extents(flow.value(v), flow.value(from))) return false;
  std::vector<Expr> expected;
  for (std::size_t d = 0; d < flow.value(v).shape.size(); d++) {
    if (!(flow.value(v).shape[d] == Expr(1)))
      expected.push_back(var(tensor::index_name(d)));
  }
  std::vector<Expr> found;
  const std::vector<Expr>& index = map->pieces[0].index;
  for (std::size_t d = 0; d < index.size(); d++) {
    if (!(flow.value(from).shape[d] == Expr(1))) found.push_back(index[d]);
  }
  return expected == found;
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
    if (!is_map(flow, x)) return false;
    for (int from : flow.operands[x]) {
      if (long_extents(flow.value(from)).size() <
          long_extents(flow.value(x)).size()) {
        return true;
      }
    }
    return false;
  };
  const std::vector<int>& readers = flow.readers[v];
  return flow.value(v).op.as<tensor::Elementwise>() != nullptr &&
         !readers.empty() &&
         std::all_of(readers.begin(), readers.end(), is_reduction) &&
         std::any_of(flow.operands[v].begin(), flow.operands[v].end(), spreads);
}

// Which kernels must run before kernel k: those that store what it loads.
std::vector<std::size_t> needed_first(const Flow& flow, const Stored& stored,
                                      const Kernel& kernel) {
  std::vector<std::size_t> first;
  for (const Name& name : loaded_buffers(kernel)) {
    for (std::size_t k = 0; k < stored.kernels.size(); k++) {
      if (holds(stored.kernels[k], flow.find(name))) first.push_back(k);
    }
  }
  return first;
}

std::vector<Buffer> buffers_of(const Flow& flow,
                               const std::vector<bool>& stored) {
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < stored.size(); i++) {
    int v = static_cast<int>(i);
    const tensor::Value& value = flow.value(v);
    const auto* input = value.op.as<tensor::Input>();
    if (input == nullptr && !stored[i]) continue;
    Role role = input != nullptr    ? input->role
                : flow.is_output[i] ? Role::Output
                                    : Role::Temp;
    // Axes of extent 1 take no part in where an element lies.
    buffers.push_back({value.name, value.dtype, long_extents(value), role, ""});
  }
  return buffers;
}

}  // namespace

bool same_extents(const tensor::Value& a, const tensor::Value& b) {
  return long_extents(a) == long_extents(b);
}

std::string to_string(const Flow& flow, const Stored& stored) {
  std::vector<std::string> kernels;
  for (const std::vector<int>& roots : stored.kernels) {
    std::vector<std::string> names;
    for (int v : roots)
      names.push_back(flow.value(v).name);
    kernels.push_back(join(names, "+"));
  }
  return join(kernels, ",");
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
      if (!roots.empty() &&
          !same_extents(flow.value(v), flow.value(roots[0]))) {
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
  std::vector<bool> wanted(flow.readers.size(), false);
  for (std::size_t i = 0; i < wanted.size(); i++) {
    int v = static_cast<int>(i);
    bool constant = flow.operands[i].empty();
    bool idle = flow.readers[i].empty();
    if (flow.is_output[i]) wanted[i] = true;
    if (flow.is_parameter(v) || is_map(flow, v) || constant || idle ||
        is_product(flow, v) || is_cast(flow, v, true)) {
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

Program frame_of(const Flow& flow) {
  Program program;
  program.symbols = flow.graph->symbols;
  program.sources = flow.graph->sources;
  program.buffers =
      buffers_of(flow, std::vector<bool>(flow.readers.size(), true));
  return program;
}

std::optional<Program> build(const Flow& flow, const Stored& stored) {
  std::vector<bool> is_stored(flow.readers.size(), false);
  for (const std::vector<int>& roots : stored.kernels) {
    for (int v : roots) {
      if (flow.is_parameter(v)) {
        fail({}, "the program returns its parameter '{}' as it is",
             flow.value(v).name);
      }
      is_stored[static_cast<std::size_t>(v)] = true;
    }
  }
  Program program;
  program.symbols = flow.graph->symbols;
  program.sources = flow.graph->sources;
  program.buffers = buffers_of(flow, is_stored);
  std::vector<Kernel> kernels;
  std::vector<Made> made(stored.kernels.size());
  std::vector<std::vector<std::size_t>> first;
  for (const std::vector<int>& roots : stored.kernels) {
    Kernel kernel = splice(flow, is_stored, roots, made[kernels.size()]);
    kernel.name = kernel_name(flow, roots);
    first.push_back(needed_first(flow, stored, kernel));
    kernels.push_back(kernel);
  }
  Repeats repeats(flow.graph->sources);
  std::vector<bool> done(kernels.size(), false);
  while (program.kernels.size() < kernels.size()) {
    std::size_t next = 0;
    auto ready = [&](std::size_t k) {
      return !done[k] && std::all_of(first[k].begin(), first[k].end(),
                                     [&](std::size_t f) { return done[f]; });
    };
    while (next < kernels.size() && !ready(next))
      next++;
    if (next == kernels.size()) return std::nullopt;
    done[next] = true;
    program.kernels.push_back(kernels[next]);
    repeats.mark(program.kernels.back(), made[next]);
    program.launches.push_back({kernels[next].name, {}});
  }
  program.sources = repeats.sources();
  return program;
}

}  // namespace sextant::loop
