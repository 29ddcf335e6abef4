// Going through a tree, down to its leaves.
#pragma once

#include "src/base/handle.h"

namespace sextant {

/// Calls `visit(h)` on every handle of type H inside x (itself, if it is one),
/// however deep; on each before those inside it.
template <class H, class T, class F>
void walk(const T& x, F&& visit) {
  visit_inside<H>(x, [&](const H& h) {
    visit(h);
    std::visit([&](const auto& node) { walk<H>(node, visit); }, h.variant());
  });
}

}  // namespace sextant
