#include <set>

#include "chapters/01-torch-ir/builder.h"
#include "chapters/01-torch-ir/infer.h"

namespace sextant::torch {

BoundCall::TypeOf types_of(const Graph& graph) {
  auto by_name = std::make_shared<std::map<Name, const Type*>>();
  for (const Node& node : graph.nodes)
    by_name->emplace(node.name, &node.type);
  return [by_name](const Name& name) -> const Type& {
    auto found = by_name->find(name);
    if (found == by_name->end()) fail({}, "no value named '{}'", name);
    return *found->second;
  };
}

BoundCall call_of(const Tables& tables, const BoundCall::TypeOf& types,
                  const Node& node) {
  return {op_row(tables, node.op), node.args, types};
}

namespace {

class Verifier {
 public:
  Verifier(const Tables& tables, const Graph& graph)
      : tables_(tables), graph_(graph), types_(types_of(graph)) {}

  void run() {
    for (const Symbol& symbol : graph_.symbols)
      check_symbol(symbol);
    for (const Node& node : graph_.nodes) {
      try {
        check_node(node);
      } catch (const Error& e) {
        for (const Diagnostic& d : e.diagnostics())
          complain(node, d.message);
      }
      known_.insert(node.name);
    }
    if (graph_.outputs.empty()) diagnostics_.add({}, "the graph has no output");
    for (const Name& output : graph_.outputs) {
      if (known_.count(output) != 0) continue;
      diagnostics_.add({}, "the output '{}' is no value of the graph", output);
    }
    diagnostics_.raise();
  }

 private:
  // With a place the line says which value is meant; without, the message.
  void complain(const Node& node, const std::string& message) {
    Span where;
    if (!node.origin.empty()) {
      auto source = static_cast<std::size_t>(node.origin[0]);
      if (source < graph_.sources.size()) where = graph_.sources[source].where;
    }
    if (where.line > 0) {
      diagnostics_.add(where, "{}", message);
    } else {
      diagnostics_.add(where, "{} = {}: {}", node.name, node.op, message);
    }
  }

  void check_symbol(const Symbol& symbol) {
    // Index maps call the axes of a result i to p.
    bool index = symbol.name.size() == 1 && symbol.name[0] >= 'i' &&
                 symbol.name[0] <= 'p';
    if (index) {
      diagnostics_.add({}, "a symbol may not be named '{}': an index is",
                       symbol.name);
    }
    if (symbol.lo < 0 || symbol.hi < symbol.lo || symbol.multiple_of < 1) {
      diagnostics_.add({}, "symbol {} has no possible value", symbol.name);
    }
    if (!symbols_.insert(symbol.name).second) {
      diagnostics_.add({}, "two symbols named '{}'", symbol.name);
    }
  }

  void check_dims(const Type& type) {
    for (const Dim& dim : type.shape) {
      if (constant(dim) && value_of(dim) < 0) {
        fail({}, "negative extent {}", value_of(dim));
      }
      for (const Name& name : names_in(dim)) {
        if (symbols_.count(name) == 0) fail({}, "no symbol named '{}'", name);
      }
    }
  }

  void check_node(const Node& node) {
    if (node.name.empty()) fail({}, "a value without a name");
    if (known_.count(node.name) != 0) {
      fail({}, "two values named '{}'", node.name);
    }
    if (symbols_.count(node.name) != 0) {
      fail({}, "a value and a symbol named '{}'", node.name);
    }
    const OpRow& row = op_row(tables_, node.op);
    if (row.as<Split>() != nullptr) {
      fail({}, "{} has several results: write slices", node.op);
    }
    for (const Arg& arg : node.args) {
      for (const Name& value : arg.values) {
        if (known_.count(value) == 0) {
          fail({}, "the value '{}' is not made before", value);
        }
      }
    }
    if (bind_args(row, node.args, {}, true) != node.args) {
      fail({}, "the arguments of {} are not bound", node.op);
    }
    check_dims(node.type);
    if (row.as<Leaf>() != nullptr) return;
    Type type = infer(tables_, call_of(tables_, types_, node));
    if (type.dtype != node.type.dtype ||
        !same_shape(type.shape, node.type.shape)) {
      fail({}, "{} makes {} {}, not {} {}", node.op, text_of(type.shape),
           name_of(type.dtype), text_of(node.type.shape),
           name_of(node.type.dtype));
    }
  }

  const Tables& tables_;
  const Graph& graph_;
  BoundCall::TypeOf types_;
  std::set<Name> known_, symbols_;
  Diagnostics diagnostics_;
};

}  // namespace

void verify(const Tables& tables, const Graph& graph) {
  Verifier(tables, graph).run();
}

}  // namespace sextant::torch
