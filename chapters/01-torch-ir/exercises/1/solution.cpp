#include <algorithm>

#include "chapters/01-torch-ir/infer.h"

namespace sextant::exercise {

torch::Shape broadcast_shapes(const torch::Shape& a, const torch::Shape& b);

torch::Shape broadcast_shapes(const torch::Shape& a, const torch::Shape& b) {
  torch::Shape padded[2] = {a, b};
  const std::size_t rank = std::max(a.size(), b.size());
  for (torch::Shape& shape : padded)
    shape.insert(shape.begin(), rank - shape.size(), Dim(1));
  torch::Shape stretched;
  for (std::size_t d = rank; d-- > 0;) {
    const Dim &x = padded[0][d], &y = padded[1][d];
    if (x == y || y == Dim(1)) {
      stretched.insert(stretched.begin(), x);
    } else if (x == Dim(1)) {
      stretched.insert(stretched.begin(), y);
    } else {
      fail({},
           "The size of tensor a ({}) must match the size of tensor b ({}) "
           "at non-singleton dimension {}",
           to_string(x), to_string(y), d);
    }
  }
  return stretched;
}

}  // namespace sextant::exercise
