// sextant cuda sm_90a
struct __align__(16) f32x4 {
  float e[4];
};

extern "C" __global__ void __launch_bounds__(128)
k_layer_norm(
    const float* __restrict__ x,
    const float* __restrict__ weight,
    const float* __restrict__ bias,
    float* __restrict__ layer_norm) {
  __shared__ __align__(16) float acc0_smem[128];
  __shared__ __align__(16) float acc1_smem[128];
  __align__(16) float in0[8];
  __align__(16) float in1[8];
  __align__(16) float in2[8];
  __align__(16) float layer_norm_out[4];
  __align__(16) float v1[8];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/64;
  const int t1 = tid%64;
  const int b0 = bid;
  float acc0 = 0.0f;
  *(f32x4*)&in0[0] = *(const f32x4*)&x[b0*1024 + t0*512 + t1*4];
  *(f32x4*)&in0[4] = *(const f32x4*)&x[b0*1024 + t0*512 + t1*4 + 256];
  #pragma unroll
  for (int c = 0; c < 8; c++) {
    acc0 += in0[c];
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
  float v0 = acc0 * 0.001953125f;
  float acc1 = 0.0f;
  #pragma unroll
  for (int c_1 = 0; c_1 < 8; c_1++) {
    v1[c_1] = in0[c_1] - v0;
  }
  #pragma unroll
  for (int c_2 = 0; c_2 < 8; c_2++) {
    acc1 += v1[c_2] * v1[c_2];
  }
  float other_6 = __shfl_xor_sync(0xffffffffu, acc1, 16);
  acc1 += other_6;
  float other_7 = __shfl_xor_sync(0xffffffffu, acc1, 8);
  acc1 += other_7;
  float other_8 = __shfl_xor_sync(0xffffffffu, acc1, 4);
  acc1 += other_8;
  float other_9 = __shfl_xor_sync(0xffffffffu, acc1, 2);
  acc1 += other_9;
  float other_10 = __shfl_xor_sync(0xffffffffu, acc1, 1);
  acc1 += other_10;
  acc1_smem[tid] = acc1;
  __syncthreads();
  const int first_1 = tid - tid/32%2*32;
  acc1 = 0.0f;
  #pragma unroll
  for (int j_1 = 0; j_1 < 2; j_1++) {
    float other_11 = acc1_smem[j_1*32 + first_1];
    acc1 += other_11;
  }
  float v2 = rsqrtf(acc1 * 0.001953125f + 1e-05f);
  *(f32x4*)&in1[0] = *(const f32x4*)&weight[t1*4];
  *(f32x4*)&in1[4] = *(const f32x4*)&weight[t1*4 + 256];
  *(f32x4*)&in2[0] = *(const f32x4*)&bias[t1*4];
  *(f32x4*)&in2[4] = *(const f32x4*)&bias[t1*4 + 256];
  layer_norm_out[0] = v1[0] * v2 * in1[0] + in2[0];
  layer_norm_out[1] = v1[1] * v2 * in1[1] + in2[1];
  layer_norm_out[2] = v1[2] * v2 * in1[2] + in2[2];
  layer_norm_out[3] = v1[3] * v2 * in1[3] + in2[3];
  *(f32x4*)&layer_norm[b0*1024 + t0*512 + t1*4] = *(const
      f32x4*)&layer_norm_out[0];
  layer_norm_out[0] = v1[4] * v2 * in1[4] + in2[4];
  layer_norm_out[1] = v1[5] * v2 * in1[5] + in2[5];
  layer_norm_out[2] = v1[6] * v2 * in1[6] + in2[6];
  layer_norm_out[3] = v1[7] * v2 * in1[7] + in2[7];
  *(f32x4*)&layer_norm[b0*1024 + t0*512 + t1*4 + 256] = *(const
      f32x4*)&layer_norm_out[0];
}
