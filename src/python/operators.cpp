// Operators on values that are known: Python's arithmetic, with ints of 64
// bits that say when they overflow.
#include <algorithm>
#include <cmath>

#include "src/python/interpreter.h"

namespace sextant::python {
namespace {

// Python's remainder has the sign of the divisor.
double float_mod(double a, double b) {
  double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// Integer powers by repeated squaring; nothing when they overflow.
std::optional<int64_t> power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (true) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result))
      return {};
    exponent /= 2;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) return {};
  }
}

Value int_binary(Interpreter& in, const std::string& op, int64_t a, int64_t b) {
  int64_t r = 0;
  bool overflow = false;
  if (op == "/" || op == "//" || op == "%") {
    if (b == 0) in.error("division by zero");
    if (op == "/") return static_cast<double>(a) / static_cast<double>(b);
    if (b == -1) return op == "%" ? 0 : in.binary("-", int64_t{0}, a);
    return op == "%" ? floor_mod(a, b) : floor_div(a, b);
  }
  if (op == "**" && b < 0)
    return in.binary(op, static_cast<double>(a), static_cast<double>(b));
  if (op == "<<" || op == ">>") {
    if (b < 0) in.error("negative shift count");
    if (op == ">>") return a >> std::min<int64_t>(b, 63);
    overflow = b > 62 || __builtin_mul_overflow(a, int64_t{1} << b, &r);
  } else if (op == "+") {
    overflow = __builtin_add_overflow(a, b, &r);
  } else if (op == "-") {
    overflow = __builtin_sub_overflow(a, b, &r);
  } else if (op == "*") {
    overflow = __builtin_mul_overflow(a, b, &r);
  } else if (op == "**") {
    std::optional<int64_t> p = power(a, b);
    overflow = !p;
    r = p.value_or(0);
  } else if (op == "&" || op == "|" || op == "^") {
    r = op == "&" ? a & b : op == "|" ? a | b : a ^ b;
  } else {
    in.error("unsupported operand type(s) for {}: 'int' and 'int'", op);
  }
  if (overflow) in.error("{} {} {} does not fit into 64 bits", a, op, b);
  return r;
}

Value float_binary(Interpreter& in, const std::string& op, double a, double b) {
  bool divides = op == "/" || op == "//" || op == "%";
  if (divides && b == 0) in.error("float division by zero");
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "//") return std::floor((a - float_mod(a, b)) / b + 0.5);
  if (op == "%") return float_mod(a, b);
  if (op != "**")
    in.error("unsupported operand type(s) for {}: 'float' and 'float'", op);
  if (a == 0 && b < 0) in.error("0.0 cannot be raised to a negative power");
  if (a < 0 && b != std::floor(b))
    in.error("complex numbers are not supported");
  return std::pow(a, b);
}

// Sizes that are not known yet add, multiply, divide and leave remainders.
Value dim_binary(Interpreter& in, const std::string& op, const Dim& a,
                 const Dim& b) {
  Expr zero = 0;
  if (op == "+") return from_dim(simplify(a + b));
  if (op == "-") return from_dim(simplify(a - b));
  if (op == "*") return from_dim(simplify(a * b));
  if (op == "//" && b != zero) return from_dim(simplify(floor_div(a, b)));
  if (op == "%" && b != zero) return from_dim(simplify(floor_mod(a, b)));
  in.error("{} on the symbolic size {} is not supported", op,
           sextant::to_string(constant(a) ? b : a));
}

// list + list, list * int, and the same for strings.
std::optional<Value> sequence_binary(Interpreter& in, const std::string& op,
                                     const Value& a, const Value& b) {
  const List *x = object<List>(a), *y = object<List>(b);
  if (op == "+" && x && y &&
      (x->kind == List::Kind::List) == (y->kind == List::Kind::List)) {
    std::vector<Value> items = x->items;
    items.insert(items.end(), y->items.begin(), y->items.end());
    in.tick(static_cast<int64_t>(items.size()));
    return in.make_list(x->kind, std::move(items));
  }
  const auto *s = std::get_if<std::string>(&a),
             *t = std::get_if<std::string>(&b);
  if (op == "+" && s && t) {
    in.tick(static_cast<int64_t>(s->size() + t->size()) / 16);
    return *s + *t;
  }
  if (op == "*" && as_int(a) && !as_float(b))
    return sequence_binary(in, op, b, a);
  std::optional<int64_t> times = as_int(b);
  if (op != "*" || !times || !(x || s)) return {};
  std::size_t size = x ? x->items.size() : s->size();
  if (size == 0) times = 0;
  in.tick(checked_mul(std::max<int64_t>(*times, 0), static_cast<int64_t>(size),
                      "the length"));
  std::string text;
  std::vector<Value> items;
  for (int64_t i = 0; i < *times; i++) {
    if (s) text += *s;
    if (x) items.insert(items.end(), x->items.begin(), x->items.end());
  }
  return s ? Value(text) : in.make_list(x->kind, std::move(items));
}

}  // namespace

Value Interpreter::binary(const std::string& op, const Value& a,
                          const Value& b) {
  static const std::map<std::string, Name> kRows = {
      {"+", "add"},         {"-", "sub"},          {"*", "mul"},
      {"/", "div"},         {"**", "pow"},         {"@", "matmul"},
      {"&", "bitwise_and"}, {"|", "bitwise_or"},   {"^", "bitwise_xor"},
      {"%", "remainder"},   {"//", "floor_divide"}};
  auto row = kRows.find(op);
  auto operand = [](const Value& v) {
    return object<Tensor>(v) || as_float(v) || as_dim(v);
  };
  if (object<Tensor>(a) || object<Tensor>(b)) {
    if (row == kRows.end() || (operand(a) && operand(b)))
      return call_op(row == kRows.end() ? op : row->second, {{a, b}, {}});
  } else if (as_int(a) && as_int(b)) {
    const auto *p = std::get_if<bool>(&a), *q = std::get_if<bool>(&b);
    Value r = int_binary(*this, op, *as_int(a), *as_int(b));
    bool logical = op == "&" || op == "|" || op == "^";
    return p && q && logical ? Value(as_int(r) == 1) : r;
  } else if (as_float(a) && as_float(b)) {
    return float_binary(*this, op, *as_float(a), *as_float(b));
  } else if (as_dim(a) && as_dim(b)) {
    return dim_binary(*this, op, *as_dim(a), *as_dim(b));
  } else if (std::optional<Value> r = sequence_binary(*this, op, a, b)) {
    return *r;
  }
  error("unsupported operand type(s) for {}: '{}' and '{}'", op, type_name(a),
        type_name(b));
}

namespace {

// Three-way comparison; nothing where Python has no order.
std::optional<int> order(const Value& a, const Value& b) {
  auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : x > y; };
  if (as_int(a) && as_int(b)) return sign(*as_int(a), *as_int(b));
  if (as_float(a) && as_float(b)) return sign(*as_float(a), *as_float(b));
  const auto *s = std::get_if<std::string>(&a),
             *t = std::get_if<std::string>(&b);
  if (s && t) return sign(*s, *t);
  const List *x = object<List>(a), *y = object<List>(b);
  if (!x || !y) return {};
  for (std::size_t i = 0; i < std::min(x->items.size(), y->items.size()); i++) {
    if (equal(x->items[i], y->items[i])) continue;
    // Lists inside lists have no order here, so that this always ends.
    if (object<List>(x->items[i])) return {};
    return order(x->items[i], y->items[i]);
  }
  return sign(x->items.size(), y->items.size());
}

}  // namespace

Value Interpreter::compare(const std::string& op, const Value& a,
                           const Value& b) {
  static const std::map<std::string, Name> kRows = {{"<", "lt"},  {"<=", "le"},
                                                    {">", "gt"},  {">=", "ge"},
                                                    {"==", "eq"}, {"!=", "ne"}};
  auto row = kRows.find(op);
  bool tensors = object<Tensor>(a) || object<Tensor>(b);
  if (tensors && row != kRows.end() && !is_none(a) && !is_none(b))
    return call_op(row->second, {{a, b}, {}});
  if (op == "is" || op == "isnot") {
    bool same = a.index() == b.index() && equal(a, b) &&
                (!object<List>(a) || object<List>(a) == object<List>(b));
    return same == (op == "is");
  }
  if (op == "in" || op == "notin") {
    const auto *s = std::get_if<std::string>(&a),
               *whole = std::get_if<std::string>(&b);
    bool found = false;
    if (s && whole) {
      found = whole->find(*s) != std::string::npos;
    } else {
      for (const Value& v : items_of(b))
        found = found || equal(a, v);
    }
    return found == (op == "in");
  }
  const Dim *p = std::get_if<Dim>(&a), *q = std::get_if<Dim>(&b);
  if ((p || q) && as_dim(a) && as_dim(b) && !equal(a, b))
    error("whether {} {} {} is not known before the program runs", text_of(a),
          op, text_of(b));
  bool same = equal(a, b);
  if (op == "==" || op == "!=") return same == (op == "==");
  std::optional<int> sign = same && (p || q) ? 0 : order(a, b);
  if (!sign)
    error("'{}' not supported between instances of '{}' and '{}'", op,
          type_name(a), type_name(b));
  if (op == "<") return *sign < 0;
  if (op == "<=") return *sign <= 0;
  return op == ">" ? *sign > 0 : *sign >= 0;
}

bool Interpreter::truth(const Value& v) {
  if (Tensor* t = object<Tensor>(v); t && (type(t), true))
    error("control flow on tensor values is not supported");
  if (const auto* dim = std::get_if<Dim>(&v))
    error("whether {} is 0 is not known before the program runs",
          sextant::to_string(*dim));
  if (std::optional<double> x = as_float(v)) return *x != 0;
  if (const auto* s = std::get_if<std::string>(&v)) return !s->empty();
  if (const auto* r = std::get_if<Range>(&v)) return r->size() != 0;
  if (const List* list = object<List>(v)) return !list->items.empty();
  if (const Dict* dict = object<Dict>(v)) return !dict->items.empty();
  return !is_none(v);
}

std::vector<Value> Interpreter::items_of(const Value& v) {
  std::vector<Value> out;
  if (const List* list = object<List>(v)) {
    out = list->items;
  } else if (const Dict* dict = object<Dict>(v)) {
    for (const auto& entry : dict->items)
      out.push_back(entry.first);
  } else if (const auto* s = std::get_if<std::string>(&v)) {
    for (char c : *s)
      out.emplace_back(std::string(1, c));
  } else if (const auto* r = std::get_if<Range>(&v)) {
    tick(r->size());
    for (int64_t i = 0; i < r->size(); i++)
      out.emplace_back(r->start + i * r->step);
  } else if (Tensor* t = object<Tensor>(v)) {
    type(t);
    return items_of(call(get(v, "unbind"), {}));
  } else if (std::optional<Value> iter = find(v, "__iter__")) {
    return items_of(call(*iter, {}));
  } else {
    error("'{}' object is not iterable", type_name(v));
  }
  tick(static_cast<int64_t>(out.size()));
  return out;
}

namespace {

// What a slice means for a sequence of n items: start, step and count.
Range slice_of(Interpreter& in, const Slice& slice, int64_t n) {
  auto part = [&](const Value& v, int64_t otherwise) {
    if (is_none(v)) return otherwise;
    std::optional<int64_t> i = as_int(v);
    if (!i) in.error("slice indices must be integers or None");
    return *i;
  };
  int64_t step = part(slice.step, 1);
  if (step == 0) in.error("slice step cannot be zero");
  auto clamp = [&](const Value& v, int64_t otherwise) {
    int64_t i = part(v, otherwise);
    if (is_none(v)) return i;
    if (i < 0) i = i < -n ? -1 : i + n;
    return std::clamp<int64_t>(i, step > 0 ? 0 : -1, step > 0 ? n : n - 1);
  };
  return {clamp(slice.start, step > 0 ? 0 : n - 1),
          clamp(slice.stop, step > 0 ? n : -1), step};
}

std::size_t position(Interpreter& in, const Value& index, std::size_t size,
                     const Name& what) {
  std::optional<int64_t> i = as_int(index);
  if (!i)
    in.error("{} indices must be integers or slices, not {}", what,
             type_name(index));
  auto n = static_cast<int64_t>(size);
  if (*i < -n || *i >= n) in.error("{} index out of range", what);
  return static_cast<std::size_t>(*i < 0 ? *i + n : *i);
}

}  // namespace

Value Interpreter::item(const Value& object_, const Value& index) {
  if (Tensor* t = object<Tensor>(object_)) {
    type(t);
    return call(get(t, "__getitem__"), {{index}, {}});
  }
  if (const Dict* dict = object<Dict>(object_)) {
    tick(static_cast<int64_t>(dict->items.size()) / 8);
    for (const auto& [key, value] : dict->items) {
      if (equal(key, index)) return value;
    }
    error("key {} is not in the dict", text_of(index, true));
  }
  const auto* s = std::get_if<std::string>(&object_);
  const List* list = object<List>(object_);
  bool range = std::holds_alternative<Range>(object_);
  if (!s && !list && !range) {
    if (std::optional<Value> get_item = find(object_, "__getitem__"))
      return call(*get_item, {{index}, {}});
    error("'{}' object is not subscriptable", type_name(object_));
  }
  const Slice* slice = object<Slice>(index);
  Name what = type_name(object_);
  if (list && !slice)
    return list->items[position(*this, index, list->items.size(), what)];
  std::vector<Value> items = items_of(object_);
  if (!slice) return items[position(*this, index, items.size(), what)];
  std::vector<Value> chosen;
  for (const Value& i :
       items_of(slice_of(*this, *slice, static_cast<int64_t>(items.size()))))
    chosen.push_back(items[static_cast<std::size_t>(*as_int(i))]);
  if (!s) return make_list(list ? list->kind : List::Kind::List, chosen);
  std::string text;
  for (const Value& v : chosen)
    text += std::get<std::string>(v);
  return text;
}

void Interpreter::set_item(const Value& object_, const Value& index,
                           const Value& value) {
  if (Dict* dict = object<Dict>(object_)) {
    tick(static_cast<int64_t>(dict->items.size()) / 8);
    for (auto& [key, old] : dict->items) {
      if (equal(key, index)) return void(old = value);
    }
    return void(dict->items.emplace_back(index, value));
  }
  if (object<Tensor>(object_))
    error("assignment to a part of a tensor is not supported");
  List* list = object<List>(object_);
  if (list == nullptr || list->kind != List::Kind::List)
    error("'{}' object does not support item assignment", type_name(object_));
  list->items[position(*this, index, list->items.size(), "list assignment")] =
      value;
}

}  // namespace sextant::python
