// sextant cuda sm_90a
struct __align__(16) f32x4 {
  float e[4];
};
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

extern "C" __global__ void __launch_bounds__(256, 2)
k_matmul(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ matmul) {
  __shared__ __align__(16) float a_smem[4224];
  __shared__ __align__(16) float b_smem[4096];
  __align__(16) float a_smem_held[8];
  __align__(16) float acc0[64];
  __align__(16) float in0[16];
  __align__(16) float in1[16];
  __align__(16) float matmul_out[4];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/64;
  const int t1 = tid/32%2;
  const int t2 = tid/8%4;
  const int t3 = tid%8;
  const int b0 = bid/32;
  const int b1 = bid%32;
  #pragma unroll
  for (int c = 0; c < 64; c++) {
    acc0[c] = 0.0f;
  }
  // a to a_smem
  #pragma unroll
  for (int a_smem_i = 0; a_smem_i < 2; a_smem_i++) {
    *(f32x4*)&a_smem_held[a_smem_i*4] = *(const f32x4*)&a[b0*524288 +
        a_smem_i*262144 + tid/4*4096 + tid%4*4];
  }
  // b to b_smem
  #pragma unroll
  for (int b_smem_i = 0; b_smem_i < 2; b_smem_i++) {
    cp_async<16>(&b_smem[b_smem_i*1024 + tid*4],
        &b[b_smem_i*32768 + tid/32*4096 + b1*128 + tid%32*4]);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  #pragma unroll
  for (int a_smem_i = 0; a_smem_i < 2; a_smem_i++) {
    a_smem[tid%4*528 + a_smem_i*64 + tid/4] = a_smem_held[a_smem_i*4];
    a_smem[tid%4*528 + a_smem_i*64 + tid/4 + 132] = a_smem_held[a_smem_i*4 + 1];
    a_smem[tid%4*528 + a_smem_i*64 + tid/4 + 264] = a_smem_held[a_smem_i*4 + 2];
    a_smem[tid%4*528 + a_smem_i*64 + tid/4 + 396] = a_smem_held[a_smem_i*4 + 3];
  }
  // a to a_smem
  #pragma unroll
  for (int a_smem_i = 0; a_smem_i < 2; a_smem_i++) {
    *(f32x4*)&a_smem_held[a_smem_i*4] = *(const f32x4*)&a[b0*524288 +
        a_smem_i*262144 + tid/4*4096 + tid%4*4 + 16];
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  *(f32x4*)&in0[0] = *(const f32x4*)&a_smem[t0*32 + t2*4];
  *(f32x4*)&in0[4] = *(const f32x4*)&a_smem[t0*32 + t2*4 + 16];
  *(f32x4*)&in1[0] = *(const f32x4*)&b_smem[t1*64 + t3*4];
  *(f32x4*)&in1[4] = *(const f32x4*)&b_smem[t1*64 + t3*4 + 32];
  #pragma unroll 1
  for (int k0 = 0; k0 < 255; k0++) {
    // b to b_smem
    #pragma unroll
    for (int b_smem_i = 0; b_smem_i < 2; b_smem_i++) {
      cp_async<16>(&b_smem[(k0 + 1)%2*2048 + b_smem_i*1024 + tid*4],
          &b[k0*65536 + b_smem_i*32768 + tid/32*4096 + b1*128 + tid%32*4 +
          65536]);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    #pragma unroll
    for (int k1 = 0; k1 < 16; k1++) {
      if (k1 == 8) {
        #pragma unroll
        for (int a_smem_i = 0; a_smem_i < 2; a_smem_i++) {
          a_smem[(k0 + 1)%2*2112 + tid%4*528 + a_smem_i*64 + tid/4] =
              a_smem_held[a_smem_i*4];
          a_smem[(k0 + 1)%2*2112 + tid%4*528 + a_smem_i*64 + tid/4 + 132] =
              a_smem_held[a_smem_i*4 + 1];
          a_smem[(k0 + 1)%2*2112 + tid%4*528 + a_smem_i*64 + tid/4 + 264] =
              a_smem_held[a_smem_i*4 + 2];
          a_smem[(k0 + 1)%2*2112 + tid%4*528 + a_smem_i*64 + tid/4 + 396] =
              a_smem_held[a_smem_i*4 + 3];
        }
        if (k0 < 254) {
          // a to a_smem
          #pragma unroll
          for (int a_smem_i = 0; a_smem_i < 2; a_smem_i++) {
            *(f32x4*)&a_smem_held[a_smem_i*4] = *(const f32x4*)&a[b0*524288 +
                a_smem_i*262144 + tid/4*4096 + k0*16 + tid%4*4 + 32];
          }
        }
      }
      if (k1 == 15) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
      }
      *(f32x4*)&in0[(k1 + 1)%2*8] = *(const
          f32x4*)&a_smem[((k1 + 1)/16 + k0)%2*2112 + (k1 + 1)%16*132 + t0*32 +
          t2*4];
      *(f32x4*)&in0[(k1 + 1)%2*8 + 4] = *(const
          f32x4*)&a_smem[((k1 + 1)/16 + k0)%2*2112 + (k1 + 1)%16*132 + t0*32 +
          t2*4 + 16];
      *(f32x4*)&in1[(k1 + 1)%2*8] = *(const
          f32x4*)&b_smem[((k1 + 1)/16 + k0)%2*2048 + (k1 + 1)%16*128 + t1*64 +
          t3*4];
      *(f32x4*)&in1[(k1 + 1)%2*8 + 4] = *(const
          f32x4*)&b_smem[((k1 + 1)/16 + k0)%2*2048 + (k1 + 1)%16*128 + t1*64 +
          t3*4 + 32];
      #pragma unroll
      for (int c_1 = 0; c_1 < 8; c_1++) {
        #pragma unroll
        for (int c_2 = 0; c_2 < 8; c_2++) {
          acc0[c_1*8 + c_1%2*7 + c_2 - c_1%2*c_2*2] += in0[k1%2*8 + c_1] *
              in1[k1%2*8 + c_1%2*7 + c_2 - c_1%2*c_2*2];
        }
      }
    }
  }
  const int k0 = 255;
  #pragma unroll
  for (int k1 = 0; k1 < 16; k1++) {
    if (k1 + 1 < 16) {
      *(f32x4*)&in0[(k1 + 1)%2*8] = *(const f32x4*)&a_smem[k0%2*2112 +
          (k1 + 1)%16*132 + t0*32 + t2*4];
      *(f32x4*)&in0[(k1 + 1)%2*8 + 4] = *(const f32x4*)&a_smem[k0%2*2112 +
          (k1 + 1)%16*132 + t0*32 + t2*4 + 16];
      *(f32x4*)&in1[(k1 + 1)%2*8] = *(const f32x4*)&b_smem[k0%2*2048 +
          (k1 + 1)%16*128 + t1*64 + t3*4];
      *(f32x4*)&in1[(k1 + 1)%2*8 + 4] = *(const f32x4*)&b_smem[k0%2*2048 +
          (k1 + 1)%16*128 + t1*64 + t3*4 + 32];
    }
    #pragma unroll
    for (int c_3 = 0; c_3 < 8; c_3++) {
      #pragma unroll
      for (int c_4 = 0; c_4 < 8; c_4++) {
        acc0[c_3*8 + c_3%2*7 + c_4 - c_3%2*c_4*2] += in0[k1%2*8 + c_3] *
            in1[k1%2*8 + c_3%2*7 + c_4 - c_3%2*c_4*2];
      }
    }
  }
  #pragma unroll
  for (int r0 = 0; r0 < 2; r0++) {
    #pragma unroll
    for (int r1 = 0; r1 < 4; r1++) {
      #pragma unroll
      for (int r2 = 0; r2 < 2; r2++) {
        matmul_out[0] = acc0[r0*32 + r1*8 + r2*4];
        matmul_out[1] = acc0[r0*32 + r1*8 + r2*4 + 1];
        matmul_out[2] = acc0[r0*32 + r1*8 + r2*4 + 2];
        matmul_out[3] = acc0[r0*32 + r1*8 + r2*4 + 3];
        *(f32x4*)&matmul[b0*524288 + t0*131072 + r0*65536 + t2*16384 + r1*4096
            + b1*128 + t1*64 + r2*32 + t3*4] = *(const f32x4*)&matmul_out[0];
      }
    }
  }
}
