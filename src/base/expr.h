// Expressions, one kind for all IRs from Tensor IR down. Index expressions are
// integers, written infix, with floor division; scalar expressions compute
// values of tensors, are written as calls, and keep every rounding.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "src/base/dtype.h"
#include "src/base/error.h"
#include "src/base/handle.h"

namespace sextant {

struct Int;
struct Float;
struct Var;
struct Binary;
struct Call;
struct Cast;

enum class ExprKind { Int, Float, Var, Binary, Call, Cast };

class Expr : public Handle<Expr, Int, Float, Var, Binary, Call, Cast> {
 public:
  using Handle::Handle;
  Expr(int64_t value);  // NOLINT(google-explicit-constructor)
  Expr(int value);      // NOLINT(google-explicit-constructor)
  ExprKind kind() const { return static_cast<ExprKind>(index()); }
};

/// An extent: a number, or an expression over the program's symbols.
using Dim = Expr;

/// An integer: an index, an extent, an int64 value; 0 or 1 as a truth value.
struct Int {
  int64_t value = 0;
  bool operator==(const Int&) const = default;
};

/// A float32 constant. Two constants are equal when their bits are.
struct Float {
  double value = 0;
  bool operator==(const Float& other) const;
};

/// What a name stands for: an axis, a symbol, a computed value; with an index,
/// one cell of a value that has several: `acc0[c0, c1]`.
struct Var {
  Name name;
  std::vector<Expr> index;
  bool operator==(const Var&) const = default;
};

enum class BinaryOp {
  Add,
  Sub,
  Mul,
  Div,  // floor
  Mod,  // of floor division: the sign of the divisor
  Min,
  Max,
  Xor,
  Lt,
  Le,
  Eq,
  Ne,
  And,
  Or,
};

/// Index arithmetic and predicates, on integers.
struct Binary {
  BinaryOp op = BinaryOp::Add;
  Expr a, b;
  bool operator==(const Binary&) const = default;
};

/// A row of the table of scalar operations, applied: `add(x, y)`, `exp(x)`,
/// `where(c, x, y)`.
struct Call {
  Name op;
  std::vector<Expr> args;
  bool operator==(const Call&) const = default;
};

/// Conversion, rounding to nearest even: `cast(x, bfloat16)`.
struct Cast {
  Expr value;
  DType to = DType::Float32;
  bool operator==(const Cast&) const = default;
};

/// Builders that fold constants and x + 0, x*1 and the like at once.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr floor_div(const Expr& a, const Expr& b);
Expr floor_mod(const Expr& a, const Expr& b);
Expr ceil_div(const Expr& a, const Expr& b);
Expr less(const Expr& a, const Expr& b);
Expr less_equal(const Expr& a, const Expr& b);
/// Conjunction; an empty handle means true.
Expr both(const Expr& a, const Expr& b);
Expr binary(BinaryOp op, const Expr& a, const Expr& b);
Expr var(Name name);
Expr var(Name name, std::vector<Expr> index);
Expr call(Name op, std::vector<Expr> args);

/// The value if the expression is an integer constant.
std::optional<int64_t> constant(const Expr& e);
/// The value of an integer constant; a defect of Sextant if it is none.
int64_t value_of(const Expr& e);
bool is_true(const Expr& e);  // absent, or a constant other than 0

/// Floor division and its remainder on numbers; b must not be 0.
int64_t floor_div(int64_t a, int64_t b);
int64_t floor_mod(int64_t a, int64_t b);
/// What a binary operation means on numbers.
int64_t apply(BinaryOp op, int64_t a, int64_t b);

/// The name of the index along an axis: i, j, k, l, m, n, o, p. An `Error`
/// beyond eight axes.
Name index_name(std::size_t axis);

/// Every name in the expression, in order of first appearance.
std::vector<Name> names_in(const Expr& e);
bool mentions(const Expr& e, const Name& name);

using Substitution = std::map<Name, Expr>;
/// Replaces names that have no index.
Expr substitute(const Expr& e, const Substitution& by);

/// Values of names when an index expression is computed.
using Values = std::map<Name, int64_t>;
/// The number that an index expression stands for. Names that are missing and
/// nodes that are no index arithmetic are defects of Sextant.
int64_t evaluate(const Expr& e, const Values& values);

/// An interval, both ends included.
struct Interval {
  int64_t lo, hi;
};
inline constexpr Interval kUnbounded = {INT64_MIN / 4, INT64_MAX / 4};
/// What is known of names: an axis of extent n lies in [0, n - 1].
class Bounds {
 public:
  void set(const Name& name, Interval interval) { of_[name] = interval; }
  /// An axis: [0, extent - 1]; of a symbolic extent, its largest value.
  void set_extent(const Name& name, const Dim& extent);
  Interval of(const Name& name) const;
  /// The axis' extent where it is symbolic, for `i < n` with n a symbol.
  const Dim* extent(const Name& name) const;

 private:
  std::map<Name, Interval> of_;
  std::map<Name, Dim> extent_;
};
/// The smallest interval that interval arithmetic can prove.
Interval bounds_of(const Expr& e, const Bounds& bounds);

/// An equal expression in canonical form: sums are ordered by falling
/// coefficient, divisions and remainders are split where bounds prove it.
/// Predicates that bounds decide become 0 or 1. Scalar calls are rebuilt over
/// simplified operands and otherwise left alone.
Expr simplify(const Expr& e, const Bounds& bounds = {});

/// The text of an expression; `parse_expr` reads it back.
std::string to_string(const Expr& e);
Expr parse_expr(std::string_view text);

}  // namespace sextant
