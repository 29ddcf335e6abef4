// Statements: loops are unrolled or become jumps, names become slots.
#include "chapters/05-kernel-ir/simulator/compile.h"

#include "chapters/05-kernel-ir/verify.h"
#include "src/base/walk.h"

namespace sextant::kernel {

Compiler::Compiler(const Tables& tables, const Kernel& kernel,
                   const Values& symbols)
    : tables_(tables), kernel_(kernel) {
  for (const auto& [name, value] : symbols)
    means_[name] = Expr(value);
  code_.block = static_cast<int>(kernel.block);
  code_.grid = evaluate(kernel.grid, symbols);
  atoms_["tid"] = {lane_slot(), true, true, 0};
  atoms_["bid"] = {code_.uniforms++, false, true, 1};
  bounds_.set("tid", {0, kernel.block - 1});
  bounds_.set("bid", {0, std::max<int64_t>(code_.grid - 1, 0)});
  for (const Object& object : kernel.objects) {
    if (object.space != Space::Registers) continue;
    types_[object.name] = object.dtype;
    bool floats = is_float(object.dtype);
    for (int64_t i = 0; i < elements_of(object); i++) {
      Name cell = fmt::format("{}[{}]", object.name, i);
      int slot = floats ? float_slot(cell) : lane_slot(cell);
      if (i == 0) atoms_[object.name] = {slot, true, false, 0};
    }
  }
}

Code Compiler::run() {
  std::size_t known = 0;
  do {
    known = differs_.size();
    assignments_.clear();
    survey(kernel_.body, false);
  } while (differs_.size() > known);
  // The block is the outermost loop.
  scopes_.emplace_back();
  loops_.emplace_back();
  scopes_.emplace_back();
  here_ = &code_.body;
  body(kernel_.body);
  code_.once = loops_[0].before;
  return code_;
}

// --- who may differ between threads
// --------------------------------------------

bool Compiler::may_differ(const Expr& e) const {
  bool may = false;
  walk<Expr>(e, [&](const Expr& x) {
    const Var* v = x.as<Var>();
    may = may || x.as<sextant::Call>() != nullptr || x.as<Cast>() != nullptr ||
          (v != nullptr && (v->name == "tid" || differs_.count(v->name) != 0 ||
                            types_.count(v->name) != 0));  // a register object
  });
  return may;
}

void Compiler::survey(const std::vector<Stmt>& list, bool divergent) {
  for (const Stmt& s : list) {
    const Let* let = s.as<Let>();
    for (const Var& out : assigned_by(s)) {
      assignments_[out.name]++;
      if (!let || divergent || may_differ(let->value))
        differs_.insert(out.name);
    }
    if (const For* x = s.as<For>()) {
      bool differs = may_differ(x->begin) || may_differ(x->end);
      if (differs) differs_.insert(x->var);
      survey(x->body, divergent || differs);
    } else if (const If* x = s.as<If>()) {
      bool differs = divergent || may_differ(x->cond);
      survey(x->body, differs);
      survey(x->otherwise, differs);
    }
  }
}

// --- statements
// ------------------------------------------------------------------

Instr& Compiler::emit(Instr instr) {
  instr.statement = statement_;
  here_->push_back(instr);
  return here_->back();
}

void Compiler::done() {
  bool own = !here_->empty() && here_->back().statement == statement_ &&
             !here_->back().counts;
  if (!own) emit({});
  here_->back().counts = true;
}

template <class F>
std::vector<Instr> Compiler::collect(F&& f) {
  std::vector<Instr> code;
  std::vector<Instr>* outer = here_;
  here_ = &code;
  scopes_.emplace_back();
  f();
  scopes_.pop_back();
  here_ = outer;
  return code;
}

void Compiler::append(const std::vector<Instr>& code) {
  here_->insert(here_->end(), code.begin(), code.end());
}

int Compiler::statement_number(const Stmt& s) {
  auto [found, fresh] = statement_numbers_.emplace(
      &s.variant(), static_cast<int>(code_.statements.size()));
  if (fresh) code_.statements.push_back({line_of(s), 0});
  return found->second;
}

// Each operation on floats counts as one.
double Compiler::flops_of(const Expr& e) const {
  double flops = 0;
  walk<Expr>(e, [&](const Expr& x) {
    const auto* c = x.as<sextant::Call>();
    flops += c != nullptr && c->op != "where" && is_float(type(x));
  });
  return flops;
}

void Compiler::body(const std::vector<Stmt>& list) {
  int outer = statement_;
  for (const Stmt& s : list) {
    statement_ = statement_number(s);
    temporaries_used_ = 0;
    std::visit([&](const auto& node) { statement(node); }, s.variant());
  }
  statement_ = outer;
}

// The slot of a scalar or register cell that is assigned.
int Compiler::register_for(const Var& out, DType dtype) {
  if (!out.index.empty()) {
    return atoms_.at(out.name).slot + static_cast<int>(number(out.index[0]));
  }
  types_[out.name] = dtype;
  auto found = atoms_.find(out.name);
  if (found != atoms_.end()) {
    found->second.depth = loops_.size();
    return found->second.slot;
  }
  int slot = is_float(dtype) ? float_slot(out.name) : lane_slot(out.name);
  atoms_[out.name] = {slot, true, assignments_[out.name] == 1, loops_.size()};
  return slot;
}

void Compiler::statement(const Let& x) {
  DType dtype = type(x.value);
  if (is_float(dtype)) {
    code_.statements[statement_].flops = flops_of(x.value);
    value_into(x.value, register_for(x.out, dtype));
  } else {
    integer_let(x);
  }
  done();
}

void Compiler::integer_let(const Let& x) {
  Expr value = resolve(x.value);
  DType dtype = type(x.value);
  bool once = x.out.index.empty() && assignments_[x.out.name] == 1;
  if (once && settled(value).fixed) {
    types_[x.out.name] = dtype;
    means_[x.out.name] = value;  // needs no place of its own
    return;
  }
  bool lane = !x.out.index.empty() || differs_.count(x.out.name) != 0;
  Index sum = split(value);
  if (lane) {
    emit({.op = Op::Lane, .out = register_for(x.out, dtype), .x = sum});
    return;
  }
  types_[x.out.name] = dtype;
  auto [atom, fresh] =
      atoms_.emplace(x.out.name, Atom{0, false, once, loops_.size()});
  if (fresh) atom->second.slot = code_.uniforms++;
  emit({.op = Op::Uniform, .out = atom->second.slot, .x = sum});
}

int Compiler::access(const Name& name, const Expr& offset, int64_t width,
                     const Expr& guard) {
  Access a;
  while (kernel_.objects[a.object].name != name)
    a.object++;
  a.dtype = kernel_.objects[a.object].dtype;
  a.width = width;
  a.offset = index(offset);
  if (guard) {
    a.guard = index(guard);
    a.guarded = !a.guard.is_constant() || a.guard.constant == 0;
  }
  a.statement = statement_;
  a.number = static_cast<int>(code_.accesses.size());
  code_.accesses.push_back(a);
  return a.number;
}

void Compiler::statement(const Load& x) {
  int number = access(x.from, x.offset, x.width, x.guard);
  Access& a = code_.accesses[number];
  if (x.otherwise) a.otherwise = register_of(x.otherwise, a.dtype);
  a.slot = register_for(x.out, a.dtype);
  emit({.op = Op::Load, .extra = number});
  done();
}

void Compiler::statement(const Store& x) {
  int number = access(x.to, x.offset, x.width, x.guard);
  Access& a = code_.accesses[number];
  a.writes = true;
  if (is_float(a.dtype)) code_.statements[statement_].flops = flops_of(x.value);
  a.slot = x.width > 1 ? settled(x.value).slot : register_of(x.value, a.dtype);
  emit({.op = Op::Store, .extra = number});
  done();
}

void Compiler::statement(const For& x) {
  Expr step = x.step ? resolve(x.step) : Expr(1);
  if (x.unroll) {
    for (int64_t i = number(x.begin); i < number(x.end); i += value_of(step)) {
      means_[x.var] = Expr(i);
      append(collect([&] { body(x.body); }));
    }
    means_.erase(x.var);
    return;
  }
  if (differs_.count(x.var) != 0) return lane_loop(x);
  uniform_loop(x);
}

// Compiles what `f` compiles as the inside of a loop, and puts in front of it
// what does not change there.
template <class F>
void Compiler::in_loop(F&& f) {
  loops_.push_back({{}, scopes_.size() - 1});
  std::vector<Instr> code = collect(f);
  std::vector<Instr> before = loops_.back().before;
  loops_.pop_back();
  append(before);
  append(code);
}

namespace {

Instr uniform(int out, BinaryOp op, const Index& x, const Index& y) {
  return {.op = Op::Uniform, .binary = op, .out = out, .x = x, .y = y};
}

Index uniform_index(int slot) {
  return {-1, slot, 0};
}

Instr jump(Op op, std::size_t from, std::size_t to, const Index& x = {}) {
  int distance = static_cast<int>(to) - static_cast<int>(from);
  return {.op = op, .x = x, .extra = distance};
}

}  // namespace

void Compiler::uniform_loop(const For& x) {
  int slot = code_.uniforms++, more = code_.uniforms++;
  Index begin = index(x.begin), end = index(x.end);
  Index step = x.step ? index(x.step) : Index{-1, -1, 1};
  Interval from = bounds_of(resolve(x.begin), bounds_);
  Interval to = bounds_of(resolve(x.end), bounds_);
  bounds_.set(x.var, {from.lo, std::max(from.lo, to.hi - 1)});
  atoms_[x.var] = {slot, false, true, loops_.size() + 1};
  emit(uniform(slot, BinaryOp::Add, begin, {}));
  in_loop([&] {
    std::vector<Instr> code = collect([&] { body(x.body); });
    std::size_t size = code.size();
    emit(uniform(more, BinaryOp::Lt, uniform_index(slot), end));
    emit(jump(Op::JumpUnless, 1, size + 4, uniform_index(more)));
    append(code);
    emit(uniform(slot, BinaryOp::Add, uniform_index(slot), step));
    emit(jump(Op::Jump, size + 3, 0));
  });
  atoms_.erase(x.var);
}

// The variable is begin + turn*step, and the turn is the same for all threads.
void Compiler::lane_loop(const For& x) {
  Name turn = x.var + " turn", first = x.var + " first";
  Expr step = x.step ? resolve(x.step) : Expr(1);
  Expr begin = resolve(x.begin);
  Interval from = bounds_of(begin, bounds_);
  Interval to = bounds_of(resolve(x.end), bounds_);
  if (!settled(begin).fixed) {
    Index sum = split(begin);
    int kept = emit({.op = Op::Lane, .out = lane_slot(), .x = sum}).out;
    atoms_[first] = {kept, true, true, loops_.size()};
    bounds_.set(first, from);
    begin = var(first);
  }
  int slot = code_.uniforms++;
  atoms_[turn] = {slot, false, true, loops_.size() + 1};
  int64_t least = std::max<int64_t>(bounds_of(step, bounds_).lo, 1);
  int64_t turns = std::max<int64_t>((to.hi - from.lo + least - 1) / least, 1);
  // The test comes once more than the body.
  bounds_.set(turn, {0, turns});
  means_[x.var] = simplify(begin + var(turn) * step, bounds_);
  emit(uniform(slot, BinaryOp::Add, {}, {}));
  in_loop([&] {
    emit(jump(Op::PushMask, 0, 1, {-1, -1, 1}));
    std::vector<Instr> test = collect([&] {
      Index more = index(binary(BinaryOp::Lt, var(x.var), x.end));
      here_->push_back(jump(Op::NarrowMask, 0, 0, more));
    });
    bounds_.set(turn, {0, turns - 1});
    std::vector<Instr> code = collect([&] { body(x.body); });
    std::size_t size = test.size() + code.size() + 2;
    test.back().extra = static_cast<int>(size - (test.size() - 1));
    append(test);
    append(code);
    emit(uniform(slot, BinaryOp::Add, uniform_index(slot), {-1, -1, 1}));
    emit(jump(Op::Jump, size - 1, 0));
    emit(jump(Op::PopMask, 0, 0));
  });
  means_.erase(x.var);
  atoms_.erase(turn);
}

void Compiler::statement(const If& x) {
  Index cond = index(x.cond);
  if (cond.is_constant()) {
    append(collect([&] { body(cond.constant != 0 ? x.body : x.otherwise); }));
    return;
  }
  std::vector<Instr> then = collect([&] { body(x.body); });
  std::vector<Instr> other = collect([&] { body(x.otherwise); });
  std::size_t a = then.size(), b = other.size();
  bool lane = cond.lane >= 0;
  emit(lane ? jump(Op::PushMask, 0, a + 1, cond)
            : jump(Op::JumpUnless, 0, a + 2, cond));
  append(then);
  emit(jump(lane ? Op::FlipMask : Op::Jump, 0, b + 1));
  append(other);
  if (lane) emit(jump(Op::PopMask, 0, 0));
}

void Compiler::statement(const Sync&) {
  emit({.op = Op::Sync});
  done();
}

void Compiler::operand(Site& site, Operand kind, const Expr& e) {
  SiteOperand in;
  if (kind <= Operand::Global) {
    const Var& place = e.get<Var>();
    in.access = access(place.name, place.index[0], 1, {});
    in.dtype = code_.accesses[in.access].dtype;
  } else if (kind == Operand::Value) {
    in.dtype = type(e);
    in.slot = register_of(e, in.dtype);
  } else {
    in.index = index(e);
  }
  site.in.push_back(in);
}

void Compiler::statement(const Call& x) {
  Site site;
  site.row = tables_.find<kernel::Intrinsic>(x.intrinsic);
  site.statement = statement_;
  for (std::size_t i = 0; i < x.in.size(); i++)
    operand(site, site.row->operands[i], x.in[i]);
  const Effects& effects = site.row->effects;
  if (effects.writes >= 0)
    code_.accesses[site.in[effects.writes].access].writes = true;
  if (effects.copies) {
    for (int place : {effects.reads, effects.writes})
      code_.accesses[site.in[place].access].width = value_of(x.in[2]);
  }
  if (!x.out.empty()) {
    site.out = register_for(x.out[0], site.in[site.row->result].dtype);
  }
  code_.sites.push_back(site);
  emit(
      {.op = Op::Intrinsic, .extra = static_cast<int>(code_.sites.size()) - 1});
  done();
}

Code compile(const Tables& tables, const Kernel& kernel,
             const Values& symbols) {
  return Compiler(tables, kernel, symbols).run();
}

}  // namespace sextant::kernel
