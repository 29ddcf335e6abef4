// What the verifier asks of a kernel as a whole, once its parts are right.
#pragma once

#include "chapters/04-tile-ir/ir.h"
#include "src/base/tables.h"

namespace sextant::tile {

/// Complaints about one kernel.
struct Complaints {
  const Name& kernel;
  Diagnostics& wrong;

  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) const {
    wrong.add({}, "kernel {}: {}", kernel,
              fmt::format(text, std::forward<Args>(args)...));
  }
};

/// The schedule in the first line says what the axes say; threads and shared
/// memory are no more than the target has.
void verify_limits(const Program& program, const Kernel& kernel,
                   const Tables& tables, const Complaints& wrong);

}  // namespace sextant::tile
