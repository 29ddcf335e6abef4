#if SEXTANT_CHAPTERS >= 5
#include "tests/cli/alone.h"

#include <algorithm>
#include <cmath>

#include "chapters/03-loop-ir/affine.h"
#include "chapters/03-loop-ir/names.h"

namespace sextant::test {

using torch::Ball;

Alone::Alone(const Tables& tables, const loop::Program& program,
             const loop::Kernel& kernel, uint64_t seed)
    : tables_(tables), program_(program), kernel_(kernel), seed_(seed) {
  declare(kernel.body);
  axes_.resize(scope_.index.size());
  values_.balls.resize(scope_.operands.size());
  scope_.type = [this](const Name& name) {
    auto found = types_.find(name);
    return found == types_.end() ? DType::Int64 : found->second;
  };
  loop::each_stmt(kernel.body, [&](const loop::Stmt& s) {
    const auto* store = s.as<loop::Store>();
    if (store == nullptr) return;
    Target& target = targets_[store->buffer];
    target.store = *store;
    compile(kernel_.body, s, target.actions);
    target.value = ready(store->value);
  });
}

void Alone::declare(const std::vector<loop::Stmt>& body) {
  auto value = [&](const Name& name, DType dtype) {
    if (types_.emplace(name, dtype).second) scope_.operands.push_back(name);
  };
  for (const loop::Stmt& s : body) {
    if (const auto* f = s.as<loop::For>()) {
      if (extents_.emplace(f->axis, value_of(f->extent)).second)
        scope_.index.push_back(f->axis);
      // Sibling loops share axes, and may differ in length.
      extents_[f->axis] = std::max(extents_[f->axis], value_of(f->extent));
      for (const loop::Carry& c : f->carries)
        value(c.name, c.dtype);
      declare(f->body);
    } else if (const auto* load = s.as<loop::Load>()) {
      value(load->out, buffer(load->buffer).dtype);
    } else if (const auto* let = s.as<loop::Let>()) {
      value(let->out, type_of(tables_, let->value, [&](const Name& name) {
              auto found = types_.find(name);
              return found == types_.end() ? DType::Int64 : found->second;
            }));
    }
  }
}

bool Alone::compile(const std::vector<loop::Stmt>& body,
                    const loop::Stmt& store, std::vector<Action>& actions) {
  for (const loop::Stmt& s : body) {
    if (s.same_as(store)) return true;
    if (const auto* f = s.as<loop::For>()) {
      std::vector<Action> inside;
      if (!f->carries.empty()) {
        compile_reduction(*f, actions);
      } else if (compile(f->body, store, inside)) {
        actions.insert(actions.end(), inside.begin(), inside.end());
        return true;
      }
    } else if (const auto* load = s.as<loop::Load>()) {
      compile_load(*load, actions);
    } else if (const auto* let = s.as<loop::Let>()) {
      compile_let(*let, actions);
    }
  }
  return false;
}

void Alone::compile_let(const loop::Let& let, std::vector<Action>& actions) {
  actions.push_back([this, at = place(let.out), value = ready(let.value)] {
    values_.balls[static_cast<std::size_t>(at)] =
        value.run(axes_.data(), values_);
  });
}

void Alone::compile_load(const loop::Load& load, std::vector<Action>& actions) {
  const Buffer& from = buffer(load.buffer);
  Expr offset = 0;
  for (std::size_t d = 0; d < load.index.size(); d++)
    offset = offset * from.shape[d] + load.index[d];
  auto position = number(offset);
  auto guard = load.guard ? number(load.guard) : nullptr;
  torch::BallProgram otherwise;
  if (load.guard) otherwise = ready(load.otherwise);
  actions.push_back(
      [=, this, out = place(load.out), dtype = from.dtype, name = from.name] {
        Ball& ball = values_.balls[static_cast<std::size_t>(out)];
        if (guard && guard() == 0) {
          ball = otherwise.run(axes_.data(), values_);
          return;
        }
        Scalar x = random_element(dtype, seed_, name, position());
        ball = {is_float(dtype) ? x.f : static_cast<double>(x.i), 0};
      });
}

void Alone::compile_reduction(const loop::For& loop,
                              std::vector<Action>& actions) {
  struct State {
    int place = 0;
    bool sums = false;
    Ball start;
    torch::BallProgram next, value;
    std::function<int64_t()> guard;
    double sum = 0, terms = 0, errors = 0;
    int64_t n = 0;
  };
  auto states = std::make_shared<std::vector<State>>();
  auto inner = std::make_shared<std::vector<Action>>();
  for (const loop::Carry& c : loop.carries) {
    State state;
    state.place = place(c.name);
    state.sums = c.combiner == "add" && is_float(c.dtype);
    torch::BallProgram identity =
        ready(identity_of(combiner(tables_, c.combiner), c.dtype));
    state.start = identity.run(axes_.data(), values_);
    states->push_back(state);
  }
  for (const loop::Stmt& s : loop.body) {
    if (const auto* f = s.as<loop::For>()) {
      if (f->carries.empty()) throw std::runtime_error("a free loop in a sum");
      compile_reduction(*f, *inner);
    } else if (const auto* load = s.as<loop::Load>()) {
      compile_load(*load, *inner);
    } else if (const auto* let = s.as<loop::Let>()) {
      compile_let(*let, *inner);
    } else if (const auto* accum = s.as<loop::Accum>()) {
      if (accum->state.size() != 1) throw std::runtime_error("two states");
      std::size_t which = 0;
      while (loop.carries[which].name != accum->state[0])
        which++;
      const Combiner& row = combiner(tables_, accum->combiner);
      Substitution names{{"s0", var(accum->state[0])}, {"x0", accum->value[0]}};
      State& state = (*states)[which];
      state.next = ready(substitute(row.combine[0], names));
      state.value = ready(accum->value[0]);
      if (accum->guard) state.guard = number(accum->guard);
      inner->push_back([this, states, which] {
        State& state = (*states)[which];
        if (state.guard && state.guard() == 0) return;
        Ball& carried = values_.balls[static_cast<std::size_t>(state.place)];
        if (!state.sums) {
          carried = state.next.run(axes_.data(), values_);
          return;
        }
        Ball x = state.value.run(axes_.data(), values_);
        state.sum += x.value;
        state.terms += std::fabs(x.value);
        state.errors += x.bound;
        state.n++;
      });
    }
  }
  auto axis = static_cast<std::size_t>(
      std::find(scope_.index.begin(), scope_.index.end(), loop.axis) -
      scope_.index.begin());
  actions.push_back([=, this, extent = value_of(loop.extent)] {
    for (State& state : *states) {
      values_.balls[static_cast<std::size_t>(state.place)] = state.start;
      state.sum = state.terms = state.errors = 0;
      state.n = 0;
    }
    // A loop beside this one may have given the axis to the stored element.
    const int64_t outside = axes_[axis];
    for (int64_t i = 0; i < extent; i++) {
      axes_[axis] = i;
      for (const Action& action : *inner)
        action();
    }
    axes_[axis] = outside;
    for (State& state : *states) {
      if (!state.sums) continue;
      double bound = torch::sum_bound(std::max<int64_t>(state.n, 1),
                                      state.terms, state.errors);
      values_.balls[static_cast<std::size_t>(state.place)] =
          torch::rounded({state.sum, bound}, DType::Float32);
    }
  });
}

torch::BallProgram Alone::ready(const Expr& e) const {
  return torch::BallProgram(tables_, e, scope_);
}

std::function<int64_t()> Alone::number(const Expr& e) const {
  return [this, program = ready(e)] {
    return std::llround(program.run(axes_.data(), values_).value);
  };
}

int Alone::place(const Name& name) const {
  return static_cast<int>(
      std::find(scope_.operands.begin(), scope_.operands.end(), name) -
      scope_.operands.begin());
}

const Buffer& Alone::buffer(const Name& name) const {
  return *program_.buffer(name);
}

// Each index is a sum of axes times factors, a number in mixed radix.
bool Alone::find_axes(const loop::Store& store, int64_t position) {
  const Buffer& to = buffer(store.buffer);
  for (std::size_t d = store.index.size(); d-- > 0;) {
    int64_t extent = value_of(to.shape[d]), rest = position % extent;
    position /= extent;
    std::optional<loop::Affine> sum = loop::affine(store.index[d]);
    if (!sum || sum->constant != 0) return false;
    std::vector<std::pair<int64_t, Name>> terms;
    for (const auto& [axis, factor] : sum->terms)
      terms.emplace_back(factor, axis);
    std::sort(terms.rbegin(), terms.rend());
    for (const auto& [factor, axis] : terms) {
      auto at = std::find(scope_.index.begin(), scope_.index.end(), axis);
      if (factor <= 0 || at == scope_.index.end()) return false;
      axes_[static_cast<std::size_t>(at - scope_.index.begin())] =
          rest / factor;
      rest %= factor;
    }
    if (rest != 0) return false;
  }
  return true;
}

std::optional<Ball> Alone::at(const Name& buffer, int64_t position) {
  auto found = targets_.find(buffer);
  if (found == targets_.end()) return std::nullopt;
  const Target& target = found->second;
  if (!find_axes(target.store, position)) return std::nullopt;
  for (const Action& action : target.actions)
    action();
  return target.value.run(axes_.data(), values_);
}

}  // namespace sextant::test
#endif
