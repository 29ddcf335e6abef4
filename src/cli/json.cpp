// The only file that sees nlohmann-json.
#include "src/cli/json.h"

#include <nlohmann/json.hpp>

#include "src/base/text.h"
#if SEXTANT_CHAPTERS >= 3
#include "chapters/03-loop-ir/roles.h"
#endif

namespace sextant::cli {
namespace {

using Json = nlohmann::ordered_json;

// A text may hold any bytes, JSON only UTF-8.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Infinite and undefined numbers, which JSON lacks, are words.
Json number(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

// The source line without its indentation, and no longer than a page is wide.
std::string trimmed(const std::string& line) {
  std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(first, 80);
}

Json sources_json(const std::vector<Source>& sources) {
  Json list = Json::array();
  for (const Source& s : sources) {
    list.push_back({{"op", s.op},
                    {"value", s.value},
                    {"module", s.module},
                    {"again", s.again},
                    {"file", s.where.file},
                    {"line", s.where.line},
                    {"column", s.where.column},
                    {"text", trimmed(s.where.text)}});
  }
  return list;
}

Json lines_json(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

template <class Kernel>
Json launches_json(const Program<Kernel>& program) {
  Json list = Json::array();
  for (const Launch& l : program.launches) {
    Json bindings = Json::object();
    for (const Binding& b : l.bindings)
      bindings[b.param] = b.buffer;
    list.push_back({{"kernel", l.kernel}, {"bindings", bindings}});
  }
  return list;
}

// What a program tells of its kernels at the lowest stage that has them.
struct Kernels {
  Json kernels = Json::array(), launches = Json::array();
  std::string target;
};

[[maybe_unused]] Json& row_of(Json& kernels, const Name& name) {
  for (Json& row : kernels) {
    if (row["name"] == name) return row;
  }
  kernels.push_back({{"name", name}, {"role", nullptr}, {"schedule", nullptr}});
  return kernels.back();
}

Kernels kernels_of([[maybe_unused]] const Compilation& c) {
  Kernels out;
  [[maybe_unused]] auto add = [&](const auto& program) {
    for (const auto& kernel : program.kernels)
      row_of(out.kernels, kernel.name);
    out.launches = launches_json(program);
    if (!program.target.empty()) out.target = program.target;
  };
#if SEXTANT_CHAPTERS >= 3
  if (c.has(Stage::Loop)) {
    add(c.loop);
    for (const loop::Kernel& k : c.loop.kernels)
      row_of(out.kernels, k.name)["role"] = name_of(loop::role(k).kind);
  }
#endif
#if SEXTANT_CHAPTERS >= 4
  if (c.has(Stage::Tile)) {
    add(c.tile);
    for (const tile::Kernel& k : c.tile.kernels)
      row_of(out.kernels, k.name)["schedule"] = k.schedule.text;
  }
#endif
#if SEXTANT_CHAPTERS >= 5
  if (c.has(Stage::Kernel)) add(c.kernel);
#endif
  return out;
}

}  // namespace

std::string compile_json(const Compilation& program, const Request& request,
                         const Tables& tables) {
  Kernels kernels = kernels_of(program);
  Json stages = Json::object(), provenance = Json::object();
  for (Stage stage : all_stages()) {
    if (!program.has(stage)) continue;
    Text text = text_of(program, stage, tables);
    stages[name_of(stage)] = text.text;
    provenance[name_of(stage)] = text.origins;
  }
  Json json = {
      {"target", kernels.target.empty() ? request.target : kernels.target},
      {"kernels", kernels.kernels},
      {"launches", kernels.launches},
      {"stages", stages},
      {"sources", sources_json(sources_of(program, program.reached))},
      {"provenance", provenance}};
  return dump(json, 2) + "\n";
}

std::string page_json(const Compilation& program, const Tables& tables) {
  Json stages = Json::array();
  for (Stage stage : all_stages()) {
    if (!program.has(stage)) continue;
    Text text = text_of(program, stage, tables);
    stages.push_back({{"name", name_of(stage)},
                      {"title", title_of(stage)},
                      {"lines", lines_json(text.text)},
                      {"from", text.origins}});
  }
  Json json = {{"stages", stages},
               {"sources", sources_json(sources_of(program, program.reached))}};
  std::string text = dump(json, -1);
  // No text may end the element that it stands in.
  for (std::size_t i = 0; (i = text.find('<', i)) != std::string::npos;)
    text.replace(i, 1, "\\u003c");
  return text;
}

namespace {

Json faults_json([[maybe_unused]] const RunResult& result) {
  Json list = Json::array();
#if SEXTANT_CHAPTERS >= 5
  for (const kernel::Fault& f : result.report.faults) {
    list.push_back({{"kind", f.kind},
                    {"kernel", f.kernel},
                    {"statement", f.statement},
                    {"object", f.object},
                    {"offset", f.offset},
                    {"block", f.block},
                    {"thread", f.thread},
                    {"times", f.times},
                    {"sentence", f.sentence()}});
  }
#endif
  return list;
}

Json output_json(const OutputResult& o, bool checked) {
  Json json = {{"name", o.name},
               {"dtype", name_of(o.array.dtype())},
               {"shape", o.array.shape()},
               {"elements", o.sampled ? static_cast<int64_t>(o.positions.size())
                                      : o.array.size()}};
  if (!checked) return json;
  json["error"] = number(o.comparison.error);
  json["bound"] = number(o.comparison.bound);
  json["at"] = o.comparison.position;
  json["got"] = number(o.comparison.got);
  json["wanted"] = number(o.comparison.wanted);
  json["beyond"] = o.comparison.beyond;
  return json;
}

}  // namespace

std::string run_json(const RunResult& result) {
  const bool checked = !result.reference.empty();
  Json outputs = Json::array();
  for (const OutputResult& o : result.outputs)
    outputs.push_back(output_json(o, checked));
  Json json = {{"device", result.device},
               {"executed", result.executed},
               {"outputs", outputs},
               {"checked", checked},
               {"reference", result.reference},
               {"faults", faults_json(result)},
               {"ok", result.clean() && result.within()}};
  if (!result.why.empty()) json["why"] = result.why;
  return dump(json, 2) + "\n";
}

std::string profile_json(const RunResult& result) {
  Json kernels = Json::array();
#if SEXTANT_CHAPTERS >= 5
  for (const kernel::KernelCount& k : result.report.kernels) {
    Json buffers = Json::array(), accesses = Json::array();
    for (const kernel::BufferCount& b : k.buffers) {
      buffers.push_back({{"name", b.buffer},
                         {"read", b.read},
                         {"written", b.written},
                         {"least", b.least}});
    }
    for (const kernel::AccessCount& a : k.accesses) {
      accesses.push_back(
          {{"statement",
            k.statements[static_cast<std::size_t>(a.statement)].text},
           {"object", a.object},
           {"shared", a.shared},
           {"writes", a.writes},
           {"bytes", a.bytes},
           {"requests", a.requests},
           {"sectors", a.sectors},
           {"least_sectors", a.least_sectors},
           {"wavefronts", a.wavefronts},
           {"least_wavefronts", a.least_wavefronts}});
    }
    kernels.push_back({{"name", k.kernel},
                       {"grid", k.grid},
                       {"block", k.block},
                       {"blocks_run", k.blocks_run},
                       {"shared_bytes", k.shared_bytes},
                       {"thread_statements", k.executed()},
                       {"flops", k.flops()},
                       {"barriers", k.barriers},
                       {"copies", k.copies},
                       {"distance", k.distance},
                       {"buffers", buffers},
                       {"accesses", accesses}});
  }
#endif
  return dump({{"kernels", kernels}, {"faults", faults_json(result)}}, 2) +
         "\n";
}

}  // namespace sextant::cli
