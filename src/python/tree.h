// The `-c` language, step two: tokens become a tree. The grammar is a text, in
// grammar.txt; a small engine reads it and then programs by it.
#pragma once

#include <memory>

#include "src/python/lexer.h"

namespace sextant::python {

struct Node;
/// A part of a program; empty where the grammar allows one and none is there.
using Tree = std::shared_ptr<const Node>;

/// What a rule of the grammar made.
struct Node {
  std::string kind;  // the rule's name up to a dot: "call", "if"
  Place at;
  std::string text;  // of the names and operators that the rule keeps
  std::vector<Tree> parts;
};

/// Reads a whole program; an `Error` says what is wrong, and where.
Tree parse(const Code& code);

/// The rules of grammar.txt, `name: what follows`. 'x' is a token, "x" one
/// whose text the node keeps, WORD a kind of token. [x] leaves an empty part
/// where there is no x; x?, x* and x+ do not. A rule makes a node, named up to
/// the dot; one that begins with _ gives its parts to whoever names it. In a
/// rule that ends in < each part becomes the first part of the one behind it:
/// `a` and `.b` and `(c)` become a call of an attribute of a.
extern const char* const kGrammar;

}  // namespace sextant::python
