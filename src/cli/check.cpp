// Checking large outputs: some elements, as many as there is time for.
#include <algorithm>

#include "src/cli/run.h"

namespace sextant::cli {
namespace {

struct OutOfTime {};

// The first, the last, then all others in an order that is as good as random:
// steps of a size that has no divisor in common with the number of elements.
class Positions {
 public:
  Positions(int64_t size, uint64_t seed) : size_(size) {
    step_ = static_cast<int64_t>(random_bits(seed, 7, 7) % (1u << 30)) | 1;
    while (gcd(step_, size) != 1)
      step_ += 2;
    step_ %= size;
    if (step_ == 0) step_ = 1;
    at_ = size - 1;
  }
  int64_t next() {
    if (count_++ == 0) return 0;
    if (count_ == 2) return at_;
    do {
      at_ = static_cast<int64_t>(
          (static_cast<uint64_t>(at_) + static_cast<uint64_t>(step_)) %
          static_cast<uint64_t>(size_));
    } while (at_ == 0 || at_ == size_ - 1);
    return at_;
  }

 private:
  static int64_t gcd(int64_t a, int64_t b) {
    return b == 0 ? a : gcd(b, a % b);
  }
  int64_t size_, step_ = 1, at_ = 0, count_ = 0;
};

}  // namespace

void check_some(const Compilation& program, const Values& sizes, uint64_t seed,
                const TimeLimit& limit, const Tables& tables,
                RunResult& result) {
  const double share =
      limit.seconds /
      static_cast<double>(std::max<std::size_t>(result.outputs.size(), 1));
  result.reference = title_of(Stage::Torch);
  for (OutputResult& o : result.outputs) {
    const double end = limit.clock() + share;
    int64_t asked = 0;
    // One element may need all inputs: the clock is looked at below it, too.
    torch::InputElement element = [&](const Name& name, int64_t position) {
      if (++asked % 1024 == 0 && limit.clock() > end) throw OutOfTime{};
      const torch::Node* node = program.torch.node(name);
      return random_element(node->type.dtype, seed, name, position);
    };
    torch::Sampler sampler(tables, program.torch, element, sizes);
    Positions order(std::max<int64_t>(o.array.size(), 1), seed);
    std::vector<int64_t> positions;
    std::vector<torch::Ball> expected;
    try {
      for (int64_t i = 0; i < o.array.size() && limit.clock() < end; i++) {
        int64_t at = order.next();
        expected.push_back(sampler.at(o.name, at));
        positions.push_back(at);
      }
    } catch (const OutOfTime&) {
    }
    std::vector<int64_t> shape;
    for (const Dim& d : program.torch.node(o.name)->type.shape)
      shape.push_back(evaluate(d, sizes));
    o.array = reshaped(o.array, shape);
    o.comparison = torch::compare_at(o.array, positions, expected);
    if (positions.empty() && o.array.size() > 0) {
      result.reference.clear();
      result.why = fmt::format(
          "not checked: one element of {} takes the reference more than {:g} "
          "seconds",
          o.name, share);
      return;
    }
  }
}

}  // namespace sextant::cli
