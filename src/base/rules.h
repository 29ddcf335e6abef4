// Rules of index arithmetic, as data: what the sums of simplify.cpp cannot say.
#pragma once

#include "src/base/expr.h"

namespace sextant {

/// Where an expression has the form `from` and `when` is proven (empty: always)
/// it equals `to`. Names stand for any expression, constants for themselves.
struct Rule {
  const char* from;
  const char* to;
  const char* when;
};
/// The rules, tried in order.
const std::vector<Rule>& index_rules();

/// The expression after the first rule that applies, or nothing. `proven`
/// decides conditions.
template <class Proven>
std::optional<Expr> apply_rules(const Expr& e, Proven&& proven);

// A rule with its texts read.
struct ReadRule {
  Expr from, to, when;
};
const std::vector<ReadRule>& read_rules();
/// Binds the names of a pattern so that it becomes `e`; false if it cannot.
bool match(const Expr& pattern, const Expr& e, Substitution& by);

template <class Proven>
std::optional<Expr> apply_rules(const Expr& e, Proven&& proven) {
  for (const ReadRule& rule : read_rules()) {
    Substitution by;
    if (!match(rule.from, e, by)) continue;
    if (rule.when && !proven(substitute(rule.when, by))) continue;
    return substitute(rule.to, by);
  }
  return std::nullopt;
}

}  // namespace sextant
