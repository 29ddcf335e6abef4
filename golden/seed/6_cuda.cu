// sextant cuda sm_90a
// The larger of two; NaN wins.
static __device__ __forceinline__ float sx_max(float a, float b) {
  float m;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
  return m;
}
// Copies N bytes from global to shared memory, in the background.
template <int N>
static __device__ __forceinline__ void cp_async(void* to, const void* from) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  if (N == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(at), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :: "r"(at), "l"(from), "n"(N) : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(64)
k_relu(
    const float* __restrict__ bias,
    const float* __restrict__ x,
    const float* __restrict__ w,
    float* __restrict__ relu) {
  __shared__ __align__(16) float bias_smem[64];
  __shared__ __align__(16) float x_smem[1056];
  __shared__ __align__(16) float w_smem[1024];
  __align__(16) float acc0[4];
  __align__(16) float bias_smem_held[1];
  __align__(16) float in1[2];
  __align__(16) float in2[2];
  __align__(16) float v0[2];
  const int tid = (int)threadIdx.x;
  const int t0 = tid/8;
  const int t1 = tid%8;
  acc0[0] = 0.0f;
  acc0[1] = 0.0f;
  acc0[2] = 0.0f;
  acc0[3] = 0.0f;
  if (tid < 32) {
    // bias to bias_smem
    bias_smem_held[0] = bias[tid];
    bias_smem[tid] = bias_smem_held[0];
  }
  // x to x_smem
  #pragma unroll
  for (int x_smem_i = 0; x_smem_i < 8; x_smem_i++) {
    cp_async<4>(&x_smem[x_smem_i*66 + tid%32*2 + tid/32],
        &x[x_smem_i*128 + tid/32*64 + tid%32]);
  }
  // w to w_smem
  #pragma unroll
  for (int w_smem_i = 0; w_smem_i < 2; w_smem_i++) {
    cp_async<16>(&w_smem[w_smem_i*256 + tid*4], &w[w_smem_i*256 + tid*4]);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  #pragma unroll 1
  for (int k0 = 0; k0 < 2; k0++) {
    const int slot = k0%2;
    const int next = (k0 + 1)%2;
    if (k0 < 1) {
      if (tid < 32) {
        // bias to bias_smem
        bias_smem_held[0] = bias[tid + 32];
        bias_smem[next*32 + tid] = bias_smem_held[0];
      }
      // x to x_smem
      #pragma unroll
      for (int x_smem_i = 0; x_smem_i < 8; x_smem_i++) {
        cp_async<4>(&x_smem[next*528 + x_smem_i*66 + tid%32*2 + tid/32],
            &x[x_smem_i*128 + tid/32*64 + tid%32 + 32]);
      }
      // w to w_smem
      #pragma unroll
      for (int w_smem_i = 0; w_smem_i < 2; w_smem_i++) {
        cp_async<16>(&w_smem[next*512 + w_smem_i*256 + tid*4],
            &w[w_smem_i*256 + tid*4 + 512]);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    #pragma unroll 1
    for (int k1 = 0; k1 < 32; k1++) {
      float in0 = bias_smem[slot*32 + k1];
      in1[0] = x_smem[slot*528 + t0*66 + k1*2];
      in1[1] = x_smem[slot*528 + t0*66 + k1*2 + 1];
      in2[0] = w_smem[slot*512 + k1*16 + t1*2];
      in2[1] = w_smem[slot*512 + k1*16 + t1*2 + 1];
      v0[0] = in1[0] + in0;
      v0[1] = in1[1] + in0;
      acc0[0] += v0[0] * in2[0];
      acc0[1] += v0[0] * in2[1];
      acc0[2] += v0[1] * in2[0];
      acc0[3] += v0[1] * in2[1];
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
  }
  relu[t0*32 + t1*2] = sx_max(acc0[0], 0.0f);
  relu[t0*32 + t1*2 + 1] = sx_max(acc0[1], 0.0f);
  relu[t0*32 + t1*2 + 16] = sx_max(acc0[2], 0.0f);
  relu[t0*32 + t1*2 + 17] = sx_max(acc0[3], 0.0f);
}
