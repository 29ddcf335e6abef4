// The terms of the price, in the words of each role:
//
// - bytes: every buffer once, however often it is read; in a Row whose data do
//   not fit a block's shared memory, once for each loop that reads them.
// - operations: as often as they are executed. In a Contract the factors of the
//   products are computed by each thread for its own cells of the result.
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
constexpr double kDivision = 4;     // instructions of x/c or x%c
constexpr double kCells = 32768;    // accumulators of a block, at most
constexpr double kThread = 8;       // cells of a thread along m or n
constexpr double kOperand = 4;      // instructions to bring an operand, of a
                                    // tile of one, to a multiply-add

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
      if (const For* loop = stmt.as<For>()) {
        extents_[loop->axis] = number(loop->extent);
        row_loops_ += loop->axis == role.row;
      }
    });
  }

  Price run() const {
    if (role_.kind == RoleKind::Contract) return contract();
    Price p;
    p.bytes = bytes();
    count_executed(kernel_.body, 1, p);
    // A block a row. Few rows that are walked once are shared by several.
    double cells = product(role_.outer), row = product({role_.row});
    bool shares =
        row_loops_ == 1 && cells * target_.one_bandwidth < target_.bandwidth;
    p.blocks = role_.kind == RoleKind::Map ? std::ceil(cells / kPerBlock)
               : shares                    ? cells * std::ceil(row / kRowPart)
                                           : cells;
    p.blocks = std::max(1.0, p.blocks);
    return finish(p, std::min(1.0, p.blocks / target_.multiprocessors));
  }

 private:
  double number(const Dim& extent) const {
    return static_cast<double>(evaluate(extent, hints_));
  }

  double product(AxisSet axes) const {
    double n = 1;
    for (const auto& [axis, extent] : extents_)
      n *= (axes & axes_.of(axis)) != 0 ? extent : 1;
    return n;
  }
  double product(const std::vector<Name>& axes) const {
    return product(axes_.all(axes));
  }

  bool on(AxisSet axes, const std::vector<Name>& some) const {
    return (axes & axes_.all(some)) != 0;
  }

  // --- bytes -----------------------------------------------------------------

  double element(const Name& buffer) const {
    return static_cast<double>(size_of(program_.buffer(buffer)->dtype));
  }

  double size(const Name& buffer) const {
    double n = 1;
    for (const Dim& d : program_.buffer(buffer)->shape)
      n *= number(d);
    return n;
  }

  // From and to device memory. Each loop over a row that does not stay on chip
  // loads it anew; otherwise what was loaded once is there.
  double bytes() const {
    std::vector<const Load*> seen;
    std::map<Name, double> cells, passes;
    double row = 0, stored = 0;
    each_stmt(kernel_.body, [&](const Stmt& stmt) {
      if (const Store* store = stmt.as<Store>())
        stored += size(store->buffer) * element(store->buffer);
      if (const For* loop = stmt.as<For>(); loop != nullptr) {
        std::set<Name> buffers;
        for (const Stmt& s : loop->body) {
          if (const Load* load = s.as<Load>()) buffers.insert(load->buffer);
        }
        for (const Name& b : buffers)
          passes[b] += loop->axis == role_.row;
      }
      const Load* load = stmt.as<Load>();
      if (load == nullptr ||
          std::any_of(seen.begin(), seen.end(), [&](const Load* other) {
            return other->buffer == load->buffer && other->index == load->index;
          })) {
        return;
      }
      seen.push_back(load);
      AxisSet axes = axes_.of(load->index);
      cells[load->buffer] += product(axes);
      if (on(axes, {role_.row})) {
        row += product({role_.row}) * element(load->buffer);
      }
    });
    bool stays = role_.kind != RoleKind::Row ||
                 row <= static_cast<double>(target_.shared_per_block);
    double loaded = 0;
    for (const auto& [name, n] : cells) {
      double times = stays ? 1 : std::max(1.0, passes[name]);
      loaded += std::min(n, size(name)) * times * element(name);
    }
    return loaded + stored;
  }

  // --- operations ------------------------------------------------------------

  // Of index arithmetic, what is not hoisted or folded into an address.
  Work work(const Expr& e) const {
    Work w;
    if (const Call* c = e.as<Call>()) {
      const ScalarOp& row = scalar_op(tables_, c->op);
      w = {row.alu, row.sfu};
    } else if (e.as<Cast>() != nullptr) {
      w.alu = 1;
    } else if (const Binary* b = e.as<Binary>()) {
      bool divides = b->op == BinaryOp::Div || b->op == BinaryOp::Mod;
      w.alu = divides ? kDivision : b->op < BinaryOp::Div ? 0 : 1;
    }
    auto add = [&](const Expr& x) { w.add(work(x), 1); };
    std::visit([&](const auto& node) { visit_inside<Expr>(node, add); },
               e.variant());
    return w;
  }

  // A statement without what stands in it.
  Work work(const Stmt& stmt) const {
    Work w;
    auto add = [&](const Expr& e) { w.add(work(e), 1); };
    std::visit([&](const auto& node) { visit_inside<Expr>(node, add); },
               stmt.variant());
    if (const Accum* accum = stmt.as<Accum>()) {
      visit_inside<Expr>(combiner(tables_, accum->combiner).combine, add);
    }
    return w;
  }

  void count_executed(const std::vector<Stmt>& body, double trips,
                      Work& sum) const {
    for (const Stmt& stmt : body) {
      if (const For* loop = stmt.as<For>()) {
        count_executed(loop->body, trips * extents_.at(loop->axis), sum);
      } else {
        sum.add(work(stmt), trips);
      }
    }
  }

  // --- contractions ----------------------------------------------------------

  // What is computed for each element of some axes. Where these are on one side
  // of the result alone, every tile along the other loads it again, and every
  // thread computes it again.
  struct Share {
    bool on_m, on_n;
    Work work;
  };

  // The best of some ordinary tiles, each summed in some number of parts.
  Price contract() const {
    std::vector<Share> shares;
    double sums = 0;
    each_stmt(kernel_.body, [&](const Stmt& stmt) {
      sums += stmt.as<Accum>() != nullptr;
      std::optional<Share> share = share_of(stmt);
      if (share) shares.push_back(*share);
    });
    Price start, best;
    start.bytes = bytes();
    best.us = HUGE_VAL;
    for (double m : {16.0, 32.0, 64.0, 128.0, 256.0}) {
      for (double n : {16.0, 32.0, 64.0, 128.0, 256.0}) {
        if (m * n * sums > kCells && m * n > 256) continue;
        for (double parts : {1.0, 2.0, 4.0, 8.0}) {
          if (parts > 1 && product({role_.row}) < 64 * parts) continue;
          Price p = contract(start, shares, sums, m, n, parts);
          if (p.us < best.us) best = p;
        }
      }
    }
    return best;
  }

  Price contract(Price p, const std::vector<Share>& shares, double sums,
                 double tile_m, double tile_n, double parts) const {
    double rows = product(role_.m), columns = product(role_.n);
    double batch = product(role_.outer);
    double m = std::max(1.0, std::ceil(rows / tile_m));
    double n = std::max(1.0, std::ceil(columns / tile_n));
    double threads_m = std::ceil(rows / std::min(tile_m, kThread));
    double threads_n = std::ceil(columns / std::min(tile_n, kThread));
    for (const Share& share : shares) {
      Work loads, computes = share.work;
      std::swap(loads.l2, computes.l2);
      p.add(loads, (share.on_m ? 1 : m) * (share.on_n ? 1 : n));
      p.add(computes,
            (share.on_m ? 1 : threads_m) * (share.on_n ? 1 : threads_n));
    }
    p.fma = sums * batch * m * tile_m * n * tile_n * product({role_.row});
    p.alu += kOperand * p.fma * (1 / tile_m + 1 / tile_n);
    p.blocks = std::max(1.0, batch * m * n * parts);
    if (parts > 1) {  // partial sums, written and read
      p.bytes += 2 * sums * parts * batch * rows * columns * 4;
    }
    double sms = target_.multiprocessors;
    return finish(p, p.blocks / (sms * std::ceil(p.blocks / sms)));
  }

  // The products and their sums are left out: they are the multiply-adds.
  std::optional<Share> share_of(const Stmt& stmt) const {
    if (stmt.as<For>() != nullptr || stmt.as<Accum>() != nullptr) return {};
    const Load* load = stmt.as<Load>();
    const Let* let = stmt.as<Let>();
    AxisSet axes = load != nullptr  ? axes_.of(load->out)
                   : let != nullptr ? axes_.of(let->out)
                                    : axes_.of(stmt.get<Store>().index);
    Share share{on(axes, role_.m), on(axes, role_.n), {}};
    bool on_row = on(axes, {role_.row});
    if (share.on_m && share.on_n && on_row) return {};
    Work once = work(stmt);
    if (load != nullptr && on_row) once.l2 = element(load->buffer);
    share.work.add(once, product(axes));
    return share;
  }

  // `share` of the multiprocessors has work all the time. Memory takes fewer
  // of them to be busy than all; neither limit is sharp, and near the point
  // where they meet both are felt.
  Price finish(Price p, double share) const {
    double some = share * target_.multiprocessors * target_.one_bandwidth;
    double memory = std::pow(
        std::pow(p.bytes / target_.bandwidth, 4) + std::pow(p.bytes / some, 4),
        0.25);
    double fma = p.fma / target_.fma + p.alu / target_.alu;
    auto [us, bound] = std::max<std::pair<double, const char*>>(
        {{memory, "memory"},
         {p.l2 / target_.l2_bandwidth / share, "L2"},
         {fma / share, "arithmetic"},
         {p.sfu / target_.sfu / share, "exp"}},
        [](const auto& a, const auto& b) { return a.first < b.first; });
    p.us = target_.launch_us + us;
    p.bound = bound;
    return p;
  }

  const Program& program_;
  const Kernel& kernel_;
  const KernelRole& role_;
  const Tables& tables_;
  const Target& target_;
  Dependence axes_;
  Values hints_;
  std::map<Name, double> extents_;  // of axes
  int row_loops_ = 0;
};

}  // namespace

Price price(const Program& program, const Kernel& kernel,
            const KernelRole& role, const Tables& tables,
            const Target& target) {
  INVARIANT(role.kind != RoleKind::None, "kernel {} has no role: {}",
            kernel.name, role.reason);
  return Pricer(program, kernel, role, tables, target).run();
}

}  // namespace sextant::loop
