// sextant cuda sm_90a
static __device__ __forceinline__ float bf16_to_f32(unsigned short x) {
  return __uint_as_float((unsigned)x << 16);
}
static __device__ __forceinline__ unsigned short f32_to_bf16(float x) {
  unsigned short y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}

extern "C" __global__ void __launch_bounds__(64)
k_gelu(
    const unsigned short* __restrict__ x,
    const unsigned short* __restrict__ weight,
    const unsigned short* __restrict__ bias,
    unsigned short* __restrict__ gelu) {
  __shared__ __align__(16) unsigned short x_smem[1024];
  __shared__ __align__(16) unsigned short weight_smem[1024];
  __align__(16) float acc0[4];
  __align__(16) unsigned short in0[2];
  __align__(16) unsigned short in1[2];
  __align__(16) unsigned short in2[2];
  __align__(16) float v0[2];
  __align__(16) float v1[2];
  __align__(16) float v2[2];
  __align__(16) float v3[4];
  __align__(16) unsigned short weight_smem_held[1];
  __align__(16) unsigned short x_smem_held[1];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/8;
  const int t1 = tid%8;
  const int b0 = bid;
  acc0[0] = 0.0f;
  acc0[1] = 0.0f;
  acc0[2] = 0.0f;
  acc0[3] = 0.0f;
  // x to x_smem
  #pragma unroll
  for (int x_smem_i = 0; x_smem_i < 8; x_smem_i++) {
    x_smem_held[0] = x[x_smem_i*128 + tid/32*64 + tid%32];
    x_smem[x_smem_i*64 + tid%32*2 + tid/32] = x_smem_held[0];
  }
  // weight to weight_smem
  #pragma unroll
  for (int weight_smem_i = 0; weight_smem_i < 8; weight_smem_i++) {
    weight_smem_held[0] = weight[b0*1024 + weight_smem_i*128 + tid/32*64 +
        tid%32];
    weight_smem[weight_smem_i*64 + tid%32*2 + tid/32] = weight_smem_held[0];
  }
  __syncthreads();
  #pragma unroll 1
  for (int k0 = 0; k0 < 2; k0++) {
    const int slot = k0%2;
    const int next = (k0 + 1)%2;
    if (k0 < 1) {
      // x to x_smem
      #pragma unroll
      for (int x_smem_i = 0; x_smem_i < 8; x_smem_i++) {
        x_smem_held[0] = x[x_smem_i*128 + tid/32*64 + tid%32 + 32];
        x_smem[next*512 + x_smem_i*64 + tid%32*2 + tid/32] = x_smem_held[0];
      }
      // weight to weight_smem
      #pragma unroll
      for (int weight_smem_i = 0; weight_smem_i < 8; weight_smem_i++) {
        weight_smem_held[0] = weight[b0*1024 + weight_smem_i*128 + tid/32*64 +
            tid%32 + 32];
        weight_smem[next*512 + weight_smem_i*64 + tid%32*2 + tid/32] =
            weight_smem_held[0];
      }
    }
    #pragma unroll 1
    for (int k1 = 0; k1 < 32; k1++) {
      in0[0] = x_smem[slot*512 + t0*64 + k1*2];
      in0[1] = x_smem[slot*512 + t0*64 + k1*2 + 1];
      in1[0] = weight_smem[slot*512 + t1*64 + k1*2];
      in1[1] = weight_smem[slot*512 + t1*64 + k1*2 + 1];
      v0[0] = bf16_to_f32(in0[0]);
      v0[1] = bf16_to_f32(in0[1]);
      v1[0] = bf16_to_f32(in1[0]);
      v1[1] = bf16_to_f32(in1[1]);
      acc0[0] += v0[0] * v1[0];
      acc0[1] += v0[0] * v1[1];
      acc0[2] += v0[1] * v1[0];
      acc0[3] += v0[1] * v1[1];
    }
    __syncthreads();
  }
  in2[0] = bias[b0*16 + t1*2];
  in2[1] = bias[b0*16 + t1*2 + 1];
  v2[0] = bf16_to_f32(in2[0]);
  v2[1] = bf16_to_f32(in2[1]);
  v3[0] = bf16_to_f32(f32_to_bf16((float)(acc0[0] + v2[0])));
  v3[1] = bf16_to_f32(f32_to_bf16((float)(acc0[1] + v2[1])));
  v3[2] = bf16_to_f32(f32_to_bf16((float)(acc0[2] + v2[0])));
  v3[3] = bf16_to_f32(f32_to_bf16((float)(acc0[3] + v2[1])));
  gelu[t0*64 + b0*16 + t1*2] = f32_to_bf16((float)(v3[0] * 0.5f *
      (erff(v3[0] * 0.70710677f) + 1.0f)));
  gelu[t0*64 + b0*16 + t1*2 + 1] = f32_to_bf16((float)(v3[1] * 0.5f *
      (erff(v3[1] * 0.70710677f) + 1.0f)));
  gelu[t0*64 + b0*16 + t1*2 + 32] = f32_to_bf16((float)(v3[2] * 0.5f *
      (erff(v3[2] * 0.70710677f) + 1.0f)));
  gelu[t0*64 + b0*16 + t1*2 + 33] = f32_to_bf16((float)(v3[3] * 0.5f *
      (erff(v3[3] * 0.70710677f) + 1.0f)));
}
