#include "chapters/01-torch-ir/builder.h"

#include <algorithm>

#include "chapters/01-torch-ir/infer.h"

namespace sextant::torch {

Name GraphBuilder::fresh(const Name& wish) {
  Name name = wish;
  for (int i = 1; has(name) || reserved_.count(name) != 0; i++) {
    name = fmt::format("{}_{}", wish, i);
  }
  return name;
}

const Type& GraphBuilder::type(const Name& value) const {
  auto found = index_.find(value);
  INVARIANT(found != index_.end(), "the graph has no value '{}'", value);
  return nodes_[found->second].type;
}

BoundCall GraphBuilder::bound(const OpRow& row, std::vector<Arg> args) const {
  return {row, std::move(args), [this](const Name& value) -> const Type& {
            if (!has(value)) fail({}, "no value named '{}'", value);
            return type(value);
          }};
}

Name GraphBuilder::add_node(Node node, const Name& wish) {
  node.name = fresh(wish);
  index_[node.name] = nodes_.size();
  nodes_.push_back(std::move(node));
  return nodes_.back().name;
}

Name GraphBuilder::input(Name name, Type type, Role role,
                         const Source& source) {
  if (name.empty()) name = fmt::format("x{}", unnamed_++);
  Name op = role == Role::Weight ? "weight" : "input";
  Source from = source;
  if (from.op.empty()) from.op = op;
  Origin origin = {static_cast<int>(sources_.size())};
  Name made = add_node({"", op, {}, std::move(type), origin}, name);
  from.value = made;
  sources_.push_back(std::move(from));
  return made;
}

std::vector<Name> GraphBuilder::call(const Name& op, std::vector<Arg> args,
                                     std::vector<Keyword> keywords,
                                     const Source& source) {
  // The maker of a value without a name has complained already.
  auto wrong = [](const Arg& arg) {
    return std::count(arg.values.begin(), arg.values.end(), "") != 0;
  };
  bool any = std::any_of(args.begin(), args.end(), wrong);
  for (const Keyword& keyword : keywords)
    any = any || wrong(keyword.arg);
  if (any) return {""};
  std::size_t number = sources_.size();
  sources_.push_back(source);
  if (source.op.empty()) sources_[number].op = op;
  origin_ = {static_cast<int>(number)};
  try {
    const OpRow& row = op_row(*tables_, op);
    std::vector<Name> made = call_row(row, bind_args(row, args, keywords));
    sources_[number].value = made[0];
    return made;
  } catch (const Error& e) {
    for (const Diagnostic& d : e.diagnostics()) {
      diagnostics_.add(source.where, "{}", d.message);
    }
  }
  return {""};
}

std::vector<Name> GraphBuilder::call_row(const OpRow& row,
                                         std::vector<Arg> args) {
  const Split* split = row.as<Split>();
  if (split == nullptr) return {call_bound(row, std::move(args))};
  BoundCall call = bound(row, std::move(args));
  if (row.check != nullptr) row.check(call);
  std::vector<Name> values;
  for (const SplitCall& part : split->parts(call)) {
    const OpRow& of = op_row(*tables_, part.op);
    values.push_back(call_bound(of, bind_args(of, part.args)));
  }
  return values;
}

Name GraphBuilder::call_bound(const OpRow& row, std::vector<Arg> args) {
  BoundCall call = bound(row, args);
  for (const Name& value : call.operands())
    call.type_of(value);
  if (row.as<Composite>() != nullptr && expand_) return expanded(call);
  if (row.as<Elementwise>() != nullptr) broadcast(call, args);
  if (row.as<View>() != nullptr) unify_types(call, args);
  return add(row, std::move(args), row.name);
}

Name GraphBuilder::add(const OpRow& row, std::vector<Arg> args,
                       const Name& wish) {
  Type type = infer(*tables_, bound(row, args));
  bool inner = !prefix_.empty() && wish == row.name;
  return add_node({"", row.name, std::move(args), std::move(type), origin_},
                  inner ? prefix_ + "_" + wish : wish);
}

Name GraphBuilder::convert(const Name& value, DType to) {
  const OpRow& row = op_row(*tables_, "to");
  return call_bound(row, bind_args(row, {Arg::of(value), Arg::of(to)}));
}

// Operands get one shape. A tensor without dimensions does not decide the
// type; once stretched it would, so it is converted first.
void GraphBuilder::broadcast(const BoundCall& call, std::vector<Arg>& args) {
  Shape shape;
  for (const Name& value : call.operands())
    shape = broadcast_shapes(shape, type(value).shape);
  bool chooses = call.row().as<Elementwise>()->promote == Promote::Choose;
  DType common = promote(call, call.deciding());
  for (std::size_t i = 0; i < args.size(); i++) {
    if (args[i].kind != Arg::Kind::Value) continue;
    Name& value = args[i].values[0];
    if (same_shape(type(value).shape, shape)) continue;
    bool decides = i > 0 || !chooses;
    if (decides && type(value).shape.empty() && type(value).dtype != common) {
      value = convert(value, common);
    }
    std::string key = value + " to " + text_of(shape);
    auto found = stretched_.find(key);
    if (found == stretched_.end()) {
      const OpRow& row = op_row(*tables_, "expand");
      std::vector<Arg> stretch = {Arg::of(value), Arg::of_ints(shape)};
      Name made = add(row, bind_args(row, stretch), value + "_bc");
      found = stretched_.emplace(key, made).first;
    }
    value = found->second;
  }
}

// A view moves elements and converts none: where it joins several tensors they
// are converted before.
void GraphBuilder::unify_types(const BoundCall& call, std::vector<Arg>& args) {
  for (Arg& arg : args) {
    if (arg.kind != Arg::Kind::Values) continue;
    DType common = promote(call, {arg});
    for (Name& value : arg.values) {
      if (type(value).dtype != common) value = convert(value, common);
    }
  }
}

// Runs a definition in place of a call; what it adds is named after the value
// that the outermost definition makes.
Name GraphBuilder::expanded(const BoundCall& call) {
  Name outer = prefix_;
  if (outer.empty()) prefix_ = call.row().name;
  Name made = run_definition(*this, call);
  prefix_ = outer;
  return made;
}

Graph GraphBuilder::finish(std::vector<Name> outputs) {
  diagnostics_.raise();
  Graph graph;
  graph.symbols = std::move(symbols_);
  graph.nodes.assign(nodes_.begin(), nodes_.end());
  graph.outputs = std::move(outputs);
  graph.sources = std::move(sources_);
  return graph;
}

Graph expand_composites(const Tables& tables, const Graph& graph) {
  GraphBuilder builder(tables);
  builder.expand_ = true;
  builder.symbols_ = graph.symbols;
  builder.sources_ = graph.sources;
  for (const Node& node : graph.nodes)
    builder.reserved_.insert(node.name);
  for (const Node& node : graph.nodes) {
    const OpRow& row = op_row(tables, node.op);
    if (row.as<Composite>() == nullptr) {
      builder.index_[node.name] = builder.nodes_.size();
      builder.nodes_.push_back(node);
      continue;
    }
    builder.prefix_ = node.name;
    builder.origin_ = node.origin;
    std::size_t before = builder.nodes_.size();
    Name made = builder.call_bound(row, node.args);
    // A definition may hand back what it was given.
    if (builder.index_[made] < before) {
      const OpRow& same = op_row(tables, "alias");
      made = builder.call_bound(same, bind_args(same, {Arg::of(made)}));
    }
    std::size_t at = builder.index_[made];
    builder.nodes_[at].name = node.name;
    builder.index_.erase(made);
    builder.index_[node.name] = at;
  }
  return builder.finish(graph.outputs);
}

}  // namespace sextant::torch
