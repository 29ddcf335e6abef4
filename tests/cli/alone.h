// The reference of one kernel taken alone: elements that it stores, computed
// from the Loop IR with error bounds, while what it reads is random.
#pragma once
#if SEXTANT_CHAPTERS >= 5

#include <functional>
#include <optional>

#include "chapters/01-torch-ir/ball.h"
#include "chapters/03-loop-ir/ir.h"
#include "src/base/array.h"

namespace sextant::test {

class Alone {
 public:
  /// `seed` makes what the kernel reads, as `random_element` does.
  Alone(const Tables& tables, const loop::Program& program,
        const loop::Kernel& kernel, uint64_t seed);

  /// The element of `buffer` at a row-major position; nothing if the kernel's
  /// loops cannot be told from it.
  std::optional<torch::Ball> at(const Name& buffer, int64_t position);

 private:
  using Action = std::function<void()>;
  struct Values : torch::BallProgram::Source {
    std::vector<torch::Ball> balls;
    torch::Ball operand(int number) const override {
      return balls[static_cast<std::size_t>(number)];
    }
    torch::Ball cell(int, const torch::Ball*, int) const override { return {}; }
  };

  // Gives a place to every axis and value of the kernel.
  void declare(const std::vector<loop::Stmt>& body);
  // What leads to the store in `body`, and the store; false if it is not there.
  bool compile(const std::vector<loop::Stmt>& body, const loop::Stmt& store,
               std::vector<Action>& actions);
  void compile_load(const loop::Load& load, std::vector<Action>& actions);
  void compile_reduction(const loop::For& loop, std::vector<Action>& actions);
  void compile_let(const loop::Let& let, std::vector<Action>& actions);
  bool find_axes(const loop::Store& store, int64_t position);
  torch::BallProgram ready(const Expr& e) const;
  std::function<int64_t()> number(const Expr& e) const;
  int place(const Name& name) const;
  const Buffer& buffer(const Name& name) const;

  const Tables& tables_;
  const loop::Program& program_;
  const loop::Kernel& kernel_;
  uint64_t seed_;
  torch::BallProgram::Scope scope_;
  std::map<Name, DType> types_;
  std::map<Name, int64_t> extents_;  // of the axes
  std::vector<int64_t> axes_;        // where they stand
  Values values_;
  struct Target {
    loop::Store store;
    std::vector<Action> actions;
    torch::BallProgram value;
  };
  std::map<Name, Target> targets_;
};

}  // namespace sextant::test
#endif
