#include "chapters/04-tile-ir/columns.h"

#include <algorithm>

#include "src/base/scalar_op.h"

namespace sextant::tile {
namespace {

class Evaluator {
 public:
  Evaluator(const State& state, const Tables& tables, const Points& points)
      : state_(state), tables_(tables), points_(points) {}

  Column run(const Expr& e) {
    switch (e.kind()) {
      case ExprKind::Int: return all(DType::Int64, {0, e.get<Int>().value});
      case ExprKind::Float:
        return all(DType::Float32,
                   {round_to(DType::Float32, e.get<Float>().value), 0});
      case ExprKind::Var: return variable(e.get<Var>());
      case ExprKind::Binary: return binary(e.get<Binary>());
      case ExprKind::Cast: return cast(e.get<Cast>());
      case ExprKind::Call: return call(e.get<Call>());
    }
    return {};
  }

  std::vector<std::size_t> elements(const Var& cell) {
    const Value& value = state_.values.at(cell.name);
    std::vector<std::size_t> out(points_.count(), 0);
    for (std::size_t d = 0; d < cell.index.size(); d++) {
      Column index = run(cell.index[d]);
      for (std::size_t p = 0; p < out.size(); p++) {
        out[p] = out[p] * static_cast<std::size_t>(value.extents[d]) +
                 static_cast<std::size_t>(index.i[p]);
      }
    }
    for (std::size_t p = 0; p < out.size(); p++)
      out[p] += p / points_.cells * value.cells;
    return out;
  }

 private:
  Column all(DType type, Scalar x) const {
    Column out = Column::of(type, points_.count());
    for (std::size_t p = 0; p < points_.count(); p++)
      out.set(p, x);
    return out;
  }

  Column variable(const Var& v) {
    auto uniform = state_.uniform.find(v.name);
    if (uniform != state_.uniform.end()) {
      return all(DType::Int64, {0, uniform->second});
    }
    if (state_.values.count(v.name) == 0) return axis(v.name);
    const Value& value = state_.values.at(v.name);
    std::vector<std::size_t> from = elements(v);
    Column out = Column::of(value.column.type, points_.count());
    for (std::size_t p = 0; p < from.size(); p++)
      out.set(p, value.column.at(from[p]));
    return out;
  }

  // The digit of a THREAD axis in the thread's number, of a REGISTER axis in
  // the cell's.
  Column axis(const Name& name) {
    bool thread = std::any_of(state_.threads.begin(), state_.threads.end(),
                              [&](const Axis& a) { return a.name == name; });
    const std::vector<Axis>& axes = thread ? state_.threads : points_.registers;
    std::size_t below = 1, extent = 0;
    for (std::size_t a = axes.size(); a-- > 0 && extent == 0;) {
      std::size_t n = static_cast<std::size_t>(value_of(axes[a].extent));
      if (axes[a].name == name) {
        extent = n;
      } else {
        below *= n;
      }
    }
    if (extent == 0) fail({}, "'{}' is no axis and no value here", name);
    Column out = Column::of(DType::Int64, points_.count());
    for (std::size_t p = 0; p < points_.count(); p++) {
      std::size_t number = thread ? p / points_.cells : p % points_.cells;
      out.i[p] = static_cast<int64_t>(number / below % extent);
    }
    return out;
  }

  Column binary(const Binary& b) {
    Column x = run(b.a), y = run(b.b);
    DType type = b.op >= BinaryOp::Lt ? DType::Bool : DType::Int64;
    Column out = Column::of(type, points_.count());
    for (std::size_t p = 0; p < points_.count(); p++)
      out.i[p] = apply(b.op, x.i[p], y.i[p]);
    return out;
  }

  Column cast(const Cast& c) {
    Column x = run(c.value);
    Column out = Column::of(c.to, points_.count());
    for (std::size_t p = 0; p < points_.count(); p++)
      out.set(p, convert(x.at(p), x.type, c.to));
    return out;
  }

  Column call(const Call& c) {
    const ScalarOp& row = scalar_op(tables_, c.op);
    std::vector<Column> args;
    for (const Expr& e : c.args)
      args.push_back(run(e));
    bool chooses = c.op == "where";
    bool floats = is_float(args[chooses ? 1 : 0].type);
    bool truth = row.result == ScalarOp::Result::Bool;
    DType type = truth ? DType::Bool : args[chooses ? 1 : 0].type;
    Column out = Column::of(type, points_.count());
    double f[3] = {0, 0, 0};
    int64_t i[3] = {0, 0, 0};
    for (std::size_t p = 0; p < points_.count(); p++) {
      for (std::size_t k = 0; k < args.size(); k++) {
        Scalar x = args[k].at(p);
        f[k] = is_float(args[k].type) ? x.f : static_cast<double>(x.i);
        i[k] = x.i;
      }
      if (!floats) {
        out.i[p] = row.eval_int(i);
      } else if (truth) {
        out.i[p] = row.eval(f) != 0;
      } else {
        out.f[p] = round_to(type, row.eval(f));
      }
    }
    return out;
  }

  const State& state_;
  const Tables& tables_;
  const Points& points_;
};

void add_registers(const State& state, const Expr& e,
                   std::vector<bool>& wanted) {
  for (const Name& name : names_in(e)) {
    for (std::size_t a = 0; a < state.registers.size(); a++) {
      if (state.registers[a].name == name) wanted[a] = true;
    }
  }
}

}  // namespace

Column Column::of(DType type, std::size_t points) {
  Column out;
  out.type = type;
  if (is_float(type)) {
    out.f.assign(points, 0);
  } else {
    out.i.assign(points, 0);
  }
  return out;
}

std::size_t State::thread_count() const {
  int64_t n = 1;
  for (const Axis& a : threads)
    n *= value_of(a.extent);
  return static_cast<std::size_t>(n);
}

Points points_of(const State& state, const std::vector<Expr>& list) {
  std::vector<bool> wanted(state.registers.size(), false);
  for (const Expr& e : list)
    add_registers(state, e, wanted);
  Points points;
  points.threads = state.thread_count();
  for (std::size_t a = 0; a < wanted.size(); a++) {
    if (!wanted[a]) continue;
    points.registers.push_back(state.registers[a]);
    points.cells *=
        static_cast<std::size_t>(value_of(state.registers[a].extent));
  }
  return points;
}

Column evaluate(const State& state, const Tables& tables, const Points& points,
                const Expr& e) {
  return Evaluator(state, tables, points).run(e);
}

std::vector<std::size_t> elements(const State& state, const Tables& tables,
                                  const Points& points, const Var& cell) {
  return Evaluator(state, tables, points).elements(cell);
}

}  // namespace sextant::tile
