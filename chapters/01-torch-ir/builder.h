// Building graphs: calls with arguments as a person writes them become nodes
// whose arguments are bound, broadcast and named.
#pragma once

#include "chapters/01-torch-ir/op_table.h"

namespace sextant::torch {

/// `dim=-1`
struct Keyword {
  Name name;
  Arg arg;
};

/// Puts the arguments of a call in the order of the schema, fills in defaults
/// and converts what Python converts (an int for a list, a tuple for a list).
/// Errors are PyTorch's texts.
std::vector<Arg> bind(const OpRow& row, const std::vector<Arg>& args,
                      const std::vector<Keyword>& keywords);

class GraphBuilder {
 public:
  explicit GraphBuilder(const Tables& tables) : tables_(&tables) {}

  void symbol(Symbol symbol);
  /// A parameter of the program. Without a name: x0, x1, ...
  Name input(Name name, Type type, Role role = Role::Input,
             const Source& source = {});
  /// Adds a call of a row and returns its values (several for chunk and
  /// split). Operands of elementwise rows are broadcast by `expand` nodes named
  /// x_bc. `source.op` empty: the row's name. What is wrong is collected; the
  /// value of a wrong call is "", and calls on "" add nothing.
  std::vector<Name> call(const Name& op, std::vector<Arg> args,
                         std::vector<Keyword> keywords = {},
                         const Source& source = {});
  const Type& type(const Name& value) const;
  /// Makes a call expand composite rows at once (`expand_composites`).
  void expand_composites(bool yes) { expand_ = yes; }
  /// The next value takes this name if it is free.
  void suggest(Name name) { suggested_ = std::move(name); }
  Diagnostics& diagnostics() { return diagnostics_; }
  /// The graph; raises everything that went wrong.
  Graph finish(std::vector<Name> outputs);

 private:
  friend class DefinitionRunner;
  std::vector<Name> call_row(const OpRow& row, std::vector<Arg> args);
  Name add(const OpRow& row, std::vector<Arg> args);
  void broadcast(std::vector<Arg>& args);
  Name fresh(const Name& wish);

  const Tables* tables_;
  Graph graph_;
  std::map<Name, std::size_t> index_;  // of a value's node
  Origin origin_;                      // of the call being made
  Name suggested_;
  int unnamed_ = 0;
  bool expand_ = false;
  Diagnostics diagnostics_;
};

/// The graph with every composite call replaced by its definition, down to
/// rows that are none. Values keep their names; what a definition adds is named
/// after the value, `softmax_max`. Origins are kept.
Graph expand_composites(const Tables& tables, const Graph& graph);

}  // namespace sextant::torch
