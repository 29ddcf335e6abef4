#include "src/python/build.h"

#include "src/base/text.h"
#include "src/python/interpreter.h"

namespace sextant::python {

Interpreter::Interpreter(const Tables& tables, const Options& options,
                         const Code& code)
    : tables_(tables),
      options_(options),
      code_(code),
      builder_(tables),
      default_dtype_(options.default_dtype) {
  install();
  for (const auto& [name, type] : options.inputs) {
    Tensor* t = object<Tensor>(new_input(type.shape, type.dtype));
    t->wish = name;
    globals_.set(name, t);
  }
}

torch::Graph Interpreter::run() {
  Block program = parse(code_);
  std::vector<Name> outputs;
  try {
    steps_ = 0;
    run(program);
    if (program.empty() || !program.back().as<Evaluate>())
      error("the program must end with an expression");
    at_ = place_of(program.back().get<Evaluate>().value);
    outputs = outputs_of(last_);
    for (const Dynamic& d : options_.dynamic) {
      if (made_inputs_.count(d.input) == 0)
        fail({}, "--dynamic {}@{}:{}: the program has no input '{}'", d.symbol,
             d.input, d.axis, d.input);
    }
  } catch (const Error& e) {
    // What was noted before belongs to the same message.
    if (builder_.diagnostics().list().empty()) throw;
    for (const Diagnostic& d : e.diagnostics()) {
      if (!noted(d)) builder_.diagnostics().add(d.where, "{}", d.message);
    }
  }
  return arranged(builder_.finish(outputs));
}

bool Interpreter::noted(const Diagnostic& d) {
  for (const Diagnostic& old : builder_.diagnostics().list()) {
    if (old.where == d.where && old.message == d.message) return true;
  }
  return false;
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
