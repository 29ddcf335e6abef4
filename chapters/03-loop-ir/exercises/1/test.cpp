#include <catch2/catch.hpp>

#include "chapters/02-tensor-ir/interp.h"
#include "chapters/02-tensor-ir/syntax.h"
#include "chapters/02-tensor-ir/verify.h"
#include "chapters/03-loop-ir/exercises/1/body.h"
#include "chapters/03-loop-ir/interp.h"
#include "chapters/03-loop-ir/syntax.h"
#include "chapters/03-loop-ir/verify.h"

namespace sextant {
namespace {

using exercise::Index;

// One kernel: a loop for each axis of the output, in it what need writes.
loop::Program program_of(const tensor::Graph& graph) {
  loop::Program program;
  Name root = graph.outputs[0];
  for (const tensor::Value& v : graph.values) {
    const auto* input = v.op.as<tensor::Input>();
    if (input == nullptr && v.name != root) continue;
    Role role = input != nullptr ? input->role : Role::Output;
    program.buffers.push_back({v.name, v.dtype, v.shape, role, ""});
  }
  const std::vector<Dim>& shape = graph.value(root)->shape;
  Index sigma;
  for (std::size_t d = 0; d < shape.size(); d++)
    sigma.push_back(var(fmt::format("a{}", d)));
  exercise::Body body(graph);
  Expr result = need(body, root, sigma);
  std::vector<loop::Stmt> stmts = body.take();
  stmts.push_back(loop::Store{root, sigma, result, Expr()});
  for (std::size_t d = shape.size(); d-- > 0;)
    stmts = {loop::For{sigma[d].get<Var>().name, shape[d], {}, stmts}};
  program.kernels.push_back({"k", stmts, {}});
  program.launches.push_back({"k", {}});
  return program;
}

// The kernel's text.
std::string spliced(const std::string& text) {
  tensor::Graph graph = tensor::parse_graph("sextant tensor\n" + text, "test");
  tensor::verify(graph, all_tables());
  loop::Program program = program_of(graph);
  std::string printed = print_program(program, "loop").text;
  INFO(printed);
  loop::verify(program, all_tables());
  return printed.substr(printed.find("kernel k:"));
}

int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    n++;
  }
  return n;
}

TEST_CASE("3.1 relu(x + bias) is one nest") {
  std::string text = spliced(R"(x = input -> (4, 8) float32
bias = input -> (8) float32
bias_bc = bias[j] -> (4, 8) float32
add = add(x, bias_bc) -> (4, 8) float32
relu = relu(add) -> (4, 8) float32
return relu
)");
  INFO(text);
  CHECK(count(text, "for ") == 2);
  CHECK(count(text, "load x[a0, a1]") == 1);
  CHECK(count(text, "load bias[a1]") == 1);
  CHECK(count(text, " = add(") == 1);
  CHECK(count(text, " = relu(") == 1);
  CHECK(count(text, "store ") == 1);
}

TEST_CASE("3.1 the axes are the consumer's") {
  std::string text = spliced(R"(x = input -> (8, 4) float32
e = exp(x) -> (8, 4) float32
t = e[j, i] -> (4, 8) float32
y = t[i, 7 - j] -> (4, 8) float32
return y
)");
  INFO(text);
  CHECK(count(text, "load x[7 - a1, a0]") == 1);
}

TEST_CASE("3.1 a value needed twice is computed once") {
  std::string text = spliced(R"(x = input -> (4, 8) float32
e = exp(x) -> (4, 8) float32
a = e[i, j] -> (4, 8) float32
r = e[3 - i, j] -> (4, 8) float32
q = r[3 - i, j] -> (4, 8) float32
s = add(a, q) -> (4, 8) float32
y = multiply(s, e) -> (4, 8) float32
return y
)");
  INFO(text);
  CHECK(count(text, "load x") == 1);
  CHECK(count(text, "exp(") == 1);
}

TEST_CASE("3.1 a product of matrices is one nest") {
  std::string text = spliced(R"(x = input -> (4, 8) float32
w = input -> (8, 6) float32
x_bc = x[i, j] -> (4, 8, 6) float32
w_bc = w[j, k] -> (4, 8, 6) float32
prod = multiply(x_bc, w_bc) -> (4, 8, 6) float32
red = sum(prod, axis=-2) -> (4, 1, 6) float32
y = red[i, 0, j] -> (4, 6) float32
return y
)");
  INFO(text);
  CHECK(count(text, "for ") == 3);
  CHECK(count(text, "multiply(") == 1);
}

// Values of 6 by 6, each from earlier ones.
tensor::Graph random_graph(uint64_t seed) {
  Random random(seed);
  std::string text = "sextant tensor\nv0 = input -> (6, 6) float32\n";
  auto earlier = [&](int n) {
    return "v" + std::to_string(random.below(static_cast<uint64_t>(n)));
  };
  const char* maps[] = {"[j, i]", "[5 - i, j]", "[(i*6 + j)%6, i]", "[2, j/2]"};
  int size = static_cast<int>(random.in(2, 9));
  for (int n = 1; n <= size; n++) {
    std::string name = "v" + std::to_string(n), op;
    switch (random.below(4)) {
      case 0: op = earlier(n) + maps[random.below(4)]; break;
      case 1: op = "add(" + earlier(n) + ", " + earlier(n) + ")"; break;
      case 2: op = "maximum(" + earlier(n) + ", 0.5)"; break;
      default:
        text += "r" + name + " = sum(" + earlier(n) +
                ", axis=-1) -> (6, 1) float32\n";
        op = "r" + name + "[i, 0]";
    }
    text += name + " = " + op + " -> (6, 6) float32\n";
  }
  text += "return v" + std::to_string(size) + "\n";
  return tensor::parse_graph(text, "random");
}

TEST_CASE("3.1 the interpreters agree on 200 random graphs") {
  Tables tables = all_tables();
  for (uint64_t seed = 1; seed <= 200; seed++) {
    tensor::Graph graph = random_graph(seed);
    INFO(tensor::print_graph(graph).text);
    Name root = graph.outputs[0];
    Arrays inputs = {{"v0", random_array(DType::Float32, {6, 6}, seed, "v0")}};
    Arrays expected = tensor::interpret(graph, tables, inputs);
    loop::Program program = program_of(graph);
    INFO(print_program(program, "loop").text);
    loop::verify(program, tables);
    Arrays made = loop::interpret(program, tables, inputs);
    REQUIRE(made[root].bytes() == expected[root].bytes());
  }
}

}  // namespace
}  // namespace sextant
