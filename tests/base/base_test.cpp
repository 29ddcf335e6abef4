// Errors, tables, arrays, random contents, scalar operations.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "src/base/array.h"
#include "src/base/pass.h"
#include "src/base/scalar_op.h"
#include "src/base/tables.h"

namespace sextant {
namespace {

struct Row {
  Name name;
  int value = 0;
};

}  // namespace

TEST_CASE("errors name file, line and column, all at once", "[1.5]") {
  Span at{"f.txt", 3, 5, "one\ttwo"};
  CHECK(render({at, "no two"}) ==
        "f.txt:3:5: error: no two\n  one\ttwo\n     \t^");
  CHECK(render({{}, "nowhere"}) == "error: nowhere");
  CHECK(render({{"f.txt", 0, 0, ""}, "empty"}) == "f.txt: error: empty");
  Diagnostics all;
  CHECK_NOTHROW(all.raise());
  all.add({}, "first {}", 1);
  all.add({}, "second");
  CHECK_THROWS_WITH(all.raise(), "error: first 1\nerror: second");
  CHECK_THROWS_WITH(fail({}, "{} of {}", 1, 2), "error: 1 of 2");
}

TEST_CASE("defects and faults are told apart", "[1.5]") {
  CHECK_THROWS_AS(INVARIANT(1 + 1 == 3, "sum"), InternalError);
  CHECK_NOTHROW(INVARIANT(1 + 1 == 2, "sum"));
  CHECK_THROWS_AS(checked_mul(INT64_MAX, 2, "the size"), Error);
  CHECK_THROWS_AS(checked_add(INT64_MAX, 1, "the size"), Error);
  CHECK(checked_mul(-3, 5, "x") == -15);
  CHECK_THROWS_WITH(checked_mul(INT64_MAX, 2, "the size"),
                    "error: the size overflows: 9223372036854775807 * 2");
}

TEST_CASE("tables hold rows by type, in order, names once", "[1.3]") {
  Tables tables;
  CHECK(tables.rows<Row>().empty());
  CHECK(tables.find<Row>("a") == nullptr);
  tables.add(std::vector<Row>{{"a", 1}, {"b", 2}});
  tables.add(std::vector<Row>{{"c", 3}});
  CHECK(tables.rows<Row>().size() == 3);
  CHECK(tables.find<Row>("c")->value == 3);
  CHECK_THROWS_AS(tables.add(std::vector<Row>{{"a", 4}}), InternalError);
  // A copy is a value of its own.
  Tables copy = tables;
  copy.add(std::vector<Row>{{"d", 4}});
  CHECK(tables.find<Row>("d") == nullptr);
}

TEST_CASE("arrays: every type reads back, sizes are checked", "[1.4]") {
  CHECK(Array(DType::BFloat16, {3, 4}).bytes().size() == 24);
  CHECK(Array(DType::Float32, {0, 1LL << 62, 8}).size() == 0);
  CHECK_THROWS_AS(Array(DType::Float32, {1LL << 32, 1LL << 32}), Error);
  CHECK_THROWS_AS(Array(DType::Float32, {-1}), Error);
  Array f(DType::Float32, {2}), h(DType::Float16, {2}), i(DType::Int64, {2}),
      b(DType::Bool, {2});
  f.set(1, {0.1, 0});
  h.set(1, {0.1, 0});
  i.set(1, {0, INT64_MIN});
  b.set(1, {0, 5});
  CHECK(f.at(1).f == 0.1f);
  CHECK(h.at(1).f == 0.0999755859375);
  CHECK(i.at(1).i == INT64_MIN);
  CHECK(b.at(1).i == 1);
  CHECK(f.at(0).f == 0);
  CHECK_THROWS_AS(f.at(2), InternalError);
}

TEST_CASE("indices run in row-major order, empty shapes have none", "[1.4]") {
  std::vector<std::vector<int64_t>> seen;
  each_index({2, 3}, [&](const std::vector<int64_t>& x) { seen.push_back(x); });
  CHECK(seen == std::vector<std::vector<int64_t>>{
                    {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  int points = 0;
  each_index({}, [&](const std::vector<int64_t>&) { points++; });
  CHECK(points == 1);
  each_index({2, 0}, [&](const std::vector<int64_t>&) { points++; });
  CHECK(points == 1);
  CHECK(strides_of({2, 3, 4}) == std::vector<int64_t>{12, 4, 1});
}

TEST_CASE("random contents are a function of seed, name and place", "[1.4]") {
  Array x = random_array(DType::Float32, {100, 100}, 1, "x");
  CHECK(x == random_array(DType::Float32, {100, 100}, 1, "x"));
  CHECK_FALSE(x == random_array(DType::Float32, {100, 100}, 2, "x"));
  CHECK_FALSE(x == random_array(DType::Float32, {100, 100}, 1, "y"));
  CHECK(x.at(77).f == random_element(DType::Float32, 1, "x", 77).f);
  double sum = 0, squares = 0;
  std::set<double> different;
  for (int64_t i = 0; i < x.size(); i++) {
    double v = x.at(i).f;
    sum += v;
    squares += v * v;
    different.insert(v);
  }
  // Of 10,000 values: the mean lies within 4 sigma, and none is common.
  CHECK(std::fabs(sum / 10000) < 0.04);
  CHECK(std::fabs(squares / 10000 - 1) < 0.06);
  CHECK(different.size() > 9500);
  Array n = random_array(DType::Int64, {1000}, 1, "n");
  Array b = random_array(DType::Bool, {1000}, 1, "b");
  int64_t ones = 0;
  for (int64_t i = 0; i < 1000; i++) {
    CHECK((n.at(i).i >= 0 && n.at(i).i < 100));
    ones += b.at(i).i;
  }
  CHECK((ones > 430 && ones < 570));
}

TEST_CASE("conversions between types are PyTorch's", "[1.4]") {
  auto f = [](double x) { return Scalar{x, 0}; };
  auto i = [](int64_t x) { return Scalar{0, x}; };
  CHECK(convert(f(-2.7), DType::Float32, DType::Int64).i == -2);
  CHECK(convert(f(1e30), DType::Float32, DType::Int64).i == INT64_MAX);
  CHECK(convert(f(-1e30), DType::Float32, DType::Int64).i == INT64_MIN);
  CHECK(convert(f(NAN), DType::Float32, DType::Int64).i == 0);
  CHECK(convert(f(NAN), DType::Float32, DType::Bool).i == 1);
  CHECK(convert(f(-0.0), DType::Float32, DType::Bool).i == 0);
  CHECK(convert(i((1 << 24) + 1), DType::Int64, DType::Float32).f == 1 << 24);
  CHECK(convert(i(-3), DType::Int64, DType::Bool).i == 1);
  CHECK(convert(i(1), DType::Bool, DType::BFloat16).f == 1);
  CHECK(convert(f(70000), DType::Float32, DType::Float16).f == INFINITY);
}

TEST_CASE("scalar operations: types, rounding, what has no meaning", "[1.3]") {
  Tables tables = all_tables();
  auto of = [](const Name& name) {
    if (name == "h") return DType::Float16;
    if (name == "n") return DType::Int64;
    return name == "c" ? DType::Bool : DType::Float32;
  };
  auto type = [&](const char* text) {
    return type_of(tables, parse_expr(text), of);
  };
  CHECK(type("add(x, 1.0)") == DType::Float32);
  CHECK(type("less(n, 3)") == DType::Bool);
  CHECK(type("where(c, h, cast(x, float16))") == DType::Float16);
  CHECK(type("n + 3") == DType::Int64);
  CHECK_THROWS_WITH(type("add(x, n)"),
                    "error: 'add(x, n)' mixes float32 and int64");
  CHECK_THROWS_WITH(type("exp(n)"), "error: exp has no meaning on int64");
  CHECK_THROWS_WITH(
      type("add(h, h)"),
      "error: 'add(h, h)' computes in float16; cast to float32 first");
  CHECK_THROWS_WITH(type("where(n, x, x)"),
                    "error: where chooses by bool, not int64");
  CHECK_THROWS_WITH(type("add(x)"), "error: add takes 2 operands, not 1");
  CHECK_THROWS_WITH(type("plus(x, x)"), "error: no scalar operation 'plus'");
  auto value = [&](const char* text) {
    return compute(tables, parse_expr(text), of, [](const Var& v) {
      return v.name == "n" ? Scalar{0, 7} : Scalar{0.1f, 1};
    });
  };
  CHECK(value("add(x, 0.2)").f == 0.1f + 0.2f);
  CHECK(value("multiply(n, n)").i == 49);
  CHECK(value("where(c, 1.0, 2.0)").f == 1);
  CHECK(value("cast(add(x, 1.0), bfloat16)").f == 1.1015625);
  CHECK(std::isnan(value("maximum(nan, x)").f));
  CHECK(std::isnan(value("maximum(x, nan)").f));
  CHECK(value("multiply(n, 9223372036854775807)").i == INT64_MAX - 6);
}

TEST_CASE("derivatives are slopes", "[1.4]") {
  Tables tables = all_tables();
  Random random(5);
  for (const ScalarOp& row : tables.rows<ScalarOp>()) {
    if (row.derivative == nullptr || row.eval == nullptr) continue;
    // The table gives the size of a slope, since bounds need no more.
    for (int round = 0; round < 20; round++) {
      double x[3], d[3] = {0, 0, 0};
      for (double& v : x)
        v = 0.5 + static_cast<double>(random.below(1000)) / 700;
      row.derivative(x, d);
      for (int k = row.name == "where" ? 1 : 0; k < row.arity; k++) {
        double h = 1e-6, at = x[k];
        x[k] = at + h;
        double up = row.eval(x);
        x[k] = at - h;
        double slope = (up - row.eval(x)) / (2 * h);
        x[k] = at;
        bool choice = row.name == "maximum" || row.name == "minimum";
        INFO(row.name << " " << at);
        if (choice) {
          CHECK(std::fabs(d[k]) >= std::fabs(slope) - 1e-6);
        } else {
          CHECK(std::fabs(d[k]) ==
                Approx(std::fabs(slope)).epsilon(1e-4).margin(1e-6));
        }
      }
    }
  }
}

TEST_CASE("combiners: the identity changes nothing", "[2.2]") {
  Tables tables = all_tables();
  for (const Combiner& row : tables.rows<Combiner>()) {
    for (DType dtype : {DType::Float32, DType::Int64, DType::Bool}) {
      bool logical = row.name.rfind("logical_", 0) == 0;
      if (logical != (dtype == DType::Bool)) continue;
      for (int64_t x : {-5, 0, 1, 9}) {
        Scalar element{static_cast<double>(x), logical ? (x != 0) : x};
        auto type = [&](const Name&) { return dtype; };
        Scalar identity = compute(tables, identity_of(row, dtype), type,
                                  [](const Var&) { return Scalar{}; });
        Scalar joined = compute(
            tables, row.combine[0], type,
            [&](const Var& v) { return v.name == "s0" ? identity : element; });
        INFO(row.name << " " << name_of(dtype) << " " << x);
        CHECK(joined.i == (is_float(dtype) ? 0 : element.i));
        CHECK(joined.f == (is_float(dtype) ? element.f : 0));
      }
    }
  }
}

TEST_CASE("the pass runner names the pass that breaks a program", "[1.6]") {
  using Numbers = std::vector<int>;
  PassContext context;
  context.trace = true;
  double now = 0;
  context.clock = [&] { return now += 1; };
  std::vector<Pass<Numbers>> list = {
      {"nothing", "does nothing",
       [](const Numbers& x, PassContext& c) {
         c.reason = "it never does";
         return x;
       }},
      {"grow", "adds 7", [](Numbers x, PassContext&) {
         x.push_back(7);
         return x;
       }}};
  auto verify = [](const Numbers& x) {
    if (x.size() > 2) fail({}, "too long");
  };
  auto text = [](const Numbers& x) {
    std::string out;
    for (int n : x)
      out += std::to_string(n) + "\n";
    return out;
  };
  Numbers out = run_passes<Numbers>("toy", list, {1}, context, verify, text);
  CHECK(out == Numbers{1, 7});
  REQUIRE(context.records.size() == 2);
  CHECK_FALSE(context.records[0].changed);
  CHECK(context.records[0].reason == "it never does");
  CHECK(context.records[1].changed);
  CHECK(context.records[1].diff.find("+7") != std::string::npos);
  CHECK(context.records[1].seconds == 1);
  CHECK_THROWS_WITH(
      run_passes<Numbers>("toy", list, {1, 2}, context, verify, text),
      Catch::Contains("after pass grow of toy: error: too long"));
  CHECK_THROWS_AS(
      run_passes<Numbers>("toy", list, {1, 2, 3}, context, verify, text),
      Error);
}

}  // namespace sextant
