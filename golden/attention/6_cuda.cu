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
k_attention_mul(
    const float* __restrict__ q,
    const float* __restrict__ k,
    float* __restrict__ attention_mul) {
  __shared__ __align__(16) float q_smem[528];
  __shared__ __align__(16) float k_smem[528];
  __align__(16) float acc0[4];
  __align__(16) float in0[2];
  __align__(16) float in1[2];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/8;
  const int t1 = tid%8;
  const int b0 = bid;
  // q to q_smem
  #pragma unroll
  for (int q_smem_i = 0; q_smem_i < 8; q_smem_i++) {
    cp_async<4>(&q_smem[q_smem_i*66 + tid%32*2 + tid/32],
        &q[b0*512 + q_smem_i*64 + tid]);
  }
  // k to k_smem
  #pragma unroll
  for (int k_smem_i = 0; k_smem_i < 8; k_smem_i++) {
    cp_async<4>(&k_smem[k_smem_i*66 + tid%32*2 + tid/32],
        &k[b0/2*512 + k_smem_i*64 + tid]);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  acc0[0] = 0.0f;
  acc0[1] = 0.0f;
  acc0[2] = 0.0f;
  acc0[3] = 0.0f;
  #pragma unroll 1
  for (int k0 = 0; k0 < 32; k0++) {
    in0[0] = q_smem[t0*66 + k0*2];
    in0[1] = q_smem[t0*66 + k0*2 + 1];
    in1[0] = k_smem[t1*66 + k0*2];
    in1[1] = k_smem[t1*66 + k0*2 + 1];
    acc0[0] += in0[0] * in1[0];
    acc0[1] += in0[0] * in1[1];
    acc0[2] += in0[1] * in1[0];
    acc0[3] += in0[1] * in1[1];
  }
  attention_mul[b0*256 + t0*32 + t1*2] = acc0[0] * 0.17677669f;
  attention_mul[b0*256 + t0*32 + t1*2 + 1] = acc0[1] * 0.17677669f;
  attention_mul[b0*256 + t0*32 + t1*2 + 16] = acc0[2] * 0.17677669f;
  attention_mul[b0*256 + t0*32 + t1*2 + 17] = acc0[3] * 0.17677669f;
}

extern "C" __global__ void __launch_bounds__(32)
k_attention_amax_attention_sum(
    const float* __restrict__ attention_mul,
    float* __restrict__ attention_amax,
    float* __restrict__ attention_sum) {
  __align__(16) float in0[8];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/2;
  const int t1 = tid%2;
  const int b0 = bid;
  float acc0 = __int_as_float(0xff800000);
  #pragma unroll
  for (int r0 = 0; r0 < 2; r0++) {
    #pragma unroll
    for (int r1 = 0; r1 < 4; r1++) {
      in0[r0*4 + r1] = r0*8 + t1*4 + r1 <= t0 ? attention_mul[b0*256 + t0*16 +
          r0*8 + t1*4 + r1] : __int_as_float(0xff800000);
    }
  }
  #pragma unroll
  for (int c = 0; c < 8; c++) {
    acc0 = sx_max(acc0, in0[c]);
  }
  float other = __shfl_xor_sync(0xffffffffu, acc0, 1);
  acc0 = sx_max(acc0, other);
  float acc1 = 0.0f;
  #pragma unroll
  for (int c_1 = 0; c_1 < 8; c_1++) {
    acc1 += expf(in0[c_1] - acc0);
  }
  float other_1 = __shfl_xor_sync(0xffffffffu, acc1, 1);
  acc1 += other_1;
  if (t1 == 0) attention_amax[b0*16 + t0] = acc0;
  if (t1 == 0) attention_sum[b0*16 + t0] = acc1;
}

extern "C" __global__ void __launch_bounds__(64)
k_attention(
    const float* __restrict__ attention_amax,
    const float* __restrict__ attention_sum,
    const float* __restrict__ attention_mul,
    const float* __restrict__ v,
    float* __restrict__ attention) {
  __shared__ __align__(16) float attention_mul_smem[576];
  __shared__ __align__(16) float v_smem[512];
  __align__(16) float acc0[16];
  __align__(16) float attention_mul_smem_held[1];
  __align__(16) float attention_out[4];
  __align__(16) float in0[4];
  __align__(16) float in1[4];
  __align__(16) float in2[4];
  __align__(16) float in3[4];
  __align__(16) float v0[4];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/32;
  const int t1 = tid/8%4;
  const int t2 = tid%8;
  const int b0 = bid;
  if (t0 < 1) {
    *(f32x4*)&in0[0] = *(const f32x4*)&attention_amax[b0*16 + t0*16 + t1*4];
  } else {
    in0[0] = 0.0f;
    in0[1] = 0.0f;
    in0[2] = 0.0f;
    in0[3] = 0.0f;
  }
  if (t0 < 1) {
    *(f32x4*)&in1[0] = *(const f32x4*)&attention_sum[b0*16 + t0*16 + t1*4];
  } else {
    in1[0] = 0.0f;
    in1[1] = 0.0f;
    in1[2] = 0.0f;
    in1[3] = 0.0f;
  }
  // attention_mul to attention_mul_smem
  #pragma unroll
  for (int attention_mul_smem_i = 0; attention_mul_smem_i < 8;
      attention_mul_smem_i++) {
    attention_mul_smem_held[0] = attention_mul_smem_i < 4 ?
        attention_mul[b0*256 + attention_mul_smem_i*64 + tid] : 0.0f;
    attention_mul_smem[tid%16*36 + attention_mul_smem_i*4 + tid/16] =
        attention_mul_smem_held[0];
  }
  // v to v_smem
  #pragma unroll
  for (int v_smem_i = 0; v_smem_i < 2; v_smem_i++) {
    cp_async<16>(&v_smem[v_smem_i*256 + tid*4],
        &v[b0/2*512 + v_smem_i*256 + tid*4]);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  #pragma unroll
  for (int c = 0; c < 16; c++) {
    acc0[c] = 0.0f;
  }
  #pragma unroll 1
  for (int k0 = 0; k0 < 16; k0++) {
    in2[0] = t0 < 1 && k0 <= t0*16 + t1*4 ? attention_mul_smem[k0*36 + t0*16 +
        t1*4] : __int_as_float(0xff800000);
    in2[1] = t0 < 1 && k0 <= t0*16 + t1*4 + 1 ? attention_mul_smem[k0*36 +
        t0*16 + t1*4 + 1] : __int_as_float(0xff800000);
    in2[2] = t0 < 1 && k0 <= t0*16 + t1*4 + 2 ? attention_mul_smem[k0*36 +
        t0*16 + t1*4 + 2] : __int_as_float(0xff800000);
    in2[3] = t0 < 1 && k0 <= t0*16 + t1*4 + 3 ? attention_mul_smem[k0*36 +
        t0*16 + t1*4 + 3] : __int_as_float(0xff800000);
    *(f32x4*)&in3[0] = *(const f32x4*)&v_smem[k0*32 + t2*4];
    v0[0] = expf(in2[0] - in0[0]);
    v0[1] = expf(in2[1] - in0[1]);
    v0[2] = expf(in2[2] - in0[2]);
    v0[3] = expf(in2[3] - in0[3]);
    #pragma unroll
    for (int r0 = 0; r0 < 4; r0++) {
      #pragma unroll
      for (int r1 = 0; r1 < 4; r1++) {
        acc0[r0*4 + r0%2*3 + r1 - r0%2*r1*2] += v0[r0] * in3[r0%2*3 + r1 -
            r0%2*r1*2];
      }
    }
  }
  attention_out[0] = acc0[0] / in1[0];
  attention_out[1] = acc0[1] / in1[0];
  attention_out[2] = acc0[2] / in1[0];
  attention_out[3] = acc0[3] / in1[0];
  if (t0 < 1) *(f32x4*)&attention[b0*512 + t0*512 + t1*128 + t2*4] = *(const
      f32x4*)&attention_out[0];
  attention_out[0] = acc0[4] / in1[1];
  attention_out[1] = acc0[5] / in1[1];
  attention_out[2] = acc0[6] / in1[1];
  attention_out[3] = acc0[7] / in1[1];
  if (t0 < 1) *(f32x4*)&attention[b0*512 + t0*512 + t1*128 + t2*4 + 32] =
      *(const f32x4*)&attention_out[0];
  attention_out[0] = acc0[8] / in1[2];
  attention_out[1] = acc0[9] / in1[2];
  attention_out[2] = acc0[10] / in1[2];
  attention_out[3] = acc0[11] / in1[2];
  if (t0 < 1) *(f32x4*)&attention[b0*512 + t0*512 + t1*128 + t2*4 + 64] =
      *(const f32x4*)&attention_out[0];
  attention_out[0] = acc0[12] / in1[3];
  attention_out[1] = acc0[13] / in1[3];
  attention_out[2] = acc0[14] / in1[3];
  attention_out[3] = acc0[15] / in1[3];
  if (t0 < 1) *(f32x4*)&attention[b0*512 + t0*512 + t1*128 + t2*4 + 96] =
      *(const f32x4*)&attention_out[0];
}
