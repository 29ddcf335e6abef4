#include "src/base/tables.h"

#include "chapters/01-torch-ir/rows.h"

namespace sextant {

/// The rows of chapter 1: the operations of PyTorch.
void add_tables_1(Tables& tables);

void add_tables_1(Tables& tables) {
  tables.add(std::vector<torch::OpRow>{
      torch::row("input() -> Tensor", "A parameter of the program.",
                 torch::Leaf{}),
      torch::row("weight() -> Tensor", "A parameter that is loaded once.",
                 torch::Leaf{}),
  });
  tables.add(torch::elementwise_rows());
  tables.add(torch::reduction_rows());
  tables.add(torch::contraction_rows());
  tables.add(torch::view_rows());
  tables.add(torch::index_rows());
  tables.add(torch::maker_rows());
  tables.add(torch::split_rows());
  tables.add(torch::composite_rows());
}

}  // namespace sextant
