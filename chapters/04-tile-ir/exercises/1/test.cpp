#include <algorithm>

#include "chapters/04-tile-ir/exercises/1/coordinate.h"
#include "chapters/04-tile-ir/walk.h"
#include "tests/04-tile-ir/support.h"

namespace sextant::exercise {
namespace {

std::vector<tile::Digit> digits(const std::string& text) {
  return tile::parse_schedule("a0=" + text).splits[0].digits;
}

// Every place, in the order of an odometer: the last digit turns fastest.
std::vector<Place> places(const std::vector<tile::Digit>& digits) {
  std::vector<int64_t> extents;
  for (const tile::Digit& d : digits)
    extents.push_back(d.extent);
  std::vector<Place> all;
  each_index(extents, [&](const Place& place) { all.push_back(place); });
  return all;
}

}  // namespace

TEST_CASE("4.1 8t.2r of 16") {
  std::vector<tile::Digit> split = digits("8t.2r");
  CHECK(coordinate(split, {0, 0}) == 0);
  CHECK(coordinate(split, {2, 1}) == 5);
  CHECK(coordinate(split, {7, 1}) == 15);
}

TEST_CASE("4.1 of 17 visits 17 once each") {
  std::vector<tile::Digit> split = digits("9t.2r");
  std::vector<int64_t> visited;
  for (const Place& place : places(split)) {
    if (counts(split, place, 17)) visited.push_back(coordinate(split, place));
  }
  std::sort(visited.begin(), visited.end());
  REQUIRE(visited.size() == 17);
  for (int64_t i = 0; i < 17; i++)
    CHECK(visited[static_cast<std::size_t>(i)] == i);
  CHECK_FALSE(counts(split, {8, 1}, 17));
}

TEST_CASE("4.1 2r.4t.4t.4r strips") {
  std::vector<tile::Digit> split = digits("2r.4t.4t.4r");
  // Four neighbours, and four more half an axis away.
  CHECK(coordinate(split, {0, 1, 2, 0}) == 24);
  CHECK(coordinate(split, {0, 1, 2, 3}) == 27);
  CHECK(coordinate(split, {1, 1, 2, 0}) == 88);
}

TEST_CASE("4.1 inverse of coordinate, all places") {
  for (const char* text : {"8t.2r", "2r.4t.4t.4r", "3b.5t.1s.7u", "1t"}) {
    std::vector<tile::Digit> split = digits(text);
    int64_t number = 0;
    for (const Place& place : places(split)) {
      INFO(text << " at " << number);
      CHECK(place_of(split, number) == place);
      CHECK(coordinate(split, place) == number);
      number++;
    }
  }
}

// The compiler writes the same number as an expression over its own digits,
// and the same mask as a guard.
TEST_CASE("4.1 the interpreters agree on a schedule made with it") {
  std::vector<tile::Digit> split = digits("3b.4t.2r");
  int64_t extent = coordinate(split, {2, 2, 0}) + 1;  // the last ones are tail
  loop::Program program = test::parse_loop(
      fmt::format("sextant loop\nbuffer x: float32[{0}] input\n"
                  "buffer y: float32[{0}] output\nlaunch k\n\nkernel k:\n"
                  "  for a0 in 0..{0}:\n    in0 = load x[a0]\n"
                  "    store y[a0] = exp(in0)\n",
                  extent));
  tile::Program tiled = test::lower_with(program, "a0=3b.4t.2r");
  int stores = 0;
  tile::each_stmt(tiled.kernels[0].body, [&](const tile::Stmt& s) {
    const tile::Store* store = s.as<tile::Store>();
    if (store == nullptr) return;
    stores++;
    for (const Place& place : places(split)) {
      Values at = {{"b0", place[0]}, {"t0", place[1]}, {"r0", place[2]}};
      CHECK(evaluate(store->index[0], at) == coordinate(split, place));
      CHECK((evaluate(store->guard, at) != 0) == counts(split, place, extent));
    }
  });
  CHECK(stores == 1);
  Tables tables = all_tables();
  Arrays inputs = test::random_inputs(program);
  CHECK(test::distance(program, loop::interpret(program, tables, inputs),
                       tile::interpret(tiled, tables, inputs)) == 0);
}

}  // namespace sextant::exercise
