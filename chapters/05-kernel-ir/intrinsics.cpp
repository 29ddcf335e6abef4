#include "chapters/05-kernel-ir/intrinsics.h"

#include "chapters/05-kernel-ir/simulator/machine.h"

namespace sextant::kernel {

const Object* find_object(const Kernel& kernel, const Name& name) {
  for (const Object& object : kernel.objects) {
    if (object.name == name) return &object;
  }
  return nullptr;
}

namespace {

const Object& object_of(const Call& call, std::size_t i, const Kernel& kernel) {
  return *find_object(kernel, call.in[i].get<Var>().name);
}

std::string nothing(const Call&, const Kernel&) {
  return "";
}

// cp.async moves 4, 8 or 16 bytes, and converts nothing.
std::string verify_copy(const Call& call, const Kernel& kernel) {
  const Object& to = object_of(call, 0, kernel);
  const Object& from = object_of(call, 1, kernel);
  if (to.dtype != from.dtype) {
    return fmt::format("copies {} into {}", name_of(from.dtype),
                       name_of(to.dtype));
  }
  int64_t bytes = value_of(call.in[2]) * size_of(to.dtype);
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    return fmt::format("copies {} bytes; it can 4, 8 or 16", bytes);
  }
  return "";
}

std::string verify_shuffle(const Call& call, const Kernel&) {
  int64_t mask = value_of(call.in[1]);
  if (mask >= 1 && mask <= 31) return "";
  return fmt::format("the mask is {}; lanes have numbers of five bits", mask);
}

std::string verify_atomic(const Call& call, const Kernel& kernel) {
  DType dtype = object_of(call, 0, kernel).dtype;
  if (dtype == DType::Float32 || dtype == DType::Int64) return "";
  return fmt::format("adds to {}; it can float32 and int64", name_of(dtype));
}

// clang-format off
std::vector<Intrinsic> rows() {
  using O = Operand;
  using M = Machine;
  using S = Site;
  return {
    // cp_async(to[o], from[p], width): starts a copy of `width` elements.
    {"cp_async", {O::Shared, O::Global, O::Constant}, -1,
     {1, 0, true}, verify_copy,
     [](M& m, const S& s) { m.start_copies(s, false); },
     "cp_async<{bytes}>(&{0}, &{1})"},
    // The same; where the last operand is 0, zeros, and `from` is not read.
    {"cp_async_zfill", {O::Shared, O::Global, O::Constant, O::Index}, -1,
     {1, 0, true}, verify_copy,
     [](M& m, const S& s) { m.start_copies(s, true); },
     "cp_async_zfill<{bytes}>(&{0}, &{1}, {3})"},
    // Closes the group of copies that this thread has started since the last.
    {"commit", {}, -1, {}, nothing,
     [](M& m, const S&) { m.commit(); },
     "asm volatile(\"cp.async.commit_group;\" ::: \"memory\")"},
    // wait(n): until at most the n youngest groups of this thread are open.
    {"wait", {O::Constant}, -1, {}, nothing,
     [](M& m, const S& s) { m.wait(s); },
     "asm volatile(\"cp.async.wait_group {0};\" ::: \"memory\")"},
    // shfl_xor(v, mask): v of the lane whose number differs in these bits.
    {"shfl_xor", {O::Value, O::Constant}, 0, {}, verify_shuffle,
     [](M& m, const S& s) { m.shuffle_xor(s); },
     "__shfl_xor_sync(0xffffffffu, {0}, {1})"},
    // atomic_add(x[o], v): adds in one indivisible step; the value before.
    {"atomic_add", {O::Global, O::Value}, 0, {0, 0, false},
     verify_atomic, [](M& m, const S& s) { m.atomic_add(s); },
     "atomic_add(&{0}, {1})"},
    // What this thread wrote, or saw written, before the fence is seen by the
    // grid before what it writes after it.
    {"fence", {}, -1, {}, nothing,
     [](M& m, const S&) { m.fence(); }, "__threadfence()"},
    // The threads of a warp wait for each other.
    {"sync_warp", {}, -1, {}, nothing,
     [](M& m, const S& s) { m.sync_warps(s); }, "__syncwarp()"},
  };
}
// clang-format on

}  // namespace

void add_rows(Tables& tables) {
  tables.add(rows());
}

}  // namespace sextant::kernel
