// The handle of a tree node: a shared pointer to an immutable variant of plain
// structs. A handle takes the node types of its own IR only. Beside the node,
// outside its fields and outside equality, a handle carries where the node
// came from.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/reflect.h"

namespace sextant {

using Name = std::string;

/// What a value or statement came from: indices into the program's list of
/// sources, sorted, each once. Empty: made by Sextant.
using Origin = std::vector<int>;
/// The union of two origins.
Origin merge(const Origin& a, const Origin& b);

template <class Derived, class... Nodes>
class Handle {
 public:
  using Variant = std::variant<Nodes...>;

  /// The empty handle: "nothing here", for optional children.
  Handle() = default;
  template <class Node>
  requires(std::same_as<Node, Nodes> || ...)
      Handle(Node node)  // NOLINT(google-explicit-constructor)
      : node_(std::make_shared<const Variant>(std::move(node))) {}

  explicit operator bool() const { return node_ != nullptr; }
  /// Position of the node's type in the variant; an IR gives it enum names.
  std::size_t index() const { return node_->index(); }
  template <class Node>
  const Node* as() const {
    return node_ ? std::get_if<Node>(node_.get()) : nullptr;
  }
  template <class Node>
  const Node& get() const {
    return std::get<Node>(*node_);
  }
  const Variant& variant() const { return *node_; }
  /// The same node in memory: says "unchanged", never "equal".
  bool same_as(const Handle& other) const { return node_ == other.node_; }

  const Origin& origin() const { return origin_; }
  Derived with_origin(Origin origin) const {
    Derived copy = static_cast<const Derived&>(*this);
    copy.origin_ = std::move(origin);
    return copy;
  }

  friend bool operator==(const Derived& a, const Derived& b) {
    if (a.node_ == b.node_) return true;
    return a.node_ && b.node_ && *a.node_ == *b.node_;
  }

 private:
  std::shared_ptr<const Variant> node_;
  Origin origin_;
};

// Mapping of children, by reflection: rebuilds a field with `f` applied to
// every handle of type H inside it, through vectors, and leaves the rest.
template <class H, class F>
H map_field(const H& x, F& f) {
  return x ? f(x) : x;
}
template <class H, class T, class F>
T map_inside(const T& x, F& f);

template <class H, class T, class F>
std::vector<T> map_vector(const std::vector<T>& xs, F& f) {
  std::vector<T> out;
  out.reserve(xs.size());
  for (const T& x : xs)
    out.push_back(map_inside<H>(x, f));
  return out;
}

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class H, class T, class F>
T map_inside(const T& x, F& f) {
  if constexpr (std::same_as<T, H>) {
    return map_field<H>(x, f);
  } else if constexpr (std::same_as<T, std::string>) {
    return x;
  } else if constexpr (IsVector<T>::value) {
    return map_vector<H>(x, f);
  } else if constexpr (std::is_aggregate_v<T>) {
    T copy = x;
    each_field(copy, [&](auto& field) { field = map_inside<H>(field, f); });
    return copy;
  } else {
    return x;
  }
}

/// Calls `visit(h)` on every handle of type H directly inside `x`'s fields.
template <class H, class T, class F>
void visit_inside(const T& x, F&& visit) {
  if constexpr (std::same_as<T, H>) {
    if (x) visit(x);
  } else if constexpr (std::same_as<T, std::string>) {
  } else if constexpr (IsVector<T>::value) {
    for (const auto& element : x)
      visit_inside<H>(element, visit);
  } else if constexpr (std::is_aggregate_v<T>) {
    each_field(x, [&](const auto& field) { visit_inside<H>(field, visit); });
  }
}

/// The node with `f` applied to each child handle of type H (for H the tree's
/// own handle: its children; for another handle type: what it embeds). Returns
/// its argument when no child changed, and keeps the origin.
template <class H, class Tree, class F>
Tree map_handles(const Tree& tree, F&& f) {
  bool changed = false;
  auto watch = [&](const H& child) {
    H mapped = f(child);
    changed = changed || !mapped.same_as(child);
    return mapped;
  };
  Tree result = std::visit(
      [&](const auto& node) { return Tree(map_inside<H>(node, watch)); },
      tree.variant());
  return changed ? result.with_origin(tree.origin()) : tree;
}

}  // namespace sextant
