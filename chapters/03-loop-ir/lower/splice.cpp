// Fusion by substitution. `need(v, sigma)` is the value v at the index sigma:
// loaded if v is stored, and otherwise v's own definition with its indices
// replaced by sigma. Everything else here is where the statements go.
#include "chapters/03-loop-ir/lower/splice.h"

#include <algorithm>
#include <memory>

#include "chapters/03-loop-ir/lower/nest.h"
#include "chapters/03-loop-ir/names.h"

namespace sextant::loop {
namespace {

using tensor::Elementwise;
using tensor::IndexMap;
using tensor::Reduction;
using Index = std::vector<Expr>;

// A loop that is being filled, or, at depth 0, the kernel's own body.
struct Scope {
  For loop;
  std::size_t loads = 0;              // statements of the body that are loads
  std::set<Name> computed;            // what Lets and loops in the body define
  std::map<std::string, Expr> known;  // by value, index and guard
};

// The negation of a predicate.
Expr negate(const Expr& e) {
  const Binary* b = e.as<Binary>();
  if (b != nullptr && b->op == BinaryOp::Lt) return less_equal(b->b, b->a);
  if (b != nullptr && b->op == BinaryOp::Le) return less(b->b, b->a);
  return binary(BinaryOp::Eq, e, 0);
}

// A constant as an expression of the type it is to have.
Expr constant_of(DType dtype, const Expr& value) {
  bool own = value.as<Float>() != nullptr ? dtype == DType::Float32
                                          : dtype == DType::Int64;
  return own ? value : Expr(Cast{value, dtype});
}

class Splicer {
 public:
  Splicer(const Flow& flow, const std::vector<bool>& stored,
          const std::vector<int>& roots)
      : flow_(flow), stored_(stored), roots_(roots) {
    for (const Symbol& s : flow.graph->symbols)
      bounds_.set(s.name, {s.lo, s.hi});
  }

  Kernel run(const Nest& nest) {
    open_.push_back(std::make_shared<Scope>());
    for (const Nest::Axis& axis : nest.axes)
      open(axis.name, axis.extent);
    for (int root : roots_) {
      Index sigma = place(flow_.value(root), nest);
      current_ = root;
      Expr value = expand(root, sigma, {});
      current_ = root;
      emit(open_.size() - 1,
           Store{flow_.value(root).name, cell(root, sigma), value, {}});
    }
    while (open_.size() > 1)
      close();
    return {"", open_[0]->loop.body, origin_};
  }

  const Findings& findings() const { return findings_; }

 private:
  // --- the values ------------------------------------------------------------

  // The value v at index sigma, where `guard` holds (elsewhere anything that
  // takes no memory access).
  Expr need(int v, const Index& sigma, const Expr& guard) {
    return is_loaded(v) ? load(v, sigma, guard, zero_of(v))
                        : expand(v, sigma, guard);
  }

  Expr expand(int v, const Index& sigma, const Expr& guard) {
    std::shared_ptr<Scope> scope = open_[depth(sigma, guard)];
    std::string key = key_of(flow_.value(v).name, sigma, guard);
    auto found = scope->known.find(key);
    if (found != scope->known.end()) return found->second;
    int outer = std::exchange(current_, v);
    const tensor::Op& op = flow_.value(v).op;
    Expr result;
    if (const auto* e = op.as<Elementwise>()) {
      result = elementwise(*e, v, sigma, guard);
    } else if (const auto* map = op.as<IndexMap>()) {
      result = index_map(*map, v, sigma, guard);
    } else if (const auto* r = op.as<Reduction>()) {
      result = reduction(*r, v, sigma, guard);
    }
    INVARIANT(result, "'{}' has no definition", flow_.value(v).name);
    current_ = outer;
    scope->known[key] = result;
    return result;
  }

  Expr elementwise(const Elementwise& e, int v, const Index& sigma,
                   const Expr& guard) {
    // What has to be computed comes first, what is only loaded after it.
    Substitution by;
    for (bool loaded : {false, true}) {
      for (int x : flow_.operands[v]) {
        if (is_loaded(x) != loaded) continue;
        by[flow_.value(x).name] = need(x, sigma, guard);
      }
    }
    Expr value = substitute(e.value, by);
    return names_in(value).empty() || value.as<Var>() != nullptr
               ? value
               : let(value, depth(sigma, guard));
  }

  // The pieces at their own indices, guarded; then the choice among them.
  Expr index_map(const IndexMap& map, int v, const Index& sigma,
                 const Expr& guard) {
    struct Chosen {
      Expr where, value;
    };
    std::vector<Chosen> chosen;
    Expr rest = guard;  // holds where no earlier piece does
    bool total = false;
    for (const tensor::Piece& piece : map.pieces) {
      if (total) break;
      Expr where = resolve(piece.where, sigma, rest);
      if (where && constant(where)) {
        if (!is_true(where)) continue;
        where = {};
      }
      total = !where;
      Expr inside = guarded(rest, where);
      Index at;
      for (const Expr& e : piece.index)
        at.push_back(resolve(e, sigma, inside));
      int from = flow_.find(piece.value);
      if (from < 0) {
        chosen.push_back({where, at[0]});  // iota
      } else if (!is_loaded(from)) {
        // What may be computed everywhere is, so that a mask upon a product of
        // matrices stays out of its factors.
        if (inside && lies_within(at, flow_.value(from).shape)) inside = {};
        chosen.push_back({where, expand(from, at, inside)});
      } else if (where && map.pieces.size() == 1) {
        return load(from, at, inside, map.otherwise);
      } else {
        chosen.push_back({where, load(from, at, inside, zero_of(from))});
      }
      if (where) rest = guarded(rest, negate(where));
    }
    DType dtype = flow_.value(v).dtype;
    Expr result = total ? Expr() : constant_of(dtype, map.otherwise);
    for (std::size_t i = chosen.size(); i-- > 0;) {
      const Chosen& c = chosen[i];
      result = !c.where ? c.value
                        : let(call("where", {c.where, c.value, result}),
                              depth(sigma, guard));
    }
    return result;
  }

  Expr reduction(const Reduction& r, int v, const Index& sigma,
                 const Expr& guard) {
    const tensor::Value& operand = flow_.value(flow_.find(r.operand));
    // All reduced axes are one axis of the loop; the last is fastest.
    Dim extent = 1;
    Index inner = sigma;
    Name axis = fmt::format("r{}", next_axis_++);
    for (std::size_t i = r.axes.size(); i-- > 0;) {
      auto d = static_cast<std::size_t>(
          r.axes[i] + static_cast<int64_t>(operand.shape.size()));
      Expr digit = floor_div(var(axis), extent);
      inner[d] = i == 0 ? digit : floor_mod(digit, operand.shape[d]);
      extent = simplify(extent * operand.shape[d], bounds_);
    }
    std::size_t at = depth(sigma, guard);
    findings_.folds.push_back({axes_in(sigma), extent});
    // The loop goes into the scope of sigma: deeper ones are set aside.
    std::vector<std::shared_ptr<Scope>> deeper(open_.begin() + at + 1,
                                               open_.end());
    open_.resize(at + 1);
    Name state = fmt::format("s{}", next_name_++);
    open(axis, extent);
    open_.back()->loop.carries = {{state, flow_.value(v).dtype, r.combiner}};
    for (Expr& e : inner)
      e = simplify(e, bounds_);
    Expr value = need(flow_.find(r.operand), inner, guard);
    emit(open_.size() - 1, Accum{{state}, r.combiner, {value}, {}});
    close();
    open_.insert(open_.end(), deeper.begin(), deeper.end());
    depth_of_[state] = at;
    return var(state);
  }

  // An index or predicate of a piece, over this kernel's names: i, j, ... are
  // sigma, and a cell of another value is a value that is needed.
  Expr resolve(const Expr& e, const Index& sigma, const Expr& guard) {
    return e ? simplify(at_sigma(e, sigma, guard), bounds_) : e;
  }

  Expr at_sigma(const Expr& e, const Index& sigma, const Expr& guard) {
    const Var* v = e.as<Var>();
    if (v == nullptr) {
      return map_handles<Expr>(
          e, [&](const Expr& x) { return at_sigma(x, sigma, guard); });
    }
    if (v->index.empty()) {
      for (std::size_t d = 0; d < sigma.size(); d++) {
        if (v->name == tensor::index_name(d)) return sigma[d];
      }
      return e;  // a symbol
    }
    Index at;
    for (const Expr& x : v->index)
      at.push_back(resolve(x, sigma, guard));
    int from = flow_.find(v->name);
    return from < 0 ? at[0] : need(from, at, guard);
  }

  bool is_loaded(int v) const {
    return flow_.is_parameter(v) ||
           (stored_[v] && std::count(roots_.begin(), roots_.end(), v) == 0);
  }

  Expr zero_of(int v) const {
    return is_float(flow_.value(v).dtype) ? Expr(Float{0}) : Expr(0);
  }

  // An element's place in its buffer, which has no axes of extent 1.
  Index cell(int v, const Index& sigma) const {
    Index index;
    for (std::size_t d = 0; d < sigma.size(); d++) {
      if (!(flow_.value(v).shape[d] == Expr(1))) index.push_back(sigma[d]);
    }
    return index;
  }

  Expr load(int v, const Index& sigma, const Expr& guard,
            const Expr& otherwise) {
    const Name& buffer = flow_.value(v).name;
    Index index = cell(v, sigma);
    for (const Expr& e : index)
      note_digits_of(e, findings_);
    std::size_t at = depth(index, guard);
    std::string key = key_of("load " + buffer, index, guard);
    if (guard) key += " else " + to_string(otherwise);
    Expr& known = open_[at]->known[key];
    if (known) return known;
    Name out = fmt::format("t{}", next_name_++);
    depth_of_[out] = at;
    emit(at, Load{out, buffer, index, guard, guard ? otherwise : Expr()});
    return known = var(out);
  }

  Expr let(const Expr& value, std::size_t at) {
    Name out = fmt::format("t{}", next_name_++);
    depth_of_[out] = at;
    emit(at, Let{out, value});
    return var(out);
  }

  bool lies_within(const Index& index, const std::vector<Dim>& shape) const {
    for (std::size_t d = 0; d < index.size(); d++) {
      Expr inside = both(less_equal(0, index[d]), less(index[d], shape[d]));
      if (!is_true(simplify(inside, bounds_))) return false;
    }
    return true;
  }

  Expr guarded(const Expr& a, const Expr& b) const {
    Expr e = both(a, b);
    if (e) e = simplify(e, bounds_);
    return e && is_true(e) ? Expr() : e;
  }

  // --- the loops -------------------------------------------------------------

  void open(const Name& axis, const Dim& extent) {
    auto scope = std::make_shared<Scope>();
    scope->loop.axis = axis;
    scope->loop.extent = extent;
    bounds_.set_extent(axis, extent);
    depth_of_[axis] = open_.size();
    open_.push_back(scope);
  }

  // Whatever was emitted into the outer scope meanwhile stands before the loop.
  void close() {
    For loop = open_.back()->loop;
    open_.pop_back();
    emit(open_.size() - 1, loop);
  }

  // Every statement of a kernel passes here, and takes its origin here. Loads
  // that wait for nothing in the loop's body stand first in it.
  void emit(std::size_t at, const Stmt& stmt) {
    const Origin& origin = flow_.value(current_).op.origin();
    origin_ = merge(origin_, origin);
    Scope& scope = *open_[at];
    std::vector<Stmt>& body = scope.loop.body;
    auto place = body.end();
    if (stmt.as<Load>() != nullptr && !waits(stmt, scope)) {
      place = body.begin() + static_cast<std::ptrdiff_t>(scope.loads++);
    } else {
      collect_defined(stmt, scope.computed);
    }
    body.insert(place, stmt.with_origin(origin));
  }

  static bool waits(const Stmt& stmt, const Scope& scope) {
    std::set<Name> uses;
    collect_uses(stmt, uses);
    return std::any_of(uses.begin(), uses.end(), [&](const Name& name) {
      return scope.computed.count(name) != 0;
    });
  }

  // The shortest prefix of the open loops that has all these names.
  std::size_t depth(const Index& sigma, const Expr& guard) const {
    std::size_t deepest = 0;
    auto look = [&](const Expr& e) {
      for (const Name& name : names_in(e)) {
        auto found = depth_of_.find(name);
        if (found != depth_of_.end())
          deepest = std::max(deepest, found->second);
      }
    };
    for (const Expr& e : sigma)
      look(e);
    look(guard);
    return deepest;
  }

  static std::string key_of(const std::string& name, const Index& sigma,
                            const Expr& guard) {
    std::string key = name + "[";
    for (const Expr& e : sigma)
      key += to_string(e) + ",";
    return key + "]" + to_string(guard);
  }

  std::vector<Name> axes_in(const Index& sigma) const {
    std::vector<Name> axes;
    for (const Expr& e : sigma) {
      for (const Name& name : names_in(e))
        axes.push_back(name);
    }
    return axes;
  }

  const Flow& flow_;
  const std::vector<bool>& stored_;
  const std::vector<int>& roots_;
  Bounds bounds_;
  std::vector<std::shared_ptr<Scope>> open_;
  std::map<Name, std::size_t> depth_of_;
  int current_ = 0;  // the value whose definition is being written
  int next_axis_ = 0, next_name_ = 0;
  Origin origin_;
  Findings findings_;
};

}  // namespace

Kernel splice(const Flow& flow, const std::vector<bool>& stored,
              const std::vector<int>& roots) {
  Nest nest = bare_nest(flow.value(roots[0]));
  Splicer first(flow, stored, roots);
  Kernel kernel = first.run(nest);
  // What the first try showed may ask for other loops.
  Nest better = refine(nest, first.findings());
  if (better == nest) return kernel;
  return Splicer(flow, stored, roots).run(better);
}

}  // namespace sextant::loop
