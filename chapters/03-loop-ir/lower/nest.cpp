#include "chapters/03-loop-ir/lower/nest.h"

#include <algorithm>

namespace sextant::loop {
namespace {

bool has(const std::vector<Name>& names, const Name& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void replace(Nest& nest, const Name& axis, const Expr& by) {
  for (Expr& e : nest.index)
    e = substitute(e, {{axis, by}});
}

// axis/c and axis%c: two digits of one number are two axes.
void split_axes(Nest& nest, const Findings& found) {
  for (std::size_t i = 0; i < nest.axes.size(); i++) {
    Nest::Axis axis = nest.axes[i];
    std::optional<int64_t> extent = constant(axis.extent);
    auto divisors = found.divisors.find(axis.name);
    auto moduli = found.moduli.find(axis.name);
    if (!extent || divisors == found.divisors.end() ||
        moduli == found.moduli.end()) {
      continue;
    }
    for (int64_t c : moduli->second) {
      const std::vector<int64_t>& list = divisors->second;
      if (*extent % c != 0 || std::count(list.begin(), list.end(), c) == 0) {
        continue;
      }
      Name high = axis.name + "h", low = axis.name + "l";
      replace(nest, axis.name, var(high) * Expr(c) + var(low));
      nest.axes[i] = {high, *extent / c};
      nest.axes.insert(nest.axes.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                       {low, c});
      i++;
      break;
    }
  }
}

// The last axes, if a reduction depends on all the others and spans them.
void join_row(Nest& nest, const Findings& found) {
  for (const Findings::Fold& fold : found.folds) {
    std::size_t first = nest.axes.size();
    Dim extent = 1;
    while (first > 0 && !has(fold.axes, nest.axes[first - 1].name)) {
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
  if (axis != nullptr && c && b->op == BinaryOp::Div) {
    findings.divisors[axis->name].push_back(*c);
  } else if (axis != nullptr && c && b->op == BinaryOp::Mod) {
    findings.moduli[axis->name].push_back(*c);
  }
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
  split_axes(better, findings);
  if (better == nest) join_row(better, findings);
  auto folds_over = [&](const Nest::Axis& axis) {
    return std::count_if(
        findings.folds.begin(), findings.folds.end(),
        [&](const Findings::Fold& f) {
          return std::any_of(f.axes.begin(), f.axes.end(), [&](const Name& n) {
            return axis.name.compare(0, n.size(), n) == 0;
          });
        });
  };
  std::stable_sort(better.axes.begin(), better.axes.end(),
                   [&](const Nest::Axis& a, const Nest::Axis& b) {
                     return folds_over(a) > folds_over(b);
                   });
  return better;
}

}  // namespace sextant::loop
