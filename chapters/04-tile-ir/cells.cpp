#include "chapters/04-tile-ir/cells.h"

#include <algorithm>

#include "chapters/04-tile-ir/layout.h"
#include "chapters/04-tile-ir/walk.h"

namespace sextant::tile {
namespace {

// One walk is enough, since values stand before their uses.
class Learner {
 public:
  void learn(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      if (const For* f = s.as<For>()) {
        for (const Carry& c : f->carries) {
          outside_[c.cell.name] = open_.size();
          found_.types[c.cell.name] = c.dtype;
        }
        open_.push_back(f->axis);
        declare(*f);
        learn(f->body);
        open_.pop_back();
      } else if (const Accum* a = s.as<Accum>()) {
        learn_states(*a);
      } else if (const Var* out = defined_by(s)) {
        found_.registers[out->name] = registers_behind(s);
      }
    }
  }

  Cells take() {
    std::sort(found_.axes.begin(), found_.axes.end(), before);
    return found_;
  }

 private:
  static bool before(const Axis& a, const Axis& b) {
    if (a.level != b.level) return a.level < b.level;
    return std::stoi(a.name.substr(1)) < std::stoi(b.name.substr(1));
  }

  void declare(const For& f) {
    std::optional<Level> level = level_of(f.axis);
    Axis axis{f.axis, f.extent, level.value_or(Level::Block)};
    std::vector<Axis>& axes = found_.axes;
    bool known = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (level && !known) axes.push_back(axis);
  }

  // What is added up over REGISTER axes differs along the others alone.
  void learn_states(const Accum& a) {
    for (const Var& state : a.state) {
      std::vector<Name> axes(
          open_.begin() + static_cast<long>(outside_.at(state.name)),
          open_.end());
      std::set<Name> kept = registers_behind(a);
      for (const Name& axis : axes)
        kept.erase(axis);
      found_.registers[state.name].merge(kept);
      found_.reductions[state.name] = axes;
    }
  }

  // The REGISTER axes of a statement, and of the values that it uses.
  std::set<Name> registers_behind(const Stmt& s) const {
    std::set<Name> all = registers_of(s);
    for (const auto& [value, times] : uses_in({s})) {
      auto of = found_.registers.find(value);
      if (of != found_.registers.end()) {
        all.insert(of->second.begin(), of->second.end());
      }
    }
    return all;
  }

  Cells found_;
  std::vector<Name> open_;               // loops around
  std::map<Name, std::size_t> outside_;  // of those, outside a state's own
};

}  // namespace

Cells cells_in(const std::vector<Stmt>& body) {
  Learner learner;
  learner.learn(body);
  return learner.take();
}

}  // namespace sextant::tile
