#include "chapters/05-kernel-ir/verify.h"

#include <algorithm>
#include <set>

#include "chapters/05-kernel-ir/intrinsics.h"
#include "chapters/05-kernel-ir/syntax.h"
#include "src/base/array.h"
#include "src/base/walk.h"

namespace sextant::kernel {

std::string line_of(const Stmt& stmt) {
  return split_lines(print(stmt), "").front().text;
}

namespace {

class Verifier {
 public:
  Verifier(const Tables& tables, const Program& program, const Kernel& kernel)
      : tables_(tables), program_(program), kernel_(kernel) {}

  Diagnostics run() {
    bounds_ = symbol_bounds(program_);
    for (const Symbol& s : program_.symbols)
      types_[s.name] = DType::Int64;
    types_["tid"] = types_["bid"] = DType::Int64;
    from_tid_.insert("tid");
    bounds_.set("tid", {0, kernel_.block - 1});
    if (kernel_.block < 1 || kernel_.block > 1024) {
      complain("a block has 1 to 1024 threads, not {}", kernel_.block);
    }
    scalar(kernel_.grid, {DType::Int64}, "the grid");
    bounds_.set("bid", {0, bounds_of(kernel_.grid, bounds_).hi - 1});
    for (const Object& object : kernel_.objects)
      declare(object);
    int64_t limit = shared_limit(program_.target);
    if (list_.empty() && shared_bytes(kernel_) > limit) {
      complain("{} bytes of shared memory; {} has {} for a block",
               shared_bytes(kernel_),
               program_.target.empty() ? "any target" : program_.target, limit);
    }
    if (list_.empty()) body(kernel_.body);
    return list_;
  }

 private:
  template <class... Args>
  void complain(fmt::format_string<Args...> text, Args&&... args) {
    std::string at = at_ == nullptr ? "" : "at `" + line_of(*at_) + "`: ";
    list_.add({}, "kernel {}: {}{}", kernel_.name, at,
              fmt::format(text, std::forward<Args>(args)...));
  }

  // Does `f`; what it raises is a complaint, and checking goes on.
  template <class F>
  void caught(F&& f) {
    try {
      f();
    } catch (const Error& error) {
      for (const Diagnostic& d : error.diagnostics())
        complain("{}", d.message);
    }
  }

  void declare(const Object& object) {
    if (types_.count(object.name) != 0 || !objects_.insert(object.name).second)
      complain("two things are named {}", object.name);
    int64_t size = size_of(object.dtype), align = object.align;
    if (align != 0 && (align < size || (align & (align - 1)) != 0)) {
      complain(
          "{} is aligned to {} bytes: wanted a power of two of at least "
          "{}",
          object.name, align, size);
    }
    for (const Dim& extent : object.shape) {
      bool fixed = constant(extent) && value_of(extent) > 0;
      if (object.space != Space::Global && !fixed) {
        complain("{} needs constant extents, not '{}'", object.name,
                 to_string(extent));
      }
    }
  }

  // --- expressions -----------------------------------------------------------
  DType type_of_name(const Name& name) {
    auto found = types_.find(name);
    if (found != types_.end()) return found->second;
    const Object* object = find_object(kernel_, name);
    if (object == nullptr) fail({}, "'{}' has no value here", name);
    if (object->space != Space::Registers)
      fail({}, "'{}' is memory: a load reads it", name);
    return object->dtype;
  }

  // The type of an expression, after checking all cells in it.
  DType type(const Expr& e) {
    auto of = [&](const Name& n) { return type_of_name(n); };
    walk<Expr>(e, [&](const Expr& x) {
      if (const Var* v = x.as<Var>()) cell(*v, 1);
      const Binary* b = x.as<Binary>();
      if (b == nullptr) return;
      for (const Expr& operand : {b->a, b->b}) {
        DType t = type_of(tables_, operand, of);
        if (is_float(t)) {
          fail({}, "'{}' counts with '{}', which is {}", to_string(x),
               to_string(operand), name_of(t));
        }
      }
      bool divides = b->op == BinaryOp::Div || b->op == BinaryOp::Mod;
      if (divides && constant(b->b) == 0) fail({}, "division by zero");
    });
    return type_of(tables_, e, of);
  }

  void scalar(const Expr& e, const std::set<DType>& wanted,
              const std::string& what) {
    if (!e) return;
    caught([&] {
      DType t = type(e);
      // A literal takes the type that it is put into.
      if (e.kind() == ExprKind::Int && wanted.count(DType::Bool) != 0) return;
      if (wanted.count(t) != 0) return;
      fail({}, "{} is {}, not {}", what, name_of(t), name_of(*wanted.begin()));
    });
  }
  void offset(const Expr& e) { scalar(e, {DType::Int64}, "the offset"); }
  void truth(const Expr& e) {
    scalar(e, {DType::Bool, DType::Int64}, "the condition");
  }

  // `width` cells from v on are registers: constant once unrolled, in range.
  void cell(const Var& v, int64_t width) {
    const Object* object = find_object(kernel_, v.name);
    if (object == nullptr || object->space != Space::Registers) {
      if (!v.index.empty()) fail({}, "'{}' has no cells in registers", v.name);
      return;
    }
    if (v.index.size() != 1)
      fail({}, "a cell of '{}' needs one number", v.name);
    std::vector<Name> names = names_in(v.index[0]);
    for (const Name& n : names) {
      if (unrolled_.count(n) != 0) continue;
      fail({}, "'{}' is not constant once loops are unrolled: '{}' is none",
           to_string(Expr(v)), n);
    }
    std::vector<int64_t> turns;
    for (const Name& n : names)
      turns.push_back(static_cast<int64_t>(unrolled_.at(n).size()));
    int64_t cells = elements_of(*object);
    each_index(turns, [&](const std::vector<int64_t>& turn) {
      Values at;
      for (std::size_t k = 0; k < names.size(); k++)
        at[names[k]] = unrolled_.at(names[k])[turn[k]];
      int64_t i = evaluate(v.index[0], at);
      if (i < 0 || i + width > cells) {
        fail({}, "cell {} of {}, which has {}", i < 0 ? i : i + width - 1,
             v.name, cells);
      }
    });
  }

  // --- statements
  // --------------------------------------------------------------
  void body(const std::vector<Stmt>& list) {
    std::map<Name, DType> outer = types_;
    for (const Stmt& s : list) {
      const Stmt* before = std::exchange(at_, &s);
      caught([&] {
        std::visit([&](const auto& node) { statement(node); }, s.variant());
      });
      at_ = before;
    }
    types_ = outer;
  }

  bool depends_on_tid(const Expr& e) {
    std::vector<Name> names = names_in(e);
    return std::any_of(names.begin(), names.end(),
                       [&](const Name& n) { return from_tid_.count(n) != 0; });
  }

  // `out` receives a value of that type: a new scalar, one in scope, a cell.
  void assign(const Var& out, DType dtype, int64_t width, bool from_tid) {
    const Object* object = find_object(kernel_, out.name);
    if (object != nullptr) {
      cell(out, width);
      if (object->space != Space::Registers)
        fail({}, "'{}' is memory: a store writes it", out.name);
      if (object->dtype != dtype) {
        fail({}, "{} holds {}, not {}", out.name, name_of(object->dtype),
             name_of(dtype));
      }
      return;
    }
    if (!out.index.empty()) fail({}, "no object is named {}", out.name);
    if (width > 1) fail({}, "{} elements need registers", width);
    if (fixed_.count(out.name) != 0 || out.name == "tid" || out.name == "bid")
      fail({}, "'{}' cannot be assigned", out.name);
    auto known = ever_.find(out.name);
    if (known != ever_.end() && known->second != dtype) {
      fail({}, "'{}' was {} and cannot be {}", out.name, name_of(known->second),
           name_of(dtype));
    }
    ever_[out.name] = types_[out.name] = dtype;
    if (from_tid || divergent_ > 0) from_tid_.insert(out.name);
  }

  void statement(const Let& x) {
    DType dtype = type(x.value);
    assign(x.out, dtype, 1, depends_on_tid(x.value));
  }

  // The object that an access names; checks width, alignment and offset.
  const Object& access(const Name& name, const Expr& at, int64_t width) {
    const Object* object = find_object(kernel_, name);
    if (object == nullptr) fail({}, "no object is named {}", name);
    if (object->space == Space::Registers)
      fail({}, "{} is in registers, which have names, not places", name);
    offset(at);
    int64_t bytes = width * size_of(object->dtype);
    bool power = width == 1 || width == 2 || width == 4 || width == 8;
    if (!power || bytes > 16) {
      fail({},
           "{} elements of {} are {} bytes: wanted 1, 2, 4 or 8 elements "
           "and at most 16 bytes",
           width, name, bytes);
    }
    // Global buffers are aligned to 256 bytes by whoever allocates them.
    int64_t align = std::max(object->align, size_of(object->dtype));
    if (object->space == Space::Smem && align < bytes) {
      fail({}, "{} is aligned to {} bytes; an access takes {}", name, align,
           bytes);
    }
    Expr rest = simplify(floor_mod(at, Expr(width)), bounds_);
    if (constant(rest) && value_of(rest) != 0) {
      fail({}, "the offset is {} more than a multiple of the width {}",
           value_of(rest), width);
    }
    return *object;
  }

  void statement(const Load& x) {
    const Object& from = access(x.from, x.offset, x.width);
    truth(x.guard);
    if (!x.guard != !x.otherwise)
      fail({}, "`if` and `else` of a load come together");
    DType t = x.otherwise ? type(x.otherwise) : from.dtype;
    bool literal =
        x.otherwise.as<Int>() != nullptr && from.dtype == DType::Bool;
    if (t != from.dtype && !literal) {
      fail({}, "{} holds {}, and `else` is {}", x.from, name_of(from.dtype),
           name_of(t));
    }
    assign(x.out, from.dtype, x.width, false);
  }

  void statement(const Store& x) {
    const Object& to = access(x.to, x.offset, x.width);
    truth(x.guard);
    DType t = type(x.value);
    if (t != to.dtype)
      fail({}, "{} holds {}, not {}", x.to, name_of(to.dtype), name_of(t));
    if (x.width == 1) return;
    const Var* first = x.value.as<Var>();
    if (first == nullptr || first->index.empty())
      fail({}, "{} elements come from registers that follow each other",
           x.width);
    cell(*first, x.width);
  }

  void statement(const For& x) {
    for (const Expr& e : {x.begin, x.end, x.step})
      scalar(e, {DType::Int64}, "a bound");
    if (types_.count(x.var) != 0 || ever_.count(x.var) != 0 ||
        find_object(kernel_, x.var) != nullptr)
      fail({}, "'{}' has a meaning already", x.var);
    Expr step = x.step ? x.step : Expr(1);
    if (bounds_of(step, bounds_).lo < 1)
      fail({}, "the step '{}' may not be positive", to_string(step));
    if (depends_on_tid(step))
      fail({}, "the step '{}' differs between threads", to_string(step));
    walk<Stmt>(x.body, [&](const Stmt& s) {
      for (const Var& out : assigned_by(s)) {
        for (const Expr& e : {x.begin, x.end, step}) {
          if (mentions(e, out.name))
            fail({}, "the loop assigns '{}', which its bounds use", out.name);
        }
      }
    });
    Interval from = bounds_of(x.begin, bounds_);
    Interval to = bounds_of(x.end, bounds_);
    bounds_.set(x.var, {from.lo, std::max(from.lo, to.hi - 1)});
    if (x.unroll) unroll(x, step);
    bool diverges = depends_on_tid(x.begin) || depends_on_tid(x.end);
    if (diverges) from_tid_.insert(x.var);
    types_[x.var] = DType::Int64;
    fixed_.insert(x.var);
    divergent_ += diverges;
    body(x.body);
    divergent_ -= diverges;
    fixed_.erase(x.var);
    types_.erase(x.var);
    unrolled_.erase(x.var);
  }

  void unroll(const For& x, const Expr& step) {
    std::optional<int64_t> begin = constant(x.begin), end = constant(x.end);
    if (!begin || !end || !constant(step))
      fail({}, "an unrolled loop has constant bounds");
    std::vector<int64_t>& values = unrolled_[x.var];
    for (int64_t i = *begin; i < *end; i += value_of(step)) {
      values.push_back(i);
      if (values.size() > 4096) fail({}, "more than 4096 turns to unroll");
    }
    bounds_.set(x.var, {*begin, std::max(*begin, *end - 1)});
  }

  void statement(const If& x) {
    truth(x.cond);
    bool diverges = depends_on_tid(x.cond);
    divergent_ += diverges;
    body(x.body);
    body(x.otherwise);
    divergent_ -= diverges;
  }

  void statement(const Sync& x) {
    if (x.barrier != 0)
      fail({}, "there is no barrier {}: only 0, the whole block's", x.barrier);
    if (divergent_ > 0)
      fail({},
           "not all threads of the block come here: what is around it "
           "depends on tid");
  }

  void statement(const Call& x) {
    const Intrinsic* row = tables_.find<Intrinsic>(x.intrinsic);
    if (row == nullptr) fail({}, "no intrinsic is named {}", x.intrinsic);
    if (x.in.size() != row->operands.size()) {
      fail({}, "{} takes {} operands, not {}", row->name, row->operands.size(),
           x.in.size());
    }
    if (x.out.size() > 1 || (row->result < 0 && !x.out.empty()))
      fail({}, "{} has {} result", row->name, row->result < 0 ? "no" : "one");
    for (std::size_t i = 0; i < x.in.size(); i++)
      operand(*row, x.in[i], static_cast<int>(i));
    std::string wrong = row->verify(x, kernel_);
    if (!wrong.empty()) fail({}, "{} {}", row->name, wrong);
    if (x.out.empty()) return;
    const Expr& like = x.in[row->result];
    bool place = row->operands[row->result] <= Operand::Global;
    DType dtype =
        place ? find_object(kernel_, like.get<Var>().name)->dtype : type(like);
    assign(x.out[0], dtype, 1, true);
  }

  void operand(const Intrinsic& row, const Expr& e, int number) {
    Operand kind = row.operands[number];
    if (kind <= Operand::Global) {
      const Var* place = e.as<Var>();
      const Object* object =
          place == nullptr ? nullptr : find_object(kernel_, place->name);
      Space space = kind == Operand::Shared ? Space::Smem : Space::Global;
      if (object == nullptr || object->space != space ||
          place->index.size() != 1) {
        fail({}, "operand {} of {} is a place in {} memory, x[offset]",
             number + 1, row.name, space == Space::Smem ? "shared" : "global");
      }
      offset(place->index[0]);
    } else if (kind == Operand::Constant) {
      if (!constant(e) || value_of(e) < 0)
        fail({}, "operand {} of {} is a constant", number + 1, row.name);
    } else if (kind == Operand::Index) {
      truth(e);
    } else {
      type(e);
    }
  }

  const Tables& tables_;
  const Program& program_;
  const Kernel& kernel_;
  Diagnostics list_;
  Bounds bounds_;
  const Stmt* at_ = nullptr;
  std::map<Name, DType> types_;  // of scalars in scope
  std::map<Name, DType> ever_;   // of scalars anywhere in the kernel
  std::set<Name> objects_, fixed_;
  std::set<Name> from_tid_;  // scalars that may differ between threads
  std::map<Name, std::vector<int64_t>> unrolled_;
  int divergent_ = 0;  // conditions and loops around that depend on tid
};

}  // namespace

Diagnostics diagnose(const Tables& tables, const Program& program,
                     const Kernel& kernel) {
  return Verifier(tables, program, kernel).run();
}

void verify(const Tables& tables, const Program& program,
            const Kernel& kernel) {
  diagnose(tables, program, kernel).raise();
}

}  // namespace sextant::kernel
