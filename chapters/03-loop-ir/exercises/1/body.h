// Exercise 3.1, given: where the statements of a kernel go, and reductions.
#pragma once

#include "chapters/02-tensor-ir/ir.h"
#include "chapters/03-loop-ir/ir.h"

namespace sextant::exercise {

using Index = std::vector<Expr>;
class Body;

/// Yours: the value of that name at the index `sigma`.
Expr need(Body& body, const Name& name, const Index& sigma);

/// The innermost loop of a kernel, while it is being written.
class Body {
 public:
  explicit Body(const tensor::Graph& graph) : graph_(graph) {}

  const tensor::Value& value(const Name& name) const {
    return *graph_.value(name);
  }

  /// What was remembered for a value at an index; an empty handle if nothing.
  Expr known(const Name& name, const Index& sigma) const {
    auto found = known_.find(key(name, sigma));
    return found == known_.end() ? Expr() : found->second;
  }
  /// Remembers the result, and returns it.
  Expr remember(const Name& name, const Index& sigma, const Expr& result) {
    return known_[key(name, sigma)] = result;
  }

  /// Appends `t3 = load buffer[index]`, and returns t3.
  Expr load(const Name& buffer, const Index& index) {
    Expr out = fresh();
    stmts_.push_back(
        loop::Load{out.get<Var>().name, buffer, index, Expr(), Expr()});
    return out;
  }
  /// Appends `t3 = value`, and returns t3.
  Expr let(const Expr& value) {
    Expr out = fresh();
    stmts_.push_back(loop::Let{out.get<Var>().name, value});
    return out;
  }

  /// Appends the loop of a reduction over one axis. Its operand is needed in
  /// the loop, at the loop's own index; what is remembered there is forgotten
  /// behind it, since nothing that the loop computed can be read there.
  Expr reduce(const tensor::Reduction& r, const Index& sigma) {
    const std::vector<Dim>& shape = value(r.operand).shape;
    std::size_t axis = shape.size() - static_cast<std::size_t>(-r.axes[0]);
    Expr row = fresh(), state = fresh();
    Index inner = sigma;
    inner[axis] = row;
    auto known_outside = known_;
    std::vector<loop::Stmt> outside;
    std::swap(stmts_, outside);
    Expr x = need(*this, r.operand, inner);
    Name carried = state.get<Var>().name;
    stmts_.push_back(loop::Accum{{carried}, r.combiner, {x}, Expr()});
    std::swap(stmts_, outside);
    known_ = known_outside;
    loop::Carry carry{carried, value(r.operand).dtype, r.combiner};
    stmts_.push_back(
        loop::For{row.get<Var>().name, shape[axis], {carry}, outside});
    return state;
  }

  std::vector<loop::Stmt> take() { return std::move(stmts_); }

 private:
  Expr fresh() { return var(fmt::format("t{}", next_++)); }

  static std::string key(const Name& name, const Index& sigma) {
    return to_string(var(name, sigma));
  }

  const tensor::Graph& graph_;
  std::vector<loop::Stmt> stmts_;
  std::map<std::string, Expr> known_;
  int next_ = 0;
};

}  // namespace sextant::exercise
