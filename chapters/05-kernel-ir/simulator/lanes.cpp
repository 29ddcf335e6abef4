// Arithmetic on lane vectors: plain loops that the compiler turns into vector
// instructions. Every operation rounds to float32; a product and a sum that
// follows are rounded apart, as the code that is compiled for the GPU may fuse
// them and the error bound covers both.
#include <cmath>

#include "chapters/05-kernel-ir/simulator/machine.h"

// GCC vectorises these loops at -O3 only, and both compilers must be told that
// operands lie either in the same place or apart.
#if defined(__clang__)
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)")
#else
#pragma GCC optimize("O3")
#define EACH_LANE _Pragma("GCC ivdep")
#endif

namespace sextant::kernel {
namespace {

// out = f(operands), for all active threads.
template <class Out, class F, class... In>
void map(const Mask& m, Out* out, F f, const In*... in) {
  for (Span s : m.spans) {
    EACH_LANE
    for (int t = s.begin; t < s.end; t++)
      out[t] = f(in[t]...);
  }
}

float multiply_add(float a, float b, float c) {
  float product = a * b;
  return product + c;
}

}  // namespace

void Machine::compute(const Instr& i) {
  check_defined(i);
  if (i.op == Op::Uniform) {
    uniforms_[i.out] =
        combine(i, mask().spans[0].begin, scalar_of(i.x), scalar_of(i.y));
    return;
  }
  bool lane = i.op <= Op::ToInteger;
  lane ? integers(i) : floats(i);
  define(i.out, lane);
}

void Machine::integers(const Instr& i) {
  if (i.op != Op::Lane) return converts(i);
  int64_t* out = lane_at(i.out);
  const int64_t *a = lanes_of(i.x), *b = lanes_of(i.y);
  int64_t x = scalar_of(i.x), y = scalar_of(i.y);
  auto each = [&](auto f) {
    map(
        mask(), out,
        [f, x, y](int64_t p, int64_t q) { return f(p + x, q + y); }, a, b);
  };
  // A divisor that is a power of two is a shift: floor division.
  bool power = i.y.lane < 0 && y > 0 && (y & (y - 1)) == 0;
  int shift = power ? __builtin_ctzll(static_cast<uint64_t>(y)) : 0;
  switch (i.binary) {
    case BinaryOp::Add: return each([](int64_t p, int64_t q) { return p + q; });
    case BinaryOp::Sub: return each([](int64_t p, int64_t q) { return p - q; });
    case BinaryOp::Mul: return each([](int64_t p, int64_t q) { return p * q; });
    case BinaryOp::Xor: return each([](int64_t p, int64_t q) { return p ^ q; });
    case BinaryOp::Lt: return each([](int64_t p, int64_t q) { return p < q; });
    case BinaryOp::And:
      return each([](int64_t p, int64_t q) { return (p != 0) & (q != 0); });
    case BinaryOp::Div:
      if (!power) break;
      return each([shift](int64_t p, int64_t) { return p >> shift; });
    case BinaryOp::Mod:
      if (!power) break;
      return each([](int64_t p, int64_t q) { return p & (q - 1); });
    default: break;
  }
  mask().each([&](int t) { out[t] = combine(i, t, a[t] + x, b[t] + y); });
}

int64_t Machine::combine(const Instr& i, int thread, int64_t a, int64_t b) {
  bool divides = i.binary == BinaryOp::Div || i.binary == BinaryOp::Mod;
  if (!divides || b != 0) return apply(i.binary, a, b);
  complain("division", {i.statement, thread}, "divides by zero");
  return 0;
}

void Machine::floats(const Instr& i) {
  const Mask& m = mask();
  float* out = float_at(i.out);
  const float* a = i.a < 0 ? nullptr : float_at(i.a);
  const float* b = i.b < 0 ? nullptr : float_at(i.b);
  const float* c = i.c < 0 ? nullptr : float_at(i.c);
  switch (i.op) {
    case Op::Move:
      return map(
          m, out, [](float x) { return x; }, a);
    case Op::Add:
      return map(
          m, out, [](float x, float y) { return x + y; }, a, b);
    case Op::Subtract:
      return map(
          m, out, [](float x, float y) { return x - y; }, a, b);
    case Op::Multiply:
      return map(
          m, out, [](float x, float y) { return x * y; }, a, b);
    case Op::Divide:
      return map(
          m, out, [](float x, float y) { return x / y; }, a, b);
    case Op::Maximum:  // NaN wins
      return map(
          m, out, [](float x, float y) { return x > y || x != x ? x : y; }, a,
          b);
    case Op::MultiplyAdd: return map(m, out, multiply_add, a, b, c);
    default: return converts(i);
  }
}

// What is called by its row of the table, chooses or converts: thread by
// thread.
void Machine::converts(const Instr& i) {
  bool calls =
      i.op == Op::Apply || i.op == Op::Compare || i.op == Op::IntegerApply;
  const ScalarOp* row = calls ? code_.rows[i.extra] : nullptr;
  const float* a = i.a < 0 ? nullptr : float_at(i.a);
  const float* b = i.b < 0 ? a : float_at(i.b);
  const float* c = i.c < 0 ? b : float_at(i.c);
  auto result = [&](int t) -> Scalar {
    switch (i.op) {
      case Op::Select: return {integer(i.x, t) != 0 ? b[t] : c[t], 0};
      case Op::Round: return {round_to(i.dtype, a[t]), 0};
      case Op::ToInteger: return convert({a[t], 0}, DType::Float32, i.dtype);
      case Op::FromInteger:
        return convert({0, integer(i.x, t)}, DType::Int64, i.dtype);
      case Op::IntegerApply: {
        int64_t x[3] = {integer(i.x, t), integer(i.y, t), integer(i.z, t)};
        return {0, row->eval_int(x)};
      }
      default: {  // Apply, Compare
        double x[3] = {a[t], b[t], c[t]};
        double y = row->eval(x);
        return {y, y != 0};
      }
    }
  };
  bool lane = i.op <= Op::ToInteger;
  mask().each([&](int t) { set(i.out, lane, t, result(t)); });
}

// --- values that nobody gave
// -----------------------------------------------------

void Machine::check_defined(const Instr& i) {
  for (int slot : {i.a, i.b, i.c})
    check_slot(slot, false, i.statement);
  for (const Index* x : {&i.x, &i.y, &i.z})
    check_slot(x->lane, true, i.statement);
}

// Complains if an active thread has not given the slot a value.
void Machine::find_undefined(int slot, bool lane, int statement) {
  for (std::size_t w = 0; w < words_; w++) {
    uint32_t missing = mask().warps[w] & ~given_[lane].by[slot * words_ + w];
    if (missing == 0) continue;
    int thread = static_cast<int>(w) * 32 + __builtin_ctz(missing);
    return complain("undefined", {statement, thread},
                    "uses {}, which it has given no value",
                    (lane ? code_.lanes : code_.floats)[slot]);
  }
}

void Machine::define(int slot, bool lane) {
  if (lane) versions_[slot]++;
  Given& given = given_[lane];
  if (given.whole[slot] != 0) return;
  given.whole[slot] = mask().count == code_.block;
  for (std::size_t w = 0; w < words_; w++)
    given.by[slot * words_ + w] |= mask().warps[w];
}

}  // namespace sextant::kernel
