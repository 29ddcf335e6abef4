// Index maps as functions: putting one after the other.
#pragma once

#include "chapters/02-tensor-ir/ir.h"

namespace sextant::tensor {

/// The pieces of `inner` where they are read at `at` (index expressions over
/// the axes of another value), wherever `where` holds.
std::vector<Piece> pieces_at(const IndexMap& inner, const std::vector<Expr>& at,
                             const Expr& where);

/// The map that reads what `outer` reads of a value that `inner` makes: its
/// pieces that read `value` become inner's. Nothing, where a constant of
/// `inner` could not be told from what `outer` tries next.
std::optional<IndexMap> compose(const IndexMap& outer, const Name& value,
                                const IndexMap& inner);

/// An equal map over a shape: indices in canonical form, pieces that hold
/// nowhere left out, neighbours that read the same joined.
IndexMap simplify(const IndexMap& map, const std::vector<Dim>& shape,
                  const Bounds& symbols);

}  // namespace sextant::tensor
