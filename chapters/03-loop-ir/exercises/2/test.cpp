#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/03-loop-ir/lower.h"
#include "chapters/03-loop-ir/syntax.h"
#include "tests/golden.h"

namespace sextant::exercise {
int64_t bytes_moved(const loop::Program& program);
}  // namespace sextant::exercise

namespace sextant {
namespace {

using exercise::bytes_moved;

loop::Program lowered(const std::string& golden, const std::string& fuse) {
  std::string path = "golden/" + golden + "/2_tensor.txt";
  tensor::Graph graph = tensor::parse_graph(test::read_golden(path), path);
  Tables tables = all_tables();
  PassContext context;
  context.tables = &tables;
  return loop::lower(graph, fuse, "sm_90a", context);
}

loop::Program parsed(const std::string& text) {
  return parse_program<loop::Kernel>("sextant loop\n" + text, "loop", "test");
}

TEST_CASE("3.2 the seed's program by what it stores") {
  const int64_t always = 4 * (16 * 64 + 64 + 64 * 16 + 16 * 16);
  const int64_t add = 4 * 16 * 64, matmul = 4 * 16 * 16;
  const int64_t prod = 4 * 16 * 64 * 16;
  CHECK(bytes_moved(lowered("seed", "relu")) == always);
  CHECK(bytes_moved(lowered("seed", "add")) == always + 2 * add);
  CHECK(bytes_moved(lowered("seed", "matmul")) == always + 2 * matmul);
  CHECK(bytes_moved(lowered("seed", "prod")) == always + 2 * prod);
  CHECK(bytes_moved(lowered("seed", "add,prod,matmul")) ==
        always + 2 * (add + prod + matmul));
}

TEST_CASE("3.2 a row that three loops read is read once") {
  CHECK(bytes_moved(lowered("softmax_small", "softmax")) == 2 * 4 * 4 * 64);
}

TEST_CASE("3.2 two indices of one buffer") {
  const char* text = R"(buffer x: float32[8, 8] input
buffer y: float32[8, 8] output
launch k

kernel k:
  for a0 in 0..8:
    for a1 in 0..8:
      in0 = load x[a0, a1]
      in1 = load x[a1, a0]
      in2 = load x[0, a1]
      v0 = add(in0, in1)
      v1 = add(v0, in2)
      store y[a0, a1] = v1
)";
  CHECK(bytes_moved(parsed(text)) == 2 * 4 * 64);
}

TEST_CASE("3.2 a part of a buffer") {
  const char* text = R"(buffer x: float16[8, 100] input
buffer y: float16[8] output
launch k

kernel k:
  for a0 in 0..8:
    in0 = load x[a0, 7]
    in1 = load x[a0, 9]
    v0 = maximum(cast(in0, float32), cast(in1, float32))
    store y[a0] = cast(v0, float16)
)";
  CHECK(bytes_moved(parsed(text)) == 2 * (16 + 8));
}

TEST_CASE("3.2 a gather reads a row for each index") {
  const char* text = R"(buffer table: float32[1000, 16] weight
buffer ids: int64[6] input
buffer y: float32[6, 16] output
launch k

kernel k:
  for a0 in 0..6:
    in0 = load ids[a0]
    for a1 in 0..16:
      in1 = load table[in0, a1]
      store y[a0, a1] = in1
)";
  CHECK(bytes_moved(parsed(text)) == 8 * 6 + 2 * 4 * 6 * 16);
}

}  // namespace
}  // namespace sextant
