#include "chapters/02-tensor-ir/verify.h"

#include <algorithm>

#include "src/base/facts.h"

namespace sextant::tensor {
namespace {

std::string shape_text(const std::vector<Dim>& shape) {
  std::vector<std::string> parts;
  for (const Dim& d : shape)
    parts.push_back(to_string(d));
  return "(" + join(parts) + ")";
}

bool has_cells(const Expr& e) {
  if (const Var* v = e.as<Var>()) return !v->index.empty();
  const Binary* b = e.as<Binary>();
  return b != nullptr && (has_cells(b->a) || has_cells(b->b));
}

class Verifier {
 public:
  explicit Verifier(const Tables& tables) : tables_(tables) {}

  void run(const Graph& graph) {
    for (const Symbol& s : graph.symbols)
      symbol(s);
    for (const Value& v : graph.values) {
      v_ = &v;
      value(v);
      if (!values_.emplace(v.name, &v).second || symbols_.count(v.name) > 0) {
        add("the name stands for something else already");
      }
    }
    if (graph.outputs.empty()) wrong_.add({}, "nothing is returned");
    for (const Name& name : graph.outputs) {
      if (values_.count(name) == 0) wrong_.add({}, "no value '{}'", name);
    }
    wrong_.raise();
  }

  std::vector<Diagnostic> run(const Value& v, const Graph& graph) {
    for (const Symbol& s : graph.symbols)
      symbol(s);
    for (const Name& name : operands_of(v.op)) {
      const Value* x = graph.value(name);
      if (x != nullptr) values_[name] = x;
    }
    v_ = &v;
    value(v);
    return wrong_.list();
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    std::string what = fmt::format(text, std::forward<Args>(args)...);
    wrong_.add({}, "value '{}': {}", v_->name, what);
  }

  void symbol(const Symbol& s) {
    bool taken = s.name == kIota;
    for (std::size_t axis = 0; axis < 8; axis++)
      taken = taken || s.name == index_name(axis);
    if (taken) wrong_.add({}, "symbol '{}' has the name of an index", s.name);
    if (s.lo < 0 || s.hi < s.lo) {
      wrong_.add({}, "symbol '{}' lies in {}..{}", s.name, s.lo, s.hi);
    }
    if (!symbols_.emplace(s.name, &s).second) {
      wrong_.add({}, "two symbols '{}'", s.name);
    }
    symbol_bounds_.set(s.name, {s.lo, s.hi});
  }

  void value(const Value& v) {
    if (v.name == kIota) add("the name is that of the vector 0, 1, 2, ...");
    if (v.shape.size() > 8) return add("a value has at most eight axes");
    for (const Dim& d : v.shape)
      extent(d);
    if (!v.op) return add("nothing makes it");
    switch (v.op.kind()) {
      case OpKind::Input: return input(v.op.get<Input>());
      case OpKind::IndexMap: return index_map(v.op.get<IndexMap>());
      case OpKind::Reduction: return reduction(v.op.get<Reduction>());
      case OpKind::Elementwise: return elementwise(v.op.get<Elementwise>());
    }
  }

  void extent(const Dim& d) {
    for (const Name& name : names_in(d)) {
      if (symbols_.count(name) == 0) add("its shape names '{}'", name);
    }
    if (bounds_of(d, symbol_bounds_).lo < 0) {
      add("the extent {} may be negative", to_string(d));
    }
  }

  // The value of that name, or null after a complaint.
  const Value* operand(const Name& name) {
    auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    add("'{}' is not computed before it", name);
    return nullptr;
  }

  void input(const Input& x) {
    if (x.role != Role::Input && x.role != Role::Weight) {
      add("a parameter is an input or a weight");
    }
  }

  void expect_shape(const std::vector<Dim>& shape) {
    if (v_->shape == shape) return;
    add("its shape is {}, not {}", shape_text(shape), shape_text(v_->shape));
  }

  void expect_type(DType type) {
    if (v_->dtype == type) return;
    add("its type is {}, not {}", name_of(type), name_of(v_->dtype));
  }

  void elementwise(const Elementwise& e) {
    if (e.value.as<Var>() != nullptr) {
      add("a copy computes nothing; use '{}' itself", to_string(e.value));
    }
    bool known = true;
    for (const Name& name : names_in(e.value)) {
      if (symbols_.count(name) > 0) continue;
      const Value* x = operand(name);
      known = known && x != nullptr;
      if (x != nullptr && x->shape != v_->shape) {
        add("'{}' is {}, not {}", name, shape_text(x->shape),
            shape_text(v_->shape));
      }
    }
    if (!known) return;
    typed(e.value, [&](const Name& name) {
      return symbols_.count(name) > 0 ? DType::Int64 : values_[name]->dtype;
    });
  }

  void typed(const Expr& e, const std::function<DType(const Name&)>& of) {
    try {
      expect_type(type_of(tables_, e, of));
    } catch (const Error& error) {
      for (const Diagnostic& d : error.diagnostics())
        add("{}", d.message);
    }
  }

  void reduction(const Reduction& r) {
    const Combiner* row = tables_.find<Combiner>(r.combiner);
    if (row == nullptr) return add("no combiner '{}'", r.combiner);
    const Value* x = operand(r.operand);
    if (x == nullptr) return;
    auto rank = static_cast<int64_t>(x->shape.size());
    std::vector<Dim> shape = x->shape;
    for (std::size_t i = 0; i < r.axes.size(); i++) {
      int64_t axis = r.axes[i];
      if (axis < -rank || axis >= 0 || (i > 0 && axis <= r.axes[i - 1])) {
        return add("axis {} of rank {}: axes count from the end, ascending",
                   axis, rank);
      }
      shape[static_cast<std::size_t>(rank + axis)] = Expr(1);
    }
    expect_shape(shape);
    // The state has the operand's type.
    typed(row->combine[0], [&](const Name&) { return x->dtype; });
  }

  void index_map(const IndexMap& map) {
    if (map.pieces.empty()) return add("no piece");
    Facts facts(symbol_bounds_);
    for (std::size_t axis = 0; axis < v_->shape.size(); axis++)
      facts.axis(index_name(axis), v_->shape[axis]);
    for (const Piece& piece : map.pieces) {
      Facts here = facts;
      if (piece.where) {
        index(piece.where, facts);
        here.assume(piece.where);
        facts.assume(piece.where, false);  // where the next one is tried
      }
      source(piece, here);
    }
    bool always = is_true(map.pieces.back().where);
    if (always && map.otherwise)
      add("'{}' is never reached", to_string(map.otherwise));
    if (!always && !map.otherwise) add("no piece holds everywhere");
    otherwise(map.otherwise);
  }

  void otherwise(const Expr& e) {
    bool fits =
        is_float(v_->dtype) ? e.as<Float>() != nullptr : e.as<Int>() != nullptr;
    if (e && !fits) {
      add("'{}' is no constant of type {}", to_string(e), name_of(v_->dtype));
    }
  }

  void source(const Piece& piece, const Facts& facts) {
    if (piece.value == kIota) {
      expect_type(DType::Int64);
      if (piece.index.size() != 1) add("iota has one axis");
      for (const Expr& e : piece.index)
        index(e, facts);
    } else {
      const Value* x = operand(piece.value);
      if (x != nullptr) expect_type(x->dtype);
      if (x != nullptr) reads(*x, piece.index, facts);
    }
  }

  // x[at] must exist.
  void reads(const Value& x, const std::vector<Expr>& at, const Facts& facts) {
    if (at.size() != x.shape.size()) {
      return add("'{}' has {} axes, not {}", x.name, x.shape.size(), at.size());
    }
    for (std::size_t d = 0; d < at.size(); d++) {
      index(at[d], facts);
      if (!has_cells(at[d]) && !facts.within(at[d], x.shape[d])) {
        add("index {} may lie outside of {} in axis {} of '{}'",
            to_string(at[d]), to_string(x.shape[d]), d, x.name);
      }
    }
  }

  // Integer arithmetic over indices, symbols and cells of int64 values.
  void index(const Expr& e, const Facts& facts) {
    if (const Binary* b = e.as<Binary>()) {
      index(b->a, facts);
      index(b->b, facts);
    } else if (const Var* v = e.as<Var>()) {
      if (v->index.empty()) return index_name_known(v->name);
      const Value* x = operand(v->name);
      if (x != nullptr && x->dtype != DType::Int64) {
        add("'{}' is {}, an index is int64", x->name, name_of(x->dtype));
      }
      if (x != nullptr) reads(*x, v->index, facts);
    } else if (e.as<Int>() == nullptr) {
      add("'{}' is no index arithmetic", to_string(e));
    }
  }

  void index_name_known(const Name& name) {
    bool known = symbols_.count(name) > 0;
    for (std::size_t axis = 0; axis < v_->shape.size(); axis++)
      known = known || name == index_name(axis);
    if (!known) add("'{}' is no index of {} axes", name, v_->shape.size());
  }

  const Tables& tables_;
  const Value* v_ = nullptr;
  std::map<Name, const Value*> values_;
  std::map<Name, const Symbol*> symbols_;
  Bounds symbol_bounds_;
  Diagnostics wrong_;
};

}  // namespace

void verify(const Graph& graph, const Tables& tables) {
  Verifier(tables).run(graph);
}

std::vector<Diagnostic> complaints(const Value& value, const Graph& graph,
                                   const Tables& tables) {
  return Verifier(tables).run(value, graph);
}

}  // namespace sextant::tensor
