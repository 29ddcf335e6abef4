// Random inputs, made where they are needed. The arithmetic is that of
// `random_element`, and so are the bits: the reference can ask for any element.
#include "chapters/07-running/executable.h"

namespace sextant::running {

const char* const kFillText = R"cuda(
typedef unsigned long long sextant_u64;
static __device__ sextant_u64 sextant_bits(sextant_u64 seed, sextant_u64 stream,
                                           sextant_u64 counter) {
  sextant_u64 x = seed * 0x9e3779b97f4a7c15u + stream;
  for (int round = 0; round < 2; round++) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 29;
    x += counter * 0xa0761d6478bd642fu + 0x8ebc6af09c88c6e3u;
  }
  x ^= x >> 32;
  x *= 0xe7037ed1a0b428dbu;
  return x ^ x >> 31;
}
static __device__ double sextant_normal(sextant_u64 bits) {
  unsigned sum = 0;
  for (int k = 0; k < 4; k++) sum += (unsigned)(bits >> (16 * k)) & 0xffff;
  return (sum / 65536.0 - 2) * 1.7320508075688772;
}
// Rounded once: by way of a float, some would come out one too far.
static __device__ unsigned short sextant_bfloat16(double x) {
  long long bits = __double_as_longlong(x);
  bits = (bits + 0x0fffffffffff + (bits >> 45 & 1)) & ~0x1fffffffffff;
  return __float_as_uint((float)__longlong_as_double(bits)) >> 16;
}
static __device__ unsigned short sextant_float16(double x) {
  unsigned short y;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(y) : "d"(x));
  return y;
}
#define SEXTANT_FILL(NAME, TYPE, VALUE)                                      \
  extern "C" __global__ void sextant_fill_##NAME(                            \
      TYPE* to, long long n, sextant_u64 seed, sextant_u64 stream) {         \
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;          \
    for (; i < n; i += (long long)gridDim.x * blockDim.x) {                  \
      sextant_u64 bits = sextant_bits(seed, stream, i);                      \
      to[i] = VALUE;                                                         \
    }                                                                        \
  }
SEXTANT_FILL(float32, float, (float)sextant_normal(bits))
SEXTANT_FILL(float16, unsigned short, sextant_float16(sextant_normal(bits)))
SEXTANT_FILL(bfloat16, unsigned short, sextant_bfloat16(sextant_normal(bits)))
SEXTANT_FILL(int64, long long, (long long)(bits % 100))
SEXTANT_FILL(bool, unsigned char, (unsigned char)(bits >> 40 & 1))
)cuda";

void Executable::fill_random(uint64_t seed) {
  for (const auto& [name, p] : buffers_) {
    Role role = p.buffer.role;
    if ((role != Role::Input && role != Role::Weight) || p.bytes == 0) continue;
    ReadyLaunch fill;
    fill.kernel = fmt::format("sextant_fill_{}", name_of(p.buffer.dtype));
    device_.driver().cuModuleGetFunction(&fill.function, modules_.back(),
                                         fill.kernel.c_str());
    fill.block = 256;
    fill.grid = 8 * device_.multiprocessors();
    fill.parameters = {p.address,
                       static_cast<uint64_t>(p.bytes / size_of(p.buffer.dtype)),
                       seed, hash_name(name)};
    start(fill, stream_);
  }
  device_.wait(stream_, "filling the inputs");
}

}  // namespace sextant::running
