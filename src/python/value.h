// The `-c` language, step three: what expressions stand for. All values but
// tensors are known while the program is read; they follow Python's rules.
#pragma once

#include "chapters/01-torch-ir/builder.h"
#include "src/python/tree.h"

namespace sextant::python {

struct Interpreter;
struct List;
struct Dict;
struct Slice;
struct Tensor;
struct Function;
struct Builtin;
struct Method;
struct Class;
struct Instance;
struct Namespace;

using None = std::monostate;
struct Ellipsis {
  bool operator==(const Ellipsis&) const = default;
};
struct Range {
  int64_t start = 0, stop = 0, step = 1;
  int64_t size() const;
  bool operator==(const Range&) const = default;
};

/// A value of the language. Pointers lead to objects that the interpreter
/// owns; two values are the same object when the pointers are. A `Dim` is an
/// int that is known only when the program runs.
using Value =
    std::variant<None, bool, int64_t, Dim, double, std::string, DType, Ellipsis,
                 Range, List*, Dict*, Slice*, Tensor*, Function*, Builtin*,
                 Method*, Class*, Instance*, Namespace*>;

struct List {
  enum class Kind { List, Tuple, Size } kind = Kind::List;
  std::vector<Value> items;
};
struct Dict {
  std::vector<std::pair<Value, Value>> items;
};
struct Slice {
  Value start, stop, step;
};

/// Names and their values, in the order of their first assignment.
struct Scope {
  std::vector<std::pair<Name, Value>> entries;
  Scope* around = nullptr;
  const std::set<Name>* locals = nullptr;  // what a function assigns

  Value* find(const Name& name);
  void set(const Name& name, Value value);
};

/// A tensor of the program. One that a constructor made has no value in the
/// graph until it is used, so that an assignment can still name it.
struct Tensor {
  Name value;  // in the graph; empty: not there yet
  torch::Type type;
  Role role = Role::Input;
  Name wish;     // the name it was assigned to
  Name written;  // the call that made it, and where
  Place at;
  bool wrong = false;  // the result of a call that was complained about
  int memory = 0;      // views of one another have the same number
};

struct Function {
  Tree code;                 // def or lambda
  Tree parameters, body;     // of it
  Name name;                 // "Block.forward"
  Scope* around = nullptr;   // where it was defined
  std::vector<Value> usual;  // defaults, one for each parameter
  Class* owner = nullptr;    // of a method
  enum class Kind { Plain, Property, Static } kind = Kind::Plain;
  std::set<Name> locals;  // the names that it assigns
};

struct Args {
  std::vector<Value> positional;
  std::vector<std::pair<Name, Value>> keywords;
};

/// A function in C++, or a row of the op table: then `name` is the row's.
struct Builtin {
  Name name;
  Value (*call)(Interpreter&, const Builtin&, Args&) = nullptr;
};
struct Method {
  Value self, function;
};
struct Class {
  Name name;
  Class* base = nullptr;
  Scope* members = nullptr;
  bool is_ours = false;
  /// The member, looked up through the bases.
  Value* find(const Name& name);
  bool derives_from(const Class* other) const;
};
struct Instance {
  Class* type = nullptr;
  Scope attributes;
  Name path;           // of a module, from the one that was called
  bool named = false;  // parameters below have their names
};
struct Namespace {
  Name name;
  Scope* members = nullptr;
};

/// Python's name of the value's type: 'int', 'Tensor', a class' name.
Name type_name(const Value& v);
/// What `str(v)` gives; strings inside containers are quoted.
std::string text_of(const Value& v, bool quoted = false);
/// `a == b` on values that are no tensors.
bool equal(const Value& a, const Value& b);

template <class T>
T* object(const Value& v) {
  T* const* p = std::get_if<T*>(&v);
  return p == nullptr ? nullptr : *p;
}
inline bool is_none(const Value& v) {
  return std::holds_alternative<None>(v);
}
/// An int or bool, as an int.
std::optional<int64_t> as_int(const Value& v);
/// An int, bool or float, as a float.
std::optional<double> as_float(const Value& v);
/// A size: an int that is known, or not yet.
std::optional<Dim> as_dim(const Value& v);
Value from_dim(const Dim& dim);

}  // namespace sextant::python
