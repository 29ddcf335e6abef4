#include "chapters/03-loop-ir/target.h"

namespace sextant {

/// The rows of chapter 3: targets.
void add_tables_3(Tables& tables) {
  tables.add(target_rows());
}

}  // namespace sextant
