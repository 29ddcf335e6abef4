#include "src/base/tables.h"

#include "chapters/01-torch-ir/op_table.h"

namespace sextant {

/// The rows of chapter 1: the operations of PyTorch.
void add_tables_1(Tables& tables);

void add_tables_1(Tables& tables) {
  (void)tables;
}

}  // namespace sextant
