// sextant cuda sm_90a
struct __align__(16) f32x4 {
  float e[4];
};

extern "C" __global__ void __launch_bounds__(256)
k_rms_norm(
    const float* __restrict__ x,
    const float* __restrict__ weight,
    float* __restrict__ rms_norm) {
  __shared__ __align__(16) float acc0_smem[256];
  __align__(16) float in0[8];
  __align__(16) float in1[8];
  __align__(16) float rms_norm_out[4];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid;
  const int b0 = bid;
  float acc0 = 0.0f;
  *(f32x4*)&in0[0] = *(const f32x4*)&x[b0*2048 + t0*4];
  *(f32x4*)&in0[4] = *(const f32x4*)&x[b0*2048 + t0*4 + 1024];
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
  const int first = tid - tid/32*32;
  acc0 = 0.0f;
  #pragma unroll
  for (int j = 0; j < 8; j++) {
    float other_5 = acc0_smem[j*32 + first];
    acc0 += other_5;
  }
  float v0 = rsqrtf(acc0 * 0.00048828125f + 1e-06f);
  *(f32x4*)&in1[0] = *(const f32x4*)&weight[t0*4];
  *(f32x4*)&in1[4] = *(const f32x4*)&weight[t0*4 + 1024];
  rms_norm_out[0] = in0[0] * v0 * in1[0];
  rms_norm_out[1] = in0[1] * v0 * in1[1];
  rms_norm_out[2] = in0[2] * v0 * in1[2];
  rms_norm_out[3] = in0[3] * v0 * in1[3];
  *(f32x4*)&rms_norm[b0*2048 + t0*4] = *(const f32x4*)&rms_norm_out[0];
  rms_norm_out[0] = in0[4] * v0 * in1[4];
  rms_norm_out[1] = in0[5] * v0 * in1[5];
  rms_norm_out[2] = in0[6] * v0 * in1[6];
  rms_norm_out[3] = in0[7] * v0 * in1[7];
  *(f32x4*)&rms_norm[b0*2048 + t0*4 + 1024] = *(const f32x4*)&rms_norm_out[0];
}
