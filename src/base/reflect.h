// Reflection over the fields of plain aggregates: equality, hash and mapping
// of children are written once, here, so that no pass can forget a field.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sextant {

// Converts to anything, so that `T{Any{}, Any{}}` compiles exactly when T has
// at least two fields.
struct AnyField {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires {
    T{((void)I, AnyField{})...};
  };
}

template <class T, std::size_t N = 9>
constexpr std::size_t field_count() {
  if constexpr (N == 0) {
    return 0;
  } else if constexpr (takes_fields<T>(std::make_index_sequence<N>{})) {
    return N;
  } else {
    return field_count<T, N - 1>();
  }
}

/// The fields of an aggregate, as a tuple of references, in order.
template <class T>
constexpr auto fields_of(T& x) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  static_assert(n <= 8, "an IR node has at most eight fields");
  if constexpr (n == 0) {
    return std::tie();
  } else if constexpr (n == 1) {
    auto& [a] = x;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = x;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = x;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = x;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = x;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = x;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return std::tie(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = x;
    return std::tie(a, b, c, d, e, f, g, h);
  }
}

/// Calls `visit(field)` for each field in order.
template <class T, class Visit>
void each_field(T& x, Visit&& visit) {
  std::apply([&](auto&... field) { (visit(field), ...); }, fields_of(x));
}

}  // namespace sextant
