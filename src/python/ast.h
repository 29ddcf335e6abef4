// The `-c` language, step two: the tree of a program. One struct for each form
// that an expression or a statement can take.
#pragma once

#include <cstdint>
#include <map>
#include <variant>

#include "src/base/handle.h"
#include "src/python/lexer.h"

namespace sextant::python {

struct Variable;
struct Constant;
struct FormatString;
struct Display;
struct DictDisplay;
struct Starred;
struct Attribute;
struct Subscript;
struct SliceOf;
struct CallOf;
struct Unary;
struct Binary;
struct Logical;
struct Comparison;
struct Conditional;
struct Lambda;
struct Comprehension;
class Expression
    : public Handle<Expression, Variable, Constant, FormatString, Display,
                    DictDisplay, Starred, Attribute, Subscript, SliceOf, CallOf,
                    Unary, Binary, Logical, Comparison, Conditional, Lambda,
                    Comprehension> {
 public:
  using Handle::Handle;
};

struct Assign;
struct AugmentedAssign;
struct Evaluate;
struct Return;
struct Jump;
struct Import;
struct Assert;
struct Raise;
struct Delete;
struct If;
struct For;
struct While;
struct With;
struct Define;
struct DefineClass;
class Statement : public Handle<Statement, Assign, AugmentedAssign, Evaluate,
                                Return, Jump, Import, Assert, Raise, Delete, If,
                                For, While, With, Define, DefineClass> {
 public:
  using Handle::Handle;
};
using Block = std::vector<Statement>;

// --- expressions -------------------------------------------------------------

struct Variable {
  Place at;
  Name name;
};
struct Ellipsis {
  bool operator==(const Ellipsis&) const = default;
};
/// None, True, False, a number, a string, `...`.
using Literal =
    std::variant<std::monostate, bool, int64_t, double, std::string, Ellipsis>;
struct Constant {
  Place at;
  Literal value;
};
/// f"...": constant strings and the expressions between braces.
struct FormatString {
  Place at;
  std::vector<Expression> parts;
};
/// (a, b) or [a, b]
struct Display {
  Place at;
  bool is_tuple = false;
  std::vector<Expression> items;
};
/// {k: v}; a key that is absent is a `**` before the value.
struct DictDisplay {
  Place at;
  std::vector<Expression> keys, values;
};
struct Starred {
  Place at;
  Expression value;
};
struct Attribute {
  Place at;
  Expression object;
  Name name;
};
struct Subscript {
  Place at;
  Expression object, index;
};
struct SliceOf {
  Place at;
  Expression start, stop, step;  // each may be absent
};
struct Argument {
  Name keyword;  // empty: positional; "**": a dict of keywords
  Expression value;
};
struct CallOf {
  Place at;
  Expression callee;
  std::vector<Argument> args;
};
struct Unary {
  Place at;
  std::string op;  // - + ~ not
  Expression operand;
};
struct Binary {
  Place at;
  std::string op;
  Expression a, b;
};
struct Logical {
  Place at;
  bool is_and = false;
  Expression a, b;
};
struct Link {
  std::string op;  // < == in "not in" is "is not" ...
  Expression right;
};
/// a < b <= c
struct Comparison {
  Place at;
  Expression first;
  std::vector<Link> links;
};
struct Conditional {
  Place at;
  Expression test, yes, no;
};
struct Parameter {
  enum class Kind { Plain, KeywordOnly, Star, StarStar } kind = Kind::Plain;
  Name name;
  Expression otherwise;  // the default, if there is one
};
using Parameters = std::vector<Parameter>;
/// What `def` and `lambda` share. `locals` are the names that it assigns.
struct FunctionCode {
  Name name;
  Parameters parameters;
  Block body;
  std::map<Name, bool> locals;
  bool is_ours = false;  // comes with Sextant
};
using FunctionCodePtr = std::shared_ptr<const FunctionCode>;
struct Lambda {
  Place at;
  FunctionCodePtr code;
};
struct Clause {
  Expression target, iterable;
  std::vector<Expression> conditions;
};
/// [element for ...], or {key: element for ...} if there is a key.
struct Comprehension {
  Place at;
  Expression key, element;
  std::vector<Clause> clauses;
};

// --- statements --------------------------------------------------------------

struct Assign {
  std::vector<Expression> targets;
  Expression value;
};
struct AugmentedAssign {
  Place at;
  Expression target;
  std::string op;  // without the =
  Expression value;
};
struct Evaluate {
  Expression value;
};
struct Return {
  Place at;
  Expression value;  // may be absent
};
struct Jump {
  enum class Kind { Pass, Break, Continue } kind = Kind::Pass;
  Place at;
};
struct Import {
  Place at;
  Name module;
  std::vector<std::pair<Name, Name>> names;  // what, as; none: the module
  Name as;
};
struct Assert {
  Place at;
  Expression test, message;
};
struct Raise {
  Place at;
  Expression value;
};
struct Delete {
  std::vector<Expression> targets;
};
struct If {
  Expression test;
  Block yes, no;
};
struct For {
  Expression target, iterable;
  Block body;
};
struct While {
  Expression test;
  Block body;
};
struct With {
  Expression context, target;
  Block body;
};
struct Define {
  Place at;
  FunctionCodePtr code;
  std::vector<Expression> decorators;
};
struct DefineClass {
  Place at;
  Name name;
  std::vector<Expression> bases;
  Block body;
};

/// Where an expression stands, for messages.
Place place_of(const Expression& e);

/// Reads a whole program; an `Error` says what is wrong, and where.
Block parse(const Code& code);

}  // namespace sextant::python
