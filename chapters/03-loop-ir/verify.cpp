#include "chapters/03-loop-ir/verify.h"

#include <algorithm>
#include <set>

#include "chapters/03-loop-ir/affine.h"

namespace sextant::loop {
namespace {

// Whether a store inside loops (outermost first) writes each element of its
// buffer exactly once: along each axis of the buffer the index is a number in
// mixed radix whose digits are axes, each axis used once. An index that is not
// affine passes.
bool covers(const Store& store, const Buffer& buffer,
            const std::vector<const For*>& loops, const Bounds& bounds) {
  std::map<Name, Dim> left;  // axes that no index has used yet
  for (const For* loop : loops) {
    // Bounds make a 0 of an axis that has one value.
    if (!(loop->extent == Expr(1))) left[loop->axis] = loop->extent;
  }
  for (std::size_t d = 0; d < store.index.size(); d++) {
    std::optional<Affine> sum = affine(simplify(store.index[d], bounds));
    if (!sum) return true;
    std::vector<std::pair<int64_t, Name>> digits;
    for (const auto& [name, coefficient] : sum->terms) {
      Interval known = bounds.of(name);
      if (known.lo != 0 || known.hi != 0) digits.push_back({coefficient, name});
    }
    std::sort(digits.begin(), digits.end());
    Dim reached = 1;
    for (const auto& [coefficient, name] : digits) {
      auto axis = left.find(name);
      if (axis == left.end() || !(Expr(coefficient) == reached)) {
        return false;
      }
      reached = simplify(reached * axis->second, bounds);
      left.erase(axis);
    }
    if (sum->constant != 0) return false;
    if (!(reached == simplify(buffer.shape[d], bounds))) return false;
  }
  return left.empty();
}

// Checks one kernel; complaints are collected.
class Verifier {
 public:
  Verifier(const Program& program, const Tables& tables, Diagnostics& wrong)
      : program_(program), tables_(tables), wrong_(wrong) {
    for (const Symbol& s : program.symbols)
      types_[s.name] = DType::Int64;
    bounds_ = symbol_bounds(program);
  }

  void run(const Kernel& kernel) {
    kernel_ = &kernel;
    body(kernel.body);
    for (const Name& name : writes_) {
      if (reads_.count(name) != 0) complain("reads what it writes: {}", name);
    }
  }

  const std::set<Name>& reads() const { return reads_; }
  const std::set<Name>& writes() const { return writes_; }

 private:
  template <class... Args>
  void complain(fmt::format_string<Args...> text, Args&&... args) {
    wrong_.add({}, "kernel {}: {}", kernel_->name,
               fmt::format(text, std::forward<Args>(args)...));
  }

  void define(const Name& name, DType type) {
    if (!defined_.insert(name).second) complain("{} is defined twice", name);
    types_[name] = type;
    scope_.push_back(name);
  }

  // The type of an expression, or nothing, and a complaint, if it has none.
  std::optional<DType> type(const Expr& e) {
    for (const Name& name : names_in(e)) {
      if (types_.count(name) != 0) continue;
      complain("{} is used where it is not defined", name);
      return std::nullopt;
    }
    try {
      return type_of(tables_, e, [&](const Name& n) { return types_.at(n); });
    } catch (const Error& error) {
      complain("{}", error.diagnostics()[0].message);
      return std::nullopt;
    }
  }

  void expect_integer(const Expr& e, const char* what) {
    std::optional<DType> t = type(e);
    if (t && is_float(*t)) {
      complain("{} '{}' is {}", what, to_string(e), name_of(*t));
    }
  }

  const Buffer* access(const Name& name, const std::vector<Expr>& index) {
    const Buffer* buffer = program_.buffer(name);
    if (buffer == nullptr) {
      complain("there is no buffer {}", name);
      return nullptr;
    }
    if (buffer->shape.size() != index.size()) {
      complain("{} has {} axes and {} indices", name, buffer->shape.size(),
               index.size());
    }
    for (const Expr& e : index)
      expect_integer(e, "index");
    return buffer;
  }

  void body(const std::vector<Stmt>& stmts) {
    std::size_t outer = scope_.size();
    for (const Stmt& s : stmts)
      std::visit([&](const auto& node) { check(node); }, s.variant());
    // Names go out of scope with their body.
    for (std::size_t i = outer; i < scope_.size(); i++)
      types_.erase(scope_[i]);
    scope_.resize(outer);
  }

  void check(const For& loop) {
    expect_integer(loop.extent, "extent");
    if (types_.count(loop.axis) != 0) {
      complain("{} names an enclosing axis or a value", loop.axis);
      return;
    }
    bool reduces = !loop.carries.empty();
    loops_.push_back(&loop);
    types_[loop.axis] = DType::Int64;
    bounds_.set_extent(loop.axis, loop.extent);
    reduce_depth_ += reduces;
    body(loop.body);
    reduce_depth_ -= reduces;
    types_.erase(loop.axis);
    loops_.pop_back();
    for (const Carry& carry : loop.carries) {
      if (tables_.find<Combiner>(carry.combiner) == nullptr) {
        complain("there is no combiner {}", carry.combiner);
      }
      define(carry.name, carry.dtype);
    }
  }

  void check(const Load& load) {
    const Buffer* buffer = access(load.buffer, load.index);
    if (load.guard) expect_integer(load.guard, "guard");
    if (buffer == nullptr) return;
    reads_.insert(load.buffer);
    bool is_constant =
        load.otherwise &&
        (is_float(buffer->dtype) ? load.otherwise.as<Float>() != nullptr
                                 : load.otherwise.as<Int>() != nullptr);
    if (load.guard && !is_constant) {
      complain("a guarded load of {} needs a constant for 'else'", load.buffer);
    }
    define(load.out, buffer->dtype);
  }

  void check(const Let& let) {
    std::optional<DType> t = type(let.value);
    define(let.out, t.value_or(DType::Float32));
  }

  void check(const Accum& accum) {
    const Combiner* row = tables_.find<Combiner>(accum.combiner);
    std::size_t states = row == nullptr ? 0 : row->identity.size();
    if (accum.state.size() != states || accum.value.size() != states) {
      complain("'{}' does not fit its combiner", accum.combiner);
      return;
    }
    if (accum.guard) expect_integer(accum.guard, "guard");
    for (std::size_t i = 0; i < states; i++) {
      const Carry* carry = carried(accum.state[i]);
      std::optional<DType> t = type(accum.value[i]);
      if (carry == nullptr) {
        complain("{} is not carried by the innermost loop", accum.state[i]);
      } else if (carry->combiner != accum.combiner ||
                 (t && t != carry->dtype)) {
        complain("{} takes {} of {}", accum.state[i], carry->combiner,
                 name_of(carry->dtype));
      }
    }
  }

  const Carry* carried(const Name& name) const {
    if (loops_.empty()) return nullptr;
    for (const Carry& c : loops_.back()->carries) {
      if (c.name == name) return &c;
    }
    return nullptr;
  }

  void check(const Store& store) {
    const Buffer* buffer = access(store.buffer, store.index);
    if (store.guard) expect_integer(store.guard, "guard");
    std::optional<DType> t = type(store.value);
    if (buffer == nullptr) return;
    if (t && *t != buffer->dtype) {
      complain("{} is stored into {}, which is {}", name_of(*t), store.buffer,
               name_of(buffer->dtype));
    }
    if (buffer->role == Role::Input || buffer->role == Role::Weight) {
      complain("{} is a parameter", store.buffer);
    }
    if (reduce_depth_ > 0) complain("a store stands in a reduce loop");
    if (!writes_.insert(store.buffer).second) {
      complain("{} is stored twice", store.buffer);
    }
    if (!store.guard && store.index.size() == buffer->shape.size() &&
        !covers(store, *buffer, loops_, bounds_)) {
      complain("not every element of {} is stored once", store.buffer);
    }
  }

  const Program& program_;
  const Tables& tables_;
  Diagnostics& wrong_;
  const Kernel* kernel_ = nullptr;
  Bounds bounds_;
  std::map<Name, DType> types_;  // of what is in scope
  std::vector<Name> scope_;      // values in scope, in order
  std::set<Name> defined_, reads_, writes_;
  std::vector<const For*> loops_;
  int reduce_depth_ = 0;
};

void check_buffers(const Program& program, Diagnostics& wrong) {
  std::set<Name> names;
  for (const Buffer& b : program.buffers) {
    if (!names.insert(b.name).second) {
      wrong.add({}, "two buffers are named {}", b.name);
    }
    const Buffer* memory = b.alias.empty() ? nullptr : program.buffer(b.alias);
    if (!b.alias.empty() && (memory == nullptr || memory->dtype != b.dtype)) {
      wrong.add({}, "{} cannot lie where {} is", b.name, b.alias);
    }
  }
}

}  // namespace

void verify(const Program& program, const Tables& tables) {
  Diagnostics wrong;
  check_buffers(program, wrong);
  std::set<Name> filled;
  for (const Buffer& b : program.buffers) {
    if (b.role == Role::Input || b.role == Role::Weight) filled.insert(b.name);
  }
  std::set<Name> kernels;
  for (const Kernel& k : program.kernels) {
    if (!kernels.insert(k.name).second) {
      wrong.add({}, "two kernels are named {}", k.name);
    }
  }
  std::set<Name> launched;
  for (const Launch& launch : program.launches) {
    const Kernel* kernel = program.kernel(launch.kernel);
    if (kernel == nullptr || !launched.insert(launch.kernel).second) {
      wrong.add({}, "launch {}: {}", launch.kernel,
                kernel == nullptr ? "there is no such kernel" : "a second one");
      continue;
    }
    if (!launch.bindings.empty()) {
      wrong.add({}, "launch {}: Loop IR binds no buffers", launch.kernel);
    }
    Verifier verifier(program, tables, wrong);
    verifier.run(*kernel);
    for (const Name& name : verifier.reads()) {
      if (filled.count(name) == 0 && verifier.writes().count(name) == 0) {
        wrong.add({}, "kernel {}: nobody has written {} yet", kernel->name,
                  name);
      }
    }
    for (const Name& name : verifier.writes()) {
      if (!filled.insert(name).second) {
        wrong.add({}, "kernel {}: {} is written already", kernel->name, name);
      }
    }
  }
  for (const Kernel& k : program.kernels) {
    if (launched.count(k.name) == 0) {
      wrong.add({}, "kernel {} is never launched", k.name);
    }
  }
  for (const Buffer& b : program.buffers) {
    if (b.role == Role::Output && filled.count(b.name) == 0) {
      wrong.add({}, "nobody writes output {}", b.name);
    }
  }
  wrong.raise();
}

}  // namespace sextant::loop
