// Building graphs: calls with arguments as a person writes them become nodes
// whose arguments are bound, broadcast and named.
#pragma once

#include <deque>
#include <set>

#include "chapters/01-torch-ir/op_table.h"

namespace sextant::torch {

/// `dim=-1`
struct Keyword {
  Name name;
  Arg arg;
  bool operator==(const Keyword&) const = default;
};

/// Puts the arguments of a call in the order of the schema, fills in defaults
/// and converts what Python converts (an int for a list of one, for a float).
/// Errors are PyTorch's texts. With `all`, parameters after the schema's `*`
/// stand by position too, as in a node.
std::vector<Arg> bind_args(const OpRow& row, const std::vector<Arg>& args,
                           const std::vector<Keyword>& keywords = {},
                           bool all = false);

class GraphBuilder {
 public:
  explicit GraphBuilder(const Tables& tables) : tables_(&tables) {}

  void symbol(Symbol symbol) { symbols_.push_back(std::move(symbol)); }
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
  /// The same for arguments that are bound, of a row with one result; raises
  /// what is wrong.
  Name call_bound(const OpRow& row, std::vector<Arg> args);
  bool has(const Name& value) const { return index_.count(value) != 0; }
  const Type& type(const Name& value) const;
  const Tables& tables() const { return *tables_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  /// The graph; raises everything that went wrong.
  Graph finish(std::vector<Name> outputs);

 private:
  friend Graph expand_composites(const Tables& tables, const Graph& graph);
  std::vector<Name> call_row(const OpRow& row, std::vector<Arg> args);
  Name add(const OpRow& row, std::vector<Arg> args, const Name& wish);
  Name add_node(Node node, const Name& wish);
  Name expanded(const BoundCall& call);
  void broadcast(const BoundCall& call, std::vector<Arg>& args);
  void unify_types(const BoundCall& call, std::vector<Arg>& args);
  Name convert(const Name& value, DType to);
  BoundCall bound(const OpRow& row, std::vector<Arg> args) const;
  Name fresh(const Name& wish);

  const Tables* tables_;
  std::vector<Symbol> symbols_;
  std::deque<Node> nodes_;  // types that were handed out stay where they are
  std::vector<Source> sources_;
  std::map<Name, std::size_t> index_;      // of a value's node
  std::map<std::string, Name> stretched_;  // what was expanded how
  std::set<Name> reserved_;
  Name prefix_;    // while a definition runs: the value that it defines
  Origin origin_;  // of the call being made
  int unnamed_ = 0;
  bool expand_ = false;  // composite calls become their definitions
  Diagnostics diagnostics_;
};

/// Runs the definition of a composite call on values of the builder and returns
/// the value that it makes. Raises what is wrong.
Name run_definition(GraphBuilder& builder, const BoundCall& call);

/// The graph with every composite call replaced by its definition, down to
/// rows that are none. Values keep their names; what a definition adds is named
/// after the value, `softmax_amax`. Origins are kept.
Graph expand_composites(const Tables& tables, const Graph& graph);

}  // namespace sextant::torch
