#include "chapters/04-tile-ir/digits.h"

#include <algorithm>

#include "chapters/04-tile-ir/layout.h"

namespace sextant::tile {
namespace {

Axle* find(std::vector<Axle>& axles, const Name& axis) {
  auto found = std::find_if(axles.begin(), axles.end(),
                            [&](const Axle& a) { return a.axis == axis; });
  return found == axles.end() ? nullptr : &*found;
}

void collect(const std::vector<Stmt>& body, bool reduces,
             std::vector<Axle>& axles) {
  for (const Stmt& s : body) {
    const For* f = s.as<For>();
    if (f == nullptr) continue;
    bool inside = reduces || !f->carries.empty();
    if (find(axles, f->axis) == nullptr) axles.push_back({f->axis, f->extent});
    Axle& axle = *find(axles, f->axis);
    axle.reduces = axle.reduces || inside;
    axle.loops++;
    collect(f->body, inside, axles);
  }
}

// An axis without digits in the schedule is one serial digit.
void read_digits(const Name& kernel, const Split* split, const Bounds& bounds,
                 Axle& axle) {
  std::vector<Digit> digits = {{0, Hold::Serial}};
  if (split != nullptr) digits = split->digits;
  int64_t place = 1;
  for (const Digit& d : digits)
    place = checked_mul(place, std::max<int64_t>(d.extent, 1), axle.axis);
  bool rest = digits[0].extent == 0;
  if (!rest && bounds_of(axle.extent, bounds).hi > place) {
    fail({}, "{}: the digits of {} count to {}, but it has {}; begin with '*'",
         kernel, axle.axis, place, to_string(axle.extent));
  }
  for (const Digit& d : digits) {
    if (axle.reduces && axle.loops > 1 && d.hold == Hold::Block) {
      fail({},
           "{}: a sum along {} cannot be split over blocks, since a second "
           "loop along it needs the whole sum in every block",
           kernel, axle.axis);
    }
    Dim extent = d.extent == 0 ? ceil_div(axle.extent, place) : d.extent;
    place /= std::max<int64_t>(d.extent, 1);
    axle.wheels.push_back({"", simplify(extent, bounds), place, d.hold});
  }
}

// BLOCK b0, b1, ...; REGISTER r0, ...; serial and unrolled k0, ... .
void name_digits(std::vector<Axle>& axles) {
  std::map<char, int> next;
  for (Axle& axle : axles) {
    for (Wheel& w : axle.wheels) {
      char letter = "btrkk"[static_cast<std::size_t>(w.hold)];
      if (letter != 't') w.name = fmt::format("{}{}", letter, next[letter]++);
    }
  }
}

// The order of THREAD digits is the number of the thread, the last one
// fastest: axes in the order in which the schedule lists them. Free axes side
// by side go together, the last digit of each beside the last digits of the
// others, so that a warp is a patch of the tile.
void name_threads(const Schedule& schedule, std::vector<Axle>& axles) {
  struct Place {
    int group, inside;  // thread digits of the axis inside this one
    Wheel* wheel;
  };
  std::vector<Place> places;
  int group = 0;
  for (const Split& split : schedule.splits) {
    Axle& axle = *find(axles, split.axis);
    group += axle.reduces;
    int inside = 0;
    for (std::size_t i = axle.wheels.size(); i-- > 0;) {
      if (axle.wheels[i].hold != Hold::Thread) continue;
      places.push_back({group, inside++, &axle.wheels[i]});
    }
    group += axle.reduces;
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) {
                     if (a.group != b.group) return a.group < b.group;
                     return a.inside > b.inside;
                   });
  for (std::size_t t = 0; t < places.size(); t++)
    places[t].wheel->name = fmt::format("t{}", t);
}

void write_coordinate(Axle& axle, Bounds& bounds) {
  Expr sum(0);
  for (const Wheel& w : axle.wheels) {
    bounds.set_extent(w.name, w.extent);
    sum = sum + var(w.name) * Expr(w.place);
  }
  axle.coordinate = simplify(sum, bounds);
  Expr tail = canonical(less(axle.coordinate, axle.extent), bounds);
  if (constant(tail) != 1) axle.tail = tail;
}

}  // namespace

std::vector<Axle> axles_of(const Kernel& kernel, Bounds& bounds) {
  Schedule schedule = parse_schedule(kernel.schedule.text);
  std::vector<Axle> axles;
  collect(kernel.body, false, axles);
  for (const Split& s : schedule.splits) {
    if (find(axles, s.axis) != nullptr) continue;
    fail({}, "the schedule of {} splits {}, which is no axis of it",
         kernel.name, s.axis);
  }
  for (Axle& axle : axles)
    read_digits(kernel.name, schedule.split(axle.axis), bounds, axle);
  name_digits(axles);
  name_threads(schedule, axles);
  for (Axle& axle : axles)
    write_coordinate(axle, bounds);
  return axles;
}

}  // namespace sextant::tile
