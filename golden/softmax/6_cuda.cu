// sextant cuda sm_90a
struct __align__(16) f32x4 {
  float e[4];
};
// The larger of two; NaN wins.
static __device__ __forceinline__ float sx_max(float a, float b) {
  float m;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
  return m;
}

extern "C" __global__ void __launch_bounds__(128)
k_softmax(const float* __restrict__ x, float* __restrict__ softmax) {
  __shared__ __align__(16) float acc0_smem[128];
  __shared__ __align__(16) float acc1_smem[128];
  __align__(16) float in0[32];
  __align__(16) float softmax_out[4];
  __align__(16) float v0[32];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/64;
  const int t1 = tid%64;
  const int b0 = bid;
  float acc0 = __int_as_float(0xff800000);
  #pragma unroll
  for (int r0 = 0; r0 < 8; r0++) {
    *(f32x4*)&in0[r0*4] = *(const f32x4*)&x[b0*4096 + t0*2048 + r0*256 + t1*4];
  }
  #pragma unroll
  for (int c = 0; c < 32; c++) {
    acc0 = sx_max(acc0, in0[c]);
  }
  float other = __shfl_xor_sync(0xffffffffu, acc0, 16);
  acc0 = sx_max(acc0, other);
  float other_1 = __shfl_xor_sync(0xffffffffu, acc0, 8);
  acc0 = sx_max(acc0, other_1);
  float other_2 = __shfl_xor_sync(0xffffffffu, acc0, 4);
  acc0 = sx_max(acc0, other_2);
  float other_3 = __shfl_xor_sync(0xffffffffu, acc0, 2);
  acc0 = sx_max(acc0, other_3);
  float other_4 = __shfl_xor_sync(0xffffffffu, acc0, 1);
  acc0 = sx_max(acc0, other_4);
  acc0_smem[tid] = acc0;
  __syncthreads();
  const int first = tid - tid/32%2*32;
  acc0 = __int_as_float(0xff800000);
  #pragma unroll
  for (int j = 0; j < 2; j++) {
    float other_5 = acc0_smem[j*32 + first];
    acc0 = sx_max(acc0, other_5);
  }
  float acc1 = 0.0f;
  #pragma unroll
  for (int c_1 = 0; c_1 < 32; c_1++) {
    v0[c_1] = expf(in0[c_1] - acc0);
  }
  #pragma unroll
  for (int c_2 = 0; c_2 < 32; c_2++) {
    acc1 += v0[c_2];
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
  #pragma unroll
  for (int r0 = 0; r0 < 8; r0++) {
    softmax_out[0] = v0[r0*4] / acc1;
    softmax_out[1] = v0[r0*4 + 1] / acc1;
    softmax_out[2] = v0[r0*4 + 2] / acc1;
    softmax_out[3] = v0[r0*4 + 3] / acc1;
    *(f32x4*)&softmax[b0*4096 + t0*2048 + r0*256 + t1*4] = *(const
        f32x4*)&softmax_out[0];
  }
}
