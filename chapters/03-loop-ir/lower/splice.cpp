// Fusion by substitution. `need(v, sigma)` is the value v at the index sigma:
// loaded if v is stored, and otherwise v's own definition with its indices
// replaced by sigma. Everything else here is where the statements go.
#include "chapters/03-loop-ir/lower/splice.h"

#include <algorithm>

#include "chapters/03-loop-ir/lower/nest.h"
#include "chapters/03-loop-ir/lower/scopes.h"
#include "chapters/03-loop-ir/names.h"
#include "src/base/facts.h"

namespace sextant::loop {
namespace {

using tensor::Elementwise;
using tensor::IndexMap;
using tensor::Reduction;
using Index = std::vector<Expr>;

// The negation of a predicate.
Expr negate(const Expr& e) {
  const Binary* b = e.as<Binary>();
  if (b != nullptr && b->op == BinaryOp::Lt) return less_equal(b->b, b->a);
  if (b != nullptr && b->op == BinaryOp::Le) return less(b->b, b->a);
  return binary(BinaryOp::Eq, e, 0);
}

struct Spliced {
  Kernel kernel;
  Made made;
  Findings findings;
};

class Splicer {
 public:
  Splicer(const Flow& flow, const std::vector<bool>& stored,
          const std::vector<int>& roots)
      : flow_(flow),
        stored_(stored),
        roots_(roots),
        scopes_(symbol_bounds(*flow.graph)) {}

  Spliced run(const Nest& nest) {
    current_ = roots_[0];
    for (const Nest::Axis& axis : nest.axes)
      scopes_.open_free(axis.name, axis.extent, origin());
    for (int root : roots_) {
      Index sigma = place(flow_.value(root), nest);
      Expr value = expand(root, sigma, {});
      current_ = root;
      emit(scopes_.innermost(),
           Store{flow_.value(root).name, cell(root, sigma), value, {}});
    }
    out_.kernel.body = scopes_.finish();
    return out_;
  }

 private:
  // --- the values ------------------------------------------------------------

  // The value v at index sigma, where `guard` holds (elsewhere anything that
  // takes no memory access).
  Expr need(int v, const Index& sigma, const Expr& guard) {
    return is_loaded(v) ? load(v, sigma, guard, zero_of(v))
                        : expand(v, sigma, guard);
  }

  Expr expand(int v, const Index& sigma, const Expr& guard) {
    Scope& scope = scopes_.at(depth(sigma, guard));
    std::string key = key_of(flow_.value(v).name, sigma, guard);
    auto found = scope.known.find(key);
    if (found != scope.known.end()) return found->second;
    int outer = std::exchange(current_, v);
    int outer_time = std::exchange(time_, times_++);
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
    time_ = outer_time;
    scope.known[key] = result;
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
    std::vector<std::pair<Expr, Expr>> chosen;  // where, and what
    Expr rest = guard;  // holds where no earlier piece does
    bool total = false;
    for (const tensor::Piece& piece : map.pieces) {
      if (total) break;
      Expr where = guarded({}, resolve(piece.where, sigma, rest));
      if (where == Expr(0)) continue;
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
    Expr result = total ? Expr() : tensor::constant_of(map.otherwise, dtype);
    for (std::size_t i = chosen.size(); i-- > 0;) {
      const auto& [where, value] = chosen[i];
      result = !where ? value
                      : let(call("where", {where, value, result}),
                            depth(sigma, guard));
    }
    return result;
  }

  // The loop goes into the scope of sigma, and the state is its result.
  Expr reduction(const Reduction& r, int v, const Index& sigma,
                 const Expr& guard) {
    int operand = flow_.find(r.operand);
    const std::vector<Dim>& shape = flow_.value(operand).shape;
    auto rank = static_cast<int64_t>(shape.size());
    // All reduced axes are one axis of the loop; the last is fastest.
    Dim extent = 1;
    for (int64_t axis : r.axes)
      extent = simplify(extent * shape[rank + axis], bounds());
    out_.findings.folds.push_back({{}, extent});
    for (const Expr& e : sigma) {
      for (const Name& name : names_in(e))
        out_.findings.folds.back().axes.insert(name);
    }
    scopes_.enter_fold(depth(sigma, guard), extent, origin());
    Index inner = sigma;
    Expr left = var(scopes_.at(scopes_.innermost()).axis);
    for (std::size_t i = r.axes.size(); i-- > 0;) {
      const Dim& d = shape[rank + r.axes[i]];
      inner[rank + r.axes[i]] =
          simplify(i == 0 ? left : floor_mod(left, d), bounds());
      left = floor_div(left, d);
    }
    Expr value = need(operand, inner, guard);
    Name state = fmt::format("s{}", next_name_++);
    out_.made[state] = {v, time_};
    emit(scopes_.innermost(), Accum{{state}, r.combiner, {value}, {}});
    scopes_.leave_fold({state, flow_.value(v).dtype, r.combiner});
    return var(state);
  }

  // An index or predicate of a piece, over this kernel's names: i, j, ... are
  // sigma, and a cell of another value is a value that is needed.
  Expr resolve(const Expr& e, const Index& sigma, const Expr& guard) {
    return e ? simplify(at_sigma(e, sigma, guard), bounds()) : e;
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
      note_digits_of(e, out_.findings);
    std::size_t at = depth(index, guard);
    std::string key = key_of("load " + buffer, index, guard);
    if (guard) key += " else " + to_string(otherwise);
    Expr& known = scopes_.at(at).known[key];
    if (known) return known;
    Name out = fmt::format("t{}", next_name_++);
    emit(at, Load{out, buffer, index, guard, guard ? otherwise : Expr()});
    return known = var(out);
  }

  Expr let(const Expr& value, std::size_t at) {
    Name out = fmt::format("t{}", next_name_++);
    out_.made[out] = {current_, time_};
    emit(at, Let{out, value});
    return var(out);
  }

  bool lies_within(const Index& index, const std::vector<Dim>& shape) const {
    Facts facts(bounds());
    for (std::size_t d = 0; d < index.size(); d++) {
      if (!facts.within(index[d], shape[d])) return false;
    }
    return true;
  }

  Expr guarded(const Expr& a, const Expr& b) const {
    Expr e = both(a, b);
    if (e) e = simplify(e, bounds());
    return e && is_true(e) ? Expr() : e;
  }

  // Every statement of a kernel passes here, and takes its origin here.
  void emit(std::size_t at, const Stmt& stmt) {
    out_.kernel.origin = merge(out_.kernel.origin, origin());
    scopes_.emit(at, stmt.with_origin(origin()));
  }
  const Origin& origin() const { return flow_.value(current_).op.origin(); }

  const Bounds& bounds() const { return scopes_.bounds(); }
  std::size_t depth(const Index& sigma, const Expr& guard) const {
    return scopes_.depth(sigma, guard);
  }

  static std::string key_of(const std::string& name, const Index& sigma,
                            const Expr& guard) {
    std::string key = name + "[";
    for (const Expr& e : sigma)
      key += to_string(e) + ",";
    return key + "]" + to_string(guard);
  }

  const Flow& flow_;
  const std::vector<bool>& stored_;
  const std::vector<int>& roots_;
  Scopes scopes_;
  int current_ = 0;  // the value whose definition is being written
  int time_ = 0;     // the number of that expansion,
  int times_ = 1;    // and how many there were
  int next_name_ = 0;
  Spliced out_;
};

}  // namespace

Kernel splice(const Flow& flow, const std::vector<bool>& stored,
              const std::vector<int>& roots, Made& made) {
  Nest nest = bare_nest(flow.value(roots[0]));
  Spliced spliced = Splicer(flow, stored, roots).run(nest);
  // What the first try showed may ask for other loops.
  Nest better = refine(nest, spliced.findings);
  if (!(better == nest)) spliced = Splicer(flow, stored, roots).run(better);
  made = spliced.made;
  return spliced.kernel;
}

}  // namespace sextant::loop
