#include "src/python/build.h"

#include "src/base/text.h"
#include "src/python/interpreter.h"

namespace sextant::python {

Interpreter::Interpreter(const Tables& tables, const Options& options,
                         const Code& code)
    : tables(tables),
      options(options),
      code(code),
      builder(tables),
      default_dtype(options.default_dtype) {
  install();
  for (const auto& [name, type] : options.inputs) {
    Tensor* t = object<Tensor>(new_input(type.shape, type.dtype));
    t->wish = name;
    globals.set(name, t);
  }
}

namespace {

// Inputs first, then weights, then what is computed; all that no output needs
// is left out.
torch::Graph arranged(torch::Graph graph) {
  std::set<Name> needed(graph.outputs.begin(), graph.outputs.end());
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!needed.count(node->name)) continue;
    for (const torch::Arg& arg : node->args)
      needed.insert(arg.values.begin(), arg.values.end());
  }
  std::vector<torch::Node> nodes;
  for (int group = 0; group < 3; group++) {
    for (const torch::Node& node : graph.nodes) {
      int of = node.op == "input" ? 0 : node.op == "weight" ? 1 : 2;
      if (of == group && needed.count(node.name)) nodes.push_back(node);
    }
  }
  graph.nodes = std::move(nodes);
  return graph;
}

}  // namespace

torch::Graph Interpreter::run() {
  Tree program = parse(code);
  std::vector<Name> outputs;
  Diagnostics& noted = builder.diagnostics();
  try {
    steps = 0;
    if (run_all(*program) != Flow::Next)
      error("'break' or 'continue' outside a loop");
    if (program->parts.empty() || program->parts.back()->kind != "evaluate")
      error("the program must end with an expression");
    at = program->parts.back()->at;
    outputs = outputs_of(last);
    for (const Dynamic& d : options.dynamic) {
      if (placed.count(d.input) == 0)
        fail({}, "--dynamic {}@{}:{}: the program has no input '{}'", d.symbol,
             d.input, d.axis, d.input);
    }
  } catch (const Error& e) {
    // What was noted before belongs to the same message; if this is what was
    // noted, because the program could not go on, it is said once.
    if (noted.empty()) throw;
    const Diagnostic &a = e.diagnostics()[0], &b = noted.list()[0];
    bool repeated = a.where == b.where && a.message == b.message;
    for (const Diagnostic& d : e.diagnostics()) {
      if (!repeated) noted.add(d.where, "{}", d.message);
    }
  }
  return arranged(builder.finish(outputs));
}

torch::Graph build(const Tables& tables, std::string_view text,
                   const Options& options) {
  Code code(text, options.file);
  return Interpreter(tables, options, code).run();
}

Dynamic parse_dynamic(const std::string& text) {
  Line line{0, text, {"--dynamic", 1, 1, text}};
  Cursor cursor(line);
  Dynamic d;
  if (!cursor.name(d.symbol) || !cursor.literal("@") || !cursor.name(d.input) ||
      !cursor.literal(":") || !cursor.integer(d.axis) || !cursor.at_end())
    fail({}, "--dynamic {}: expected NAME@INPUT:AXIS", text);
  return d;
}

}  // namespace sextant::python
