// sextant cuda sm_90a
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
// As cp_async; where `inside` is false, zeros, and `from` is not read.
template <int N>
static __device__ __forceinline__ void cp_async_zfill(void* to,
                                                      const void* from,
                                                      bool inside) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
               :: "r"(at), "l"(from), "n"(N), "r"(inside ? N : 0) : "memory");
}

extern "C" __global__ void __launch_bounds__(64)
k_mul(
    const float* __restrict__ x,
    const float* __restrict__ gate_proj,
    const float* __restrict__ up_proj,
    float* __restrict__ mul) {
  __shared__ __align__(16) float x_smem[1056];
  __shared__ __align__(16) float gate_proj_smem[1056];
  __shared__ __align__(16) float up_proj_smem[1056];
  __align__(16) float acc0[4];
  __align__(16) float acc1[4];
  __align__(16) float in0[2];
  __align__(16) float in1[2];
  __align__(16) float in2[2];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/8;
  const int t1 = tid%8;
  const int b0 = bid;
  acc0[0] = 0.0f;
  acc0[1] = 0.0f;
  acc0[2] = 0.0f;
  acc0[3] = 0.0f;
  acc1[0] = 0.0f;
  acc1[1] = 0.0f;
  acc1[2] = 0.0f;
  acc1[3] = 0.0f;
  // x to x_smem
  #pragma unroll
  for (int x_smem_i = 0; x_smem_i < 8; x_smem_i++) {
    cp_async_zfill<4>(&x_smem[x_smem_i*66 + tid%32*2 + tid/32],
        &x[x_smem_i*128 + tid/32*64 + tid%32], x_smem_i < 4);
  }
  // gate_proj to gate_proj_smem
  #pragma unroll
  for (int gate_proj_smem_i = 0; gate_proj_smem_i < 8; gate_proj_smem_i++) {
    cp_async<4>(&gate_proj_smem[gate_proj_smem_i*66 + tid%32*2 + tid/32],
        &gate_proj[b0*1024 + gate_proj_smem_i*128 + tid/32*64 + tid%32]);
  }
  // up_proj to up_proj_smem
  #pragma unroll
  for (int up_proj_smem_i = 0; up_proj_smem_i < 8; up_proj_smem_i++) {
    cp_async<4>(&up_proj_smem[up_proj_smem_i*66 + tid%32*2 + tid/32],
        &up_proj[b0*1024 + up_proj_smem_i*128 + tid/32*64 + tid%32]);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  #pragma unroll 1
  for (int k0 = 0; k0 < 2; k0++) {
    const int slot = k0%2;
    const int next = (k0 + 1)%2;
    if (k0 < 1) {
      // x to x_smem
      #pragma unroll
      for (int x_smem_i = 0; x_smem_i < 8; x_smem_i++) {
        cp_async_zfill<4>(&x_smem[next*528 + x_smem_i*66 + tid%32*2 + tid/32],
            &x[x_smem_i*128 + tid/32*64 + tid%32 + 32], x_smem_i < 4);
      }
      // gate_proj to gate_proj_smem
      #pragma unroll
      for (int gate_proj_smem_i = 0; gate_proj_smem_i < 8; gate_proj_smem_i++) {
        cp_async<4>(&gate_proj_smem[next*528 + gate_proj_smem_i*66 + tid%32*2 +
            tid/32], &gate_proj[b0*1024 + gate_proj_smem_i*128 + tid/32*64 +
            tid%32 + 32]);
      }
      // up_proj to up_proj_smem
      #pragma unroll
      for (int up_proj_smem_i = 0; up_proj_smem_i < 8; up_proj_smem_i++) {
        cp_async<4>(&up_proj_smem[next*528 + up_proj_smem_i*66 + tid%32*2 +
            tid/32], &up_proj[b0*1024 + up_proj_smem_i*128 + tid/32*64 + tid%32
            + 32]);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    #pragma unroll 1
    for (int k1 = 0; k1 < 32; k1++) {
      in0[0] = x_smem[slot*528 + t0*66 + k1*2];
      in0[1] = x_smem[slot*528 + t0*66 + k1*2 + 1];
      in1[0] = gate_proj_smem[slot*528 + t1*66 + k1*2];
      in1[1] = gate_proj_smem[slot*528 + t1*66 + k1*2 + 1];
      in2[0] = up_proj_smem[slot*528 + t1*66 + k1*2];
      in2[1] = up_proj_smem[slot*528 + t1*66 + k1*2 + 1];
      acc0[0] += in0[0] * in1[0];
      acc0[1] += in0[0] * in1[1];
      acc0[2] += in0[1] * in1[0];
      acc0[3] += in0[1] * in1[1];
      acc1[0] += in0[0] * in2[0];
      acc1[1] += in0[0] * in2[1];
      acc1[2] += in0[1] * in2[0];
      acc1[3] += in0[1] * in2[1];
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
  }
  if (t0 < 4) mul[t0*256 + b0*16 + t1*2] = acc0[0] * (1.0f /
      (1.0f + expf(-acc0[0]))) * acc1[0];
  if (t0 < 4) mul[t0*256 + b0*16 + t1*2 + 1] = acc0[1] * (1.0f /
      (1.0f + expf(-acc0[1]))) * acc1[1];
  if (t0 < 4) mul[t0*256 + b0*16 + t1*2 + 128] = acc0[2] * (1.0f /
      (1.0f + expf(-acc0[2]))) * acc1[2];
  if (t0 < 4) mul[t0*256 + b0*16 + t1*2 + 129] = acc0[3] * (1.0f /
      (1.0f + expf(-acc0[3]))) * acc1[3];
}

extern "C" __global__ void __launch_bounds__(64)
k_down(
    const float* __restrict__ mul,
    const float* __restrict__ down_proj,
    float* __restrict__ down) {
  __shared__ __align__(16) float mul_smem[1056];
  __shared__ __align__(16) float down_proj_smem[1056];
  __align__(16) float acc0[4];
  __align__(16) float in0[2];
  __align__(16) float in1[2];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/8;
  const int t1 = tid%8;
  const int b0 = bid;
  acc0[0] = 0.0f;
  acc0[1] = 0.0f;
  acc0[2] = 0.0f;
  acc0[3] = 0.0f;
  // mul to mul_smem
  #pragma unroll
  for (int mul_smem_i = 0; mul_smem_i < 8; mul_smem_i++) {
    cp_async_zfill<4>(&mul_smem[mul_smem_i*66 + tid%32*2 + tid/32],
        &mul[mul_smem_i*256 + tid/32*128 + tid%32], mul_smem_i < 4);
  }
  // down_proj to down_proj_smem
  #pragma unroll
  for (int down_proj_smem_i = 0; down_proj_smem_i < 8; down_proj_smem_i++) {
    cp_async<4>(&down_proj_smem[down_proj_smem_i*66 + tid%32*2 + tid/32],
        &down_proj[b0*2048 + down_proj_smem_i*256 + tid/32*128 + tid%32]);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  #pragma unroll 1
  for (int k0 = 0; k0 < 4; k0++) {
    const int slot = k0%2;
    const int next = (k0 + 1)%2;
    if (k0 < 3) {
      // mul to mul_smem
      #pragma unroll
      for (int mul_smem_i = 0; mul_smem_i < 8; mul_smem_i++) {
        cp_async_zfill<4>(&mul_smem[next*528 + mul_smem_i*66 + tid%32*2 +
            tid/32], &mul[mul_smem_i*256 + tid/32*128 + k0*32 + tid%32 + 32],
            mul_smem_i < 4);
      }
      // down_proj to down_proj_smem
      #pragma unroll
      for (int down_proj_smem_i = 0; down_proj_smem_i < 8; down_proj_smem_i++) {
        cp_async<4>(&down_proj_smem[next*528 + down_proj_smem_i*66 + tid%32*2 +
            tid/32], &down_proj[b0*2048 + down_proj_smem_i*256 + tid/32*128 +
            k0*32 + tid%32 + 32]);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    #pragma unroll 1
    for (int k1 = 0; k1 < 32; k1++) {
      in0[0] = mul_smem[slot*528 + t0*66 + k1*2];
      in0[1] = mul_smem[slot*528 + t0*66 + k1*2 + 1];
      in1[0] = down_proj_smem[slot*528 + t1*66 + k1*2];
      in1[1] = down_proj_smem[slot*528 + t1*66 + k1*2 + 1];
      acc0[0] += in0[0] * in1[0];
      acc0[1] += in0[0] * in1[1];
      acc0[2] += in0[1] * in1[0];
      acc0[3] += in0[1] * in1[1];
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
  }
  if (t0 < 4) down[t0*128 + b0*16 + t1*2] = acc0[0];
  if (t0 < 4) down[t0*128 + b0*16 + t1*2 + 1] = acc0[1];
  if (t0 < 4) down[t0*128 + b0*16 + t1*2 + 64] = acc0[2];
  if (t0 < 4) down[t0*128 + b0*16 + t1*2 + 65] = acc0[3];
}
