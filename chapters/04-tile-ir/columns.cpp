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
                 static_cast<std::size_t>(index.at[p].i);
      }
    }
    for (std::size_t p = 0; p < out.size(); p++)
      out[p] += p / points_.cells * value.cells;
    return out;
  }

 private:
  Column all(DType type, Scalar x = {}) const {
    return {type, std::vector<Scalar>(points_.count(), x)};
  }

  Column variable(const Var& v) {
    auto uniform = state_.uniform.find(v.name);
    if (uniform != state_.uniform.end()) {
      return all(DType::Int64, {0, uniform->second});
    }
    if (state_.values.count(v.name) == 0) return axis(v.name);
    const Column& values = state_.values.at(v.name).column;
    Column out{values.type, {}};
    for (std::size_t from : elements(v))
      out.at.push_back(values.at[from]);
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
    Column out = all(DType::Int64);
    for (std::size_t p = 0; p < points_.count(); p++) {
      std::size_t number = thread ? p / points_.cells : p % points_.cells;
      out.at[p].i = static_cast<int64_t>(number / below % extent);
    }
    return out;
  }

  Column binary(const Binary& b) {
    Column x = run(b.a), y = run(b.b);
    Column out = all(b.op >= BinaryOp::Lt ? DType::Bool : DType::Int64);
    for (std::size_t p = 0; p < points_.count(); p++)
      out.at[p].i = sextant::apply(b.op, x.at[p].i, y.at[p].i);
    return out;
  }

  Column cast(const Cast& c) {
    Column out = run(c.value);
    for (Scalar& x : out.at)
      x = convert(x, out.type, c.to);
    out.type = c.to;
    return out;
  }

  Column call(const Call& c) {
    const ScalarOp& row = scalar_op(tables_, c.op);
    std::vector<Column> args;
    for (const Expr& e : c.args)
      args.push_back(run(e));
    DType type = args.back().type;  // of `where`, what it chooses from
    bool truth = row.result == ScalarOp::Result::Bool;
    Column out = all(truth ? DType::Bool : type);
    for (std::size_t p = 0; p < points_.count(); p++) {
      Scalar x[3];
      for (std::size_t k = 0; k < args.size(); k++)
        x[k] = args[k].at[p];
      out.at[p] = sextant::apply(row, type, x);
    }
    return out;
  }

  const State& state_;
  const Tables& tables_;
  const Points& points_;
};

}  // namespace

std::size_t State::thread_count() const {
  int64_t n = 1;
  for (const Axis& a : threads)
    n *= value_of(a.extent);
  return static_cast<std::size_t>(n);
}

Points points_of(const State& state, const std::vector<Expr>& list) {
  Points points;
  points.threads = state.thread_count();
  for (const Axis& axis : state.registers) {
    if (std::any_of(list.begin(), list.end(),
                    [&](const Expr& e) { return mentions(e, axis.name); })) {
      points.registers.push_back(axis);
      points.cells *= static_cast<std::size_t>(value_of(axis.extent));
    }
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
