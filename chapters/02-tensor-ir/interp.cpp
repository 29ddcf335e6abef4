#include "chapters/02-tensor-ir/interp.h"

namespace sextant::tensor {
namespace {

using Index = std::vector<int64_t>;
// The values of one expression at all indices of a shape, in row-major order.
using Lanes = std::vector<Scalar>;

class Interpreter {
 public:
  Interpreter(const Tables& tables, const Arrays& inputs, const Values& symbols)
      : tables_(tables), symbols_(symbols), arrays_(inputs) {}

  void run(const Value& v) {
    v_ = &v;
    Index shape = evaluate_shape(v.shape, symbols_);
    switch (v.op.kind()) {
      case OpKind::Input: return check_input(shape);
      case OpKind::IndexMap: return run(v.op.get<IndexMap>(), shape);
      case OpKind::Reduction: return run(v.op.get<Reduction>(), shape);
      case OpKind::Elementwise:
        return store(shape, compute(v.op.get<Elementwise>().value,
                                    element_count(shape)));
    }
  }

  Arrays take() { return std::move(arrays_); }

 private:
  void check_input(const Index& shape) {
    auto found = arrays_.find(v_->name);
    if (found == arrays_.end()) fail({}, "input '{}' is missing", v_->name);
    const Array& a = found->second;
    if (a.dtype() != v_->dtype || a.shape() != shape) {
      fail({}, "input '{}' is not of the program's type and shape", v_->name);
    }
  }

  void store(const Index& shape, const Lanes& lanes) {
    Array out(v_->dtype, shape);
    for (int64_t i = 0; i < out.size(); i++)
      out.set(i, lanes[static_cast<std::size_t>(i)]);
    arrays_[v_->name] = std::move(out);
  }

  // --- elementwise: one operation at a time, on all lanes --------------------

  DType type_of_name(const Name& name) const {
    auto found = arrays_.find(name);
    return found == arrays_.end() ? DType::Int64 : found->second.dtype();
  }

  Lanes load(const Name& name, int64_t count) const {
    auto found = arrays_.find(name);
    if (found == arrays_.end()) {
      auto symbol = symbols_.find(name);
      INVARIANT(symbol != symbols_.end(), "'{}' has no value", name);
      return Lanes(static_cast<std::size_t>(count), {0, symbol->second});
    }
    Lanes lanes;
    lanes.reserve(static_cast<std::size_t>(count));
    for (int64_t i = 0; i < count; i++)
      lanes.push_back(found->second.at(i));
    return lanes;
  }

  Lanes compute(const Expr& e, int64_t count) const {
    auto n = static_cast<std::size_t>(count);
    auto type = [&](const Expr& x) {
      return type_of(tables_, x,
                     [&](const Name& s) { return type_of_name(s); });
    };
    switch (e.kind()) {
      case ExprKind::Int: return Lanes(n, {0, e.get<Int>().value});
      case ExprKind::Float:
        return Lanes(n, {round_to(DType::Float32, e.get<Float>().value), 0});
      case ExprKind::Var: return load(e.get<Var>().name, count);
      case ExprKind::Binary: return Lanes(n, {0, evaluate(e, symbols_)});
      case ExprKind::Cast: {
        Lanes lanes = compute(e.get<Cast>().value, count);
        DType from = type(e.get<Cast>().value);
        for (Scalar& x : lanes)
          x = convert(x, from, e.get<Cast>().to);
        return lanes;
      }
      case ExprKind::Call: break;
    }
    const Call& c = e.get<Call>();
    std::vector<Lanes> args;
    for (const Expr& a : c.args)
      args.push_back(compute(a, count));
    const ScalarOp& row = scalar_op(tables_, c.op);
    DType operands = type(c.args.back());
    Lanes lanes(n);
    for (std::size_t i = 0; i < n; i++) {
      Scalar at[3];
      for (std::size_t k = 0; k < args.size(); k++)
        at[k] = args[k][i];
      lanes[i] = apply(row, operands, at);
    }
    return lanes;
  }

  // --- reduction: the combiner, once for each cell of the operand ------------

  void run(const Reduction& r, const Index& shape) {
    const Array& x = arrays_.at(r.operand);
    const Combiner& row = combiner(tables_, r.combiner);
    const Expr start = identity_of(row, v_->dtype);
    Lanes state = compute(start, element_count(shape));
    std::vector<int64_t> strides = strides_of(shape);
    auto type = [&](const Name&) { return v_->dtype; };
    int64_t cell = 0;
    each_index(x.shape(), [&](const Index& index) {
      int64_t at = 0;
      for (std::size_t d = 0; d < shape.size(); d++)
        at += shape[d] == 1 ? 0 : index[d] * strides[d];
      Scalar& s = state[static_cast<std::size_t>(at)];
      Scalar value = x.at(cell++);
      s = sextant::compute(tables_, row.combine[0], type, [&](const Var& name) {
        return name.name == "s0" ? s : value;
      });
    });
    store(shape, state);
  }

  // --- index map: arithmetic on indices, then a copy -------------------------

  int64_t number(const Expr& e, const Index& index) const {
    if (const Binary* b = e.as<Binary>()) {
      int64_t a = number(b->a, index);
      // The second half of a guard may be wrong where the first fails.
      if (b->op == BinaryOp::And && a == 0) return 0;
      if (b->op == BinaryOp::Or && a != 0) return 1;
      return apply(b->op, a, number(b->b, index));
    }
    const Var* v = e.as<Var>();
    if (v == nullptr) return value_of(e);
    if (!v->index.empty()) return cell(v->name, v->index, index).i;
    for (std::size_t axis = 0; axis < index.size(); axis++) {
      if (v->name == index_name(axis)) return index[axis];
    }
    auto found = symbols_.find(v->name);
    INVARIANT(found != symbols_.end(), "'{}' has no value", v->name);
    return found->second;
  }

  Scalar cell(const Name& value, const std::vector<Expr>& at,
              const Index& index) const {
    if (value == kIota) return {0, number(at[0], index)};
    const Array& from = arrays_.at(value);
    int64_t flat = 0;
    for (std::size_t d = 0; d < at.size(); d++) {
      int64_t n = number(at[d], index), extent = from.shape()[d];
      if (n < 0 || n >= extent) {
        fail({}, "'{}' reads index {} of an axis of {} of '{}'", v_->name, n,
             extent, value);
      }
      flat = flat * extent + n;
    }
    return from.at(flat);
  }

  void run(const IndexMap& map, const Index& shape) {
    Lanes lanes;
    Lanes otherwise;
    if (map.otherwise) otherwise = compute(map.otherwise, 1);
    each_index(shape, [&](const Index& index) {
      for (const Piece& piece : map.pieces) {
        if (piece.where && number(piece.where, index) == 0) continue;
        lanes.push_back(cell(piece.value, piece.index, index));
        return;
      }
      INVARIANT(map.otherwise, "no piece of '{}' holds", v_->name);
      lanes.push_back(otherwise[0]);
    });
    store(shape, lanes);
  }

  const Tables& tables_;
  const Values& symbols_;
  Arrays arrays_;
  const Value* v_ = nullptr;
};

}  // namespace

std::vector<int64_t> evaluate_shape(const std::vector<Dim>& shape,
                                    const Values& symbols) {
  std::vector<int64_t> extents;
  for (const Dim& d : shape)
    extents.push_back(evaluate(d, symbols));
  return extents;
}

Arrays interpret(const Graph& graph, const Tables& tables, const Arrays& inputs,
                 const Values& symbols) {
  Interpreter interpreter(tables, inputs, symbols);
  for (const Value& v : graph.values)
    interpreter.run(v);
  return interpreter.take();
}

}  // namespace sextant::tensor
