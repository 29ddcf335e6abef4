// Loop IR programs for the tests of chapter 4: one of each role and oddity.
#pragma once

namespace sextant::test {

inline constexpr const char* kSeed = R"(sextant loop
buffer x: float32[16, 64] input
buffer bias: float32[64] input
buffer w: float32[64, 16] input
buffer relu: float32[16, 16] output
launch k_relu

kernel k_relu:
  for a0 in 0..16:
    for a1 in 0..16:
      for a2 in 0..64:  # reduce acc0=add
        in0 = load bias[a2]
        in1 = load x[a0, a2]
        in2 = load w[a2, a1]
        v0 = add(in1, in0)
        v1 = multiply(v0, in2)
        acc0 <- add(acc0, v1)
      v2 = relu(acc0)
      store relu[a0, a1] = v2
)";

inline constexpr const char* kSoftmax = R"(sextant loop
buffer x: float32[7, 100] input
buffer y: float32[7, 100] output
launch k_softmax

kernel k_softmax:
  for a0 in 0..7:
    for a1 in 0..100:  # reduce acc0=maximum
      in0 = load x[a0, a1]
      acc0 <- maximum(acc0, in0)
    for a1 in 0..100:  # reduce acc1=add
      in1 = load x[a0, a1]
      v0 = exp(subtract(in1, acc0))
      acc1 <- add(acc1, v0)
    for a1 in 0..100:
      in2 = load x[a0, a1]
      v1 = exp(subtract(in2, acc0))
      v2 = divide(v1, acc1)
      store y[a0, a1] = v2
)";

inline constexpr const char* kRmsNorm = R"(sextant loop
symbol rows in 1..65536 hint=2048
buffer x: float32[rows, 256] input
buffer w: float32[256] weight
buffer y: float32[rows, 256] output
launch k_rms_norm

kernel k_rms_norm:
  for a0 in 0..rows:
    for a1 in 0..256:  # reduce acc0=add
      in0 = load x[a0, a1]
      v0 = multiply(in0, in0)
      acc0 <- add(acc0, v0)
    v1 = multiply(acc0, 0.00390625)
    v2 = rsqrt(add(v1, 1e-06))
    for a1 in 0..256:
      in1 = load x[a0, a1]
      in2 = load w[a1]
      v3 = multiply(multiply(in1, v2), in2)
      store y[a0, a1] = v3
)";

// Three sibling loops; the mean and the variance.
inline constexpr const char* kLayerNorm = R"(sextant loop
buffer x: float32[5, 96] input
buffer w: float32[96] weight
buffer b: float32[96] weight
buffer y: float32[5, 96] output
launch k_layer_norm

kernel k_layer_norm:
  for a0 in 0..5:
    for a1 in 0..96:  # reduce acc0=add
      in0 = load x[a0, a1]
      acc0 <- add(acc0, in0)
    v0 = multiply(acc0, 0.010416667)
    for a1 in 0..96:  # reduce acc1=add
      in1 = load x[a0, a1]
      v1 = subtract(in1, v0)
      v2 = multiply(v1, v1)
      acc1 <- add(acc1, v2)
    v3 = rsqrt(add(multiply(acc1, 0.010416667), 1e-05))
    for a1 in 0..96:
      in2 = load x[a0, a1]
      in3 = load w[a1]
      in4 = load b[a1]
      v4 = multiply(subtract(in2, v0), v3)
      store y[a0, a1] = add(multiply(v4, in3), in4)
)";

// No extent is a multiple of anything; w lies transposed.
inline constexpr const char* kLinear = R"(sextant loop
buffer x: float32[37, 53] input
buffer w: float32[41, 53] weight
buffer y: float32[37, 41] output
launch k_linear

kernel k_linear:
  for a0 in 0..37:
    for a1 in 0..41:
      for a2 in 0..53:  # reduce acc0=add
        in0 = load x[a0, a2]
        in1 = load w[a1, a2]
        v0 = multiply(in0, in1)
        acc0 <- add(acc0, v0)
      store y[a0, a1] = acc0
)";

// The scores of grouped causal attention: 4 heads on 2 key heads, and where a
// key comes after the query, minus infinity.
inline constexpr const char* kScores = R"(sextant loop
buffer q: float32[4, 24, 16] input
buffer k: float32[2, 24, 16] input
buffer s: float32[4, 24, 24] output
launch k_scores

kernel k_scores:
  for a0 in 0..4:
    for a1 in 0..24:
      for a2 in 0..24:
        for a3 in 0..16:  # reduce acc0=add
          in0 = load q[a0, a1, a3]
          in1 = load k[a0/2, a2, a3]
          acc0 <- add(acc0, multiply(in0, in1))
        v0 = multiply(acc0, 0.25)
        v1 = where(cast(a2 <= a1, bool), v0, -inf)
        store s[a0, a1, a2] = v1
)";

// The second product of attention, with the division as a prologue.
inline constexpr const char* kValues = R"(sextant loop
buffer s: float32[4, 24, 24] input
buffer m: float32[4, 24] input
buffer l: float32[4, 24] input
buffer v: float32[2, 24, 16] input
buffer o: float32[24, 64] output
launch k_values

kernel k_values:
  for a0 in 0..4:
    for a1 in 0..24:
      in0 = load m[a0, a1]
      in1 = load l[a0, a1]
      for a2 in 0..16:
        for a3 in 0..24:  # reduce acc0=add
          in2 = load s[a0, a1, a3]
          v0 = divide(exp(subtract(in2, in0)), in1)
          in3 = load v[a0/2, a3, a2]
          acc0 <- add(acc0, multiply(v0, in3))
        store o[a1, a0*16 + a2] = acc0
)";

inline constexpr const char* kGatedMlp = R"(sextant loop
buffer x: float32[19, 32] input
buffer wg: float32[32, 48] weight
buffer wu: float32[32, 48] weight
buffer y: float32[19, 48] output
launch k_gated

kernel k_gated:
  for a0 in 0..19:
    for a1 in 0..48:
      for a2 in 0..32:  # reduce acc0=add, acc1=add
        in0 = load x[a0, a2]
        in1 = load wg[a2, a1]
        in2 = load wu[a2, a1]
        acc0 <- add(acc0, multiply(in0, in1))
        acc1 <- add(acc1, multiply(in0, in2))
      v0 = multiply(acc0, sigmoid(acc0))
      store y[a0, a1] = multiply(v0, acc1)
)";

// Two outputs a row, one of which is not along the row.
inline constexpr const char* kStats = R"(sextant loop
buffer x: bfloat16[6, 40] input
buffer m: float32[6] output
buffer y: bfloat16[6, 40] output
launch k_stats

kernel k_stats:
  for a0 in 0..6:
    for a1 in 0..40:  # reduce acc0=maximum
      in0 = load x[a0, a1]
      acc0 <- maximum(acc0, cast(in0, float32))
    store m[a0] = acc0
    for a1 in 0..40:
      in1 = load x[a0, a1]
      v0 = subtract(cast(in1, float32), acc0)
      store y[a0, a1] = cast(v0, bfloat16)
)";

inline constexpr const char* kTranspose = R"(sextant loop
buffer x: float32[45, 70] input
buffer y: float32[70, 45] output
launch k_transpose

kernel k_transpose:
  for a0 in 0..70:
    for a1 in 0..45:
      in0 = load x[a1, a0]
      store y[a0, a1] = in0
)";

// A concatenation with padding: guards that are no tails.
inline constexpr const char* kPad = R"(sextant loop
buffer x: float32[11, 9] input
buffer y: float32[13, 16] output
launch k_pad

kernel k_pad:
  for a0 in 0..13:
    for a1 in 0..16:
      in0 = load x[a0 - 1, a1 - 4] if 1 <= a0 and a0 < 12 and 4 <= a1 and \
          a1 < 13 else -1.0
      store y[a0, a1] = multiply(in0, 2.0)
)";

// A gather, and a sum over two axes, one loop inside the other.
inline constexpr const char* kGather = R"(sextant loop
buffer ids: int64[10] input
buffer table: float32[100, 12] input
buffer y: float32[10] output
launch k_gather

kernel k_gather:
  for a0 in 0..10:
    in0 = load ids[a0]
    for a1 in 0..3:  # reduce acc1=add
      for a2 in 0..4:  # reduce acc0=add
        in1 = load table[in0, a1*4 + a2]
        acc0 <- add(acc0, in1)
      acc1 <- add(acc1, acc0)
    store y[a0] = acc1
)";

inline constexpr const char* kColumnSum = R"(sextant loop
buffer x: float32[60, 33] input
buffer y: float32[33] output
launch k_sum

kernel k_sum:
  for a0 in 0..33:
    for a1 in 0..60:  # reduce acc0=add
      in0 = load x[a1, a0]
      acc0 <- add(acc0, in0)
    store y[a0] = acc0
)";

}  // namespace sextant::test
