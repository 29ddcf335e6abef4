// Names. A map that the lowering called x_bc may read something else by now,
// and numbers may have gaps. Equal graphs get equal names, since a name depends
// on what was made before it and on nothing else.
#include <set>

#include "chapters/02-tensor-ir/passes.h"

namespace sextant::tensor {
namespace {

// The name without its number: prod_2 is prod.
Name stem_of(const Name& name) {
  std::size_t digits = name.find_last_not_of("0123456789");
  bool numbered = digits != std::string::npos && digits > 0 &&
                  digits + 1 < name.size() && name[digits] == '_';
  return numbered ? name.substr(0, digits) : name;
}

// What a value made by the lowering should be called; empty for a value of the
// program.
Name wish_for(const Value& v) {
  Name stem = stem_of(v.name);
  if (stem == "prod" || stem == "red") return stem;
  bool stretched = stem.size() > 3 && stem.substr(stem.size() - 3) == "_bc";
  const IndexMap* map = v.op.as<IndexMap>();
  return stretched && map != nullptr ? map->pieces[0].value + "_bc" : "";
}

}  // namespace

Graph rename_helpers(const Graph& graph, PassContext& context) {
  context.reason = "every name fits";
  const std::set<Name> outputs(graph.outputs.begin(), graph.outputs.end());
  std::set<Name> taken = outputs;
  for (const Symbol& s : graph.symbols)
    taken.insert(s.name);
  for (const Value& v : graph.values) {
    if (wish_for(v).empty()) taken.insert(v.name);
  }
  std::map<Name, Name> to;
  Graph out = graph;
  for (Value& v : out.values) {
    Origin origin = v.op.origin();
    v.op = rename_operands(v.op, to).with_origin(origin);
    Name wish = wish_for(v);
    if (wish.empty() || outputs.count(v.name) > 0) continue;
    Name name = wish;
    for (int n = 1; !taken.insert(name).second; n++)
      name = wish + "_" + std::to_string(n);
    to[v.name] = name;
    v.name = name;
  }
  return out;
}

}  // namespace sextant::tensor
