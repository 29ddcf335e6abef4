#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "src/python/parser.h"

namespace sextant::python {
namespace {

// Operators that group from the left, loosest first.
const std::vector<std::vector<std::string_view>> kLevels = {
    {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "@", "//", "/", "%"}};

constexpr std::array<std::string_view, 35> kKeywords = {
    "False",  "None",   "True",    "and",      "as",       "assert", "async",
    "await",  "break",  "class",   "continue", "def",      "del",    "elif",
    "else",   "except", "finally", "for",      "from",     "global", "if",
    "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

}  // namespace

Place place_of(const Expression& e) {
  return std::visit([](const auto& node) { return node.at; }, e.variant());
}

template <class Node>
Expression Parser::make(Node node) {
  visit_inside<Expression>(node, [&](const Expression& child) {
    node.at.height = std::max(node.at.height, place_of(child).height + 1);
  });
  if (node.at.height > kMaxHeight)
    error(node.at, "this expression is nested too deeply");
  return Expression(std::move(node));
}

Expression Parser::expressions() {
  Place at = peek().at;
  Expression first = starred();
  if (!is(",")) {
    if (first.as<Starred>()) error(at, "can't use starred expression here");
    return first;
  }
  Display tuple{at, true, {first}};
  while (accept(",")) {
    if (peek().kind == TokenKind::Newline || is(")") || is("]") || is("=") ||
        is(":") || is("in") || is("}"))
      break;
    tuple.items.push_back(starred());
  }
  return make(tuple);
}

Expression Parser::starred() {
  Place at = peek().at;
  if (accept("*")) return make(Starred{at, binary(0)});
  return expression();
}

Expression Parser::expression() {
  Deeper deeper(*this);
  Place at = peek().at;
  if (accept("lambda")) return lambda(at);
  Expression yes = logical(false);
  if (is(":=")) error(peek().at, "assignment expressions are not supported");
  if (!accept("if")) return yes;
  Expression test = logical(false);
  expect("else");
  return make(Conditional{at, test, yes, expression()});
}

Expression Parser::lambda(Place at) {
  FunctionCode code{"<lambda>", {}, {}, {}, code_.is_ours()};
  locals_.emplace_back();
  code.parameters = parameters(":");
  expect(":");
  Expression body = expression();
  // The body hides in a statement; its height must not.
  at.height = place_of(body).height + 1;
  code.body = {Statement(Return{place_of(body), body})};
  code.locals = locals_.back();
  locals_.pop_back();
  return make(Lambda{at, std::make_shared<const FunctionCode>(code)});
}

Expression Parser::logical(bool is_and) {
  Expression a = is_and ? negation() : logical(true);
  while (is(is_and ? "and" : "or")) {
    Place at = next().at;
    a = make(Logical{at, is_and, a, is_and ? negation() : logical(true)});
  }
  return a;
}

Expression Parser::negation() {
  Place at = peek().at;
  if (!accept("not")) return comparison();
  Deeper deeper(*this);
  return make(Unary{at, "not", negation()});
}

Expression Parser::comparison() {
  Expression first = binary(0);
  Comparison chain{peek().at, first, {}};
  for (std::string op; !(op = comparison_operator()).empty();)
    chain.links.push_back({op, binary(0)});
  return chain.links.empty() ? first : make(chain);
}

std::string Parser::comparison_operator() {
  for (const char* op : {"<", ">", "==", ">=", "<=", "!=", "in"}) {
    if (accept(op)) return op;
  }
  if (accept("is")) return accept("not") ? "is not" : "is";
  if (!accept("not")) return "";
  expect("in");
  return "not in";
}

Expression Parser::binary(std::size_t level) {
  if (level == kLevels.size()) return factor();
  Expression a = binary(level + 1);
  for (bool found = true; found;) {
    found = false;
    for (std::string_view op : kLevels[level]) {
      Place at = peek().at;
      if (!accept(op)) continue;
      a = make(Binary{at, std::string(op), a, binary(level + 1)});
      found = true;
    }
  }
  return a;
}

Expression Parser::factor() {
  for (const char* op : {"-", "+", "~"}) {
    Place at = peek().at;
    if (!accept(op)) continue;
    Deeper deeper(*this);
    return make(Unary{at, op, factor()});
  }
  Expression base = primary();
  Place at = peek().at;
  if (!accept("**")) return base;
  Deeper deeper(*this);
  return make(Binary{at, "**", base, factor()});
}

Expression Parser::primary() {
  Expression e = atom();
  while (true) {
    Place at = place_of(e);
    // A chain on something computed is pointed at where it goes on.
    bool path = e.as<Variable>() || e.as<Attribute>();
    if (accept(".")) {
      bool named = path && at.line == peek().at.line;
      Place here = named ? at : peek().at;
      here.height = 0;
      e = make(Attribute{here, e, name()});
    } else if (accept("(")) {
      at.height = 0;
      e = make(CallOf{at, e, arguments()});
    } else if (accept("[")) {
      at.height = 0;
      Expression index = subscripts();
      expect("]");
      e = make(Subscript{at, e, index});
    } else {
      return e;
    }
  }
}

std::vector<Argument> Parser::arguments() {
  std::vector<Argument> args;
  while (!accept(")")) {
    args.push_back(argument());
    if (!is(")")) expect(",");
  }
  return args;
}

Argument Parser::argument() {
  Place at = peek().at;
  if (accept("**")) return {"**", expression()};
  if (is("*")) return {"", starred()};
  bool keyword = peek().kind == TokenKind::Name &&
                 tokens_[at_ + 1].kind == TokenKind::Operator &&
                 tokens_[at_ + 1].text == "=";
  if (keyword) {
    Name name_ = name();
    expect("=");
    return {name_, expression()};
  }
  Expression value = expression();
  if (!is("for")) return {"", value};
  return {"", make(Comprehension{at, {}, value, clauses()})};
}

Expression Parser::subscripts() {
  Place at = peek().at;
  Expression first = subscript();
  if (!is(",")) return first;
  Display tuple{at, true, {first}};
  while (accept(",") && !is("]"))
    tuple.items.push_back(subscript());
  return make(tuple);
}

Expression Parser::subscript() {
  Place at = peek().at;
  SliceOf slice{at, {}, {}, {}};
  if (!is(":")) {
    slice.start = starred();
    if (!is(":")) return slice.start;
  }
  expect(":");
  auto part = [&] {
    bool none = is(":") || is(",") || is("]");
    return none ? Expression() : expression();
  };
  slice.stop = part();
  if (accept(":")) slice.step = part();
  return make(slice);
}

Expression Parser::atom() {
  const Token& token = peek();
  Place at = token.at;
  if (accept("(")) return parenthesis(at);
  if (accept("[")) return list_display(at);
  if (accept("{")) return dict_display(at);
  if (accept("...")) return make(Constant{at, Ellipsis{}});
  if (accept("None")) return make(Constant{at, std::monostate{}});
  if (accept("True")) return make(Constant{at, true});
  if (accept("False")) return make(Constant{at, false});
  if (token.kind == TokenKind::Number) return number(next());
  if (token.kind == TokenKind::String || token.kind == TokenKind::FString)
    return literal(token);
  if (is("yield") || is("await"))
    error(at, "'{}' is not supported", token.text);
  return make(Variable{at, name()});
}

// Strings that stand side by side are one.
Expression Parser::literal(const Token& token) {
  FormatString all{token.at, {}};
  bool plain = true;
  std::string text;
  while (peek().kind == TokenKind::String ||
         peek().kind == TokenKind::FString) {
    const Token& part = next();
    if (part.kind == TokenKind::String) {
      text += part.text;
      all.parts.push_back(make(Constant{part.at, part.text}));
    } else {
      plain = false;
      all.parts.push_back(format_string(part));
    }
  }
  return plain ? make(Constant{all.at, text}) : make(all);
}

Expression Parser::format_string(const Token& token) {
  FormatString out{token.at, {}};
  std::string text;
  auto flush = [&] {
    out.parts.push_back(make(Constant{token.at, unescape(text)}));
    text.clear();
  };
  const std::string& s = token.text;
  for (std::size_t i = 0; i < s.size(); i++) {
    bool twice = i + 1 < s.size() && s[i + 1] == s[i];
    if (s[i] != '{' && s[i] != '}') {
      text += s[i];
    } else if (twice) {
      text += s[i++];
    } else if (std::size_t end = s.find('}', i);
               s[i] == '{' && end < s.size()) {
      flush();
      std::string inside = s.substr(i + 1, end - i - 1);
      if (inside.find_first_of(":!{") < inside.size())
        error(token.at,
              "f-strings with a format, as in '{{{}}}', are not "
              "supported",
              inside);
      Deeper deeper(*this);
      Parser parser(code_, tokenize_field(code_, inside, token.at));
      parser.depth_ = depth_;
      out.parts.push_back(parser.field());
      i = end;
    } else {
      error(token.at, "f-string: single '{}' is not allowed", s[i]);
    }
  }
  flush();
  return make(out);
}

Expression Parser::field() {
  expect("(");
  Expression value = expression();
  expect(")");
  return value;
}

Expression Parser::number(const Token& token) {
  std::string text;
  for (char c : token.text) {
    if (c != '_') text += c;
  }
  char mark = text.size() > 1 && text[0] == '0' ? text[1] | 32 : ' ';
  int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  if (base != 10 || text.find_first_not_of("0123456789") == std::string::npos)
    return make(Constant{token.at, integer(token, text, base)});
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if ((*end | 32) == 'j' && end[1] == '\0')
    error(token.at, "complex numbers are not supported");
  if (*end != '\0') error(token.at, "invalid number '{}'", token.text);
  return make(Constant{token.at, value});
}

int64_t Parser::integer(const Token& token, const std::string& text,
                        int base) const {
  int64_t value = 0;
  std::size_t first = base == 10 ? 0 : 2;
  if (first == text.size()) error(token.at, "invalid number '{}'", token.text);
  for (std::size_t i = first; i < text.size(); i++) {
    int digit = text[i] <= '9' ? text[i] - '0' : (text[i] | 32) - 'a' + 10;
    if (digit >= base) error(token.at, "invalid number '{}'", token.text);
    if (__builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value))
      error(token.at, "the number {} does not fit into 64 bits", token.text);
  }
  return value;
}

Expression Parser::parenthesis(Place at) {
  if (accept(")")) return make(Display{at, true, {}});
  Expression first = expressions();
  if (is("for")) first = make(Comprehension{at, {}, first, clauses()});
  expect(")");
  return first;
}

Expression Parser::list_display(Place at) {
  Display list{at, false, {}};
  while (!accept("]")) {
    list.items.push_back(starred());
    if (list.items.size() == 1 && is("for")) {
      Comprehension all{at, {}, list.items[0], clauses()};
      expect("]");
      return make(all);
    }
    if (!is("]")) expect(",");
  }
  return make(list);
}

Expression Parser::dict_display(Place at) {
  DictDisplay dict{at, {}, {}};
  while (!accept("}")) {
    bool unpack = accept("**");
    dict.keys.push_back(unpack ? Expression() : expression());
    if (!unpack && !accept(":")) error(at, "sets are not supported");
    dict.values.push_back(expression());
    if (dict.keys.size() == 1 && !unpack && is("for")) {
      Comprehension all{at, dict.keys[0], dict.values[0], clauses()};
      expect("}");
      return make(all);
    }
    if (!is("}")) expect(",");
  }
  return make(dict);
}

std::vector<Clause> Parser::clauses() {
  std::vector<Clause> out;
  // A comprehension's names are its own.
  locals_.emplace_back();
  while (accept("for")) {
    Clause clause;
    clause.target = target_list();
    expect("in");
    clause.iterable = logical(false);
    while (accept("if"))
      clause.conditions.push_back(logical(false));
    out.push_back(clause);
  }
  locals_.pop_back();
  return out;
}

// The targets of a `for`: `i` or `i, (a, b)`.
Expression Parser::target_list() {
  Place at = peek().at;
  Display tuple{at, true, {}};
  bool comma = false;
  do {
    Place star = peek().at;
    bool starred = accept("*");
    Expression target = primary();
    tuple.items.push_back(starred ? make(Starred{star, target}) : target);
  } while (accept(",") && (comma = true) && !is("in"));
  Expression target = comma ? make(tuple) : tuple.items[0];
  bind(target);
  return target;
}

Parameters Parser::parameters(std::string_view close) {
  Parameters out;
  Parameter::Kind kind = Parameter::Kind::Plain;
  bool annotated = close == ")";
  while (!is(close)) {
    Parameter p{kind, "", {}};
    if (accept("**")) {
      p.kind = Parameter::Kind::StarStar;
    } else if (accept("*")) {
      kind = Parameter::Kind::KeywordOnly;
      p.kind = Parameter::Kind::Star;
    }
    bool bare = (p.kind == Parameter::Kind::Star && is(",")) || accept("/");
    if (!bare) {
      Place at = peek().at;
      p.name = name();
      for (const Parameter& other : out) {
        if (other.name == p.name)
          error(at, "duplicate argument '{}' in function definition", p.name);
      }
      bind(p.name);
      if (annotated && accept(":")) expression();
      if (accept("=")) p.otherwise = expression();
      out.push_back(p);
    }
    if (!is(close)) expect(",");
  }
  return out;
}

bool Parser::is_keyword(const Token& token) const {
  return token.kind == TokenKind::Name &&
         std::find(kKeywords.begin(), kKeywords.end(), token.text) !=
             kKeywords.end();
}

}  // namespace sextant::python
