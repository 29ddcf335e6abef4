// Tables as values. All that a later chapter adds to an earlier one is a row
// in a table; `Tables` carries them, by row type, to whoever needs them. There
// are no globals: an exercise or a test passes in its own rows.
#pragma once

#include <any>
#include <map>
#include <typeindex>
#include <vector>

#include "src/base/error.h"
#include "src/base/handle.h"

namespace sextant {

class Tables {
 public:
  /// Adds rows; a name that is there already is a defect.
  template <class Row>
  void add(std::vector<Row> rows) {
    std::vector<Row>& all = list<Row>();
    for (Row& row : rows) {
      INVARIANT(find<Row>(row.name) == nullptr, "two rows named {}", row.name);
      all.push_back(std::move(row));
    }
  }
  /// All rows of a type, in the order they were added.
  template <class Row>
  const std::vector<Row>& rows() const {
    static const std::vector<Row> none;
    auto found = lists_.find(typeid(Row));
    return found == lists_.end()
               ? none
               : *std::any_cast<std::vector<Row>>(&found->second);
  }
  /// The row of that name, or null.
  template <class Row>
  const Row* find(const Name& name) const {
    for (const Row& row : rows<Row>()) {
      if (row.name == name) return &row;
    }
    return nullptr;
  }

 private:
  template <class Row>
  std::vector<Row>& list() {
    std::any& slot = lists_[typeid(Row)];
    if (!slot.has_value()) slot = std::vector<Row>{};
    return *std::any_cast<std::vector<Row>>(&slot);
  }

  std::map<std::type_index, std::any> lists_;
};

/// The rows of base: scalar operations and combiners.
void add_base_tables(Tables& tables);
/// The rows of every chapter that is built, joined; made by the build.
Tables all_tables();

}  // namespace sextant
