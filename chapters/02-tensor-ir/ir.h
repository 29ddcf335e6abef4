// Tensor IR: three primitives are enough (elementwise, reduction, index map).
// The indices themselves enter as index maps of `iota`, the vector 0, 1, 2, ...
// without end; a gather is an index map whose index was loaded. All float
// arithmetic is in float32; halves are stored, loaded and cast, so every
// rounding stands in the text.
#pragma once

#include "src/base/program.h"
#include "src/base/scalar_op.h"
#include "src/base/syntax.h"

namespace sextant::tensor {

/// A scalar expression over values of the result's own shape, named by their
/// names, and the program's symbols: `add(x, y)`.
struct Elementwise {
  Expr value;
  bool operator==(const Elementwise&) const = default;
};

/// A reduction over axes, which stay with extent 1: `sum(x, axis=-2)`.
/// `combiner` is a row of the combiner table; add, multiply, maximum, minimum,
/// logical_and and logical_or are written sum, prod, max, min, all and any.
struct Reduction {
  Name combiner;
  Name operand;
  std::vector<int64_t> axes;  // negative, counted from the end, ascending
  bool operator==(const Reduction&) const = default;
};

/// The value every index map may read, an int64 vector with iota[n] = n for
/// every integer n: `iota[i*2 + 1]`.
inline const Name kIota = "iota";

/// One source of an index map: element [i, j, ...] of the result is
/// `value[index]` where `where` holds (empty: everywhere). Index expressions
/// are over i, j, k, ..., the program's symbols, and cells of int64 values: a
/// gather, `table[ids[i, j], k]`.
struct Piece {
  Name value;
  std::vector<Expr> index;
  Expr where;
  bool operator==(const Piece&) const = default;
};

/// Pieces are tried in order; where none holds the result is `otherwise`
/// (a constant of the type; empty only if the last piece holds everywhere).
struct IndexMap {
  std::vector<Piece> pieces;
  Expr otherwise;
  bool operator==(const IndexMap&) const = default;
};

/// A parameter of the program.
struct Input {
  Role role = Role::Input;
  bool operator==(const Input&) const = default;
};

enum class OpKind { Input, IndexMap, Reduction, Elementwise };

class Op : public Handle<Op, Input, IndexMap, Reduction, Elementwise> {
 public:
  using Handle::Handle;
  OpKind kind() const { return static_cast<OpKind>(index()); }
};

/// One value. Printed `red = sum(prod, axis=-2) -> (16, 1, 16) float32`.
struct Value {
  Name name;
  Op op;  // its origin is the value's
  std::vector<Dim> shape;
  DType dtype = DType::Float32;
  bool operator==(const Value&) const = default;
};

struct Graph {
  std::vector<Symbol> symbols;
  std::vector<Value> values;  // in topological order
  std::vector<Name> outputs;
  std::vector<Source> sources;  // no part of equality

  const Value* value(const Name& name) const {
    for (const Value& v : values) {
      if (v.name == name) return &v;
    }
    return nullptr;
  }
  bool operator==(const Graph& o) const {
    return symbols == o.symbols && values == o.values && outputs == o.outputs;
  }
};

/// The values that an operation reads, each once, and the symbols among them
/// in an elementwise expression. `iota` is no value.
std::vector<Name> operands_of(const Op& op);
/// The operation with operands renamed; names that are missing stay.
Op rename_operands(const Op& op, const std::map<Name, Name>& to);

/// Bounds of the graph's symbols.
Bounds symbol_bounds(const Graph& graph);
/// A number as an expression of that type: `cast(0.5, float16)`.
Expr constant_of(const Expr& value, DType dtype);

using sextant::index_name;

}  // namespace sextant::tensor
