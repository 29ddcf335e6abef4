// One case a role. The figures behind them: a vector of 16 bytes a thread fills
// the bandwidth of a Map; a Row keeps 32 elements a thread in registers; a
// Contract lives on a tile of 8 x 8 products a thread, as long as there are
// enough tiles for all multiprocessors.
#include "chapters/04-tile-ir/heuristic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "chapters/04-tile-ir/kernel_facts.h"
#include "chapters/04-tile-ir/tiles.h"

namespace sextant::tile {
namespace {

using enum Hold;
using Digits = std::vector<Digit>;

int64_t ceil(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

int64_t power_up(int64_t n) {  // the smallest power of two that is no smaller
  int64_t p = 1;
  while (p < n)
    p *= 2;
  return p;
}

class Chooser : KernelFacts {
 public:
  Chooser(const loop::Program& program, const loop::Kernel& kernel,
          const Target& target)
      : KernelFacts(program, kernel), kernel_(kernel), target_(target) {}

  Schedule run() {
    loop::KernelRole role = loop::role(kernel_);
    switch (role.kind) {
      case loop::RoleKind::Map: map(role); break;
      case loop::RoleKind::Row: row(role); break;
      case loop::RoleKind::Contract: contract(role); break;
      case loop::RoleKind::None: none(); break;
    }
    return schedule_;
  }

 private:
  // The digits, and before them what is left of the axis in `rest`, as `*`
  // unless it comes out even.
  void split(const Name& axis, Hold rest, std::vector<Digit> digits) {
    int64_t inner = 1;
    for (const Digit& d : digits)
      inner *= d.extent;
    std::erase_if(digits, [](const Digit& d) { return d.extent == 1; });
    bool even = is_constant(axis) && extent(axis) % inner == 0;
    int64_t left = even ? extent(axis) / inner : 0;
    bool covered = is_constant(axis) && extent(axis) <= inner;
    if (!covered || digits.empty()) {
      digits.insert(digits.begin(), {left, rest});
    }
    schedule_.splits.push_back({axis, digits});
  }

  // How many blocks share the sums along an axis: a power of two, at most
  // `most`, and so that all of them run at one time, `each` on a
  // multiprocessor. Sums that a second loop needs whole cannot be shared.
  int64_t parts(const Name& axis, int64_t blocks, int64_t each,
                int64_t most) const {
    if (loops.at(axis) > 1 || !is_constant(axis)) return 1;
    int64_t n = 1;
    while (n * 2 <= most && blocks * n * 2 <= target_.multiprocessors * each)
      n *= 2;
    return n;
  }

  // --- Map -----------------------------------------------------------------
  // A vector a thread along the axis that is stored in order; threads along it,
  // and along the axes outside of it when it is short.
  void map(const loop::KernelRole& role) {
    if (role.outer.empty()) return;
    Name along = stores.empty() ? "" : neighbour(stores[0].index);
    if (extents.count(along) == 0) along = role.outer.back();
    Name across = transposed_along(along);
    if (!across.empty()) return transpose(role, along, across);
    int64_t left = 128, v = vector_along(along);
    std::map<Name, int64_t> threads;
    threads[along] = std::min(left, power_up(ceil(extent(along), v)));
    left /= threads[along];
    for (std::size_t i = role.outer.size(); i-- > 0 && left > 1;) {
      const Name& axis = role.outer[i];
      if (axis == along) continue;
      threads[axis] = std::min(left, power_up(extent(axis)));
      left /= threads[axis];
    }
    for (const Name& axis : role.outer) {
      int64_t t = threads.count(axis) == 0 ? 1 : threads[axis];
      split(axis, Block, {{t, Thread}, {axis == along ? v : 1, Register}});
    }
  }

  // An axis that a load goes along in memory while the stores go along
  // another; then both are tiled.
  Name transposed_along(const Name& along) const {
    for (const loop::Load& l : loads) {
      Name other = neighbour(l.index);
      if (other == along || extents.count(other) == 0) continue;
      if (goes_along(l.index, along) && extent(other) >= 16 &&
          extent(along) >= 16 && is_stageable(l.buffer, {along, other})) {
        return other;
      }
    }
    return "";
  }

  void transpose(const loop::KernelRole& role, const Name& along,
                 const Name& across) {
    for (const Name& axis : role.outer) {
      split(axis, Block,
            axis == along    ? digits("32t")
            : axis == across ? digits("4r.8t")
                             : std::vector<Digit>());
    }
    for (const loop::Load& l : loads) {
      if (neighbour(l.index) != across || schedule_stages(l.buffer)) continue;
      schedule_.stages.push_back({l.buffer, 1, "", false, 1});
    }
  }

  bool schedule_stages(const Name& buffer) const {
    return std::any_of(schedule_.stages.begin(), schedule_.stages.end(),
                       [&](const Staging& s) { return s.operand == buffer; });
  }

  // --- Row -----------------------------------------------------------------
  // The row in registers, 32 elements a thread, so that the loops after the
  // first find it there; several rows a block when they are short. Where there
  // are few rows, more threads share each.
  void row(const loop::KernelRole& role) {
    // The largest operand says along which axis memory is read.
    Name along;
    int64_t largest = 0;
    for (const loop::Load& l : loads) {
      if (!goes_along(l.index, role.row)) continue;
      int64_t elements = 1;
      for (const Name& axis : order)
        elements *= goes_along(l.index, axis) ? extent(axis) : 1;
      Name n = neighbour(l.index);
      if (elements > largest || (elements == largest && n == role.row)) {
        along = n;
      }
      largest = std::max(largest, elements);
    }
    if (along != role.row && extents.count(along) != 0) {
      return columns(role, along);
    }
    int64_t n = extent(role.row), v = vector_along(role.row);
    int64_t all = count(role.outer);
    int64_t each = all < 2 * target_.multiprocessors ? 2 * v : 32;
    int64_t threads = std::clamp<int64_t>(power_up(ceil(n, each)), 1, 1024);
    int64_t per_thread = ceil(n, threads * v);
    int64_t rows = threads >= 128 ? 1 : 128 / threads;
    for (const Name& axis : role.outer) {
      bool last = axis == role.outer.back();
      int64_t here = last ? std::min(rows, power_up(extent(axis))) : 1;
      split(axis, Block, {{here, Thread}});
    }
    // A row that is read once may be shared by blocks, where there are few.
    int64_t step = threads * 4 * v;
    int64_t shared = parts(role.row, all, 2, n / step);
    if (shared > 1) {
      return split(role.row, Block,
                   {{ceil(n, shared * step), Serial},
                    {4, Register},
                    {threads, Thread},
                    {v, Register}});
    }
    // Eight vectors a thread are kept; a longer row is read in parts.
    bool kept = is_constant(role.row) && per_thread <= 8;
    int64_t vectors = kept ? per_thread : 4;
    split(role.row, Serial,
          {{vectors, Register}, {threads, Thread}, {v, Register}});
  }

  // Sums down the columns: lanes lie along a row of memory, the rest of the
  // threads down the column; the column's digit is listed first, so slowest.
  void columns(const loop::KernelRole& role, const Name& along) {
    int64_t v = vector_along(along);
    int64_t lanes = std::min<int64_t>(power_up(ceil(extent(along), v)), 16);
    int64_t n = extent(role.row);
    int64_t down = std::min<int64_t>(power_up(n), 1024 / lanes);
    // Four loads are on their way at a time.
    int64_t ahead = std::min<int64_t>(ceil(n, down), 4);
    int64_t blocks =
        count(role.outer) / extent(along) * ceil(extent(along), lanes * v);
    int64_t shared = parts(role.row, blocks, 1, n / down / ahead);
    int64_t here = shared == 1 ? 1 : ceil(n, shared * down * ahead);
    split(role.row, shared == 1 ? Serial : Block,
          {{here, Serial}, {ahead, Unrolled}, {down, Thread}});
    for (const Name& axis : role.outer) {
      bool here = axis == along;
      split(axis, Block,
            {{here ? lanes : 1, Thread}, {here ? v : 1, Register}});
    }
  }

  // --- Contract ------------------------------------------------------------
  void contract(const loop::KernelRole& role) {
    const Name &m = role.m.back(), &n = role.n.back(), &k = role.row;
    int64_t others = count(role.outer) * count(role.m) / extent(m) *
                     count(role.n) / extent(n);
    if (slices(m, n, k, others)) return;
    Tile tile = choose_tile(extent(m), extent(n), others, k);
    std::map<Name, std::vector<Digit>> inner = {
        {m, tile.m}, {n, tile.n}, {k, {{steps(k, tile), Serial}}}};
    if (tile.parts > 1) {
      int64_t here = ceil(extent(k), tile.parts * tile.k);
      inner[k].insert(inner[k].begin(), {here, Serial});
    }
    for (const Name& axis : order) {
      bool serial = axis == k && tile.parts == 1;
      split(axis, serial ? Serial : Block, inner[axis]);
    }
    stage_operands(m, n, k, tile);
    schedule_.min_blocks = tile.min_blocks;
    schedule_.prefetch = tile.large && !schedule_.stages.empty();
  }

  int64_t steps(const Name& k, const Tile& tile) const {
    return is_constant(k) ? std::min(tile.k, extent(k)) : tile.k;
  }

  // --- few rows --------------------------------------------------------------
  // Too few rows for large tiles on all multiprocessors: the columns are shared
  // out among them, in one wave, and the warps of a block share the sum, each
  // with a slice of every tile of k. Operands that lie along k keep that order
  // in shared memory; a vector of four steps is a read, and copies of 16 bytes
  // run several tiles ahead.
  struct Slices {
    int64_t m = 1, n = 1;  // cells of a thread along m and along n
    int64_t warps = 8, steps = 4, ahead = 4;
  };
  static constexpr int64_t kLanesM = 8, kLanesN = 4, kStep = 4;

  bool slices(const Name& m, const Name& n, const Name& k, int64_t others) {
    bool fixed = is_constant(m) && is_constant(n) && is_constant(k);
    int64_t rows = extent(m), columns = extent(n);
    bool few = rows <= 32 || ceil(rows, 64) * ceil(columns, 64) * others <
                                 2 * target_.multiprocessors;
    if (!fixed || !few || columns % kLanesN != 0) return false;
    std::vector<Name> staged;
    for (const loop::Load& l : loads) {
      if ((axes.of(l.out) & axes.of(k)) == 0) continue;
      if (neighbour(l.index) != k || !is_stageable(l.buffer, {m, n, k}))
        return false;
      bool again = std::count(staged.begin(), staged.end(), l.buffer) != 0;
      if (l.index.size() > 1 && !again) staged.push_back(l.buffer);
    }
    // How many blocks share a multiprocessor, their warps, and how many cells
    // their threads can hold.
    for (auto [blocks, warps, most] :
         {std::array<int64_t, 3>{1, 8, 112}, {2, 4, 112}, {1, 4, 160}}) {
      Slices s;
      s.warps = warps;
      s.m = std::min<int64_t>(ceil(rows, kLanesM), 8);
      int64_t rest = ceil(rows, s.m * kLanesM) * others;
      int64_t room = blocks * target_.multiprocessors / rest;
      if (room == 0) continue;
      s.n = ceil(columns, room * kLanesN);
      while (columns % (s.n * kLanesN) != 0)
        s.n++;
      if (s.m * s.n * states > most) continue;
      if (!fit(s, blocks, m, k, staged)) continue;
      split(k, Serial,
            {{s.warps, Thread}, {s.steps, Serial}, {kStep, Register}});
      for (const Name& axis : order) {
        Digits inner;
        if (axis == m) inner = {{s.m, Register}, {kLanesM, Thread}};
        if (axis == n) inner = {{s.n, Register}, {kLanesN, Thread}};
        if (axis != k) split(axis, Block, inner);
      }
      for (const Name& buffer : staged)
        schedule_.stages.push_back({buffer, s.ahead, "async", false, kStep});
      return true;
    }
    return false;
  }

  // The longest slices and the most tiles ahead that a block's shared memory
  // holds beside the partial sums; false if none do.
  bool fit(Slices& s, int64_t blocks, const Name& m, const Name& k,
           const std::vector<Name>& staged) const {
    int64_t bytes_of_step = 0;  // of all stages, for one element of k
    for (const loop::Load& l : loads) {
      if (std::count(staged.begin(), staged.end(), l.buffer) == 0) continue;
      bool along_m = goes_along(l.index, m);
      bytes_of_step +=
          bytes(l.buffer) * (along_m ? s.m * kLanesM : s.n * kLanesN);
    }
    int64_t left = std::min(target_.shared_per_block,
                            target_.shared_per_multiprocessor / blocks - 1024) -
                   4 * s.m * s.n * states * s.warps * 32;
    for (int64_t steps : {4, 2}) {
      for (int64_t ahead : {4, 3}) {
        int64_t tile = s.warps * steps * kStep;
        if (steps == 4 && s.m > 4) continue;
        if (extent(k) % tile != 0 || extent(k) < 2 * ahead * tile) continue;
        if ((tile + kStep) * bytes_of_step * ahead > left) continue;
        s.steps = steps;
        s.ahead = ahead;
        return true;
      }
    }
    return false;
  }

  // How many parts of the sum keep the multiprocessors busy with the largest
  // tile, which does most between two loads: the fewest with which the last
  // wave is nearly full. 0: none do.
  int64_t parts_of_large(const Tile& tile, int64_t blocks,
                         const Name& k) const {
    for (int64_t n : {1, 2, 4}) {
      double waves = static_cast<double>(blocks * n) / target_.multiprocessors;
      bool can =
          n == 1 || (parts(k, 1, n, n) == n && extent(k) >= n * 8 * tile.k);
      if (can && waves > 0.95 && waves / std::ceil(waves) > 0.8) return n;
    }
    return 0;
  }

  // The largest tile of which there is one for every multiprocessor, if it is
  // not mostly tail; where no tile is small enough, the largest of which there
  // are enough parts, of eight steps or more. Several accumulators take half
  // the cells each.
  Tile choose_tile(int64_t m, int64_t n, int64_t others, const Name& k) const {
    std::vector<Tile> all = tiles();
    // Of several sums a thread holds half the cells each.
    std::size_t largest = 0;
    while (all[largest].cells() > (states > 1 ? 32 : 64))
      largest++;
    Tile chosen = all[largest];
    if (m > 64 && n > 64) {
      int64_t rows = ceil(m, chosen.rows()),
              columns = ceil(n, chosen.columns());
      chosen.parts = parts_of_large(chosen, rows * columns * others, k);
      if (chosen.parts > 0) return chosen;
    }
    for (int64_t most : {1, 8}) {
      for (std::size_t i = largest; i < all.size(); i++) {
        chosen = all[i];
        int64_t tm = chosen.rows(), tn = chosen.columns();
        int64_t blocks = ceil(m, tm) * ceil(n, tn) * others;
        chosen.parts =
            parts(k, blocks, 2, std::min(extent(k) / chosen.k / 8, most));
        bool fits = m > tm / 2 && n > tn / 2;
        bool fills = blocks * chosen.parts >= target_.multiprocessors;
        if (fits && fills) return chosen;
        // The smallest is for what is tiny alone.
        if (i + 2 == all.size() && m * n * others > 1024) break;
      }
    }
    return chosen;
  }

  // What the loop over k reads goes through shared memory, if its index is a
  // sum of digits. Where k is the neighbour in memory the copy transposes,
  // through registers; else it is asynchronous.
  void stage_operands(const Name& m, const Name& n, const Name& k,
                      const Tile& tile) {
    bool pipelined = !is_constant(k) || extent(k) > steps(k, tile);
    for (const loop::Load& l : loads) {
      bool along_k = (axes.of(l.out) & axes.of(k)) != 0;
      if (!along_k || schedule_stages(l.buffer)) continue;
      if (!is_stageable(l.buffer, {m, n, k})) continue;
      Staging s;
      s.operand = l.buffer;
      s.buffers = pipelined ? 2 : 1;
      bool transposes = neighbour(l.index) == k && l.index.size() > 1;
      bool small = tile.rows() < 32;
      bool words = bytes(l.buffer) >= 4;
      if (l.index.size() > 1) s.kmajor = !small;
      if (transposes && !small) {
        s.transport = pipelined ? "held" : "";
        s.pad = 4;
      } else if (l.index.size() > 1 && words) {
        s.transport = "async";
        s.pad = transposes ? 1 : 0;
      }
      schedule_.stages.push_back(s);
    }
  }

  void none() {
    if (!order.empty()) split(order[0], Block, digits("128t"));
  }

  const loop::Kernel& kernel_;
  const Target& target_;
  Schedule schedule_;
};

}  // namespace

Schedule heuristic(const loop::Program& program, const loop::Kernel& kernel,
                   const Target& target) {
  return Chooser(program, kernel, target).run();
}

}  // namespace sextant::tile
