// sextant cuda sm_90a
struct __align__(16) f32x4 {
  float e[4];
};

extern "C" __global__ void __launch_bounds__(128)
k_add(
    const float* __restrict__ cos,
    const float* __restrict__ x,
    const float* __restrict__ sin,
    float* __restrict__ add) {
  __align__(16) float add_out[4];
  __align__(16) float in0[4];
  __align__(16) float in1[4];
  __align__(16) float in2[4];
  __align__(16) float in3[4];
  __align__(16) float in4[4];
  const int tid = (int)threadIdx.x;
  const int bid = (int)blockIdx.x;
  const int t0 = tid/8;
  const int t1 = tid%8;
  const int b0 = bid;
  *(f32x4*)&in0[0] = *(const f32x4*)&cos[t0*32 + t1*4];
  *(f32x4*)&in1[0] = *(const f32x4*)&x[b0*512 + t0*32 + t1*4];
  if (t1 < 4) {
    *(f32x4*)&in2[0] = *(const f32x4*)&x[b0*512 + t0*32 + t1*4 + 16];
  } else {
    in2[0] = 0.0f;
    in2[1] = 0.0f;
    in2[2] = 0.0f;
    in2[3] = 0.0f;
  }
  if (4 <= t1) {
    *(f32x4*)&in3[0] = *(const f32x4*)&x[b0*512 + t0*32 + t1*4 - 16];
  } else {
    in3[0] = 0.0f;
    in3[1] = 0.0f;
    in3[2] = 0.0f;
    in3[3] = 0.0f;
  }
  *(f32x4*)&in4[0] = *(const f32x4*)&sin[t0*32 + t1*4];
  add_out[0] = in1[0] * in0[0] + (t1 < 4 ? -in2[0] : in3[0]) * in4[0];
  add_out[1] = in1[1] * in0[1] + (t1 < 4 ? -in2[1] : in3[1]) * in4[1];
  add_out[2] = in1[2] * in0[2] + (t1 < 4 ? -in2[2] : in3[2]) * in4[2];
  add_out[3] = in1[3] * in0[3] + (t1 < 4 ? -in2[3] : in3[3]) * in4[3];
  *(f32x4*)&add[b0*512 + t0*32 + t1*4] = *(const f32x4*)&add_out[0];
}
