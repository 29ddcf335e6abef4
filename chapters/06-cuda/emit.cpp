#include "chapters/06-cuda/emit.h"

#include <algorithm>

#include "chapters/05-kernel-ir/intrinsics.h"
#include "chapters/05-kernel-ir/verify.h"
#include "chapters/06-cuda/emit_kernel.h"

namespace sextant::cuda {
namespace {

using kernel::Kernel;
using kernel::Object;
using kernel::Space;
using kernel::Stmt;
using kernel::StmtKind;

std::string vector_name(DType dtype, int64_t width) {
  const char* base = dtype == DType::Float32 ? "f32"
                     : dtype == DType::Int64 ? "i64"
                     : dtype == DType::Bool  ? "b8"
                                             : "h16";
  return fmt::format("{}x{}", base, width);
}

class Emitter {
 public:
  Emitter(const Tables& tables, const kernel::Program& program, const Kernel& k,
          std::set<std::string>& vectors)
      : tables_(tables), program_(program), kernel_(k), vectors_(vectors) {
    bounds_ = symbol_bounds(program);
    bounds_.set("tid", {0, k.block - 1});
    bounds_.set_extent("bid", k.grid);
    for (const Object& o : k.objects)
      types_[o.name] = o.dtype;
  }

  void run(Printer& p) {
    p_ = &p;
    signature();
    p.indent(2);
    shared();
    registers();
    line("const int tid = (int)threadIdx.x;");
    if (mentions_bid(kernel_.body)) line("const int bid = (int)blockIdx.x;");
    scope_.insert({"tid", "bid"});
    body(kernel_.body);
    p.indent(-2);
    line("}");
  }

 private:
  void line(const std::string& text) {
    p_->write(text);
    p_->end_line();
  }

  const Object* object(const Name& name) const {
    for (const Object& o : kernel_.objects) {
      if (o.name == name) return &o;
    }
    return nullptr;
  }

  std::string text(const Expr& e, bool wide = false) const {
    return expr_text(
        tables_, e, [&](const Name& n) { return type(n); }, wide);
  }
  DType type(const Name& name) const {
    auto found = types_.find(name);
    return found == types_.end() ? DType::Int64 : found->second;
  }
  bool is_wide(const Expr& e) const {
    Interval i = bounds_of(e, bounds_);
    return i.lo < INT32_MIN || i.hi > INT32_MAX;
  }
  std::string offset(const Expr& e) const { return text(e, is_wide(e)); }
  std::string cell(const Name& name, const Expr& at) const {
    return name + "[" + offset(at) + "]";
  }

  static bool mentions_bid(const std::vector<Stmt>& body);

  std::string copy_in(const Stmt& s) const;
  void signature();
  void shared();
  void registers();
  void body(const std::vector<Stmt>& list);
  void statement(const Stmt& s);
  void let(const kernel::Let& x);
  void load(const kernel::Load& x);
  void store(const kernel::Store& x);
  void loop(const kernel::For& x);
  void branch(const kernel::If& x);
  void call(const kernel::Call& x);
  void declare(const Name& name, DType dtype, const std::string& value,
               bool constant);
  std::string vector_at(const Name& name, const Expr& at, DType dtype,
                        int64_t width, bool is_const);

  const Tables& tables_;
  const kernel::Program& program_;
  const Kernel& kernel_;
  std::set<std::string>& vectors_;
  Printer* p_ = nullptr;
  Bounds bounds_;
  std::map<Name, DType> types_;
  std::set<Name> scope_;
  std::string told_;  // the copies that the last comment is about
};

bool Emitter::mentions_bid(const std::vector<Stmt>& body) {
  for (const Stmt& s : body) {
    bool found = false;
    std::visit(
        [&](const auto& node) {
          visit_inside<Expr>(node, [&](const Expr& e) {
            found = found || mentions(e, "bid");
          });
          visit_inside<Stmt>(node, [&](const Stmt& inner) {
            found = found || mentions_bid({inner});
          });
        },
        s.variant());
    if (found) return true;
  }
  return false;
}

void Emitter::signature() {
  std::string bounds = std::to_string(kernel_.block);
  if (kernel_.min_blocks > 0) {
    bounds += fmt::format(", {}", kernel_.min_blocks);
  }
  std::vector<std::string> parameters;
  std::set<Name> stored = kernel::written_objects(tables_, kernel_);
  for (const Object& o : kernel_.objects) {
    if (o.space != Space::Global) continue;
    bool written = stored.count(o.name) != 0;
    parameters.push_back(fmt::format("{}{}* __restrict__ {}",
                                     written ? "" : "const ",
                                     type_text(o.dtype), o.name));
  }
  for (const Symbol& s : symbols_of(program_, kernel_)) {
    parameters.push_back(
        fmt::format("{} {}", s.hi > INT32_MAX ? "long long" : "int", s.name));
    scope_.insert(s.name);
  }
  line(fmt::format("extern \"C\" __global__ void __launch_bounds__({})",
                   bounds));
  std::string all = kernel_.name + "(" + join(parameters) + ") {";
  if (all.size() <= 80) return line(all);
  line(kernel_.name + "(");
  for (std::size_t i = 0; i < parameters.size(); i++) {
    line("    " + parameters[i] + (i + 1 < parameters.size() ? "," : ") {"));
  }
}

void Emitter::shared() {
  bool dynamic = kernel::shared_bytes(kernel_) > kStaticShared;
  if (dynamic) {
    line("extern __shared__ __align__(16) unsigned char shared_memory[];");
  }
  int64_t at = 0;
  for (const Object& o : kernel_.objects) {
    if (o.space != Space::Smem) continue;
    int64_t cells = 1;
    for (const Dim& d : o.shape)
      cells *= value_of(d);
    std::string type = type_text(o.dtype);
    if (dynamic) {
      line(fmt::format("{}* {} = ({}*)(shared_memory + {});", type, o.name,
                       type, at));
    } else {
      line(fmt::format("__shared__ __align__(16) {} {}[{}];", type, o.name,
                       cells));
    }
    at += (cells * size_of(o.dtype) + 15) / 16 * 16;
  }
}

void Emitter::registers() {
  for (const Object& o : kernel_.objects) {
    if (o.space != Space::Registers) continue;
    int64_t cells = 1;
    for (const Dim& d : o.shape)
      cells *= value_of(d);
    line(fmt::format("__align__(16) {} {}[{}];", type_text(o.dtype), o.name,
                     cells));
  }
}

// One that may take several lines can be folded as code is.
std::string comment(const std::string& text) {
  return text.size() > 40 ? "/* " + text + " */" : "// " + text;
}

void Emitter::body(const std::vector<Stmt>& list) {
  std::set<Name> outer = scope_;
  for (const Stmt& s : list) {
    p_->open_origin(s.origin());
    // A comment where copies into a stage begin.
    std::string copies = copy_in(s);
    if (!copies.empty() && copies != told_) line(comment(copies));
    told_ = copies;
    statement(s);
    p_->close_origin();
  }
  scope_ = outer;
}

// "x to x_smem", if a loop or a copy brings a buffer into shared memory, or
// into the registers from where it goes there.
std::string Emitter::copy_in(const Stmt& s) const {
  std::string found;
  if (const auto* x = s.as<kernel::For>(); x != nullptr && x->unroll) {
    for (const Stmt& inner : x->body)
      found += copy_in(inner);
  } else if (const auto* x = s.as<kernel::Call>();
             x != nullptr && x->in.size() > 2 &&
             x->intrinsic.substr(0, 8) == "cp_async") {
    found = fmt::format("{} to {}", x->in[1].get<Var>().name,
                        x->in[0].get<Var>().name);
  } else if (const auto* x = s.as<kernel::Load>()) {
    const Object* from = object(x->from);
    bool staged = x->out.name.size() > 5 &&
                  x->out.name.substr(x->out.name.size() - 5) == "_held";
    if (staged && from->space == Space::Global) {
      found = fmt::format("{} to {}", x->from,
                          x->out.name.substr(0, x->out.name.size() - 5));
    }
  }
  return found;
}

void Emitter::statement(const Stmt& s) {
  switch (s.kind()) {
    case StmtKind::For: return loop(s.get<kernel::For>());
    case StmtKind::If: return branch(s.get<kernel::If>());
    case StmtKind::Sync: return line("__syncthreads();");
    case StmtKind::Call: return call(s.get<kernel::Call>());
    case StmtKind::Load: return load(s.get<kernel::Load>());
    case StmtKind::Store: return store(s.get<kernel::Store>());
    case StmtKind::Let: return let(s.get<kernel::Let>());
  }
}

// The first assignment to a name declares it.
void Emitter::declare(const Name& name, DType dtype, const std::string& value,
                      bool index) {
  if (scope_.count(name) != 0) return line(name + " = " + value + ";");
  scope_.insert(name);
  types_[name] = dtype;
  std::string type = index ? "const int" : type_text(dtype);
  line(fmt::format("{} {} = {};", type, name, value));
}

void Emitter::let(const kernel::Let& x) {
  DType dtype =
      type_of(tables_, x.value, [&](const Name& n) { return type(n); });
  // acc = acc + x is spelled acc += x.
  const Call* sum = x.value.as<Call>();
  bool known = !x.out.index.empty() || scope_.count(x.out.name) != 0;
  if (sum && sum->op == "add" && sum->args[0] == Expr(x.out) && known) {
    return line(
        fmt::format("{} += {};", text(Expr(x.out)), text(sum->args[1])));
  }
  if (!x.out.index.empty()) {
    return line(fmt::format("{} = {};", text(Expr(x.out)), text(x.value)));
  }
  bool integer = dtype == DType::Int64;
  if (integer) bounds_.set(x.out.name, bounds_of(x.value, bounds_));
  bool wide = integer && is_wide(x.value);
  declare(x.out.name, dtype, text(x.value, wide), integer && !wide);
}

std::string Emitter::vector_at(const Name& name, const Expr& at, DType dtype,
                               int64_t width, bool is_const) {
  vectors_.insert(vector_name(dtype, width) + "|" + type_text(dtype) + "|" +
                  std::to_string(width) + "|" +
                  std::to_string(width * size_of(dtype)));
  return fmt::format("*({}{}*)&{}", is_const ? "const " : "",
                     vector_name(dtype, width), cell(name, at));
}

void Emitter::load(const kernel::Load& x) {
  const Object& from = *object(x.from);
  if (x.width > 1) {
    Expr at = x.out.index.empty() ? Expr(0) : x.out.index[0];
    std::string to = vector_at(x.out.name, at, from.dtype, x.width, false);
    std::string what = vector_at(x.from, x.offset, from.dtype, x.width, true);
    if (!x.guard) return line(to + " = " + what + ";");
    line("if (" + text(x.guard) + ") {");
    line("  " + to + " = " + what + ";");
    line("} else {");
    for (int64_t i = 0; i < x.width; i++) {
      line(fmt::format("  {} = {};", cell(x.out.name, simplify(at + Expr(i))),
                       text(x.otherwise)));
    }
    return line("}");
  }
  std::string what = cell(x.from, x.offset);
  if (x.guard) {
    what = fmt::format("{} ? {} : {}", text(x.guard), what, text(x.otherwise));
  }
  if (!x.out.index.empty()) {
    return line(fmt::format("{} = {};", text(Expr(x.out)), what));
  }
  declare(x.out.name, from.dtype, what, false);
}

void Emitter::store(const kernel::Store& x) {
  const Object& to = *object(x.to);
  std::string what = text(x.value), place = cell(x.to, x.offset);
  if (x.width > 1) {
    const Var& v = x.value.get<Var>();
    what = vector_at(v.name, v.index[0], to.dtype, x.width, true);
    place = vector_at(x.to, x.offset, to.dtype, x.width, false);
  }
  std::string guard = x.guard ? "if (" + text(x.guard) + ") " : "";
  line(guard + place + " = " + what + ";");
}

void Emitter::loop(const kernel::For& x) {
  Interval first = bounds_of(x.begin, bounds_);
  Interval last = bounds_of(x.end, bounds_);
  bounds_.set(x.var, {first.lo, std::max(last.hi - 1, first.lo)});
  std::string step = x.step && constant(x.step) != 1 ? " += " + text(x.step)
                                                     : std::string("++");
  const char* type = last.hi > INT32_MAX ? "long long" : "int";
  if (x.unroll) {
    line("#pragma unroll");
  } else {
    line("#pragma unroll 1");
  }
  line(fmt::format("for ({} {} = {}; {} < {}; {}{}) {{", type, x.var,
                   text(x.begin), x.var, text(x.end), x.var, step));
  std::set<Name> outer = scope_;
  scope_.insert(x.var);
  types_[x.var] = DType::Int64;
  p_->indent(2);
  body(x.body);
  p_->indent(-2);
  scope_ = outer;
  line("}");
}

void Emitter::branch(const kernel::If& x) {
  line("if (" + text(x.cond) + ") {");
  p_->indent(2);
  body(x.body);
  p_->indent(-2);
  if (!x.otherwise.empty()) {
    line("} else {");
    p_->indent(2);
    body(x.otherwise);
    p_->indent(-2);
  }
  line("}");
}

// A row of the intrinsic table says how its call is spelled.
void Emitter::call(const kernel::Call& x) {
  const auto* row = tables_.find<kernel::Intrinsic>(x.intrinsic);
  if (row == nullptr || row->cuda == nullptr) {
    fail({}, "{}: CUDA has no spelling for '{}'", kernel_.name, x.intrinsic);
  }
  std::string form = row->cuda;
  auto fill = [&](const std::string& mark, const std::string& by) {
    std::size_t at = form.find(mark);
    if (at != std::string::npos) form.replace(at, mark.size(), by);
  };
  for (std::size_t i = 0; i < x.in.size(); i++) {
    bool place = row->operands[i] <= kernel::Operand::Global;
    const Var* v = x.in[i].as<Var>();
    fill(fmt::format("{{{}}}", i),
         place ? cell(v->name, v->index[0]) : text(x.in[i]));
  }
  if (row->effects.copies) {
    int64_t size = size_of(type(x.in[0].get<Var>().name));
    fill("{bytes}", fmt::format("{}", value_of(x.in[2]) * size));
  }
  if (x.out.empty()) return line(form + ";");
  DType dtype = type_of(tables_, x.in[static_cast<std::size_t>(row->result)],
                        [&](const Name& n) { return type(n); });
  declare(x.out[0].name, dtype, form, false);
}

}  // namespace

void emit_kernel(const Tables& tables, const kernel::Program& program,
                 const Kernel& kernel, std::set<std::string>& vectors,
                 Printer& p) {
  Emitter(tables, program, kernel, vectors).run(p);
}

}  // namespace sextant::cuda
