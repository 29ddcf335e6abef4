#include "chapters/07-running/suite.h"

#include <nlohmann/json.hpp>

#include "src/base/text.h"

namespace sextant {
extern const char* const script_worker;  // the file worker.py
}

namespace sextant::running {
namespace {

using Json = nlohmann::ordered_json;

Case case_of(const Json& json) {
  Case c;
  c.name = json.at("name");
  c.group = json.at("group");
  c.code = json.at("code");
  c.flops = json.value("flops", 0.0);
  c.elements = json.value("elements", 0.0);
  c.dtypes = json.at("dtypes").get<std::vector<std::string>>();
  for (const auto& [name, shape] : json.at("inputs").items())
    c.inputs.emplace_back(name, shape.get<std::vector<int64_t>>());
  return c;
}

}  // namespace

std::vector<Case> parse_suite(const std::string& text,
                              const std::string& file) {
  std::vector<Case> cases;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    number++;
    if (line.empty()) continue;
    try {
      cases.push_back(case_of(Json::parse(line)));
    } catch (const nlohmann::json::exception& e) {
      fail({file, number, 0, ""}, "this is no program of a suite: {}",
           e.what());
    }
  }
  return cases;
}

DType dtype_of(const std::string& word) {
  if (word == "f32") return DType::Float32;
  if (word == "f16") return DType::Float16;
  if (word == "bf16") return DType::BFloat16;
  fail({}, "there is no type '{}'; there are f32, f16, bf16", word);
}

TorchWorker::TorchWorker(std::vector<std::string> command)
    : command_(std::move(command)) {}

const char* TorchWorker::script() {
  return script_worker;
}

void TorchWorker::begin(const Case& program, const std::string& dtype) {
  Json inputs = Json::object();
  for (const auto& [name, shape] : program.inputs)
    inputs[name] = shape;
  Json request = {{"do", "prepare"},
                  {"code", program.code},
                  {"inputs", inputs},
                  {"dtype", dtype}};
  if (!process_) process_ = std::make_unique<Process>(command_);
  process_->send(request.dump());
}

bool TorchWorker::answer(double seconds, std::string& error,
                         TorchTimes& times) {
  std::string line;
  if (!process_ || !process_->receive(line, seconds)) {
    // Dead, or as good as that: the next program gets another.
    process_.reset();
    error = "the process of PyTorch ended or did not answer";
    return false;
  }
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) {
    error = "the process of PyTorch answers " + line.substr(0, 80);
  } else {
    error = json.value("error", "");
    times.eager = json.value("eager", 0.0);
    times.compile = json.value("compile", 0.0);
  }
  return error.empty();
}

std::string TorchWorker::ready(double seconds) {
  std::string error;
  TorchTimes none;
  answer(seconds, error, none);
  return error;
}

std::optional<TorchTimes> TorchWorker::measure(std::string& error) {
  TorchTimes times;
  if (process_) process_->send("{\"do\": \"measure\"}");
  if (!answer(120, error, times)) return std::nullopt;
  return times;
}

}  // namespace sextant::running
