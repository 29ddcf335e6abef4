#include "src/python/value.h"

#include <algorithm>
#include <cmath>

#include "src/base/text.h"

namespace sextant::python {

int64_t Range::size() const {
  // Unsigned, since the distance of two int64 may not fit into one.
  auto a = static_cast<uint64_t>(start), b = static_cast<uint64_t>(stop);
  if (step > 0 ? start >= stop : start <= stop) return 0;
  uint64_t gap = step > 0 ? b - a - 1 : a - b - 1;
  auto by = static_cast<uint64_t>(step);
  uint64_t n = gap / (step > 0 ? by : ~by + 1);
  return static_cast<int64_t>(std::min<uint64_t>(n, INT64_MAX - 1)) + 1;
}

Value* Scope::find(const Name& name) {
  for (auto& [key, value] : entries) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Scope::set(const Name& name, Value value) {
  if (Value* old = find(name)) {
    *old = std::move(value);
  } else {
    entries.emplace_back(name, std::move(value));
  }
}

Value* Class::find(const Name& name) {
  for (Class* c = this; c != nullptr; c = c->base) {
    if (Value* found = c->members->find(name)) return found;
  }
  return nullptr;
}

bool Class::derives_from(const Class* other) const {
  for (const Class* c = this; c != nullptr; c = c->base) {
    if (c == other) return true;
  }
  return false;
}

namespace {

// In the order of the variant; of a list, by its kind.
constexpr const char* kTypeNames[] = {
    "NoneType", "bool",   "int",  "int",    "float", "str",    "torch.dtype",
    "ellipsis", "range",  "list", "dict",   "slice", "Tensor", "function",
    "builtin",  "method", "type", "object", "module"};
constexpr const char* kListNames[] = {"list", "tuple", "torch.Size"};

std::string float_text(double x) {
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  if (std::isnan(x)) return "nan";
  std::string text = fmt::format("{}", x);
  bool plain = text.find_first_of(".e") == std::string::npos;
  return plain ? text + ".0" : text;
}

// Lists may hold themselves, and each other many times over: a text ends
// where it is long or deep enough.
struct TextOf {
  bool quoted;
  int depth;
  std::size_t& left;

  std::string item(const Value& v) const {
    if (depth > 20 || left == 0) return "...";
    left--;
    return std::visit(TextOf{true, depth + 1, left}, v);
  }
  std::string operator()(None) const { return "None"; }
  std::string operator()(bool b) const { return b ? "True" : "False"; }
  std::string operator()(int64_t i) const { return fmt::format("{}", i); }
  std::string operator()(const Dim& d) const { return sextant::to_string(d); }
  std::string operator()(double x) const { return float_text(x); }
  std::string operator()(const std::string& s) const {
    return quoted ? "'" + s + "'" : s;
  }
  std::string operator()(DType t) const {
    return "torch." + std::string(name_of(t));
  }
  std::string operator()(Ellipsis) const { return "Ellipsis"; }
  std::string operator()(Range r) const {
    return fmt::format("range({}, {}, {})", r.start, r.stop, r.step);
  }
  std::string operator()(const List* l) const {
    std::vector<std::string> parts;
    for (const Value& v : l->items)
      parts.push_back(item(v));
    std::string all = join(parts);
    if (l->kind == List::Kind::List) return "[" + all + "]";
    if (l->kind == List::Kind::Size) return "torch.Size([" + all + "])";
    return "(" + all + (parts.size() == 1 ? ",)" : ")");
  }
  std::string operator()(const Dict* d) const {
    std::vector<std::string> parts;
    for (const auto& [key, value] : d->items)
      parts.push_back(item(key) + ": " + item(value));
    return "{" + join(parts) + "}";
  }
  template <class T>
  std::string operator()(T* p) const {
    return "<" + type_name(p) + ">";
  }
};

}  // namespace

Name type_name(const Value& v) {
  if (const Instance* i = object<Instance>(v)) return i->type->name;
  if (const List* list = object<List>(v))
    return kListNames[static_cast<int>(list->kind)];
  return kTypeNames[v.index()];
}

std::string text_of(const Value& v, bool quoted) {
  std::size_t left = 1000;
  return std::visit(TextOf{quoted, 0, left}, v);
}

std::optional<int64_t> as_int(const Value& v) {
  if (const bool* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  if (const int64_t* i = std::get_if<int64_t>(&v)) return *i;
  return {};
}

std::optional<double> as_float(const Value& v) {
  if (const double* x = std::get_if<double>(&v)) return *x;
  if (std::optional<int64_t> i = as_int(v)) return static_cast<double>(*i);
  return {};
}

std::optional<Dim> as_dim(const Value& v) {
  if (const Dim* d = std::get_if<Dim>(&v)) return *d;
  if (std::optional<int64_t> i = as_int(v)) return Dim(*i);
  return {};
}

Value from_dim(const Dim& dim) {
  if (std::optional<int64_t> n = constant(dim)) return *n;
  return dim;
}

namespace {

bool equal_within(const Value& a, const Value& b, int depth, int64_t& left) {
  if (depth > 50 || --left < 0) fail({}, "values are too large to compare");
  if (as_int(a) && as_int(b)) return *as_int(a) == *as_int(b);
  if (as_float(a) && as_float(b)) return *as_float(a) == *as_float(b);
  if (as_dim(a) && as_dim(b)) return *as_dim(a) == *as_dim(b);
  const List *x = object<List>(a), *y = object<List>(b);
  if (x && y) {
    auto same = [&](const Value& u, const Value& v) {
      return equal_within(u, v, depth + 1, left);
    };
    bool list = x->kind == List::Kind::List;
    return list == (y->kind == List::Kind::List) &&
           std::equal(x->items.begin(), x->items.end(), y->items.begin(),
                      y->items.end(), same);
  }
  return a == b;
}

}  // namespace

bool equal(const Value& a, const Value& b) {
  int64_t left = 100'000;
  return equal_within(a, b, 0, left);
}

}  // namespace sextant::python
