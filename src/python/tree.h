// The `-c` language, step two: tokens become a tree. The grammar is a text, in
// grammar.cpp; a small engine reads it and then programs by it.
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

/// The rules of the grammar, one a line.
extern const char* const kGrammar;

}  // namespace sextant::python
