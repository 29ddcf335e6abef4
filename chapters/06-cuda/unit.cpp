// The translation unit: the helpers that kernels use, then the kernels.
#include <algorithm>
#include <cctype>
#include <set>

#include "chapters/06-cuda/emit.h"
#include "chapters/06-cuda/emit_kernel.h"

namespace sextant::cuda {
namespace {

using kernel::Kernel;
using kernel::Object;
using kernel::Space;
using kernel::Stmt;

// Functions that a translation unit prints before its kernels if their name
// occurs in them.
// clang-format off
constexpr const char* k_sx_max =
    R"(// The larger of two; NaN wins.
static __device__ __forceinline__ float sx_max(float a, float b) {
  float m;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
  return m;
}
)";

constexpr const char* k_sx_min =
    R"(// The smaller of two; NaN wins.
static __device__ __forceinline__ float sx_min(float a, float b) {
  float m;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
  return m;
}
)";

constexpr const char* k_bf16_to_f32 =
    R"(static __device__ __forceinline__ float bf16_to_f32(unsigned short x) {
  return __uint_as_float((unsigned)x << 16);
}
)";

constexpr const char* k_f32_to_bf16 =
    R"(static __device__ __forceinline__ unsigned short f32_to_bf16(float x) {
  unsigned short y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
)";

constexpr const char* k_f16_to_f32 =
    R"(static __device__ __forceinline__ float f16_to_f32(unsigned short x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}
)";

constexpr const char* k_f32_to_f16 =
    R"(static __device__ __forceinline__ unsigned short f32_to_f16(float x) {
  unsigned short y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
)";

constexpr const char* k_cp_async =
    R"(// Copies N bytes from global to shared memory, in the background.
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
)";

constexpr const char* k_cp_async_zfill =
    R"(// As cp_async; where `inside` is false, zeros, and `from` is not read.
template <int N>
static __device__ __forceinline__ void cp_async_zfill(void* to,
                                                      const void* from,
                                                      bool inside) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
               :: "r"(at), "l"(from), "n"(N), "r"(inside ? N : 0) : "memory");
}
)";

constexpr const char* k_atomic_add =
    "// Adds in one indivisible step; returns what was there before. "
    R"((Templates,
// since of two functions one would be unused.)
template <int = 0>
static __device__ __forceinline__ float atomic_add(float* at, float x) {
  return atomicAdd(at, x);
}
template <int = 0>
static __device__ __forceinline__ long long atomic_add(long long* at,
                                                       long long x) {
  return (long long)atomicAdd((unsigned long long*)at, (unsigned long long)x);
}
)";

struct Helper {
  const char* name;
  const char* text;
};
constexpr Helper kHelpers[] = {
    {"sx_max", k_sx_max},
    {"sx_min", k_sx_min},
    {"bf16_to_f32", k_bf16_to_f32},
    {"f32_to_bf16", k_f32_to_bf16},
    {"f16_to_f32", k_f16_to_f32},
    {"f32_to_f16", k_f32_to_f16},
    {"cp_async", k_cp_async},
    {"cp_async_zfill", k_cp_async_zfill},
    {"atomic_add", k_atomic_add},
};
// clang-format on

// Whether a text calls the function of that name, and not one whose name ends
// so: "bf16_to_f32(" does not call f16_to_f32.
bool calls(const std::string& text, const std::string& name) {
  auto in_name = [](char c) { return std::isalnum(c) || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + 1)) {
    char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
    bool whole = at == 0 || !in_name(text[at - 1]);
    if (whole && (after == '(' || after == '<')) return true;
  }
  return false;
}

}  // namespace

std::vector<Symbol> symbols_of(const kernel::Program& program,
                               const Kernel& kernel) {
  std::vector<Symbol> out;
  for (const Symbol& s : program.symbols) {
    bool used = false;
    auto look = [&](auto& self, const std::vector<Stmt>& body) -> void {
      for (const Stmt& stmt : body) {
        std::visit(
            [&](const auto& node) {
              visit_inside<Expr>(node, [&](const Expr& e) {
                used = used || mentions(e, s.name);
              });
              visit_inside<Stmt>(
                  node, [&](const Stmt& inner) { self(self, {inner}); });
            },
            stmt.variant());
      }
    };
    look(look, kernel.body);
    if (used) out.push_back(s);
  }
  return out;
}

Text emit(const Tables& tables, const kernel::Program& program) {
  std::set<std::string> vectors;
  Printer kernels(false);
  for (const Kernel& k : program.kernels) {
    kernels.end_line();
    kernels.open_origin(k.origin);
    emit_kernel(tables, program, k, vectors, kernels);
    kernels.close_origin();
  }
  std::string body = kernels.take(), head;
  head = "// sextant cuda " + program.target + "\n";
  for (const std::string& v : vectors) {
    std::vector<std::string> parts = split(v, '|');
    head += fmt::format("struct __align__({}) {} {{\n  {} e[{}];\n}};\n",
                        parts[3], parts[0], parts[1], parts[2]);
  }
  for (const Helper& h : kHelpers) {
    if (calls(body, h.name)) head += h.text;
  }
  Text out{head + body, {}};
  auto lines = std::count(head.begin(), head.end(), '\n');
  out.origins.assign(static_cast<std::size_t>(lines), {});
  out.origins.insert(out.origins.end(), kernels.origins().begin(),
                     kernels.origins().end());
  return out;
}

}  // namespace sextant::cuda
