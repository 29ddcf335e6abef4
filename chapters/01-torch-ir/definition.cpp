#include "chapters/01-torch-ir/definition.h"

#include "chapters/01-torch-ir/arg_text.h"

namespace sextant::torch {
namespace {

Term read_term(Cursor& cursor);

// `a, b, word=c` up to the closing character.
void read_parts(Cursor& cursor, std::string_view close, Term& term) {
  cursor.skip_spaces();
  while (!cursor.literal(close)) {
    std::size_t start = cursor.position();
    Name word;
    if (!cursor.name(word) || !cursor.literal("=")) {
      cursor.move_to(start);
      word.clear();
    }
    term.words.push_back(word);
    term.parts.push_back(read_term(cursor));
    cursor.skip_spaces();
    if (cursor.literal(",")) cursor.skip_spaces();
  }
}

Term read_term(Cursor& cursor) {
  Term term;
  if (cursor.literal("[")) {
    term.kind = Term::Kind::List;
    read_parts(cursor, "]", term);
    return term;
  }
  std::size_t start = cursor.position();
  if (cursor.name(term.name) && cursor.literal("(")) {
    term.kind = Term::Kind::Call;
    read_parts(cursor, ")", term);
    return term;
  }
  cursor.move_to(start);
  if (!read_arg(cursor, term.literal)) {
    fail(cursor.where(start), "expected a name, a literal, a list or a call");
  }
  // A lone name is one of the parameters, or was defined before.
  bool named = term.literal.kind == Arg::Kind::Int &&
               term.literal.ints[0].as<Var>() != nullptr;
  if (named) term.kind = Term::Kind::Name;
  return term;
}

}  // namespace

Definition parse_definition(std::string_view text) {
  std::string whole(text);
  Line line{0, whole, {"definition", 1, 1, whole}};
  Cursor cursor(line);
  Definition definition;
  while (true) {
    cursor.skip_spaces();
    std::size_t start = cursor.position();
    Name name;
    if (cursor.name(name) && cursor.literal(" = ")) {
      definition.names.push_back(name);
      definition.terms.push_back(read_term(cursor));
      if (!cursor.literal(";")) {
        fail(cursor.where(cursor.position()), "expected ';'");
      }
      continue;
    }
    cursor.move_to(start);
    definition.terms.push_back(read_term(cursor));
    if (!cursor.at_end()) {
      fail(cursor.where(cursor.position()), "expected the end");
    }
    return definition;
  }
}

}  // namespace sextant::torch
