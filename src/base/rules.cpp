#include "src/base/rules.h"

namespace sextant {

// clang-format off
const std::vector<Rule>& index_rules() {
  static const std::vector<Rule> kRules = {
    {"min(a, b)",  "a",             "a <= b"},
    {"min(a, b)",  "b",             "b <= a"},
    {"max(a, b)",  "a",             "b <= a"},
    {"max(a, b)",  "b",             "a <= b"},
    {"a and b",    "a",             "b != 0 and 0 <= a and a <= 1"},
    {"a and b",    "b",             "a != 0 and 0 <= b and b <= 1"},
    {"a and a",    "a",             "0 <= a and a <= 1"},
    {"a or b",     "a",             "b == 0 and 0 <= a and a <= 1"},
    {"a or b",     "b",             "a == 0 and 0 <= b and b <= 1"},
    {"a or a",     "a",             "0 <= a and a <= 1"},
    {"a ^ 0",      "a",             ""},
    {"0 ^ a",      "a",             ""},
    {"a ^ a",      "0",             ""},
    {"a/b/c",      "a/(b*c)",       "0 < b and 0 < c"},
    {"a%b/c",      "a/c%(b/c)",     "0 < b and 0 < c and b%c == 0"},
    {"a%b%c",      "a%c",           "0 < b and 0 < c and b%c == 0"},
  };
  return kRules;
}
// clang-format on

const std::vector<ReadRule>& read_rules() {
  static const std::vector<ReadRule> kRead = [] {
    std::vector<ReadRule> list;
    for (const Rule& r : index_rules()) {
      Expr when = *r.when == '\0' ? Expr() : parse_expr(r.when);
      list.push_back({parse_expr(r.from), parse_expr(r.to), when});
    }
    return list;
  }();
  return kRead;
}

bool match(const Expr& pattern, const Expr& e, Substitution& by) {
  if (const Var* v = pattern.as<Var>()) {
    auto [bound, fresh] = by.emplace(v->name, e);
    return fresh || bound->second == e;
  }
  if (const Binary* p = pattern.as<Binary>()) {
    const Binary* b = e.as<Binary>();
    return b != nullptr && b->op == p->op && match(p->a, b->a, by) &&
           match(p->b, b->b, by);
  }
  const Call* p = pattern.as<Call>();
  const Call* c = e.as<Call>();
  if (p == nullptr || c == nullptr) return pattern == e;
  bool same = p->op == c->op && p->args.size() == c->args.size();
  for (std::size_t i = 0; same && i < p->args.size(); i++)
    same = match(p->args[i], c->args[i], by);
  return same;
}

}  // namespace sextant
