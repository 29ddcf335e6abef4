// Tensor IR programs that the tests of chapter 3 lower.
#pragma once

#include <string>

#include "chapters/02-tensor-ir/syntax.h"

namespace sextant::test {

struct TensorProgram {
  const char* name;
  const char* text;
};

inline const TensorProgram kTensorPrograms[] = {
    {"seed", R"(sextant tensor
x = input -> (16, 64) float32
bias = input -> (64) float32
w = input -> (64, 16) float32
bias_bc = bias[j] -> (16, 64) float32
add = add(x, bias_bc) -> (16, 64) float32
add_bc = add[i, j] -> (16, 64, 16) float32
w_bc = w[j, k] -> (16, 64, 16) float32
prod = multiply(add_bc, w_bc) -> (16, 64, 16) float32
red = sum(prod, axis=-2) -> (16, 1, 16) float32
matmul = red[i, 0, j] -> (16, 16) float32
relu = relu(matmul) -> (16, 16) float32
return relu
)"},
    {"softmax", R"(sextant tensor
x = input -> (1, 3, 5, 16) float32
m = max(x, axis=-1) -> (1, 3, 5, 1) float32
m_bc = m[i, j, k, 0] -> (1, 3, 5, 16) float32
s = subtract(x, m_bc) -> (1, 3, 5, 16) float32
e = exp(s) -> (1, 3, 5, 16) float32
l = sum(e, axis=-1) -> (1, 3, 5, 1) float32
l_bc = l[i, j, k, 0] -> (1, 3, 5, 16) float32
y = divide(e, l_bc) -> (1, 3, 5, 16) float32
return y
)"},
    {"softmax of columns", R"(sextant tensor
x = input -> (6, 10) float32
m = max(x, axis=-2) -> (1, 10) float32
m_bc = m[0, j] -> (6, 10) float32
s = subtract(x, m_bc) -> (6, 10) float32
e = exp(s) -> (6, 10) float32
l = sum(e, axis=-2) -> (1, 10) float32
l_bc = l[0, j] -> (6, 10) float32
y = divide(e, l_bc) -> (6, 10) float32
return y
)"},
    {"rms_norm", R"(sextant tensor
x = input -> (1, 4, 16) float32
w = weight -> (16) float32
sq = multiply(x, x) -> (1, 4, 16) float32
sum = sum(sq, axis=-1) -> (1, 4, 1) float32
mean = multiply(sum, 0.0625) -> (1, 4, 1) float32
eps = add(mean, 1e-06) -> (1, 4, 1) float32
r = rsqrt(eps) -> (1, 4, 1) float32
r_bc = r[i, j, 0] -> (1, 4, 16) float32
n = multiply(x, r_bc) -> (1, 4, 16) float32
w_bc = w[k] -> (1, 4, 16) float32
y = multiply(n, w_bc) -> (1, 4, 16) float32
return y
)"},
    {"layer_norm over two axes", R"(sextant tensor
x = input -> (4, 3, 8) float32
sum = sum(x, axis=(-2, -1)) -> (4, 1, 1) float32
mean = multiply(sum, 0.041666668) -> (4, 1, 1) float32
mean_bc = mean[i, 0, 0] -> (4, 3, 8) float32
d = subtract(x, mean_bc) -> (4, 3, 8) float32
sq = multiply(d, d) -> (4, 3, 8) float32
var = sum(sq, axis=(-2, -1)) -> (4, 1, 1) float32
var_n = multiply(var, 0.041666668) -> (4, 1, 1) float32
eps = add(var_n, 1e-05) -> (4, 1, 1) float32
r = rsqrt(eps) -> (4, 1, 1) float32
r_bc = r[i, 0, 0] -> (4, 3, 8) float32
y = multiply(d, r_bc) -> (4, 3, 8) float32
return y
)"},
    {"gated mlp", R"(sextant tensor
x = input -> (8, 16) float32
wg = weight -> (16, 12) float32
wu = weight -> (16, 12) float32
x_g = x[i, j] -> (8, 16, 12) float32
wg_bc = wg[j, k] -> (8, 16, 12) float32
pg = multiply(x_g, wg_bc) -> (8, 16, 12) float32
sg = sum(pg, axis=-2) -> (8, 1, 12) float32
g = sg[i, 0, j] -> (8, 12) float32
sig = sigmoid(g) -> (8, 12) float32
silu = multiply(g, sig) -> (8, 12) float32
x_u = x[i, j] -> (8, 16, 12) float32
wu_bc = wu[j, k] -> (8, 16, 12) float32
pu = multiply(x_u, wu_bc) -> (8, 16, 12) float32
su = sum(pu, axis=-2) -> (8, 1, 12) float32
u = su[i, 0, j] -> (8, 12) float32
y = multiply(silu, u) -> (8, 12) float32
return y
)"},
    // Four heads share each of two key heads; the result is (rows, heads*8).
    {"attention", R"(sextant tensor
q = input -> (1, 4, 6, 8) float32
k = input -> (1, 2, 6, 8) float32
v = input -> (1, 2, 6, 8) float32
q_bc = q[i, j, k, m] -> (1, 4, 6, 6, 8) float32
k_bc = k[i, j/2, l, m] -> (1, 4, 6, 6, 8) float32
p = multiply(q_bc, k_bc) -> (1, 4, 6, 6, 8) float32
red = sum(p, axis=-1) -> (1, 4, 6, 6, 1) float32
qk = red[i, j, k, l, 0] -> (1, 4, 6, 6) float32
s = multiply(qk, 0.35355338) -> (1, 4, 6, 6) float32
c = s[i, j, k, l] if l <= k else -inf -> (1, 4, 6, 6) float32
m = max(c, axis=-1) -> (1, 4, 6, 1) float32
m_bc = m[i, j, k, 0] -> (1, 4, 6, 6) float32
d = subtract(c, m_bc) -> (1, 4, 6, 6) float32
e = exp(d) -> (1, 4, 6, 6) float32
l = sum(e, axis=-1) -> (1, 4, 6, 1) float32
l_bc = l[i, j, k, 0] -> (1, 4, 6, 6) float32
a = divide(e, l_bc) -> (1, 4, 6, 6) float32
a_bc = a[i, j, k, l] -> (1, 4, 6, 6, 8) float32
v_bc = v[i, j/2, l, m] -> (1, 4, 6, 6, 8) float32
pv = multiply(a_bc, v_bc) -> (1, 4, 6, 6, 8) float32
o = sum(pv, axis=-2) -> (1, 4, 6, 1, 8) float32
out = o[i, j, k, 0, l] -> (1, 4, 6, 8) float32
y = out[i, k/8, j, k%8] -> (1, 6, 32) float32
return y
)"},
    // Rotation by halves: a concatenation of two guarded reads.
    {"rope", R"(sextant tensor
x = input -> (5, 8) float32
cos = weight -> (5, 8) float32
sin = weight -> (5, 8) float32
neg = negative(x) -> (5, 8) float32
rot = neg[i, j + 4] if j < 4 else x[i, j - 4] -> (5, 8) float32
a = multiply(x, cos) -> (5, 8) float32
b = multiply(rot, sin) -> (5, 8) float32
y = add(a, b) -> (5, 8) float32
return y
)"},
    {"gather", R"(sextant tensor
table = weight -> (10, 8) float16
ids = input -> (3, 2) int64
some = minimum(ids, 9) -> (3, 2) int64
emb = table[some[i, j], k] -> (3, 2, 8) float16
wide = cast(emb, float32) -> (3, 2, 8) float32
at = iota[k*2 + 1] -> (3, 2, 8) int64
low = less(at, 9) -> (3, 2, 8) bool
half = 0.5 -> (3, 2, 8) float32
y = where(low, wide, half) -> (3, 2, 8) float32
return y
)"},
    // The load of the table waits for what it is loaded at.
    {"gather at a computed index", R"(sextant tensor
table = weight -> (10) float32
ids = input -> (6) int64
some = minimum(ids, 9) -> (6) int64
y = table[some[i]] -> (6) float32
return y
)"},
    {"two outputs, one of them read", R"(sextant tensor
x = input -> (7, 130) float32
y = input -> (7, 130) float32
h = add(x, y) -> (7, 130) float32
z = exp(h) -> (7, 130) float32
t = z[j, i] -> (130, 7) float32
return h, t
)"},
    {"a sum over everything", R"(sextant tensor
x = input -> (3, 5) float32
sum = sum(x, axis=(-2, -1)) -> (1, 1) float32
all = sum[0, 0] -> () float32
all_bc = all[] -> (3, 5) float32
y = divide(x, all_bc) -> (3, 5) float32
return y
)"},
};

}  // namespace sextant::test
