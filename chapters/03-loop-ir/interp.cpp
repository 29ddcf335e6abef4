// Each kernel is compiled once: names become slots of one array of scalars,
// expressions and statements become closures over it.
#include "chapters/03-loop-ir/interp.h"

#include <algorithm>

namespace sextant::loop {
namespace {

using Slots = std::vector<Scalar>;
using Number = std::function<int64_t(const Slots&)>;
using Compute = std::function<Scalar(const Slots&)>;
using Action = std::function<void(Slots&)>;

int64_t total(const std::vector<Dim>& shape, const Values& symbols) {
  std::vector<int64_t> extents;
  for (const Dim& d : shape)
    extents.push_back(evaluate(d, symbols));
  return element_count(extents);
}

class Compiler {
 public:
  Compiler(const Program& program, const Tables& tables, Arrays& arrays,
           const Values& symbols)
      : program_(program),
        tables_(tables),
        arrays_(arrays),
        symbols_(symbols) {}

  void run(const Kernel& kernel) {
    kernel_ = kernel.name;
    Action all = block(kernel.body);
    Slots slots(count_);
    all(slots);
  }

 private:
  std::size_t slot(const Name& name, DType type) {
    types_[name] = type;
    return slots_[name] = count_++;
  }

  DType type(const Expr& e) const {
    return type_of(tables_, e, [&](const Name& name) {
      auto found = types_.find(name);
      return found == types_.end() ? DType::Int64 : found->second;
    });
  }

  // --- expressions -----------------------------------------------------------

  Number number(const Expr& e) {
    if (const Int* i = e.as<Int>()) {
      return [value = i->value](const Slots&) { return value; };
    }
    if (const Binary* b = e.as<Binary>()) return number(*b);
    const Var* v = e.as<Var>();
    if (v == nullptr) {
      return [f = compute(e)](const Slots& s) { return f(s).i; };
    }
    auto found = slots_.find(v->name);
    if (found != slots_.end()) {
      return [at = found->second](const Slots& s) { return s[at].i; };
    }
    auto symbol = symbols_.find(v->name);
    INVARIANT(symbol != symbols_.end(), "'{}' has no value", v->name);
    return [value = symbol->second](const Slots&) { return value; };
  }

  Number number(const Binary& b) {
    Number x = number(b.a), y = number(b.b);
    switch (b.op) {
      case BinaryOp::Add: return [=](const Slots& s) { return x(s) + y(s); };
      case BinaryOp::Mul: return [=](const Slots& s) { return x(s) * y(s); };
      // The second half of a guard may make no sense where the first fails.
      case BinaryOp::And:
        return [=](const Slots& s) { return int64_t{x(s) != 0 && y(s) != 0}; };
      case BinaryOp::Or:
        return [=](const Slots& s) { return int64_t{x(s) != 0 || y(s) != 0}; };
      default:
        return [=, op = b.op](const Slots& s) { return apply(op, x(s), y(s)); };
    }
  }

  Compute compute(const Expr& e) {
    switch (e.kind()) {
      case ExprKind::Int: {
        Scalar value{0, e.get<Int>().value};
        return [=](const Slots&) { return value; };
      }
      case ExprKind::Float: {
        Scalar value{round_to(DType::Float32, e.get<Float>().value), 0};
        return [=](const Slots&) { return value; };
      }
      case ExprKind::Var: {
        auto found = slots_.find(e.get<Var>().name);
        if (found == slots_.end()) break;  // a symbol
        return [at = found->second](const Slots& s) { return s[at]; };
      }
      case ExprKind::Binary: break;
      case ExprKind::Cast: {
        const Cast& c = e.get<Cast>();
        Compute x = compute(c.value);
        DType from = type(c.value), to = c.to;
        return [=](const Slots& s) { return convert(x(s), from, to); };
      }
      case ExprKind::Call: return compute(e.get<Call>());
    }
    return [f = number(e)](const Slots& s) { return Scalar{0, f(s)}; };
  }

  Compute compute(const Call& c) {
    const ScalarOp& row = scalar_op(tables_, c.op);
    std::vector<Compute> args;
    for (const Expr& a : c.args)
      args.push_back(compute(a));
    if (c.op == "where") {
      return [=](const Slots& s) {
        return args[0](s).i != 0 ? args[1](s) : args[2](s);
      };
    }
    bool to_bool = row.result == ScalarOp::Result::Bool;
    if (!is_float(type(c.args[0]))) {
      return [=, eval = row.eval_int](const Slots& s) {
        int64_t x[3] = {0, 0, 0};
        for (std::size_t k = 0; k < args.size(); k++)
          x[k] = args[k](s).i;
        return Scalar{0, eval(x)};
      };
    }
    return [=, eval = row.eval](const Slots& s) {
      double x[3] = {0, 0, 0};
      for (std::size_t k = 0; k < args.size(); k++)
        x[k] = args[k](s).f;
      double result = eval(x);
      if (to_bool) return Scalar{0, result != 0};
      return Scalar{static_cast<double>(static_cast<float>(result)), 0};
    };
  }

  // The flat position in a buffer. Each index is checked on its own.
  Number position(const Name& name, const std::vector<Expr>& index) {
    const Buffer& buffer = *program_.buffer(name);
    struct Axis {
      Number at;
      int64_t extent;
    };
    std::vector<Axis> axes;
    for (std::size_t d = 0; d < index.size(); d++)
      axes.push_back({number(index[d]), evaluate(buffer.shape[d], symbols_)});
    return [=, kernel = kernel_](const Slots& s) {
      int64_t flat = 0;
      for (const Axis& axis : axes) {
        int64_t at = axis.at(s);
        if (at < 0 || at >= axis.extent) {
          fail({}, "kernel {} reads or writes index {} of an axis of {} of {}",
               kernel, at, axis.extent, name);
        }
        flat = flat * axis.extent + at;
      }
      return flat;
    };
  }

  // --- statements ------------------------------------------------------------

  Action block(const std::vector<Stmt>& body) {
    std::vector<Action> actions;
    for (const Stmt& stmt : body) {
      actions.push_back(std::visit(
          [&](const auto& node) { return action(node); }, stmt.variant()));
    }
    return [=](Slots& s) {
      for (const Action& f : actions)
        f(s);
    };
  }

  Action action(const For& loop) {
    int64_t extent = evaluate(loop.extent, symbols_);
    std::size_t axis = slot(loop.axis, DType::Int64);
    struct Start {
      std::size_t at;
      Compute value;
    };
    std::vector<Start> starts;
    for (const Carry& c : loop.carries) {
      Expr identity = identity_of(combiner(tables_, c.combiner), c.dtype);
      starts.push_back({slot(c.name, c.dtype), compute(identity)});
    }
    Action body = block(loop.body);
    return [=](Slots& s) {
      for (const Start& start : starts)
        s[start.at] = start.value(s);
      for (int64_t i = 0; i < extent; i++) {
        s[axis].i = i;
        body(s);
      }
    };
  }

  Action action(const Load& load) {
    Number at = position(load.buffer, load.index);
    const Array* from = &arrays_.at(load.buffer);
    Number guard;
    Compute otherwise;
    if (load.guard) {
      guard = number(load.guard);
      otherwise = compute(load.otherwise);
    }
    std::size_t out = slot(load.out, from->dtype());
    if (!load.guard) return [=](Slots& s) { s[out] = from->at(at(s)); };
    return [=](Slots& s) {
      s[out] = guard(s) != 0 ? from->at(at(s)) : otherwise(s);
    };
  }

  Action action(const Let& let) {
    Compute value = compute(let.value);
    std::size_t out = slot(let.out, type(let.value));
    return [=](Slots& s) { s[out] = value(s); };
  }

  // The combiner's expressions, its sN bound to the state, its xN to the value.
  Action action(const Accum& accum) {
    const Combiner& row = combiner(tables_, accum.combiner);
    Substitution by;
    for (std::size_t i = 0; i < accum.state.size(); i++) {
      by[fmt::format("s{}", i)] = var(accum.state[i]);
      by[fmt::format("x{}", i)] = accum.value[i];
    }
    std::vector<Compute> next;
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < accum.state.size(); i++) {
      next.push_back(compute(substitute(row.combine[i], by)));
      at.push_back(slots_.at(accum.state[i]));
    }
    Number guard = number(accum.guard ? accum.guard : Expr(1));
    if (at.size() == 1 && !accum.guard) {
      return [f = next[0], to = at[0]](Slots& s) { s[to] = f(s); };
    }
    return [=](Slots& s) {
      if (guard(s) == 0) return;
      std::vector<Scalar> fresh;
      for (const Compute& f : next)
        fresh.push_back(f(s));
      for (std::size_t i = 0; i < at.size(); i++)
        s[at[i]] = fresh[i];
    };
  }

  Action action(const Store& store) {
    Number at = position(store.buffer, store.index);
    Compute value = compute(store.value);
    Array* to = &arrays_.at(store.buffer);
    Number guard = number(store.guard ? store.guard : Expr(1));
    return [=](Slots& s) {
      if (guard(s) != 0) to->set(at(s), value(s));
    };
  }

  const Program& program_;
  const Tables& tables_;
  Arrays& arrays_;
  const Values& symbols_;
  Name kernel_;
  std::map<Name, std::size_t> slots_;
  std::map<Name, DType> types_;
  std::size_t count_ = 0;
};

}  // namespace

Arrays interpret(const Program& program, const Tables& tables,
                 const Arrays& inputs, const Values& symbols) {
  Arrays arrays;
  for (const Buffer& b : program.buffers) {
    if (b.role != Role::Input && b.role != Role::Weight) {
      std::vector<int64_t> shape;
      for (const Dim& d : b.shape)
        shape.push_back(evaluate(d, symbols));
      arrays.emplace(b.name, Array(b.dtype, shape));
      continue;
    }
    auto found = inputs.find(b.name);
    if (found == inputs.end()) fail({}, "input '{}' is missing", b.name);
    const Array& given = found->second;
    if (given.dtype() != b.dtype || given.size() != total(b.shape, symbols)) {
      fail({}, "input '{}' is not of the program's type and size", b.name);
    }
    arrays.emplace(b.name, given);
  }
  for (const Launch& launch : program.launches) {
    Compiler(program, tables, arrays, symbols)
        .run(*program.kernel(launch.kernel));
  }
  return arrays;
}

}  // namespace sextant::loop
