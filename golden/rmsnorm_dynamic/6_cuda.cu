// sextant cuda sm_90a
struct __align__(16) f32x4 {
  float e[4];
};

extern "C" __global__ void __launch_bounds__(128)
k_rms_norm(
    const float* __restrict__ x,
    const float* __restrict__ weight,
    float* __restrict__ rms_norm,
    int rows) {
  __align__(16) float in0[32];
  __align__(16) float in1[32];
  __align__(16) float rms_norm_out[4];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/16;
  const int t1 = tid%16;
  const int b0 = bid;
  float acc0 = 0.0f;
  #pragma unroll
  for (int r0 = 0; r0 < 8; r0++) {
    if (b0*8 + t0 < rows) {
      *(f32x4*)&in0[r0*4] = *(const f32x4*)&x[b0*4096 + t0*512 + r0*64 + t1*4];
    } else {
      in0[r0*4] = 0.0f;
      in0[r0*4 + 1] = 0.0f;
      in0[r0*4 + 2] = 0.0f;
      in0[r0*4 + 3] = 0.0f;
    }
  }
  #pragma unroll
  for (int c = 0; c < 32; c++) {
    acc0 += in0[c] * in0[c];
  }
  float other = __shfl_xor_sync(0xffffffffu, acc0, 8);
  acc0 += other;
  float other_1 = __shfl_xor_sync(0xffffffffu, acc0, 4);
  acc0 += other_1;
  float other_2 = __shfl_xor_sync(0xffffffffu, acc0, 2);
  acc0 += other_2;
  float other_3 = __shfl_xor_sync(0xffffffffu, acc0, 1);
  acc0 += other_3;
  float v0 = rsqrtf(acc0 * 0.001953125f + 1e-06f);
  #pragma unroll
  for (int r0 = 0; r0 < 8; r0++) {
    *(f32x4*)&in1[r0*4] = *(const f32x4*)&weight[r0*64 + t1*4];
  }
  #pragma unroll
  for (int r0 = 0; r0 < 8; r0++) {
    rms_norm_out[0] = in0[r0*4] * v0 * in1[r0*4];
    rms_norm_out[1] = in0[r0*4 + 1] * v0 * in1[r0*4 + 1];
    rms_norm_out[2] = in0[r0*4 + 2] * v0 * in1[r0*4 + 2];
    rms_norm_out[3] = in0[r0*4 + 3] * v0 * in1[r0*4 + 3];
    if (b0*8 + t0 < rows) *(f32x4*)&rms_norm[b0*4096 + t0*512 + r0*64 + t1*4]
        = *(const f32x4*)&rms_norm_out[0];
  }
}
