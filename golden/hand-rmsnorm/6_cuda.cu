// sextant cuda sm_90a
struct __align__(16) f32x4 {
  float e[4];
};

extern "C" __global__ void __launch_bounds__(256)
k_rms_norm(
    const float* __restrict__ x,
    const float* __restrict__ w,
    float* __restrict__ y) {
  __shared__ __align__(16) float acc0_smem[256];
  __align__(16) float in0[16];
  __align__(16) float in1[16];
  __align__(16) float v0[16];
  __align__(16) float v4[16];
  __align__(16) float y_out[4];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid;
  const int b0 = bid;
  *(f32x4*)&in0[0] = *(const f32x4*)&x[b0*4096 + t0*4];
  *(f32x4*)&in0[4] = *(const f32x4*)&x[b0*4096 + t0*4 + 1024];
  *(f32x4*)&in0[8] = *(const f32x4*)&x[b0*4096 + t0*4 + 2048];
  *(f32x4*)&in0[12] = *(const f32x4*)&x[b0*4096 + t0*4 + 3072];
  float acc0 = 0.0f;
  #pragma unroll
  for (int c = 0; c < 16; c++) {
    v0[c] = in0[c] * in0[c];
  }
  #pragma unroll
  for (int c_1 = 0; c_1 < 16; c_1++) {
    acc0 += v0[c_1];
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
  float v1 = acc0 * 0.00024414062f;
  float v2 = v1 + 1e-06f;
  float v3 = rsqrtf(v2);
  *(f32x4*)&in1[0] = *(const f32x4*)&w[t0*4];
  *(f32x4*)&in1[4] = *(const f32x4*)&w[t0*4 + 1024];
  *(f32x4*)&in1[8] = *(const f32x4*)&w[t0*4 + 2048];
  *(f32x4*)&in1[12] = *(const f32x4*)&w[t0*4 + 3072];
  #pragma unroll
  for (int c_2 = 0; c_2 < 16; c_2++) {
    v4[c_2] = in0[c_2] * v3;
  }
  y_out[0] = v4[0] * in1[0];
  y_out[1] = v4[1] * in1[1];
  y_out[2] = v4[2] * in1[2];
  y_out[3] = v4[3] * in1[3];
  *(f32x4*)&y[b0*4096 + t0*4] = *(const f32x4*)&y_out[0];
  y_out[0] = v4[4] * in1[4];
  y_out[1] = v4[5] * in1[5];
  y_out[2] = v4[6] * in1[6];
  y_out[3] = v4[7] * in1[7];
  *(f32x4*)&y[b0*4096 + t0*4 + 1024] = *(const f32x4*)&y_out[0];
  y_out[0] = v4[8] * in1[8];
  y_out[1] = v4[9] * in1[9];
  y_out[2] = v4[10] * in1[10];
  y_out[3] = v4[11] * in1[11];
  *(f32x4*)&y[b0*4096 + t0*4 + 2048] = *(const f32x4*)&y_out[0];
  y_out[0] = v4[12] * in1[12];
  y_out[1] = v4[13] * in1[13];
  y_out[2] = v4[14] * in1[14];
  y_out[3] = v4[15] * in1[15];
  *(f32x4*)&y[b0*4096 + t0*4 + 3072] = *(const f32x4*)&y_out[0];
}
