// Loads and stores: who may, which requests they make, and the elements.
#include <limits>

#include "chapters/05-kernel-ir/simulator/check.h"

namespace sextant::kernel {

// What a warp's requests amount to does not change when all threads' addresses
// move by a multiple of a sector, or of a bank's word: it is computed once for
// offsets, active threads and what is left of the common part. `shift` is what
// the common part is beyond that.
const Requests& Machine::requests(const Access& a, const Mask& m,
                                  int64_t& shift) {
  Cached& cached = cached_[a.number];
  bool shared = objects_[a.object]->shared;
  int64_t size = size_of(a.dtype), bytes = shared ? 4 : 32;
  int64_t period = std::max(bytes, a.width * size) / size;
  int64_t base = scalar_of(a.offset), phase = floor_mod(base, period);
  int64_t version = a.offset.lane < 0 ? 0 : versions_[a.offset.lane];
  shift = base - phase;
  if (cached.version != version || cached.mask != m.id ||
      cached.phase != phase) {
    cached.requests =
        requests_of(lanes_of(a.offset), phase, m, size, a.width, shared);
    cached.version = version;
    cached.mask = m.id;
    cached.phase = phase;
  }
  return cached.requests;
}

// The threads that make the access: where the guard holds, and within bounds.
const Mask& Machine::admit(const Access& a) {
  Traffic& count = cached_[a.number].count;
  const Mask* m = &mask();
  check_slot(a.offset.lane, true, a.statement);
  if (a.guarded) {
    check_slot(a.guard.lane, true, a.statement);
    counts_.statements[a.statement].guards += m->count;
    narrow(*m, next_mask_++, guarded_,
           [&](int t) { return integer(a.guard, t) != 0; });
    m = &guarded_;
    if (m->count == 0) return *m;
  }
  int64_t shift = 0;
  const Requests& r = requests(a, *m, shift);
  count += r;
  Memory& memory = *objects_[a.object];
  int64_t last = memory.size() - a.width;
  if (r.lowest + shift >= 0 && r.highest + shift <= last && r.misaligned < 0)
    return *m;
  const Name& name = kernel_.objects[a.object].name;
  narrow(*m, next_mask_++, admitted_, [&](int t) {
    int64_t at = integer(a.offset, t);
    bool outside = at < 0 || at > last, aligned = at % a.width == 0;
    Place here{a.statement, t, a.object, at};
    if (outside) {
      complain("bounds", here, "accesses {}[{}], and {} has {} elements", name,
               at, memory.name(), memory.size());
    } else if (!aligned) {
      complain("alignment", here,
               "accesses {} elements from {}[{}]: the offset is no multiple "
               "of {}",
               a.width, name, at, a.width);
    }
    return !outside && aligned;
  });
  return admitted_;
}

namespace {

// How an element lies in memory and in a register.
template <DType kType>
struct Lies {
  using Element = std::conditional_t<kType == DType::Float32, float, uint16_t>;
  using Slot = float;
  static float get(float x) { return x; }
  static float get(uint16_t x) {
    return static_cast<float>(from_bits16(kType, x));
  }
  static void put(float& to, float x) { to = x; }
  static void put(uint16_t& to, float x) { to = to_bits16(kType, x); }
  static constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();
};
template <class T>
struct LiesWhole {
  using Element = T;
  using Slot = int64_t;
  static int64_t get(T x) { return x; }
  static void put(T& to, int64_t x) { to = static_cast<T>(x); }
  static constexpr int64_t kPoison = 0;
};

// Calls f with the type that says how elements of `dtype` lie.
template <class F>
void with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::Float32: return f(Lies<DType::Float32>{});
    case DType::Float16: return f(Lies<DType::Float16>{});
    case DType::BFloat16: return f(Lies<DType::BFloat16>{});
    case DType::Int64: return f(LiesWhole<int64_t>{});
    case DType::Bool: return f(LiesWhole<uint8_t>{});
  }
}

}  // namespace

// f(element, its shadow, its offset, its register, the thread), for all threads
// of the mask. What nobody writes has no shadow.
template <class Type, class F>
void Machine::each_element(const Access& a, const Mask& m, F&& f) {
  Memory& memory = *objects_[a.object];
  const int64_t* lane = lanes_of(a.offset);
  int64_t base = scalar_of(a.offset), stride = static_cast<int64_t>(stride_);
  typename Type::Slot* slot = nullptr;
  if constexpr (std::is_same_v<decltype(slot), float*>) {
    slot = float_at(a.slot);
  } else {
    slot = lane_at(a.slot);
  }
  m.each([&](int t) {
    int64_t at = lane[t] + base;
    auto* element = reinterpret_cast<typename Type::Element*>(memory.at(at));
    Cell* cells = memory.constant ? nullptr : &memory.cell(at);
    for (int64_t j = 0; j < a.width; j++) {
      f(element[j], cells == nullptr ? nullptr : cells + j, at + j,
        slot[j * stride + t], t);
    }
  });
}

void Machine::load(const Access& a) {
  const Mask& m = admit(a);
  bool lane = !is_float(a.dtype);
  if (m.count < mask().count) {
    mask().each([&](int t) {
      Scalar x{std::numeric_limits<double>::quiet_NaN(), 0};
      if (a.otherwise >= 0) x = get(a.otherwise, lane, t);
      for (int j = 0; j < a.width; j++)
        set(a.slot + j, lane, t, x);
    });
  }
  with_type(a.dtype, [&](auto type) {
    using Type = decltype(type);
    Reader reader{*this, a};
    each_element<Type>(
        a, m, [&](auto& from, Cell* cell, int64_t at, auto& to, int t) {
          bool fine = cell == nullptr || reader.read(*cell, at, t);
          to = fine ? Type::get(from) : Type::kPoison;
        });
  });
  for (int j = 0; j < a.width; j++)
    define(a.slot + j, lane);
}

void Machine::store(const Access& a) {
  const Mask& m = admit(a);
  for (int j = 0; j < a.width; j++)
    check_slot(a.slot + j, !is_float(a.dtype), a.statement);
  with_type(a.dtype, [&](auto type) {
    using Type = decltype(type);
    Writer writer{*this, a};
    each_element<Type>(
        a, m, [&](auto& to, Cell* cell, int64_t at, auto& from, int t) {
          writer.write(*cell, at, t);
          Type::put(to, from);
        });
  });
}

}  // namespace sextant::kernel
