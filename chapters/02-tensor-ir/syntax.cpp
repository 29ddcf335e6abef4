#include "chapters/02-tensor-ir/syntax.h"

#include <algorithm>

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

struct Return {
  std::vector<Name> outputs;
};

}  // namespace

void print_field(Printer& p, const Op& op) {
  std::visit([&](const auto& node) { print_op(p, node); }, op.variant());
}

bool parse_field(Parser& p, Op& op) {
  return parse_as<Input>(p, op) || parse_as<IndexMap>(p, op) ||
         parse_as<Reduction>(p, op) || parse_as<Elementwise>(p, op);
}

}  // namespace sextant::tensor

template <>
inline constexpr const char* sextant::format_of<sextant::tensor::Return> =
    "return {outputs}";

namespace sextant::tensor {

Text print_graph(const Graph& graph) {
  Printer p;
  auto line = [&](const auto& x) {
    sextant::print_field(p, x);
    p.end_line();
  };
  line(StageLine{"tensor", ""});
  for (const Symbol& s : graph.symbols)
    line(s);
  for (const Value& v : graph.values) {
    p.open_origin(v.op.origin());
    line(v);
    p.close_origin();
  }
  line(Return{graph.outputs});
  Text text{p.take(), {}};
  text.origins = p.origins();
  return text;
}

Graph parse_graph(std::string_view text, const std::string& file) {
  Parser p(text, file);
  Graph graph;
  std::size_t furthest = 0;  // in the current line
  // Reads one line into x if it is of that kind.
  auto line = [&](auto& x) {
    if (p.at_end()) return false;
    p.open_line();
    bool ok = sextant::parse_field(p, x) && p.cursor().at_end();
    furthest = ok ? 0 : std::max(furthest, p.cursor().furthest());
    if (ok) p.close_line();
    return ok;
  };
  StageLine first;
  if (!line(first) || first.stage != "tensor") {
    fail(p.where(), "expected 'sextant tensor' in the first line");
  }
  for (Symbol s; line(s); s = {})
    graph.symbols.push_back(s);
  Span where = p.where();
  for (Value v; line(v); v = {}) {
    v.op = v.op.with_origin({static_cast<int>(graph.sources.size())});
    graph.sources.push_back({"", v.name, "", where});
    graph.values.push_back(v);
    where = p.where();
  }
  Return last;
  if (!line(last) || last.outputs.empty()) {
    fail(p.at_end() ? p.where() : p.cursor().where(furthest),
         "expected a value, 'NAME = ... -> (SHAPE) TYPE', or 'return NAMES'");
  }
  graph.outputs = last.outputs;
  if (!p.at_end()) fail(p.where(), "nothing stands after 'return'");
  return graph;
}

}  // namespace sextant::tensor
