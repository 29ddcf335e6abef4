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
  __shared__ __align__(16) float acc0_smem[128];
  __align__(16) float in0[8];
  __align__(16) float in1[8];
  __align__(16) float rms_norm_out[4];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/64;
  const int t1 = tid%64;
  const int b0 = bid;
  float acc0 = 0.0f;
  if (b0*2 + t0 < rows) {
    *(f32x4*)&in0[0] = *(const f32x4*)&x[b0*1024 + t0*512 + t1*4];
  } else {
    in0[0] = 0.0f;
    in0[1] = 0.0f;
    in0[2] = 0.0f;
    in0[3] = 0.0f;
  }
  if (b0*2 + t0 < rows) {
    *(f32x4*)&in0[4] = *(const f32x4*)&x[b0*1024 + t0*512 + t1*4 + 256];
  } else {
    in0[4] = 0.0f;
    in0[5] = 0.0f;
    in0[6] = 0.0f;
    in0[7] = 0.0f;
  }
  #pragma unroll
  for (int c = 0; c < 8; c++) {
    acc0 += in0[c] * in0[c];
  }
  float other = __shfl_xor_sync(0xffffffffu, acc0, 16);
  acc0 += other;
  float other_1 = __shfl_xor_sync(0xffffffffu, acc0, 8);
  acc0 += other_1;
  float other_2 = __shfl_xor_sync(0xffffffffu, acc0, 4);
  acc0 += other_2;
  float other_3 = __shfl_xor_sync(0xffffffffu, acc0, 2);
  acc0 += other_3;
  float other_4 = __shfl_xor_sync(0xffffffffu, acc0, 1);
  acc0 += other_4;
  acc0_smem[tid] = acc0;
  __syncthreads();
  const int first = tid - tid/32%2*32;
  acc0 = 0.0f;
  #pragma unroll
  for (int j = 0; j < 2; j++) {
    float other_5 = acc0_smem[j*32 + first];
    acc0 += other_5;
  }
  float v0 = rsqrtf(acc0 * 0.001953125f + 1e-06f);
  *(f32x4*)&in1[0] = *(const f32x4*)&weight[t1*4];
  *(f32x4*)&in1[4] = *(const f32x4*)&weight[t1*4 + 256];
  rms_norm_out[0] = in0[0] * v0 * in1[0];
  rms_norm_out[1] = in0[1] * v0 * in1[1];
  rms_norm_out[2] = in0[2] * v0 * in1[2];
  rms_norm_out[3] = in0[3] * v0 * in1[3];
  if (b0*2 + t0 < rows) *(f32x4*)&rms_norm[b0*1024 + t0*512 + t1*4] = *(const
      f32x4*)&rms_norm_out[0];
  rms_norm_out[0] = in0[4] * v0 * in1[4];
  rms_norm_out[1] = in0[5] * v0 * in1[5];
  rms_norm_out[2] = in0[6] * v0 * in1[6];
  rms_norm_out[3] = in0[7] * v0 * in1[7];
  if (b0*2 + t0 < rows) *(f32x4*)&rms_norm[b0*1024 + t0*512 + t1*4 + 256] =
      *(const f32x4*)&rms_norm_out[0];
}
