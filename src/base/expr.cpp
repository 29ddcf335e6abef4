#include "src/base/expr.h"

#include <algorithm>
#include <cstring>

namespace sextant {

static_assert(std::variant_size_v<Expr::Variant> == 6);

Expr::Expr(int64_t value) : Handle(Int{value}) {}
Expr::Expr(int value) : Handle(Int{value}) {}

bool Float::operator==(const Float& other) const {
  float x = static_cast<float>(value), y = static_cast<float>(other.value);
  return std::memcmp(&x, &y, sizeof x) == 0;
}

Origin merge(const Origin& a, const Origin& b) {
  if (a.empty()) return b;
  Origin out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(out));
  return out;
}

std::optional<int64_t> constant(const Expr& e) {
  if (const Int* i = e.as<Int>()) return i->value;
  return std::nullopt;
}

int64_t value_of(const Expr& e) {
  std::optional<int64_t> value = constant(e);
  INVARIANT(value, "'{}' is not a constant", e ? to_string(e) : "nothing");
  return *value;
}

bool is_true(const Expr& e) {
  return !e || (e.as<Int>() != nullptr && e.get<Int>().value != 0);
}

int64_t floor_div(int64_t a, int64_t b) {
  INVARIANT(b != 0, "division by zero");
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t floor_mod(int64_t a, int64_t b) {
  return a - floor_div(a, b) * b;
}

int64_t apply(BinaryOp op, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return floor_div(a, b);
    case BinaryOp::Mod: return floor_mod(a, b);
    case BinaryOp::Min: return std::min(a, b);
    case BinaryOp::Max: return std::max(a, b);
    case BinaryOp::Xor: return a ^ b;
    case BinaryOp::Lt: return a < b;
    case BinaryOp::Le: return a <= b;
    case BinaryOp::Eq: return a == b;
    case BinaryOp::Ne: return a != b;
    case BinaryOp::And: return a != 0 && b != 0;
    case BinaryOp::Or: return a != 0 || b != 0;
  }
  INVARIANT(false, "no such operation");
  return 0;
}

namespace {

// 0 or 1 by what it is: `x and true` is x only for such an x.
bool is_predicate(const Expr& e) {
  const Binary* b = e.as<Binary>();
  return b != nullptr && b->op >= BinaryOp::Lt;
}

// x + 0, x*1, x*0, x/1, x%1, true and x, false or x; nothing else.
std::optional<Expr> fold_unit(BinaryOp op, const Expr& a, const Expr& b) {
  std::optional<int64_t> x = constant(a), y = constant(b);
  switch (op) {
    case BinaryOp::Add:
      if (x == 0) return b;
      if (y == 0) return a;
      break;
    case BinaryOp::Sub:
      if (y == 0) return a;
      break;
    case BinaryOp::Mul:
      if (x == 1) return b;
      if (y == 1) return a;
      if (x == 0 || y == 0) return Expr(0);
      break;
    case BinaryOp::Div:
      if (y == 1) return a;
      break;
    case BinaryOp::Mod:
      if (y == 1) return Expr(0);
      break;
    case BinaryOp::And:
      if (x == 0 || y == 0) return Expr(0);
      if (x && is_predicate(b)) return b;
      if (y && is_predicate(a)) return a;
      break;
    case BinaryOp::Or:
      if (x.value_or(0) != 0 || y.value_or(0) != 0) return Expr(1);
      if (x && is_predicate(b)) return b;
      if (y && is_predicate(a)) return a;
      break;
    default: break;
  }
  return std::nullopt;
}

}  // namespace

Expr binary(BinaryOp op, const Expr& a, const Expr& b) {
  std::optional<int64_t> x = constant(a), y = constant(b);
  bool divides = op == BinaryOp::Div || op == BinaryOp::Mod;
  if (x && y && !(divides && *y == 0)) return Expr(apply(op, *x, *y));
  if (std::optional<Expr> folded = fold_unit(op, a, b)) return *folded;
  return Binary{op, a, b};
}

Expr operator+(const Expr& a, const Expr& b) {
  return binary(BinaryOp::Add, a, b);
}
Expr operator-(const Expr& a, const Expr& b) {
  return binary(BinaryOp::Sub, a, b);
}
Expr operator*(const Expr& a, const Expr& b) {
  return binary(BinaryOp::Mul, a, b);
}
Expr floor_div(const Expr& a, const Expr& b) {
  return binary(BinaryOp::Div, a, b);
}
Expr floor_mod(const Expr& a, const Expr& b) {
  return binary(BinaryOp::Mod, a, b);
}
Expr ceil_div(const Expr& a, const Expr& b) {
  return floor_div(a + b - Expr(1), b);
}
Expr less(const Expr& a, const Expr& b) {
  return binary(BinaryOp::Lt, a, b);
}
Expr less_equal(const Expr& a, const Expr& b) {
  return binary(BinaryOp::Le, a, b);
}
Expr both(const Expr& a, const Expr& b) {
  if (!a) return b;
  if (!b) return a;
  return a == b ? a : binary(BinaryOp::And, a, b);
}

Expr var(Name name) {
  return Var{std::move(name), {}};
}
Expr var(Name name, std::vector<Expr> index) {
  return Var{std::move(name), std::move(index)};
}
Expr call(Name op, std::vector<Expr> args) {
  return Call{std::move(op), std::move(args)};
}

Name index_name(std::size_t axis) {
  if (axis >= 8) fail({}, "tensors of more than 8 dimensions: not supported");
  return Name(1, "ijklmnop"[axis]);
}

namespace {

void collect_names(const Expr& e, std::vector<Name>& names) {
  if (const Var* v = e.as<Var>()) {
    if (std::find(names.begin(), names.end(), v->name) == names.end()) {
      names.push_back(v->name);
    }
  }
  std::visit(
      [&](const auto& node) {
        visit_inside<Expr>(node,
                           [&](const Expr& x) { collect_names(x, names); });
      },
      e.variant());
}

}  // namespace

std::vector<Name> names_in(const Expr& e) {
  std::vector<Name> names;
  if (e) collect_names(e, names);
  return names;
}

bool mentions(const Expr& e, const Name& name) {
  std::vector<Name> names = names_in(e);
  return std::find(names.begin(), names.end(), name) != names.end();
}

Expr substitute(const Expr& e, const Substitution& by) {
  if (!e) return e;
  if (const Var* v = e.as<Var>(); v != nullptr && v->index.empty()) {
    auto found = by.find(v->name);
    return found == by.end() ? e : found->second;
  }
  Expr mapped =
      map_handles<Expr>(e, [&](const Expr& x) { return substitute(x, by); });
  if (const Binary* b = mapped.as<Binary>()) return binary(b->op, b->a, b->b);
  return mapped;
}

int64_t evaluate(const Expr& e, const Values& values) {
  switch (e.kind()) {
    case ExprKind::Int: return e.get<Int>().value;
    case ExprKind::Var: {
      auto found = values.find(e.get<Var>().name);
      INVARIANT(found != values.end(), "'{}' has no value", e.get<Var>().name);
      return found->second;
    }
    case ExprKind::Binary: {
      const Binary& b = e.get<Binary>();
      int64_t a = evaluate(b.a, values);
      // The second half may have no value where the first decides.
      if (b.op == BinaryOp::And && a == 0) return 0;
      if (b.op == BinaryOp::Or && a != 0) return 1;
      return apply(b.op, a, evaluate(b.b, values));
    }
    case ExprKind::Float:
    case ExprKind::Call:
    case ExprKind::Cast: break;
  }
  INVARIANT(false, "'{}' is not index arithmetic", to_string(e));
  return 0;
}

}  // namespace sextant
