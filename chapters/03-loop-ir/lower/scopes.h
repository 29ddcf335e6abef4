// Where the statements of a kernel go, while it is being spliced.
#pragma once

#include <memory>
#include <set>

#include "chapters/03-loop-ir/ir.h"

namespace sextant::loop {

/// A loop that is being filled; the outermost one stands for the kernel's body.
/// A body is a list of parts: statements, then a reduce loop. A statement goes
/// to the first part in which all that it uses is known, and in the end sinks
/// to the last one before it is used. Last comes the free loop inside, if there
/// is one.
struct Scope {
  struct Part {
    std::vector<Stmt> stmts;
    std::shared_ptr<Scope> loop;
  };
  Name axis;
  Dim extent;
  Origin origin;
  std::vector<Carry> carries;
  std::vector<Part> parts = {{}};
  std::shared_ptr<Scope> inner;
  std::map<Name, std::size_t> part_of;  // from which part on a name is known
  std::map<std::string, Expr> known;    // by value, index and guard
};

/// The loops around the place where statements go, outermost first.
class Scopes {
 public:
  explicit Scopes(Bounds bounds);

  /// A free loop within the innermost one.
  void open_free(const Name& axis, const Dim& extent, const Origin& origin);
  /// Enters a reduce loop in the scope of that depth; deeper ones are set
  /// aside. Loops of one depth and extent have one axis name.
  void enter_fold(std::size_t depth, const Dim& extent, const Origin& origin);
  /// Leaves the loop, which carries `state`. It becomes one with a loop of
  /// equal extent that is there already and needs not run before it.
  void leave_fold(const Carry& state);

  /// The depth of the innermost loop that an index or guard depends on.
  std::size_t depth(const std::vector<Expr>& index, const Expr& guard) const;
  std::size_t innermost() const { return open_.size() - 1; }
  Scope& at(std::size_t depth) const { return *open_[depth]; }
  void emit(std::size_t depth, const Stmt& stmt);
  const Bounds& bounds() const { return bounds_; }
  /// The body of the kernel.
  std::vector<Stmt> finish() const;

 private:
  std::shared_ptr<Scope> open(const Name& axis, const Dim& extent,
                              const Origin& origin);
  Name axis_name(std::size_t depth, const Dim& extent) const;
  void join(const Scope& from, Scope& to);
  static void place(Scope& scope, const Stmt& stmt);
  static std::size_t first_part(const Scope& scope, const std::set<Name>& uses);

  Bounds bounds_;
  std::vector<std::shared_ptr<Scope>> open_;
  std::vector<std::vector<std::shared_ptr<Scope>>> aside_;
  std::map<Name, std::size_t> depth_of_;       // of axes and values
  std::vector<std::shared_ptr<Scope>> named_;  // a loop for each axis name
};

}  // namespace sextant::loop
