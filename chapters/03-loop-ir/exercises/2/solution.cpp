// A solution of exercise 3.2.
#include "chapters/03-loop-ir/dependence.h"
#include "chapters/03-loop-ir/names.h"

namespace sextant::exercise {
namespace {

// How many places an index takes while the kernel runs.
int64_t places(const loop::Kernel& kernel, const std::vector<Expr>& index) {
  loop::Dependence axes(kernel);
  std::map<Name, int64_t> extents;
  loop::each_stmt(kernel.body, [&](const loop::Stmt& stmt) {
    const auto* loop = stmt.as<loop::For>();
    bool moves = loop != nullptr && (axes.of(loop->axis) & axes.of(index)) != 0;
    if (moves) extents[loop->axis] = value_of(loop->extent);
  });
  int64_t product = 1;
  for (const auto& [axis, extent] : extents)
    product *= extent;
  return product;
}

int64_t elements_of(const Buffer& buffer) {
  int64_t all = 1;
  for (const Dim& d : buffer.shape)
    all *= value_of(d);
  return all;
}

}  // namespace

int64_t bytes_moved(const loop::Program& program) {
  int64_t bytes = 0;
  auto count = [&](const Name& name, int64_t touched) {
    const Buffer& buffer = *program.buffer(name);
    bytes += std::min(touched, elements_of(buffer)) * size_of(buffer.dtype);
  };
  for (const loop::Kernel& kernel : program.kernels) {
    std::map<Name, std::map<std::string, int64_t>> loads;
    loop::each_stmt(kernel.body, [&](const loop::Stmt& stmt) {
      if (const auto* load = stmt.as<loop::Load>()) {
        std::string at = to_string(var(load->buffer, load->index));
        loads[load->buffer][at] = places(kernel, load->index);
      }
      if (const auto* store = stmt.as<loop::Store>())
        count(store->buffer, INT64_MAX);
    });
    for (const auto& [name, indices] : loads) {
      int64_t sum = 0;
      for (const auto& [at, touched] : indices)
        sum += touched;
      count(name, sum);
    }
  }
  return bytes;
}

}  // namespace sextant::exercise
