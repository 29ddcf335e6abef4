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

template <class F>
void map1(const Mask& m, float* out, const float* a, F f) {
  for (Span s : m.spans) {
    EACH_LANE
    for (int t = s.begin; t < s.end; t++)
      out[t] = f(a[t]);
  }
}

template <class F>
void map2(const Mask& m, float* out, const float* a, const float* b, F f) {
  for (Span s : m.spans) {
    EACH_LANE
    for (int t = s.begin; t < s.end; t++)
      out[t] = f(a[t], b[t]);
  }
}

void multiply_add(const Mask& m, float* out, const float* a, const float* b,
                  const float* c) {
  for (Span s : m.spans) {
    EACH_LANE
    for (int t = s.begin; t < s.end; t++) {
      float product = a[t] * b[t];
      out[t] = product + c[t];
    }
  }
}

template <class F>
void map_integers(const Mask& m, int64_t* out, const int64_t* a, int64_t x,
                  const int64_t* b, int64_t y, F f) {
  for (Span s : m.spans) {
    EACH_LANE
    for (int t = s.begin; t < s.end; t++)
      out[t] = f(a[t] + x, b[t] + y);
  }
}

}  // namespace

void Machine::compute(const Instr& i) {
  check_defined(i);
  if (i.op == Op::Uniform) {
    uniforms_[i.out] =
        combine(i, mask().spans[0].begin, scalar_of(i.x), scalar_of(i.y));
    return;
  }
  if (i.op <= Op::ToInteger) {
    integers(i);
    versions_[i.out]++;
    define(i.out, true);
  } else {
    floats(i);
    define(i.out, false);
  }
}

void Machine::integers(const Instr& i) {
  if (i.op != Op::Lane) return apply_row(i);
  const Mask& m = mask();
  int64_t* out = lane_at(i.out);
  const int64_t *a = lanes_of(i.x), *b = lanes_of(i.y);
  int64_t x = scalar_of(i.x), y = scalar_of(i.y);
  auto map = [&](auto f) { map_integers(m, out, a, x, b, y, f); };
  // A divisor that is a power of two is a shift: floor division.
  bool power = i.y.lane < 0 && y > 0 && (y & (y - 1)) == 0;
  int shift = power ? __builtin_ctzll(static_cast<uint64_t>(y)) : 0;
  switch (i.binary) {
    case BinaryOp::Add: return map([](int64_t p, int64_t q) { return p + q; });
    case BinaryOp::Sub: return map([](int64_t p, int64_t q) { return p - q; });
    case BinaryOp::Mul: return map([](int64_t p, int64_t q) { return p * q; });
    case BinaryOp::Lt:
      return map([](int64_t p, int64_t q) { return int64_t{p < q}; });
    case BinaryOp::And:
      return map(
          [](int64_t p, int64_t q) { return int64_t{(p != 0) & (q != 0)}; });
    case BinaryOp::Xor: return map([](int64_t p, int64_t q) { return p ^ q; });
    case BinaryOp::Div:
      if (!power) break;
      return map([shift](int64_t p, int64_t) { return p >> shift; });
    case BinaryOp::Mod:
      if (!power) break;
      return map([](int64_t p, int64_t q) { return p & (q - 1); });
    default: break;
  }
  for (Span s : m.spans) {
    for (int t = s.begin; t < s.end; t++)
      out[t] = combine(i, t, a[t] + x, b[t] + y);
  }
}

int64_t Machine::combine(const Instr& i, int thread, int64_t a, int64_t b) {
  bool divides = i.binary == BinaryOp::Div || i.binary == BinaryOp::Mod;
  if (!divides || b != 0) return apply(i.binary, a, b);
  complain("division", i.statement, thread, -1, 0,
           [] { return "divides by zero"; });
  return 0;
}

void Machine::floats(const Instr& i) {
  const Mask& m = mask();
  float* out = float_at(i.out);
  const float* a = i.a < 0 ? nullptr : float_at(i.a);
  const float* b = i.b < 0 ? nullptr : float_at(i.b);
  const float* c = i.c < 0 ? nullptr : float_at(i.c);
  switch (i.op) {
    case Op::Move: return map1(m, out, a, [](float x) { return x; });
    case Op::Add:
      return map2(m, out, a, b, [](float x, float y) { return x + y; });
    case Op::Subtract:
      return map2(m, out, a, b, [](float x, float y) { return x - y; });
    case Op::Multiply:
      return map2(m, out, a, b, [](float x, float y) { return x * y; });
    case Op::Divide:
      return map2(m, out, a, b, [](float x, float y) { return x / y; });
    case Op::Maximum:  // NaN wins
      return map2(m, out, a, b,
                  [](float x, float y) { return x > y || x != x ? x : y; });
    case Op::MultiplyAdd: return multiply_add(m, out, a, b, c);
    default: return apply_row(i);
  }
}

// What is called by its row of the table, or converts: thread by thread.
void Machine::apply_row(const Instr& i) {
  const ScalarOp* row =
      i.op == Op::Apply || i.op == Op::Compare || i.op == Op::IntegerApply
          ? code_.rows[i.extra]
          : nullptr;
  const float* a = i.a < 0 ? nullptr : float_at(i.a);
  const float* b = i.b < 0 ? a : float_at(i.b);
  const float* c = i.c < 0 ? b : float_at(i.c);
  for (Span s : mask().spans) {
    for (int t = s.begin; t < s.end; t++) {
      switch (i.op) {
        case Op::Select:
          float_at(i.out)[t] = integer(i.x, t) != 0 ? b[t] : c[t];
          break;
        case Op::Apply: {
          double x[3] = {a[t], b[t], c[t]};
          float_at(i.out)[t] = static_cast<float>(row->eval(x));
          break;
        }
        case Op::Round:
          float_at(i.out)[t] = static_cast<float>(round_to(i.dtype, a[t]));
          break;
        case Op::FromInteger: {
          Scalar x = convert({0, integer(i.x, t)}, DType::Int64, i.dtype);
          float_at(i.out)[t] = static_cast<float>(x.f);
          break;
        }
        case Op::Compare: {
          double x[3] = {a[t], b[t], 0};
          lane_at(i.out)[t] = row->eval(x) != 0;
          break;
        }
        case Op::ToInteger:
          lane_at(i.out)[t] = convert({a[t], 0}, DType::Float32, i.dtype).i;
          break;
        case Op::IntegerApply: {
          int64_t x[3] = {integer(i.x, t), integer(i.y, t), integer(i.z, t)};
          lane_at(i.out)[t] = row->eval_int(x);
          break;
        }
        default: INVARIANT(false, "no such instruction");
      }
    }
  }
}

// --- values that nobody gave
// -----------------------------------------------------

void Machine::check_defined(const Instr& i) {
  for (int slot : {i.a, i.b, i.c}) {
    if (slot >= 0 && float_whole_[slot] == 0)
      check_slot(slot, false, i.statement);
  }
  for (const Index* x : {&i.x, &i.y, &i.z}) {
    if (x->lane >= 0 && lane_whole_[x->lane] == 0)
      check_slot(x->lane, true, i.statement);
  }
}

// Complains if an active thread has not given the slot a value.
void Machine::check_slot(int slot, bool lane, int statement) {
  if (slot < 0 || (lane ? lane_whole_ : float_whole_)[slot] != 0) return;
  const std::vector<uint32_t>& defined = lane ? lane_defined_ : float_defined_;
  for (std::size_t w = 0; w < words_; w++) {
    uint32_t missing = mask().warps[w] & ~defined[slot * words_ + w];
    if (missing == 0) continue;
    int thread = static_cast<int>(w) * 32 + __builtin_ctz(missing);
    complain("undefined", statement, thread, -1, 0, [&] {
      return fmt::format("uses {}, which it has given no value",
                         (lane ? code_.lanes : code_.floats)[slot]);
    });
    return;
  }
}

void Machine::define(int slot, bool lane) {
  uint8_t& whole = (lane ? lane_whole_ : float_whole_)[slot];
  if (whole != 0) return;
  if (mask().count == code_.block) {
    whole = 1;
    return;
  }
  std::vector<uint32_t>& defined = lane ? lane_defined_ : float_defined_;
  for (std::size_t w = 0; w < words_; w++)
    defined[slot * words_ + w] |= mask().warps[w];
}

}  // namespace sextant::kernel
