// The state of one compilation to code.
#pragma once

#include <set>

#include "chapters/05-kernel-ir/simulator/code.h"
#include "src/base/scalar_op.h"

namespace sextant::kernel {

/// Every expression is computed as far out as its names allow: what depends on
/// the thread alone once a launch, what depends on the block once a block,
/// what no variable of a loop changes in front of that loop. Depth 0 is the
/// launch, depth 1 the block, and every loop that stays one is one deeper.
class Compiler {
 public:
  Compiler(const Tables& tables, const Kernel& kernel, const Values& symbols);
  Code run();

 private:
  // What a name or an integer stands for: a slot, if it has one, and where its
  // value is settled.
  struct Atom {
    int slot = -1;
    bool lane = false;   // among integers: differs between threads
    bool fixed = false;  // has one value as long as its names are in scope
    std::size_t depth = 0;
  };
  // A loop that is being compiled: code in front of it, and the scope there.
  struct Loop {
    std::vector<Instr> before;
    std::size_t scope = 0;
  };
  using Scope = std::map<std::string, int>;  // slots that hold expressions

  // --- compile.cpp: statements -----------------------------------------------
  void survey(const std::vector<Stmt>& body, bool divergent);
  bool may_differ(const Expr& e) const;
  void body(const std::vector<Stmt>& list);
  void statement(const Let& x);
  void statement(const Load& x);
  void statement(const Store& x);
  void statement(const For& x);
  void statement(const If& x);
  void statement(const Sync& x);
  void statement(const Call& x);
  void integer_let(const Let& x);
  void uniform_loop(const For& x);
  void lane_loop(const For& x);
  template <class F>
  std::vector<Instr> collect(F&& f);
  template <class F>
  void in_loop(F&& f);
  void append(const std::vector<Instr>& code);
  int access(const Name& name, const Expr& offset, int64_t width,
             const Expr& guard);
  void operand(Site& site, Operand kind, const Expr& e);
  int statement_number(const Stmt& s);
  double flops_of(const Expr& e) const;
  int register_for(const Var& out, DType dtype);
  Instr& emit(Instr instr);
  void done();  // the statement's last instruction has been emitted

  // --- compile_expr.cpp: expressions
  // -------------------------------------------
  DType type(const Expr& e) const;
  Expr resolve(const Expr& e) const;
  int64_t number(const Expr& e) const;
  Index index(const Expr& e);
  Index split(const Expr& e);
  void add_terms(const Expr& e, int64_t factor, Expr& lane, Expr& uniform,
                 int64_t& constant) const;
  Atom settled(const Expr& e) const;
  int slot_of(const Expr& e, bool lane);
  int other_integer(const Expr& e);
  int as_lane(const Index& x);
  int value(const Expr& e);
  int register_of(const Expr& e, DType dtype);
  int value_into(const Expr& e, int slot);
  int value_of_call(const sextant::Call& c, int slot);
  int float_constant(float value);
  int float_slot(const Name& name = "");
  int lane_slot(const Name& name = "");
  int slot_for(const std::string& text, bool lane);
  int temporary();
  int row(const Name& name);

  const Tables& tables_;
  const Kernel& kernel_;
  Code code_;
  std::vector<Instr>* here_ = nullptr;
  std::vector<Loop> loops_;
  std::vector<Scope> scopes_;
  std::map<Name, Atom> atoms_;
  std::map<Name, DType> types_;
  Substitution means_;  // names that are known as expressions
  Bounds bounds_;
  std::map<Name, int> assignments_;
  std::set<Name> differs_;  // integers that threads may know differently
  std::map<std::string, int> slot_of_text_;
  std::map<const void*, int> statement_numbers_;
  int statement_ = -1;
  std::vector<int> temporaries_;
  std::size_t temporaries_used_ = 0;
};

}  // namespace sextant::kernel
