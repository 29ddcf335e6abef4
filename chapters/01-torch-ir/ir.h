// Torch IR: the captured program, one node per PyTorch operation, in the words
// of the op table. A graph is a list in topological order; values are named by
// the node that makes them. Broadcasts are explicit `expand` nodes.
#pragma once

#include <variant>

#include "src/base/program.h"
#include "src/base/syntax.h"

namespace sextant::torch {

/// Shape and element type of a value.
struct Type {
  std::vector<Dim> shape;
  DType dtype = DType::Float32;
  bool operator==(const Type&) const = default;
};

/// An argument that is no tensor, or one or several tensors. Integers are
/// `Dim`s, since a size may be symbolic.
struct Arg {
  enum class Kind {
    None,
    Value,
    Values,
    Int,
    Ints,
    Float,
    Bool,
    String,
    DType
  } kind = Kind::None;
  std::vector<Name> values;  // Value: one; Values: any number
  std::vector<Dim> ints;     // Int: one; Ints: any number
  double number = 0;         // Float
  bool flag = false;         // Bool
  std::string text;          // String
  sextant::DType dtype = sextant::DType::Float32;
  bool operator==(const Arg& other) const;  // a NaN is equal to itself

  static Arg none() { return {}; }
  static Arg of(Name value);
  static Arg of_values(std::vector<Name> values);
  static Arg of(Dim value);
  // A literal 0 is a number, not a null name; 64 bits stay 64 bits.
  static Arg of(int value) { return of(Dim(value)); }
  static Arg of(int64_t value) { return of(Dim(value)); }
  static Arg of_ints(std::vector<Dim> values);
  static Arg of_float(double value);
  static Arg of_bool(bool value);
  static Arg of_string(std::string value);
  static Arg of(sextant::DType value);
};

/// One operation. `args` are bound by the schema of its row: one entry per
/// parameter, in the schema's order, defaults filled in.
/// A node `input` or `weight` has no arguments: it is a parameter of the
/// program. `constant` holds one number for all elements (`full`).
struct Node {
  Name name;  // of its value
  Name op;    // a row of the op table, or input, weight
  std::vector<Arg> args;
  Type type;
  Origin origin;  // no part of equality
  bool operator==(const Node& o) const {
    return name == o.name && op == o.op && args == o.args && type == o.type;
  }
};

struct Graph {
  std::vector<Symbol> symbols;
  std::vector<Node> nodes;
  std::vector<Name> outputs;
  std::vector<Source> sources;  // no part of equality

  const Node* node(const Name& name) const {
    for (const Node& n : nodes) {
      if (n.name == name) return &n;
    }
    return nullptr;
  }
  bool operator==(const Graph& o) const {
    return symbols == o.symbols && nodes == o.nodes && outputs == o.outputs;
  }
};

}  // namespace sextant::torch
