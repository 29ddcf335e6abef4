#include <catch2/catch.hpp>

#include "chapters/01-torch-ir/infer.h"

namespace sextant::exercise {
torch::Shape broadcast_shapes(const torch::Shape& a, const torch::Shape& b);
}

namespace {

using sextant::Dim;
using sextant::exercise::broadcast_shapes;
using Shape = sextant::torch::Shape;

// Raised, not returned; and the starter's own complaint is none of these.
std::string complaint(const Shape& a, const Shape& b) {
  try {
    broadcast_shapes(a, b);
  } catch (const sextant::Error& e) {
    return e.diagnostics()[0].message;
  }
  return "";
}

}  // namespace

TEST_CASE("1.1 ones stretch", "[1.1]") {
  CHECK(broadcast_shapes({4, 1}, {1, 5}) == Shape{4, 5});
  CHECK(broadcast_shapes({16, 64}, {64}) == Shape{16, 64});
  CHECK(broadcast_shapes({}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast_shapes({7}, {7}) == Shape{7});
}

TEST_CASE("1.1 a name stretches nothing but a one", "[1.1]") {
  const Dim rows = sextant::var("rows");
  CHECK(broadcast_shapes({rows, 1}, {1, 8}) == Shape{rows, 8});
  CHECK(broadcast_shapes({rows, 8}, {rows, 8}) == Shape{rows, 8});
  CHECK(complaint({rows}, {8}) ==
        "The size of tensor a (rows) must match the size of tensor b (8) at "
        "non-singleton dimension 0");
}

TEST_CASE("1.1 zero extents stay zero", "[1.1]") {
  CHECK(broadcast_shapes({0}, {1}) == Shape{0});
  CHECK(broadcast_shapes({1, 3}, {0, 1}) == Shape{0, 3});
  CHECK(complaint({0}, {2}) ==
        "The size of tensor a (0) must match the size of tensor b (2) at "
        "non-singleton dimension 0");
}

TEST_CASE("1.1 a mismatch reads as PyTorch's", "[1.1]") {
  CHECK(complaint({16, 64}, {63}) ==
        "The size of tensor a (64) must match the size of tensor b (63) at "
        "non-singleton dimension 1");
  // The last dimension that does not fit is told.
  CHECK(complaint({2, 3, 4}, {5, 6, 4}) ==
        "The size of tensor a (3) must match the size of tensor b (6) at "
        "non-singleton dimension 1");
}
