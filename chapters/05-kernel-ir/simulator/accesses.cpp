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
  AccessCount& count = cached_[a.number].count;
  const Mask* m = &mask();
  check_slot(a.offset.lane, true, a.statement);
  if (a.guarded) {
    check_slot(a.guard.lane, true, a.statement);
    counts_.statements[a.statement].guards += m->count;
    const int64_t* lane = lanes_of(a.guard);
    int64_t scalar = scalar_of(a.guard);
    narrow(*m, next_mask_++, guarded_,
           [&](int t) { return lane[t] + scalar != 0; });
    m = &guarded_;
    if (m->count == 0) return *m;
  }
  int64_t shift = 0;
  const Requests& r = requests(a, *m, shift);
  count.requests += r.requests;
  count.sectors += r.sectors;
  count.least_sectors += r.least_sectors;
  count.wavefronts += r.wavefronts;
  count.least_wavefronts += r.least_wavefronts;
  count.bytes += m->count * a.width * size_of(a.dtype);
  Memory& memory = *objects_[a.object];
  int64_t last = memory.size() - a.width;
  if (r.lowest + shift >= 0 && r.highest + shift <= last && r.misaligned < 0)
    return *m;
  const int64_t* lane = lanes_of(a.offset);
  int64_t base = scalar_of(a.offset);
  narrow(*m, next_mask_++, admitted_, [&](int t) {
    int64_t at = lane[t] + base;
    if (at < 0 || at > last) {
      complain("bounds", a.statement, t, a.object, at, [&] {
        return fmt::format("accesses {}, and {} has {} elements", place(a, at),
                           memory.name(), memory.size());
      });
      return false;
    }
    if (at % a.width != 0) {
      complain("alignment", a.statement, t, a.object, at, [&] {
        return fmt::format(
            "accesses {} elements from {}: the offset is no "
            "multiple of {}",
            a.width, place(a, at), a.width);
      });
      return false;
    }
    return true;
  });
  return admitted_;
}

namespace {

// How an element lies in memory and in a register.
struct AsFloat32 {
  using Element = float;
  using Slot = float;
  static float get(float x) { return x; }
  static float put(float x) { return x; }
};
template <DType kType>
struct AsHalf {
  using Element = uint16_t;
  using Slot = float;
  static float get(uint16_t x) {
    return static_cast<float>(from_bits16(kType, x));
  }
  static uint16_t put(float x) { return to_bits16(kType, x); }
};
template <class T>
struct AsInteger {
  using Element = T;
  using Slot = int64_t;
  static int64_t get(T x) { return x; }
  static T put(int64_t x) { return static_cast<T>(x); }
};

// Calls f with the type that says how elements of `dtype` lie.
template <class F>
void with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::Float32: return f(AsFloat32{});
    case DType::Float16: return f(AsHalf<DType::Float16>{});
    case DType::BFloat16: return f(AsHalf<DType::BFloat16>{});
    case DType::Int64: return f(AsInteger<int64_t>{});
    case DType::Bool: return f(AsInteger<uint8_t>{});
  }
}

float poison(float) {
  return std::numeric_limits<float>::quiet_NaN();
}
int64_t poison(int64_t) {
  return 0;
}

}  // namespace

template <class Type>
void Machine::load_all(const Access& a, const Mask& m) {
  using Slot = typename Type::Slot;
  Memory& memory = *objects_[a.object];
  Slot* out = nullptr;
  const Slot* otherwise = nullptr;
  if constexpr (std::is_same_v<Slot, float>) {
    out = float_at(a.slot);
    if (a.otherwise >= 0) otherwise = float_at(a.otherwise);
  } else {
    out = lane_at(a.slot);
    if (a.otherwise >= 0) otherwise = lane_at(a.otherwise);
  }
  if (m.count < mask().count) {
    for (Span s : mask().spans) {
      for (int t = s.begin; t < s.end; t++) {
        Slot value = otherwise == nullptr ? poison(Slot{}) : otherwise[t];
        for (int64_t j = 0; j < a.width; j++)
          out[j * static_cast<int64_t>(stride_) + t] = value;
      }
    }
  }
  const int64_t* lane = lanes_of(a.offset);
  int64_t base = scalar_of(a.offset);
  Reader reader(*this, a);
  for (Span s : m.spans) {
    for (int t = s.begin; t < s.end; t++) {
      int64_t at = lane[t] + base;
      const auto* from =
          reinterpret_cast<const typename Type::Element*>(memory.at(at));
      Cell* cells = memory.constant ? nullptr : &memory.cell(at);
      for (int64_t j = 0; j < a.width; j++) {
        bool fine = cells == nullptr || reader.read(cells[j], at + j, t);
        out[j * static_cast<int64_t>(stride_) + t] =
            fine ? Type::get(from[j]) : poison(Slot{});
      }
    }
  }
}

void Machine::load(const Access& a) {
  const Mask& m = admit(a);
  with_type(a.dtype, [&](auto type) { load_all<decltype(type)>(a, m); });
  bool lane = !is_float(a.dtype);
  for (int j = 0; j < a.width; j++) {
    define(a.slot + j, lane);
    if (lane) versions_[a.slot + j]++;
  }
}

template <class Type>
void Machine::store_all(const Access& a, const Mask& m) {
  using Slot = typename Type::Slot;
  Memory& memory = *objects_[a.object];
  const Slot* from = nullptr;
  if constexpr (std::is_same_v<Slot, float>) {
    from = float_at(a.slot);
  } else {
    from = lane_at(a.slot);
  }
  const int64_t* lane = lanes_of(a.offset);
  int64_t base = scalar_of(a.offset);
  Writer writer(*this, a);
  for (Span s : m.spans) {
    for (int t = s.begin; t < s.end; t++) {
      int64_t at = lane[t] + base;
      auto* to = reinterpret_cast<typename Type::Element*>(memory.at(at));
      Cell* cells = &memory.cell(at);
      for (int64_t j = 0; j < a.width; j++) {
        writer.write(cells[j], at + j, t);
        to[j] = Type::put(from[j * static_cast<int64_t>(stride_) + t]);
      }
    }
  }
}

void Machine::store(const Access& a) {
  const Mask& m = admit(a);
  bool lane = !is_float(a.dtype);
  for (int j = 0; j < a.width; j++)
    check_slot(a.slot + j, lane, a.statement);
  with_type(a.dtype, [&](auto type) { store_all<decltype(type)>(a, m); });
}

}  // namespace sextant::kernel
