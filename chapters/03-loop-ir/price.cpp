// The terms of the price, in the words of each role:
//
// - bytes: every buffer once, however often it is read; in a Row whose data do
//   not fit a block's shared memory, once for each loop that reads them.
// - operations: as often as they are executed. In a Contract the factors of the
//   products are computed once for each tile of the result that needs them.
// - blocks: what an ordinary schedule of the role makes.
#include "chapters/03-loop-ir/price.h"

#include <algorithm>
#include <cmath>

#include "chapters/03-loop-ir/dependence.h"
#include "chapters/03-loop-ir/names.h"

namespace sextant::loop {
namespace {

constexpr double kPerBlock = 1024;  // elements of a block of a Map
constexpr double kRowPart = 4096;   // elements that a block sums of a long row
constexpr double kDivision = 4;     // instructions of x/c or x%c in an index
constexpr double kCells = 32768;    // accumulators of a block, at most
constexpr double kOperand = 4;      // instructions to bring an operand, of a
                                    // tile of one, to a multiply-add

struct Work {
  double alu = 0, sfu = 0;
  Work& add(const Work& w, double times) {
    alu += w.alu * times;
    sfu += w.sfu * times;
    return *this;
  }
};

// A tile of a contraction, and in how many parts it is summed.
struct Tile {
  double m, n, parts;
};

class Pricer {
 public:
  Pricer(const Program& program, const Kernel& kernel, const KernelRole& role,
         const Tables& tables, const Target& target)
      : program_(program),
        kernel_(kernel),
        role_(role),
        tables_(tables),
        target_(target),
        axes_(kernel) {
    for (const Symbol& s : program.symbols)
      hints_[s.name] = s.hint;
    each_stmt(kernel.body, [&](const Stmt& stmt) {
      const For* loop = stmt.as<For>();
      if (loop == nullptr || extent_.count(loop->axis) != 0) return;
      extent_[loop->axis] = number(loop->extent);
      extents_.push_back({axes_.of(loop->axis), extent_[loop->axis]});
    });
  }

  Price run() {
    count_bytes();
    switch (role_.kind) {
      case RoleKind::Map:
        count_executed(kernel_.body, 1);
        return finish_blocks(std::ceil(product(role_.outer) / kPerBlock));
      case RoleKind::Row:
        count_executed(kernel_.body, 1);
        return finish_blocks(row_blocks());
      case RoleKind::Contract: return contract();
      case RoleKind::None: break;
    }
    INVARIANT(false, "kernel {} has no role: {}", kernel_.name, role_.reason);
    return {};
  }

 private:
  double number(const Dim& extent) const {
    return static_cast<double>(evaluate(extent, hints_));
  }

  double product(AxisSet axes) const {
    double n = 1;
    for (const auto& [axis, extent] : extents_)
      n *= (axes & axis) != 0 ? extent : 1;
    return n;
  }
  double product(const std::vector<Name>& axes) const {
    return product(axes_.all(axes));
  }

  double elements(const Buffer& b) const {
    double n = 1;
    for (const Dim& d : b.shape)
      n *= number(d);
    return n;
  }

  // --- bytes -----------------------------------------------------------------

  bool on_row(const std::vector<Expr>& index) const {
    return (axes_.of(index) & axes_.of(role_.row)) != 0;
  }

  // A row that all loops read stays on chip if it fits.
  bool keeps_row() const {
    double bytes = 0;
    std::vector<const Load*> rows = distinct_loads();
    for (const Load* load : rows) {
      if (!on_row(load->index)) continue;
      bytes +=
          extent_.at(role_.row) *
          static_cast<double>(size_of(program_.buffer(load->buffer)->dtype));
    }
    return bytes <= static_cast<double>(target_.shared_per_block);
  }

  std::vector<const Load*> distinct_loads() const {
    std::vector<const Load*> loads;
    each_stmt(kernel_.body, [&](const Stmt& stmt) {
      const Load* load = stmt.as<Load>();
      if (load == nullptr) return;
      for (const Load* other : loads) {
        if (other->buffer == load->buffer && other->index == load->index) {
          return;
        }
      }
      loads.push_back(load);
    });
    return loads;
  }

  void count_bytes() {
    std::map<Name, double> read, passes;
    for (const Load* load : distinct_loads())
      read[load->buffer] += product(axes_.of(load->index));
    if (role_.kind == RoleKind::Row && !keeps_row()) count_passes(passes);
    for (const auto& [name, cells] : read) {
      const Buffer& b = *program_.buffer(name);
      double times = std::max(1.0, passes[name]);
      price_.bytes += std::min(cells, elements(b)) * times *
                      static_cast<double>(size_of(b.dtype));
    }
    each_stmt(kernel_.body, [&](const Stmt& stmt) {
      const Store* store = stmt.as<Store>();
      if (store == nullptr) return;
      const Buffer& b = *program_.buffer(store->buffer);
      price_.bytes += elements(b) * static_cast<double>(size_of(b.dtype));
    });
  }

  // How many loops read a buffer along the row.
  void count_passes(std::map<Name, double>& passes) const {
    each_stmt(kernel_.body, [&](const Stmt& stmt) {
      const For* loop = stmt.as<For>();
      if (loop == nullptr || loop->axis != role_.row) return;
      std::set<Name> buffers;
      for (const Stmt& s : loop->body) {
        if (const Load* load = s.as<Load>()) buffers.insert(load->buffer);
      }
      for (const Name& b : buffers)
        passes[b] += 1;
    });
  }

  // --- operations ------------------------------------------------------------

  Work work(const Expr& e) const {
    Work w;
    if (!e) return w;
    if (const Call* c = e.as<Call>()) {
      const ScalarOp& row = scalar_op(tables_, c->op);
      w = {row.alu, row.sfu};
    } else if (e.as<Cast>() != nullptr || e.as<Binary>() != nullptr) {
      w.alu = 1;
    }
    std::visit(
        [&](const auto& node) {
          visit_inside<Expr>(node, [&](const Expr& x) { w.add(work(x), 1); });
        },
        e.variant());
    return w;
  }

  // Divisions alone: all else of an address is hoisted or folded away.
  Work index_work(const std::vector<Expr>& index) const {
    Work w;
    std::function<void(const Expr&)> look = [&](const Expr& e) {
      const Binary* b = e.as<Binary>();
      if (b == nullptr) return;
      if (b->op == BinaryOp::Div || b->op == BinaryOp::Mod) w.alu += kDivision;
      look(b->a);
      look(b->b);
    };
    for (const Expr& e : index)
      look(e);
    return w;
  }

  Work work(const Stmt& stmt) const {
    Work w;
    if (const Load* load = stmt.as<Load>()) {
      w = index_work(load->index);
      w.add(work(load->guard), 1);
    } else if (const Let* let = stmt.as<Let>()) {
      w = work(let->value);
    } else if (const Accum* accum = stmt.as<Accum>()) {
      const Combiner& row = combiner(tables_, accum->combiner);
      for (const Expr& e : row.combine)
        w.add(work(e), 1);
      for (const Expr& e : accum->value)
        w.add(work(e), 1);
    } else if (const Store* store = stmt.as<Store>()) {
      w = index_work(store->index);
      w.add(work(store->value), 1);
    }
    return w;
  }

  void count(const Stmt& stmt, double times) {
    Work w = work(stmt);
    price_.alu += w.alu * times;
    price_.sfu += w.sfu * times;
  }

  void count_executed(const std::vector<Stmt>& body, double trips) {
    for (const Stmt& stmt : body) {
      if (const For* loop = stmt.as<For>()) {
        count_executed(loop->body, trips * extent_.at(loop->axis));
      } else {
        count(stmt, trips);
      }
    }
  }

  // --- rows ------------------------------------------------------------------

  // A block a row; a row that is only summed, and once, is shared by several.
  double row_blocks() const {
    int loops = 0;
    each_stmt(kernel_.body, [&](const Stmt& stmt) {
      const For* loop = stmt.as<For>();
      loops += loop != nullptr && loop->axis == role_.row;
    });
    double rows = product(role_.outer);
    if (loops > 1) return rows;
    return rows * std::ceil(extent_.at(role_.row) / kRowPart);
  }

  // --- contractions ----------------------------------------------------------

  // What is computed for each element of some axes, by whether it varies along
  // m and along n. Along a side on which it does not, every tile computes it.
  struct Share {
    Work work;
    double l2 = 0;  // bytes
  };

  Price contract() {
    Share shares[2][2];
    double sums = 0;
    split_work(kernel_.body, shares, sums);
    Price best;
    best.us = HUGE_VAL;
    for (double m : {16.0, 32.0, 64.0, 128.0, 256.0}) {
      for (double n : {16.0, 32.0, 64.0, 128.0, 256.0}) {
        if (m * n * sums > kCells && m * n > 256) continue;
        for (double parts : {1.0, 2.0, 4.0, 8.0}) {
          if (parts > 1 && extent_.at(role_.row) < 64 * parts) continue;
          Price p = contract({m, n, parts}, shares, sums);
          if (p.us < best.us) best = p;
        }
      }
    }
    return best;
  }

  Price contract(const Tile& tile, const Share (&shares)[2][2],
                 double sums) const {
    Price p = price_;
    double rows = product(role_.m), columns = product(role_.n);
    double batch = product(role_.outer), k = extent_.at(role_.row);
    double m = std::max(1.0, std::ceil(rows / tile.m));
    double n = std::max(1.0, std::ceil(columns / tile.n));
    for (int on_m : {0, 1}) {
      for (int on_n : {0, 1}) {
        double times = (on_m != 0 ? 1 : m) * (on_n != 0 ? 1 : n);
        const Share& share = shares[on_m][on_n];
        p.alu += share.work.alu * times;
        p.sfu += share.work.sfu * times;
        p.l2 += share.l2 * times;
      }
    }
    p.fma = sums * batch * m * tile.m * n * tile.n * k;
    p.alu += kOperand * p.fma * (1 / tile.m + 1 / tile.n);
    p.blocks = std::max(1.0, batch * m * n * tile.parts);
    if (tile.parts > 1) {  // partial sums, written and read
      p.bytes += 2 * sums * tile.parts * batch * rows * columns * 4;
    }
    double sms = target_.multiprocessors;
    return finish(p, p.blocks / (sms * std::ceil(p.blocks / sms)));
  }

  // The products and their sums are left out: they are the multiply-adds.
  void split_work(const std::vector<Stmt>& body, Share (&shares)[2][2],
                  double& sums) const {
    for (const Stmt& stmt : body) {
      if (const For* loop = stmt.as<For>()) {
        split_work(loop->body, shares, sums);
        continue;
      }
      if (stmt.as<Accum>() != nullptr) {
        sums += 1;
        continue;
      }
      AxisSet axes = axes_of(stmt);
      bool on_m = (axes & axes_.all(role_.m)) != 0;
      bool on_n = (axes & axes_.all(role_.n)) != 0;
      bool on_k = (axes & axes_.of(role_.row)) != 0;
      if (on_m && on_n && on_k) continue;
      Share& share = shares[on_m][on_n];
      share.work.add(work(stmt), product(axes));
      const Load* load = stmt.as<Load>();
      if (load == nullptr || !on_k) continue;
      share.l2 +=
          product(axes) *
          static_cast<double>(size_of(program_.buffer(load->buffer)->dtype));
    }
  }

  AxisSet axes_of(const Stmt& stmt) const {
    if (const Load* load = stmt.as<Load>()) return axes_.of(load->out);
    if (const Let* let = stmt.as<Let>()) return axes_.of(let->out);
    return axes_.of(stmt.get<Store>().index);
  }

  // `share` of the multiprocessors has work all the time.
  Price finish(Price p, double share) const {
    double busy = std::max(
        {p.bytes / target_.bandwidth, p.l2 / target_.l2_bandwidth,
         p.fma / target_.fma + p.alu / target_.alu, p.sfu / target_.sfu});
    p.us = target_.launch_us + busy / share;
    return p;
  }

  Price finish_blocks(double blocks) {
    price_.blocks = std::max(1.0, blocks);
    return finish(price_,
                  std::min(1.0, price_.blocks / target_.multiprocessors));
  }

  const Program& program_;
  const Kernel& kernel_;
  const KernelRole& role_;
  const Tables& tables_;
  const Target& target_;
  Dependence axes_;
  Values hints_;
  std::map<Name, double> extent_;
  std::vector<std::pair<AxisSet, double>> extents_;  // the same, by bit
  Price price_;
};

}  // namespace

Price price(const Program& program, const Kernel& kernel,
            const KernelRole& role, const Tables& tables,
            const Target& target) {
  return Pricer(program, kernel, role, tables, target).run();
}

}  // namespace sextant::loop
