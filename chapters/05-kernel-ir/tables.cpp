// The rows that chapter 5 adds to the tables.
#include "src/base/tables.h"

#include "chapters/05-kernel-ir/intrinsics.h"

namespace sextant {

namespace kernel {
void add_rows(Tables& tables);
}

void add_tables_5(Tables& tables) {
  kernel::add_rows(tables);
}

}  // namespace sextant
