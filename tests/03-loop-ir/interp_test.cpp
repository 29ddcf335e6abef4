#include "chapters/03-loop-ir/interp.h"

#include <catch2/catch.hpp>

#include "chapters/03-loop-ir/syntax.h"
#include "chapters/03-loop-ir/verify.h"
#include "tests/report.h"

namespace sextant::loop {
namespace {

constexpr const char* kSeed = R"(sextant loop
buffer x: float32[16, 64] input
buffer bias: float32[64] input
buffer w: float32[64, 16] input
buffer relu: float32[16, 16] output
launch k_relu

kernel k_relu:
  for a0 in 0..16:
    for a1 in 0..16:
      for a2 in 0..64:  # reduce acc0=add
        in0 = load bias[a2]
        in1 = load x[a0, a2]
        in2 = load w[a2, a1]
        v0 = add(in1, in0)
        v1 = multiply(v0, in2)
        acc0 <- add(acc0, v1)
      v2 = relu(acc0)
      store relu[a0, a1] = v2
)";

Program seed() {
  return parse_program<Kernel>(kSeed, "loop", "seed");
}

TEST_CASE("3.1 the interpreter computes the seed's program", "[3.1]") {
  Program program = seed();
  verify(program, all_tables());
  Arrays in;
  for (const char* name : {"x", "bias", "w"}) {
    std::vector<int64_t> shape;
    for (const Dim& d : program.buffer(name)->shape)
      shape.push_back(value_of(d));
    in.emplace(name, random_array(DType::Float32, shape, 1, name));
  }
  Arrays out = interpret(program, all_tables(), in);
  bool same = true;
  for (int64_t i = 0; i < 16; i++) {
    for (int64_t j = 0; j < 16; j++) {
      float sum = 0;
      for (int64_t k = 0; k < 64; k++) {
        float v0 = static_cast<float>(in["x"].at(i * 64 + k).f) +
                   static_cast<float>(in["bias"].at(k).f);
        sum += v0 * static_cast<float>(in["w"].at(k * 16 + j).f);
      }
      float relu = sum > 0 ? sum : 0;
      same = same && static_cast<float>(out["relu"].at(i * 16 + j).f) == relu;
    }
  }
  CHECK(same);
}

struct Refusal {
  const char* what;
  const char* from;
  const char* to;
  const char* says;
};

// What the verifier must refuse: the seed's text with one thing changed.
const Refusal kRefusals[] = {
    {"use before definition", "add(in1, in0)", "add(in1, v1)",
     "v1 is used where it is not defined"},
    {"use out of scope", "relu(acc0)", "relu(v1)",
     "v1 is used where it is not defined"},
    {"a name twice", "in1 = load x", "in0 = load x", "in0 is defined twice"},
    {"too few indices", "x[a0, a2]", "x[a2]", "x has 2 axes and 1 indices"},
    {"a float as an index", "w[a2, a1]", "w[a2, in0]", "is float32"},
    {"an unknown buffer", "load bias", "load bios", "there is no buffer bios"},
    {"a foreign carry", "acc0 <- add(acc0, v1)", "acc1 <- add(acc1, v1)",
     "acc1 is not carried"},
    {"another combiner", "acc0 <- add", "acc0 <- maximum",
     "acc0 takes add of float32"},
    {"a carry's type", "reduce acc0=add", "reduce acc0:int64=add",
     "acc0 takes add of int64"},
    {"a store's type", "v2 = relu(acc0)", "v2 = cast(acc0, bfloat16)",
     "bfloat16 is stored into relu"},
    {"elements left out", "relu[a0, a1]", "relu[a0, 0]",
     "not every element of relu"},
    {"elements out of place", "relu[a0, a1]", "relu[a0, a1 + 1]",
     "not every element of relu"},
    {"a loop too many", "for a1 in 0..16", "for a1 in 0..17",
     "not every element of relu"},
    {"a parameter stored", "store relu[a0, a1]", "store x[a0, a1]",
     "x is a parameter"},
    {"reading what it writes", "load x[a0, a2]", "load relu[a0, a2]",
     "reads what it writes: relu"},
    {"an axis within itself", "for a2 in", "for a1 in",
     "a1 names an enclosing axis"},
    {"an unknown operation", "relu(acc0)", "rely(acc0)",
     "no scalar operation 'rely'"},
    {"a guard without else", "x[a0, a2]", "x[a0, a2] if a0 < 3",
     "needs a constant"},
    {"no launch", "launch k_relu\n", "", "k_relu is never launched"},
    {"an unknown kernel", "launch k_relu", "launch k_rely",
     "there is no such kernel"},
    {"an output left out", "buffer relu",
     "buffer y: int64[] output\n"
     "buffer relu",
     "nobody writes output y"},
};

TEST_CASE("3.1 what is illegal is refused", "[3.1]") {
  Tables tables = all_tables();
  for (const Refusal& r : kRefusals) {
    INFO(r.what);
    std::string text = kSeed;
    std::size_t at = text.find(r.from);
    REQUIRE(at != std::string::npos);
    text.replace(at, std::string(r.from).size(), r.to);
    Program program = parse_program<Kernel>(text, "loop", "seed");
    try {
      verify(program, tables);
      FAIL_CHECK("it was accepted");
    } catch (const Error& e) {
      CHECK_THAT(e.what(), Catch::Contains(r.says));
      test::count("refusals checked");
    }
  }
}

TEST_CASE("3.1 an index outside its buffer is an error", "[3.1]") {
  std::string text = kSeed;
  text.replace(text.find("bias[a2]"), 8, "bias[a2 + 1]");
  Program program = parse_program<Kernel>(text, "loop", "seed");
  Arrays in;
  in.emplace("x", Array(DType::Float32, {16, 64}));
  in.emplace("bias", Array(DType::Float32, {64}));
  in.emplace("w", Array(DType::Float32, {64, 16}));
  CHECK_THROWS_WITH(interpret(program, all_tables(), in),
                    Catch::Contains("index 64 of an axis of 64 of bias"));
}

}  // namespace
}  // namespace sextant::loop
