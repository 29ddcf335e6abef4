#include "src/cli/card.h"

#include <cstdio>

#include "src/base/text.h"
#if SEXTANT_CHAPTERS >= 7
#include "chapters/07-running/measure.h"
#include "src/cli/on_card.h"
#endif

namespace sextant::cli {

#if SEXTANT_CHAPTERS >= 7

namespace {

// Below this, the card is as far away as the host: what is measured is how
// long a launch takes.
constexpr int64_t kCopied = int64_t{256} << 20;

// "12.3 us for 2 kernels, which move 0.5 MB: 41 GB/s"
std::string time_text(const OnCard& card, Meter& meter) {
  double us = graph_microseconds(card, meter);
  int64_t bytes = 0;
  for (const running::ReadyLaunch& l : card.program->launches())
    bytes += l.bytes;
  return fmt::format(
      "{:.1f} us for {} launches in a graph; their buffers have "
      "{:.1f} MB: {:.0f} GB/s\n",
      us, card.program->launches().size(), static_cast<double>(bytes) / 1e6,
      static_cast<double>(bytes) / us / 1e3);
}

}  // namespace

bool card_is_there() {
  return running::device_is_there();
}

OnCard put_on_card(const running::Device& device, const Compilation& program,
                   const Command& command, const Tables& tables) {
  OnCard card;
  Request request = command.request;
  const Target& target = device.target(tables);
  if (!command.has_target) request.target = target.name;
  if (target.multiprocessors != device.multiprocessors()) {
    card.notes = fmt::format(
        "this card has {} multiprocessors; the schedules are for {}, with {}\n",
        device.multiprocessors(), target.card, target.multiprocessors);
  }
  PassContext context = context_for(command, tables);
  card.compiled = compile(program, Stage::Cuda, request, context);
  card.sizes = sizes_of(command, symbols_of(program));
  card.program = running::prepare(
      device, tables, card.compiled.kernel, card.sizes,
      running::choose_compiler(command.compiler), running::cache_folder());
  return card;
}

RunResult run_on_card(const OnCard& card, uint64_t seed) {
  RunResult result;
  result.device = "cuda";
  result.executed = title_of(Stage::Cuda);
  card.program->fill_random(seed);
  card.program->poison();
  card.program->run();
  for (const Name& name : outputs_of(card.compiled)) {
    OutputResult o;
    o.name = name;
    o.array = card.program->read(name);
    result.outputs.push_back(std::move(o));
  }
  return result;
}

double graph_microseconds(const OnCard& card, Meter& meter) {
  running::Graph graph(card.program->device(), meter.stream(),
                       [&](auto stream) { card.program->start(stream); });
  return meter.microseconds([&] { graph.start(); });
}

RunResult execute_on_card(const Compilation& program, const Command& command,
                          const Tables& tables) {
  RunResult result;
  with_card(command, [&](const running::Device& device) {
    OnCard card = put_on_card(device, program, command, tables);
    const auto seed = static_cast<uint64_t>(command.seed);
    result = run_on_card(card, seed);
    result.notes = card.notes;
    if (command.check) {
      check_on_card(card.compiled, card.sizes, seed, tables, result);
    }
    if (command.bench) {
      Meter meter(device);
      result.notes += time_text(card, meter);
    }
    return kOk;
  });
  return result;
}

namespace {

// A line a launch: its time alone, its shape, what the compiler made of it, and
// its rate beside that of a copy.
std::string profile_text(const OnCard& card, const running::Device& device) {
  Meter meter(device);
  const double copied =
      2.0 * static_cast<double>(kCopied) / meter.copy_microseconds(kCopied);
  std::string out = fmt::format(
      "{}; a copy of {} MB moves {:.0f} GB/s\n{:<32}{:>9}{:>8}{:>6}{:>5}{:>7}"
      "{:>6}{:>7}{:>7}{:>6}\n",
      device.name(), kCopied >> 20, copied / 1e3, "kernel", "us", "blocks",
      "thr", "regs", "shared", "spill", "thr/SM", "GB/s", "copy");
  for (const running::ReadyLaunch& l : card.program->launches()) {
    running::Graph one(device, meter.stream(),
                       [&](auto stream) { card.program->start(l, stream); });
    double us = meter.microseconds([&] { one.start(); });
    running::KernelFacts f = card.program->facts(l);
    double rate = static_cast<double>(l.bytes) / us;
    out += fmt::format(
        "{:<32}{:>9.1f}{:>8}{:>6}{:>5}{:>7}{:>6}{:>7}{:>7.0f}{:>5.0f}%\n",
        l.kernel, us, l.grid, l.block, f.registers, f.shared, f.spilled,
        f.blocks * l.block, rate / 1e3, 100 * rate / copied);
  }
  return out + card.notes + time_text(card, meter);
}

}  // namespace

int profile_on_card(const Compilation& program, const Command& command,
                    const Tables& tables) {
  return with_card(command, [&](const running::Device& device) {
    OnCard card = put_on_card(device, program, command, tables);
    run_on_card(card, static_cast<uint64_t>(command.seed));
    std::fputs(profile_text(card, device).c_str(), stdout);
    return kOk;
  });
}

#else

bool card_is_there() {
  return false;
}
RunResult execute_on_card(const Compilation&, const Command&, const Tables&) {
  fail({}, "chapter 7 is not built");
}
int profile_on_card(const Compilation&, const Command&, const Tables&) {
  fail({}, "chapter 7 is not built");
}

#endif

}  // namespace sextant::cli
