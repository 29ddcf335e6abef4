// The order of axes in memory, for what no one but the program sees.
#include <algorithm>

#include "chapters/03-loop-ir/affine.h"
#include "chapters/03-loop-ir/names.h"
#include "chapters/03-loop-ir/passes.h"

namespace sextant::loop {
namespace {

template <class T>
std::vector<T> move_before(std::vector<T> list, std::size_t from,
                           std::size_t to) {
  T x = list[from];
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(from));
  if (from < to) to--;
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(to), x);
  return list;
}

// Moves the axis of the high digit to the one of the low digit.
bool lay_out(Program& program, const Buffer& buffer, const Load& load) {
  std::size_t rank = load.index.size();
  for (std::size_t high = 0; high < rank; high++) {
    for (std::size_t low = 0; low < rank; low++) {
      if (low == high || low == high + 1 ||
          !are_digits(load.index[high], load.index[low], buffer.shape[low])) {
        continue;
      }
      Name name = buffer.name;
      for (Buffer& b : program.buffers) {
        if (b.name == name) b.shape = move_before(b.shape, high, low);
      }
      for (Kernel& kernel : program.kernels) {
        for (Stmt& stmt : kernel.body) {
          stmt = map_accesses(
              stmt, [&](const Name& n, const std::vector<Expr>& index) {
                return n == name ? move_before(index, high, low) : index;
              });
        }
      }
      return true;
    }
  }
  return false;
}

}  // namespace

// The axes of a temporary lie as its readers want them. Attention writes
// (heads, rows, 64), and what follows reads the heads of a row as one:
//
//   buffer o: float32[4, 16, 64] temp         buffer o: float32[16, 4, 64] temp
//   store o[a0, a1, a2] = ...                 store o[a1, a0, a2] = ...
//   load o[a3/64, a0, a3%64]                  load o[a0, a3/64, a3%64]
//
// after which collapse makes one axis of the last two.
Program lay_out(const Program& program, PassContext& context) {
  context.reason = "no temporary is read by digits that lie apart";
  Program result = program;
  for (const Kernel& kernel : program.kernels) {
    each_stmt(kernel.body, [&](const Stmt& stmt) {
      const Load* load = stmt.as<Load>();
      if (load == nullptr) return;
      const Buffer* buffer = program.buffer(load->buffer);
      bool moved = !(*result.buffer(load->buffer) == *buffer);
      if (buffer->role == Role::Temp && !moved) {
        lay_out(result, *buffer, *load);
      }
    });
  }
  return result;
}

}  // namespace sextant::loop
