#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/02-tensor-ir/verify.h"

namespace sextant::exercise {
tensor::Piece compose(const tensor::Piece& outer, const tensor::Piece& inner);
}  // namespace sextant::exercise

namespace sextant {
namespace {

// A piece as text, `x[j, i] if j <= i`, there and back.
tensor::Piece piece(const std::string& text) {
  Parser p(text, "piece");
  p.open_line();
  tensor::Piece made;
  parse_field(p, made);
  return made;
}

std::string composed(const std::string& outer, const std::string& inner) {
  tensor::Piece made = exercise::compose(piece(outer), piece(inner));
  for (Expr& e : made.index)
    e = simplify(e);
  made.where = simplify(made.where);
  std::string text = print(made);
  return text.substr(0, text.size() - 1);
}

// A map from two axes of 6 to two axes of 6 that stays inside where its
// predicate holds.
tensor::Piece random_piece(Random& random, const Name& value) {
  Expr i = var("i"), j = var("j");
  switch (random.below(6)) {
    case 0: return {value, {j, i}, {}};
    case 1: return {value, {Expr(5) - i, j}, {}};
    case 2: return {value, {floor_mod(i * 6 + j, 6), floor_div(j, 2)}, {}};
    case 3: {
      int64_t by = random.in(1, 3);
      return {value, {i, j + Expr(by)}, less(j, Expr(6 - by))};
    }
    case 4: {
      int64_t by = random.in(1, 3);
      return {value, {i - Expr(by), j}, less_equal(Expr(by), i)};
    }
    default: return {value, {i, j}, less_equal(j, i)};
  }
}

tensor::Value map_value(const Name& name, const tensor::Piece& p) {
  Expr otherwise = p.where ? Expr(Float{0}) : Expr();
  return {name, tensor::IndexMap{{p}, otherwise}, {6, 6}, DType::Float32};
}

}  // namespace

TEST_CASE("2.1 transpose twice is the identity map") {
  CHECK(composed("y[j, i]", "x[j, i]") == "x[i, j]");
}

TEST_CASE("2.1 slice of a transpose") {
  CHECK(composed("y[i + 2, j]", "x[j, i]") == "x[j, i + 2]");
}

TEST_CASE("2.1 fewer axes, and more") {
  CHECK(composed("y[0, i/4, i%4]", "x[k, j]") == "x[i%4, i/4]");
  CHECK(composed("y[]", "x[3]") == "x[3]");
}

TEST_CASE("2.1 predicates meet") {
  CHECK(composed("y[i, j + 1] if i < 3", "x[i, j] if j <= i") ==
        "x[i, j + 1] if i < 3 and j < i");
  CHECK(composed("y[i + 1, 0] if j < 2", "x[i, j]") == "x[i + 1, 0] if j < 2");
  CHECK(composed("y[i, 7]", "x[i, j] if j < i") == "x[i, 7] if 7 < i");
}

TEST_CASE("2.1 300 random pairs agree with running one after the other") {
  Tables tables = all_tables();
  tensor::Value x{"x", tensor::Input{}, {6, 6}, DType::Float32};
  Arrays inputs = {{"x", random_array(DType::Float32, {6, 6}, 1, "x")}};
  for (uint64_t seed = 1; seed <= 300; seed++) {
    Random random(seed);
    tensor::Piece inner = random_piece(random, "x"),
                  outer = random_piece(random, "y");
    tensor::Graph graph;
    graph.values = {x, map_value("y", inner), map_value("z", outer),
                    map_value("one", exercise::compose(outer, inner))};
    graph.outputs = {"one"};
    INFO(tensor::print_graph(graph).text);
    tensor::verify(graph, tables);
    Arrays made = tensor::interpret(graph, tables, inputs);
    REQUIRE(made["one"] == made["z"]);
  }
}

}  // namespace sextant
