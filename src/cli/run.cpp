#include "src/cli/run.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/base/text.h"
#include "src/cli/card.h"
#if SEXTANT_CHAPTERS >= 2
#include "chapters/02-tensor-ir/interp.h"
#endif
#if SEXTANT_CHAPTERS >= 3
#include "chapters/03-loop-ir/interp.h"
#endif
#if SEXTANT_CHAPTERS >= 4
#include "chapters/04-tile-ir/interp.h"
#endif

namespace sextant::cli {
namespace {

// A reference of a large program takes for ever: so long is a check, at most.
constexpr double kSecondsToCheck = 3;

std::vector<int64_t> numbers(const std::vector<Dim>& shape,
                             const Values& sizes) {
  std::vector<int64_t> out;
  for (const Dim& d : shape)
    out.push_back(evaluate(d, sizes));
  return out;
}

// --- Parameters and outputs, of graphs and of programs -----------------------

struct Param {
  Name name;
  DType dtype;
  std::vector<Dim> shape;
};

bool is_parameter(Role role) {
  return role == Role::Input || role == Role::Weight;
}

std::vector<Param> parameters(const torch::Graph& graph) {
  std::vector<Param> out;
  for (const torch::Node& n : graph.nodes) {
    if (n.op == "input" || n.op == "weight") {
      out.push_back({n.name, n.type.dtype, n.type.shape});
    }
  }
  return out;
}

#if SEXTANT_CHAPTERS >= 2
std::vector<Param> parameters(const tensor::Graph& graph) {
  std::vector<Param> out;
  for (const tensor::Value& v : graph.values) {
    if (v.op.kind() == tensor::OpKind::Input) {
      out.push_back({v.name, v.dtype, v.shape});
    }
  }
  return out;
}
#endif

template <class Kernel>
std::vector<Param> parameters(const Program<Kernel>& program) {
  std::vector<Param> out;
  for (const Buffer& b : program.buffers) {
    if (is_parameter(b.role)) out.push_back({b.name, b.dtype, b.shape});
  }
  return out;
}

template <class Graph>
std::vector<Name> outputs(const Graph& graph) {
  return graph.outputs;
}
template <class Kernel>
std::vector<Name> outputs(const Program<Kernel>& program) {
  std::vector<Name> out;
  for (const Buffer& b : program.buffers) {
    if (b.role == Role::Output) out.push_back(b.name);
  }
  return out;
}

// --- The interpreters of the stages ------------------------------------------

// Every array by name, as a stage computes them on the CPU.
Arrays interpret(const Compilation& program, Stage stage, const Arrays& inputs,
                 const Values& sizes, const Tables& tables) {
  switch (stage) {
#if SEXTANT_CHAPTERS >= 2
    case Stage::Tensor:
      return tensor::interpret(program.tensor, tables, inputs, sizes);
#endif
#if SEXTANT_CHAPTERS >= 3
    case Stage::Loop:
      return loop::interpret(program.loop, tables, inputs, sizes);
#endif
#if SEXTANT_CHAPTERS >= 4
    case Stage::Tile:
      return tile::interpret(program.tile, tables, inputs, sizes);
#endif
#if SEXTANT_CHAPTERS >= 7
    case Stage::Kernel: {
      // What a card computes is checked against the simulator.
      Arrays buffers = inputs;
      kernel::SimOptions options;
      options.symbols = sizes;
      kernel::simulate(tables, program.kernel, buffers, options);
      return buffers;
    }
#endif
    default: break;
  }
  static_cast<void>(program);
  static_cast<void>(inputs);
  static_cast<void>(sizes);
  static_cast<void>(tables);
  fail({}, "{} is not executed on the cpu; try --device sim", title_of(stage));
}

// What the device `cpu` executes: Loop IR, or the first stage below it that
// the program has.
Stage cpu_stage(const Compilation& program) {
  Stage usual = kChapters >= 3 ? Stage::Loop : Stage::Tensor;
  if (kChapters == 1) fail({}, "chapter 2 is not built, so nothing runs here");
  return std::max(program.first, usual);
}

#if SEXTANT_CHAPTERS >= 5
// Runs Kernel IR in the simulator; for sampled blocks the arrays stay away and
// the report has what was written.
Arrays simulate(const Compilation& program, const Command& command,
                const Arrays& inputs, const Values& sizes, const Tables& tables,
                RunResult& result) {
  kernel::SimOptions options;
  if (!command.blocks.empty()) {
    try {
      options.blocks = kernel::parse_blocks(command.blocks);
    } catch (const Error& e) {
      throw UsageError("--blocks " + command.blocks + ": " +
                       e.diagnostics().front().message);
    }
  }
  // Of what one kernel leaves out, the next would read nothing.
  if (!options.blocks.all && program.kernel.launches.size() > 1) {
    throw UsageError(fmt::format(
        "--blocks is for a program of one kernel, and this one launches {}",
        program.kernel.launches.size()));
  }
  options.symbols = sizes;
  options.seed = static_cast<uint64_t>(command.seed);
  options.generate = true;
  Arrays buffers = options.blocks.all ? inputs : Arrays{};
  result.report = kernel::simulate(tables, program.kernel, buffers, options);
  return buffers;
}

// What the blocks that ran wrote of an output.
OutputResult sampled_output(const Compilation& program, const Values& sizes,
                            const RunResult& result, const Name& name) {
  const Buffer* buffer = program.kernel.buffer(name);
  INVARIANT(buffer != nullptr, "output {} has no buffer", name);
  OutputResult o;
  o.name = name;
  o.array = Array(buffer->dtype, numbers(buffer->shape, sizes));
  o.sampled = true;
  auto written = result.report.written.find(name);
  if (written == result.report.written.end()) return o;
  o.positions = written->second.offsets;
  for (std::size_t i = 0; i < o.positions.size(); i++)
    o.array.set(o.positions[i], written->second.values[i]);
  return o;
}
#else
Arrays simulate(const Compilation&, const Command&, const Arrays&,
                const Values&, const Tables&, RunResult&) {
  fail({}, "chapter 5 is not built, so there is no simulator here");
}
OutputResult sampled_output(const Compilation&, const Values&, const RunResult&,
                            const Name&) {
  return {};
}
#endif

OutputResult whole_output(const Arrays& arrays, const Name& name) {
  auto found = arrays.find(name);
  INVARIANT(found != arrays.end(), "no output {} was computed", name);
  OutputResult o;
  o.name = name;
  o.array = found->second;
  return o;
}

// --- Checking ----------------------------------------------------------------

// The Torch IR reference: values and bounds.
void check_against_torch(const Compilation& program, const Arrays& inputs,
                         const Values& sizes, uint64_t seed,
                         const Tables& tables, RunResult& result) {
  std::vector<torch::Reference> references;
  bool sampled = std::any_of(result.outputs.begin(), result.outputs.end(),
                             [](const OutputResult& o) { return o.sampled; });
  if (!sampled) {
    references = torch::evaluate(tables, program.torch, inputs, sizes);
  }
  torch::InputElement element = [&](const Name& name, int64_t position) {
    const torch::Node* node = program.torch.node(name);
    return random_element(node->type.dtype, seed, name, position);
  };
  for (OutputResult& o : result.outputs) {
    if (o.sampled) {
      o.comparison =
          torch::compare_at(o.array, o.positions,
                            torch::evaluate_at(tables, program.torch, element,
                                               o.name, o.positions, sizes));
      continue;
    }
    for (const torch::Reference& r : references) {
      if (r.name != o.name) continue;
      o.array = reshaped(o.array, r.shape);
      o.comparison = torch::compare(o.array, r);
    }
  }
}

// A file that has no Torch IR: its own stage is the reference.
void check_against_own(const Compilation& program, Stage executed,
                       const Arrays& inputs, const Values& sizes,
                       const Tables& tables, RunResult& result) {
  if (program.first == executed) {
    result.why = fmt::format(
        "there is nothing to check it against: a file in {} says no more than "
        "what was executed",
        title_of(program.first));
    return;
  }
  if (std::any_of(result.outputs.begin(), result.outputs.end(),
                  [](const OutputResult& o) { return o.sampled; })) {
    result.why =
        "sampled blocks are checked against Torch IR, which the file has not";
    return;
  }
  Arrays wanted = interpret(program, program.first, inputs, sizes, tables);
  result.reference = title_of(program.first);
  for (OutputResult& o : result.outputs) {
    o.array = reshaped(o.array, wanted.at(o.name).shape());
    o.comparison = compare_loosely(o.array, wanted.at(o.name));
  }
}

}  // namespace

std::vector<Name> outputs_of(const Compilation& program) {
  std::vector<Name> names;
  visit_stage(program, program.first,
              [&](const auto& ir) { names = outputs(ir); });
  // Two outputs may be one value.
  std::vector<Name> once;
  for (const Name& n : names) {
    if (std::find(once.begin(), once.end(), n) == once.end()) once.push_back(n);
  }
  return once;
}

Array reshaped(const Array& array, const std::vector<int64_t>& shape) {
  Array out(array.dtype(), shape);
  INVARIANT(out.size() == array.size(), "an output changed its size");
  out.bytes() = array.bytes();
  return out;
}

Arrays inputs_of(const Compilation& program, const Values& sizes,
                 uint64_t seed) {
  Arrays inputs;
  visit_stage(program, program.first, [&](const auto& ir) {
    for (const Param& p : parameters(ir)) {
      inputs[p.name] =
          random_array(p.dtype, numbers(p.shape, sizes), seed, p.name);
    }
  });
  return inputs;
}

torch::Comparison compare_loosely(const Array& got, const Array& wanted) {
  // 256 roundings of float32 on the way, and the last to the output's type.
  const double u = unit_roundoff(DType::Float32);
  auto number = [](const Array& a, int64_t i) {
    Scalar x = a.at(i);
    return is_float(a.dtype()) ? x.f : static_cast<double>(x.i);
  };
  double largest = 0;
  for (int64_t i = 0; i < wanted.size(); i++) {
    double x = std::fabs(number(wanted, i));
    if (std::isfinite(x)) largest = std::max(largest, x);
  }
  torch::Comparison out;
  double worst = 0;  // error in units of the bound
  for (int64_t i = 0; i < wanted.size(); i++) {
    double a = number(got, i), b = number(wanted, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    double bound = 0;
    if (is_float(wanted.dtype())) {
      bound =
          256 * u * largest + 2 * unit_roundoff(wanted.dtype()) * std::fabs(b);
    }
    double error = std::fabs(a - b);
    bool beyond = !(error <= bound);
    double score =
        beyond && !(error / bound < HUGE_VAL) ? HUGE_VAL : error / bound;
    out.beyond += beyond;
    out.pass = out.pass && !beyond;
    if (score <= worst) continue;
    worst = score;
    out.position = i;
    out.error = error;
    out.bound = bound;
    out.got = a;
    out.wanted = b;
  }
  return out;
}

RunResult execute(const Compilation& program, const Command& command,
                  const Tables& tables) {
  if (command.device == "cuda")
    return execute_on_card(program, command, tables);
  RunResult result;
  result.device = command.device;
  const bool sim = command.device == "sim";
  const bool whole = command.blocks.empty() || command.blocks == "all";
  const Stage stage = sim ? Stage::Kernel : cpu_stage(program);
  PassContext context = context_for(command, tables);
  const Compilation ready = compile(program, stage, command.request, context);
  result.executed = title_of(stage);
  const uint64_t seed = static_cast<uint64_t>(command.seed);
  const Values sizes = sizes_of(command, symbols_of(program));
  Arrays inputs, arrays;
  if (whole) inputs = inputs_of(program, sizes, seed);
  if (sim) {
    arrays = simulate(ready, command, inputs, sizes, tables, result);
    if (!result.clean()) return result;
  } else {
    arrays = interpret(ready, stage, inputs, sizes, tables);
  }
  for (const Name& name : outputs_of(program)) {
    result.outputs.push_back(whole
                                 ? whole_output(arrays, name)
                                 : sampled_output(ready, sizes, result, name));
  }
  if (!command.check) return result;
  if (program.has(Stage::Torch)) {
    result.reference = title_of(Stage::Torch);
    check_against_torch(program, inputs, sizes, seed, tables, result);
  } else {
    check_against_own(ready, stage, inputs, sizes, tables, result);
  }
  return result;
}

void check_on_card(const Compilation& program, const Values& sizes,
                   uint64_t seed, const Tables& tables, RunResult& result) {
  if (program.has(Stage::Torch)) {
    check_some(program, sizes, seed, {kSecondsToCheck}, tables, result);
  } else {
    check_against_own(program, Stage::Cuda, inputs_of(program, sizes, seed),
                      sizes, tables, result);
  }
}

}  // namespace sextant::cli
