#include "chapters/01-torch-ir/definition.h"

namespace sextant::torch {

Definition parse_definition(std::string_view text) {
  std::string whole(text);
  Line line{0, whole, {"definition", 1, 1, whole}};
  Cursor cursor(line);
  Definition definition;
  do {
    cursor.skip_spaces();
    std::size_t start = cursor.position();
    Name name;
    bool named = cursor.name(name) && cursor.literal(" = ");
    if (named) {
      definition.names.push_back(name);
    } else {
      cursor.move_to(start);
    }
    Expr term;
    if (!cursor.expr(term)) {
      fail(cursor.where(cursor.position()), "expected an expression");
    }
    definition.terms.push_back(term);
    if (named ? !cursor.literal(";") : !cursor.at_end()) {
      fail(cursor.where(cursor.position()), "expected {}",
           named ? "';'" : "the end");
    }
  } while (definition.terms.size() == definition.names.size());
  return definition;
}

}  // namespace sextant::torch
