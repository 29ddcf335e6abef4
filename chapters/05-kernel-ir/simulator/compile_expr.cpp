// Expressions. An integer is a sum: what differs between threads goes into a
// lane slot, what does not into a uniform slot, and the rest is a constant.
#include <cmath>

#include "chapters/05-kernel-ir/simulator/compile.h"

namespace sextant::kernel {

DType Compiler::type(const Expr& e) const {
  return type_of(tables_, e, [&](const Name& name) {
    auto found = types_.find(name);
    return found == types_.end() ? DType::Int64 : found->second;
  });
}

// With every name that is known as an expression replaced by it.
Expr Compiler::resolve(const Expr& e) const {
  return simplify(substitute(e, means_), bounds_);
}

int64_t Compiler::number(const Expr& e) const {
  if (const Int* i = e.as<Int>()) return i->value;
  if (const Binary* b = e.as<Binary>())
    return apply(b->op, number(b->a), number(b->b));
  const Var* v = e.as<Var>();
  auto found = v == nullptr ? means_.end() : means_.find(v->name);
  INVARIANT(found != means_.end(), "'{}' is not constant", to_string(e));
  return value_of(found->second);
}

int Compiler::float_slot(const Name& name) {
  code_.floats.push_back(name);
  return static_cast<int>(code_.floats.size()) - 1;
}

int Compiler::lane_slot(const Name& name) {
  code_.lanes.push_back(name);
  return static_cast<int>(code_.lanes.size()) - 1;
}

// The slot of an expression, the same for all copies of it.
int Compiler::slot_for(const std::string& text, bool lane) {
  auto [found, fresh] = slot_of_text_.emplace(text, 0);
  if (fresh) found->second = lane ? lane_slot() : code_.uniforms++;
  return found->second;
}

// A float slot that lives until the statement ends.
int Compiler::temporary() {
  if (temporaries_used_ == temporaries_.size())
    temporaries_.push_back(float_slot());
  return temporaries_[temporaries_used_++];
}

int Compiler::float_constant(float value) {
  for (const auto& [slot, x] : code_.constants) {
    if (x == value && std::signbit(x) == std::signbit(value)) return slot;
  }
  int slot = float_slot();
  code_.constants.push_back({slot, value});
  return slot;
}

int Compiler::row(const Name& name) {
  const ScalarOp* wanted = &scalar_op(tables_, name);
  for (std::size_t i = 0; i < code_.rows.size(); i++) {
    if (code_.rows[i] == wanted) return static_cast<int>(i);
  }
  code_.rows.push_back(wanted);
  return static_cast<int>(code_.rows.size()) - 1;
}

// --- integers ----------------------------------------------------------------

// Where the value of an integer is settled; of a name and of a cell of
// registers, where it lies.
Compiler::Atom Compiler::settled(const Expr& e) const {
  if (e.as<Int>() != nullptr) return {-1, false, true, 0};
  if (const Var* v = e.as<Var>()) {
    Atom atom = atoms_.at(v->name);
    if (!v->index.empty()) atom.slot += static_cast<int>(number(v->index[0]));
    return atom;
  }
  const Binary* both = e.as<Binary>();
  if (both == nullptr) return {-1, true, false, 0};
  Atom a = settled(both->a), b = settled(both->b);
  return {-1, a.lane || b.lane, a.fixed && b.fixed, std::max(a.depth, b.depth)};
}

Index Compiler::index(const Expr& e) {
  return split(resolve(e));
}

void Compiler::add_terms(const Expr& e, int64_t factor, Expr& lane,
                         Expr& uniform, int64_t& constant_part) const {
  if (const Int* i = e.as<Int>()) {
    constant_part += i->value * factor;
    return;
  }
  const Binary* b = e.as<Binary>();
  if (b != nullptr && (b->op == BinaryOp::Add || b->op == BinaryOp::Sub)) {
    add_terms(b->a, factor, lane, uniform, constant_part);
    int64_t sign = b->op == BinaryOp::Add ? 1 : -1;
    return add_terms(b->b, sign * factor, lane, uniform, constant_part);
  }
  if (b != nullptr && b->op == BinaryOp::Mul && constant(b->b)) {
    int64_t times = value_of(b->b);
    return add_terms(b->a, times * factor, lane, uniform, constant_part);
  }
  Expr& sum = settled(e).lane ? lane : uniform;
  Expr term = e * Expr(factor);
  sum = sum ? sum + term : term;
}

Index Compiler::split(const Expr& e) {
  Expr lane, uniform;
  Index out;
  add_terms(e, 1, lane, uniform, out.constant);
  if (lane) out.lane = slot_of(lane, true);
  if (uniform) out.uniform = slot_of(uniform, false);
  return out;
}

// The slot that holds an integer, computed at the depth where it is settled,
// unless a scope that is still open has it already.
int Compiler::slot_of(const Expr& e, bool lane) {
  Atom atom = settled(e);
  if (e.as<Var>() != nullptr) return atom.slot;
  const Binary* b = e.as<Binary>();
  if (b == nullptr) return other_integer(e);
  std::string text = to_string(e);
  for (const Scope& scope : scopes_) {
    auto found = scope.find(text);
    if (found != scope.end()) return found->second;
  }
  Instr instr{.op = lane ? Op::Lane : Op::Uniform,
              .binary = b->op,
              .statement = statement_,
              .x = split(b->a),
              .y = split(b->b)};
  instr.out = slot_for(text, lane);
  if (!atom.fixed) {
    here_->push_back(instr);
  } else if (atom.depth < loops_.size()) {
    loops_[atom.depth].before.push_back(instr);
    scopes_[loops_[atom.depth].scope][text] = instr.out;
  } else {
    here_->push_back(instr);
    scopes_.back()[text] = instr.out;
  }
  return instr.out;
}

// Integers that are no index arithmetic: comparisons, casts, calls.
int Compiler::other_integer(const Expr& e) {
  Instr instr;
  if (const Cast* cast = e.as<Cast>()) {
    bool truth = cast->to == DType::Bool;
    if (is_float(type(cast->value))) {
      instr = {.op = Op::ToInteger, .dtype = cast->to, .a = value(cast->value)};
    } else {
      instr = {.op = Op::Lane,
               .binary = truth ? BinaryOp::Ne : BinaryOp::Add,
               .x = index(cast->value)};
    }
  } else {
    const sextant::Call& c = e.get<sextant::Call>();
    std::size_t n = c.args.size();
    if (is_float(type(c.args.back()))) {
      instr = {.op = Op::Compare, .a = value(c.args[0])};
      instr.b = n > 1 ? value(c.args[1]) : instr.a;
    } else {
      instr = {.op = Op::IntegerApply, .x = index(c.args[0])};
      if (n > 1) instr.y = index(c.args[1]);
      if (n > 2) instr.z = index(c.args[2]);
    }
    instr.extra = row(c.op);
  }
  instr.out = slot_for(to_string(e), true);
  return emit(instr).out;
}

// The whole integer in one lane slot.
int Compiler::as_lane(const Index& x) {
  if (x.lane >= 0 && x.uniform < 0 && x.constant == 0) return x.lane;
  int out =
      slot_for(fmt::format("{} {} {}", x.lane, x.uniform, x.constant), true);
  return emit({.op = Op::Lane, .out = out, .x = x}).out;
}

// The slot that holds a value of that type, float or not.
int Compiler::register_of(const Expr& e, DType dtype) {
  return is_float(dtype) ? value(e) : as_lane(index(e));
}

// --- floats
// --------------------------------------------------------------------

int Compiler::value(const Expr& e) {
  return value_into(e, -1);
}

// The slot that holds the value: `slot`, or if that is -1, any.
int Compiler::value_into(const Expr& e, int slot) {
  int found = -1;
  if (const Float* f = e.as<Float>()) {
    found = float_constant(static_cast<float>(f->value));
  } else if (e.as<Var>() != nullptr) {
    found = settled(e).slot;
  } else if (const Cast* cast = e.as<Cast>()) {
    bool from_float = is_float(type(cast->value));
    if (from_float && cast->to == DType::Float32)
      return value_into(cast->value, slot);
    Instr instr{.op = from_float ? Op::Round : Op::FromInteger,
                .dtype = cast->to};
    if (from_float) {
      instr.a = value(cast->value);
    } else {
      instr.x = index(cast->value);
    }
    instr.out = slot >= 0 ? slot : temporary();
    return emit(instr).out;
  } else {
    return value_of_call(e.get<sextant::Call>(), slot);
  }
  if (slot < 0) return found;
  return emit({.op = Op::Move, .out = slot, .a = found}).out;
}

namespace {

const std::map<Name, Op> kFastOps = {
    {"add", Op::Add},           {"subtract", Op::Subtract},
    {"multiply", Op::Multiply}, {"divide", Op::Divide},
    {"maximum", Op::Maximum},
};

const sextant::Call* product(const Expr& e) {
  const auto* c = e.as<sextant::Call>();
  return c != nullptr && c->op == "multiply" ? c : nullptr;
}

}  // namespace

int Compiler::value_of_call(const sextant::Call& c, int slot) {
  Instr instr;
  if (c.op == "where") {
    instr = {.op = Op::Select, .x = index(c.args[0])};
    instr.b = value(c.args[1]);
    instr.c = value(c.args[2]);
  } else if (c.op == "relu") {
    instr = {.op = Op::Maximum, .a = value(c.args[0]), .b = float_constant(0)};
  } else if (c.op == "add" && (product(c.args[0]) || product(c.args[1]))) {
    bool second = product(c.args[1]) != nullptr;
    const sextant::Call& times = *product(c.args[second ? 1 : 0]);
    instr = {.op = Op::MultiplyAdd,
             .a = value(times.args[0]),
             .b = value(times.args[1]),
             .c = value(c.args[second ? 0 : 1])};
  } else {
    auto fast = kFastOps.find(c.op);
    instr.op = fast == kFastOps.end() ? Op::Apply : fast->second;
    int* operands[] = {&instr.a, &instr.b, &instr.c};
    for (std::size_t i = 0; i < c.args.size(); i++)
      *operands[i] = value(c.args[i]);
    if (instr.op == Op::Apply) instr.extra = row(c.op);
  }
  instr.out = slot >= 0 ? slot : temporary();
  return emit(instr).out;
}

}  // namespace sextant::kernel
