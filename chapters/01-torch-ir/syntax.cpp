#include "chapters/01-torch-ir/syntax.h"

#include <algorithm>
#include <set>

#include "chapters/01-torch-ir/arg_text.h"
#include "src/base/graph_text.h"

namespace sextant::torch {

void print_field(Printer& p, const Arg& arg) {
  p.write(to_string(arg));
}
bool parse_field(Parser& p, Arg& arg) {
  return read_arg(p.cursor(), arg);
}

namespace {

NodeLine written(const OpRow& row, const Node& node) {
  NodeLine line{node.name, node.op, {}, node.type};
  bool by_position = true;
  for (std::size_t i = 0; i < node.args.size(); i++) {
    const Param& param = row.params[i];
    bool usual = param.usual && *param.usual == node.args[i];
    bool tensor =
        param.type == ParamType::Tensor || param.type == ParamType::Tensors;
    by_position = by_position && tensor && !usual;
    if (usual) continue;
    line.args.push_back({by_position ? "" : param.name, node.args[i]});
  }
  return line;
}

}  // namespace

Text print_graph(const Tables& tables, const Graph& graph) {
  return print_lines(
      "torch", graph, graph.nodes, [&](auto& line, const Node& node) {
        line(written(op_row(tables, node.op), node), node.origin);
      });
}

namespace {

// What a line says: its arguments bound, and what is wrong with them noted.
void add_node(const Tables& tables, const NodeLine& line, const Span& where,
              std::set<Name>& values, Graph& graph, Diagnostics& wrong) {
  auto is_value = [&](const Name& name) {
    return values.count(name) != 0 ||
           std::none_of(graph.symbols.begin(), graph.symbols.end(),
                        [&](const Symbol& s) { return s.name == name; });
  };
  std::vector<Arg> args;
  std::vector<Keyword> keywords;
  for (const Keyword& word : line.args) {
    Arg arg = word.arg;
    bool type_word = arg.kind == Arg::Kind::DType &&
                     values.count(Name(name_of(arg.dtype))) == 0;
    if (!type_word) arg = resolve(arg, is_value);
    if (!word.name.empty()) {
      keywords.push_back({word.name, arg});
      continue;
    }
    if (!keywords.empty())
      wrong.add(where, "positional argument follows keyword argument");
    args.push_back(arg);
  }
  try {
    const OpRow& row = op_row(tables, line.op);
    Origin origin = {static_cast<int>(graph.sources.size())};
    graph.nodes.push_back({line.name, line.op, bind_args(row, args, keywords),
                           line.type, origin});
  } catch (const Error& e) {
    for (const Diagnostic& d : e.diagnostics())
      wrong.add(where, "{}", d.message);
  }
  graph.sources.push_back({line.op, line.name, "", where});
  values.insert(line.name);
}

}  // namespace

Graph parse_graph(const Tables& tables, std::string_view text,
                  const std::string& file) {
  Graph graph;
  std::set<Name> values;
  Diagnostics wrong;
  read_lines<NodeLine>(
      text, file, "torch",
      "a symbol, a value 'x = op(...) -> (16, 64) float32', or return", graph,
      [&](const NodeLine& line, const Span& where) {
        add_node(tables, line, where, values, graph, wrong);
      });
  wrong.raise();
  return graph;
}

}  // namespace sextant::torch
