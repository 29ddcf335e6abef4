#include "chapters/02-tensor-ir/syntax.h"

#include "src/base/graph_text.h"

namespace sextant::tensor {
namespace {

struct ShortName {
  const char* text;
  const char* combiner;
};
constexpr ShortName kShortNames[] = {
    {"sum", "add"},     {"prod", "multiply"},   {"max", "maximum"},
    {"min", "minimum"}, {"all", "logical_and"}, {"any", "logical_or"},
};

Name to_short(const Name& combiner) {
  for (const ShortName& row : kShortNames) {
    if (combiner == row.combiner) return row.text;
  }
  return combiner;
}

Name to_combiner(const Name& text) {
  for (const ShortName& row : kShortNames) {
    if (text == row.text) return row.combiner;
  }
  return text;
}

void print_op(Printer& p, const Input& input) {
  print_field(p, input.role);
}

void print_op(Printer& p, const IndexMap& map) {
  for (std::size_t i = 0; i < map.pieces.size(); i++) {
    if (i > 0) p.write(" else ");
    sextant::print_field(p, map.pieces[i]);
  }
  if (map.otherwise) p.write(" else " + to_string(map.otherwise));
}

void print_op(Printer& p, const Reduction& r) {
  p.write(to_short(r.combiner) + "(" + r.operand + ", axis=");
  if (r.axes.size() != 1) p.write("(");
  sextant::print_field(p, r.axes);
  p.write(r.axes.size() != 1 ? "))" : ")");
}

void print_op(Printer& p, const Elementwise& e) {
  sextant::print_field(p, e.value);
}

// The word alone: `input.x` or `input` within an expression is a value.
bool parse_op(Parser& p, Input& input) {
  Cursor& c = p.cursor();
  bool parameter = parse_field(p, input.role) &&
                   (input.role == Role::Input || input.role == Role::Weight);
  return parameter && c.line().text.compare(c.position(), 3, " ->") == 0;
}

bool parse_op(Parser& p, IndexMap& map) {
  Cursor& c = p.cursor();
  do {
    std::size_t start = c.position();
    Piece piece;
    if (sextant::parse_field(p, piece)) {
      map.pieces.push_back(piece);
      continue;
    }
    c.move_to(start);
    return !map.pieces.empty() && c.expr(map.otherwise);
  } while (c.literal(" else "));
  return true;
}

bool parse_op(Parser& p, Reduction& r) {
  Cursor& c = p.cursor();
  Name text;
  if (!c.name(text) || !c.literal("(") || !c.name(r.operand)) return false;
  if (!c.literal(", axis=")) return false;
  r.combiner = to_combiner(text);
  bool several = c.literal("(");
  return sextant::parse_field(p, r.axes) && c.literal(several ? "))" : ")");
}

bool parse_op(Parser& p, Elementwise& e) {
  return p.cursor().expr(e.value);
}

template <class Node>
bool parse_as(Parser& p, Op& op) {
  std::size_t start = p.cursor().position();
  Node node{};
  if (!parse_op(p, node)) {
    p.cursor().move_to(start);
    return false;
  }
  op = node;
  return true;
}

}  // namespace

void print_field(Printer& p, const Op& op) {
  std::visit([&](const auto& node) { print_op(p, node); }, op.variant());
}

bool parse_field(Parser& p, Op& op) {
  return parse_as<Input>(p, op) || parse_as<IndexMap>(p, op) ||
         parse_as<Reduction>(p, op) || parse_as<Elementwise>(p, op);
}

Text print_graph(const Graph& graph) {
  return print_lines(
      "tensor", graph, graph.values,
      [](auto& line, const Value& v) { line(v, v.op.origin()); });
}

Graph parse_graph(std::string_view text, const std::string& file) {
  Graph graph;
  read_lines<Value>(
      text, file, "tensor",
      "a value, 'NAME = ... -> (SHAPE) TYPE', or 'return NAMES'", graph,
      [&](Value v, const Span& where) {
        v.op = v.op.with_origin({static_cast<int>(graph.sources.size())});
        graph.sources.push_back({"", v.name, "", where});
        graph.values.push_back(v);
      });
  return graph;
}

}  // namespace sextant::tensor
