// File comment.
#pragma once
#include <map>
#define TWO(a) \
  a
namespace sextant {
namespace kernel {

/// A load.
struct Load {
  Expr offset;
  int width = 1;
  std::map<int, int> m{{1, 2}};
  int get() const { return width; }
  friend bool operator==(const Load& a, const Load& b) = default;
};

struct Load;
enum class Kind : int { A, B };
using Node = std::variant<Load, Store>;
template <typename T, int N = 3>
struct Box : Base<T> {
  Box(int a) : a_{a}, b_(a) { go("}"); }
  int a_;
};
int lower(const Load& load);
int lower(const Store& store);
/// doc
/// of it
int lower(const Load& load) {
  if (load.x < 3) { return '}'; }
  return 1;
}
template <class T>
std::vector<T> lower(const std::vector<T>& ts) {
  return R"x( } )x";
}
constexpr Row kRows[] = {
    {"matmul", 1},
    {"relu", 2},
    {"exp", 3},
};
Expr Box<int>::simplify(int x) const { return x; }
Foo Class::method() { return {}; }
bool operator<(const A& a, const B& b) { return true; }
std::string print(const Graph& g);
[[nodiscard]] int plain();
auto trailing(int a) -> std::vector<int> { return {}; }
std::function<int(int)> fn = [](int x) { return x; };
static const int kX{3};
template <>
inline constexpr const char* format_of<kernel::Load> = "load {offset}";
template <>
inline constexpr const char* format_of<Store> = "store";
std::vector<Load> (*parts)(const Load&);
}  // namespace kernel
}  // namespace sextant
TEST_CASE("a thing works", "[4.1]") {
  CHECK(1);
}
constexpr int kLong[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
    38,
    39,
    40,
    41,
    42,
    43,
};
constexpr int kForty1[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
};
constexpr int kForty2[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
};
constexpr int kForty3[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
};
constexpr int kForty4[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
};
constexpr int kForty5[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
};
constexpr int kForty6[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
};
