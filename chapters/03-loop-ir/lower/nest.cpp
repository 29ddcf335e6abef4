#include "chapters/03-loop-ir/lower/nest.h"

#include <algorithm>

namespace sextant::loop {
namespace {

void replace(Nest& nest, const Name& axis, const Expr& by) {
  for (Expr& e : nest.index)
    e = substitute(e, {{axis, by}});
}

// axis/c and axis%c: two digits of one number are two axes.
bool split_axes(Nest& nest, const Findings& found) {
  bool changed = false;
  for (const auto& [name, c] : found.remainders) {
    auto axis = std::find_if(
        nest.axes.begin(), nest.axes.end(),
        [name = name](const Nest::Axis& a) { return a.name == name; });
    if (axis == nest.axes.end() || found.quotients.count({name, c}) == 0) {
      continue;
    }
    std::optional<int64_t> extent = constant(axis->extent);
    if (!extent || *extent % c != 0) continue;
    Nest::Axis high{name + "h", *extent / c}, low{name + "l", c};
    replace(nest, name, var(high.name) * low.extent + var(low.name));
    *axis = low;
    nest.axes.insert(axis, high);
    changed = true;
  }
  return changed;
}

// The last axes, if a reduction depends on all the others and spans them.
void join_row(Nest& nest, const Findings& found) {
  for (const Findings::Fold& fold : found.folds) {
    std::size_t first = nest.axes.size();
    Dim extent = 1;
    while (first > 0 && fold.axes.count(nest.axes[first - 1].name) == 0) {
      first--;
      extent = simplify(extent * nest.axes[first].extent);
    }
    if (nest.axes.size() - first < 2 || !(extent == fold.extent)) continue;
    Name row = nest.axes[first].name + "j";
    Dim below = 1;
    for (std::size_t i = nest.axes.size(); i-- > first;) {
      Expr digit = floor_div(var(row), below);
      if (i > first) digit = floor_mod(digit, nest.axes[i].extent);
      replace(nest, nest.axes[i].name, digit);
      below = simplify(below * nest.axes[i].extent);
    }
    nest.axes.resize(first);
    nest.axes.push_back({row, extent});
    return;
  }
}

}  // namespace

void note_digits_of(const Expr& e, Findings& findings) {
  const Binary* b = e.as<Binary>();
  if (b == nullptr) return;
  const Var* axis = b->a.as<Var>();
  std::optional<int64_t> c = constant(b->b);
  if (axis != nullptr && c && b->op == BinaryOp::Div)
    findings.quotients.insert({axis->name, *c});
  if (axis != nullptr && c && b->op == BinaryOp::Mod)
    findings.remainders.insert({axis->name, *c});
  note_digits_of(b->a, findings);
  note_digits_of(b->b, findings);
}

Nest bare_nest(const tensor::Value& root) {
  Nest nest;
  for (const Dim& extent : root.shape) {
    if (extent == Expr(1)) continue;
    Name axis = fmt::format("f{}", nest.axes.size());
    nest.axes.push_back({axis, extent});
    nest.index.push_back(var(axis));
  }
  return nest;
}

std::vector<Expr> place(const tensor::Value& root, const Nest& nest) {
  std::vector<Expr> index;
  std::size_t next = 0;
  for (const Dim& extent : root.shape)
    index.push_back(extent == Expr(1) ? Expr(0) : nest.index[next++]);
  return index;
}

Nest refine(const Nest& nest, const Findings& findings) {
  Nest better = nest;
  auto folds_over = [&](const Nest::Axis& axis) {
    return std::count_if(findings.folds.begin(), findings.folds.end(),
                         [&](const Findings::Fold& fold) {
                           return fold.axes.count(axis.name) != 0;
                         });
  };
  std::stable_sort(better.axes.begin(), better.axes.end(),
                   [&](const Nest::Axis& a, const Nest::Axis& b) {
                     return folds_over(a) > folds_over(b);
                   });
  if (!split_axes(better, findings)) join_row(better, findings);
  return better;
}

}  // namespace sextant::loop
