#include "chapters/01-torch-ir/syntax.h"

#include <set>

#include "chapters/01-torch-ir/arg_text.h"

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
  Printer p;
  auto line = [&](const auto& x, const Origin& origin = {}) {
    p.open_origin(origin);
    sextant::print_field(p, x);
    p.close_origin();
  };
  line(StageLine{"torch", ""});
  for (const Symbol& symbol : graph.symbols)
    line(symbol);
  for (const Node& node : graph.nodes)
    line(written(op_row(tables, node.op), node), node.origin);
  line(Return{graph.outputs});
  Text text{p.take(), {}};
  text.origins = p.origins();
  return text;
}

namespace {

class Reader {
 public:
  Reader(const Tables& tables, std::string_view text, const std::string& file)
      : tables_(tables), p_(text, file) {}

  Graph read() {
    StageLine first;
    if (!p_.at_end()) p_.open_line();
    bool named = !p_.at_end() && parse_field(p_, first);
    if (!named || first.stage != "torch") {
      fail(p_.where(), "expected 'sextant torch' in the first line");
    }
    p_.close_line();
    Return last;
    while (last.outputs.empty()) {
      if (p_.at_end()) fail(p_.where(), "expected 'return' and the outputs");
      read_line(last);
    }
    if (!p_.at_end()) fail(p_.where(), "nothing may follow 'return'");
    diagnostics_.raise();
    graph_.outputs = std::move(last.outputs);
    return std::move(graph_);
  }

 private:
  // Reads `x` if it is the whole line.
  template <class T>
  bool whole_line(T& x) {
    Parser::State start = p_.state();
    if (parse_field(p_, x) && p_.cursor().at_end()) return true;
    furthest_ = std::max(furthest_, p_.cursor().furthest());
    p_.restore(start);
    return false;
  }

  void read_line(Return& last) {
    p_.open_line();
    furthest_ = 0;
    Span where = p_.where();
    Symbol symbol;
    NodeLine line;
    if (whole_line(symbol)) {
      symbols_.insert(symbol.name);
      graph_.symbols.push_back(symbol);
    } else if (whole_line(line)) {
      add_node(line, where);
    } else if (!whole_line(last)) {
      fail(p_.cursor().where(furthest_),
           "expected a symbol, a value 'x = op(...) -> (16, 64) float32', or "
           "return");
    }
    p_.close_line();
  }

  void add_node(const NodeLine& line, const Span& where) {
    auto is_value = [&](const Name& name) {
      return values_.count(name) != 0 || symbols_.count(name) == 0;
    };
    std::vector<Arg> args;
    std::vector<Keyword> keywords;
    for (const Keyword& word : line.args) {
      Arg arg = word.arg;
      bool type_word = arg.kind == Arg::Kind::DType &&
                       values_.count(Name(name_of(arg.dtype))) == 0;
      if (!type_word) arg = resolve(arg, is_value);
      if (word.name.empty()) {
        if (!keywords.empty()) {
          diagnostics_.add(where,
                           "positional argument follows keyword argument");
        }
        args.push_back(arg);
      } else {
        keywords.push_back({word.name, arg});
      }
    }
    try {
      const OpRow& row = op_row(tables_, line.op);
      Origin origin = {static_cast<int>(graph_.sources.size())};
      graph_.nodes.push_back({line.name, line.op,
                              bind_args(row, args, keywords), line.type,
                              origin});
    } catch (const Error& e) {
      for (const Diagnostic& d : e.diagnostics())
        diagnostics_.add(where, "{}", d.message);
    }
    graph_.sources.push_back({line.op, line.name, "", where});
    values_.insert(line.name);
  }

  const Tables& tables_;
  Parser p_;
  std::size_t furthest_ = 0;
  Graph graph_;
  std::set<Name> values_, symbols_;
  Diagnostics diagnostics_;
};

}  // namespace

Graph parse_graph(const Tables& tables, std::string_view text,
                  const std::string& file) {
  return Reader(tables, text, file).read();
}

}  // namespace sextant::torch
