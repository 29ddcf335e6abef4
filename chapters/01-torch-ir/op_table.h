// The op table: one row says everything about an operation, its schema, its
// type rule and its meaning. A new operation is one row, in a file of one's
// own if one likes, passed in with the tables.
#pragma once

#include <functional>
#include <variant>

#include "chapters/01-torch-ir/definition.h"
#include "chapters/01-torch-ir/ir.h"
#include "src/base/tables.h"

namespace sextant::torch {

/// What a parameter takes. `Scalar` is a Python number of any kind.
enum class ParamType {
  Tensor,
  Tensors,
  Int,
  Ints,
  Float,
  Bool,
  Scalar,
  DType,
  String
};

/// How schemas write a type, and what PyTorch calls it in complaints; in the
/// order of `ParamType`.
struct ParamWord {
  std::string_view schema, wanted;
};
inline constexpr ParamWord kParamWords[] = {
    {"Tensor", "Tensor"}, {"Tensor[]", "tuple of Tensors"},
    {"int", "int"},       {"int[]", "tuple of ints"},
    {"float", "float"},   {"bool", "bool"},
    {"Scalar", "Number"}, {"ScalarType", "torch.dtype"},
    {"str", "str"},
};

/// One parameter of a schema: `int dim=-1`.
struct Param {
  Name name;
  ParamType type = ParamType::Tensor;
  bool optional = false;      // `Tensor?`: None is allowed
  bool keyword_only = false;  // stands after `*`
  std::optional<Arg> usual;   // the default, if there is one
};

/// Reads "sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor".
/// An `Error` says what is wrong with the text.
std::vector<Param> parse_schema(std::string_view schema);

struct OpRow;

/// A call whose arguments are bound: one per parameter, in the schema's order.
/// Rows see their arguments through it, by name.
class BoundCall {
 public:
  using TypeOf = std::function<const Type&(const Name&)>;
  BoundCall(const OpRow& row, std::vector<Arg> args, TypeOf type_of)
      : row_(&row), args_(std::move(args)), type_of_(std::move(type_of)) {}

  const OpRow& row() const { return *row_; }
  const std::vector<Arg>& args() const { return args_; }
  const Arg& arg(std::string_view param) const;
  /// Whether the argument is not None.
  bool given(std::string_view param) const;
  const Name& value(std::string_view param) const;
  const Type& type(std::string_view param) const;
  const Type& type_of(const Name& value) const { return type_of_(value); }
  const std::vector<Dim>& ints(std::string_view param) const;
  /// A number that must be known here; an `Error` if it is symbolic.
  int64_t integer(std::string_view param) const;
  bool flag(std::string_view param) const;
  /// The tensors among the arguments, in order.
  std::vector<Name> operands() const;
  /// The arguments of tensor parameters, numbers included: what decides the
  /// type of an elementwise row's result.
  std::vector<Arg> deciding() const;

 private:
  const OpRow* row_;
  std::vector<Arg> args_;
  TypeOf type_of_;
};

/// How the operands of an elementwise row become one type, and which type the
/// result has.
enum class Promote {
  Arithmetic,  // PyTorch's promotion; halves compute in float32
  Float,       // the same, integers becoming float32
  Compare,     // the same, the result a truth value
  Logical,     // every operand becomes a truth value
  Choose,      // the first operand is a truth value, the others as Arithmetic
  Given,       // as Arithmetic, the result as parameter `dtype` says
};

/// A scalar expression over the parameters, on every element.
struct Elementwise {
  Promote promote = Promote::Arithmetic;
  Expr value;
};

/// A combiner over axes: parameters `self`, `dim` and `keepdim`.
struct Reduction {
  Name combiner;
};

/// One source of an index map: element [i, j, ...] of the result is
/// `value[index]` where `where` holds (empty: everywhere). Expressions are over
/// the names that `index_name` gives to the axes of the result.
struct Piece {
  Name value;
  std::vector<Expr> index;
  Expr where;
};

/// Pieces are tried in order; where none holds the result is `otherwise`.
struct IndexMap {
  std::vector<Dim> shape;
  std::vector<Piece> pieces;
  Expr otherwise;
};

/// A row that moves elements and computes nothing: shape and map in one.
struct View {
  IndexMap (*map)(const BoundCall&);
};

/// A sum of products. `space` is the product's shape, summed over `axis`.
struct Product {
  std::vector<Dim> space;
  Piece left, right;  // over the axes of `space`
  std::size_t axis = 0;
};
struct Contraction {
  Product (*product)(const BoundCall&);
};

/// A value made from sizes and indices alone: an expression over the names
/// that `index_name` gives.
struct Made {
  Type type;
  Expr value;
};
struct Maker {
  Made (*make)(const BoundCall&);
};

/// How a composite row computes.
enum class Precision {
  AsWritten,  // each operation rounds
  Once,       // floats only; halves compute in float32 and round once
};
/// A definition over other rows: "mul(self, sigmoid(self))".
struct Composite {
  Precision precision = Precision::Once;
  Definition definition;
};

/// Several results: each is a call of another row, made when the graph is.
struct SplitCall {
  Name op;
  std::vector<Arg> args;
};
struct Split {
  std::vector<SplitCall> (*parts)(const BoundCall&);
};

/// `input` and `weight`: parameters of the program.
struct Leaf {};

using Meaning = std::variant<Leaf, Elementwise, Reduction, View, Contraction,
                             Maker, Composite, Split>;

struct OpRow {
  Name name;
  std::string schema;  // ATen's notation
  std::string doc;     // one sentence
  Meaning meaning;
  /// Raises what PyTorch complains of beyond what the meaning does; may be
  /// null.
  void (*check)(const BoundCall&) = nullptr;
  std::vector<Param> params;  // made of the schema

  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&meaning);
  }
};

/// A row with its schema read. `text` of an elementwise row is an expression of
/// scalar operations, of a composite row a definition.
OpRow row(std::string schema, std::string doc, Meaning meaning,
          void (*check)(const BoundCall&) = nullptr);
OpRow elementwise(std::string schema, std::string doc, Promote promote,
                  std::string_view text,
                  void (*check)(const BoundCall&) = nullptr);
OpRow composite(std::string schema, std::string doc, Precision precision,
                std::string_view text,
                void (*check)(const BoundCall&) = nullptr);

/// The row, or an `Error` that names the operation.
const OpRow& op_row(const Tables& tables, const Name& name);

using sextant::index_name;

// What lowerings and the evaluator ask of a bound call, by kind of its row.

/// The typed scalar expression of an elementwise call over its operands' names,
/// all conversions written as casts: `cast(add(cast(x, float32), ...), ...)`.
Expr elementwise_value(const Tables& tables, const BoundCall& call);

/// A reduction of `operand`, converted to `compute` first and to the result's
/// type last. `axes` count from 0, ascending.
struct Reduced {
  Name combiner, operand;
  std::vector<std::size_t> axes;
  bool keepdim = false;
  DType compute = DType::Float32;
};
Reduced reduction_of(const BoundCall& call);

}  // namespace sextant::torch
