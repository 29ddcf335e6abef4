#include "src/python/parser.h"

namespace sextant::python {

Block parse(const Code& code) {
  return Parser(code).program();
}

Block Parser::program() {
  Block out;
  while (peek().kind != TokenKind::End) {
    if (!accept(TokenKind::Newline)) statement(out);
  }
  return out;
}

// --- tokens ------------------------------------------------------------------

const Token& Parser::next() {
  const Token& token = tokens_[at_];
  if (token.kind != TokenKind::End) at_++;
  return token;
}

bool Parser::is(std::string_view op) const {
  const Token& t = peek();
  return (t.kind == TokenKind::Operator || t.kind == TokenKind::Name) &&
         t.text == op;
}

bool Parser::accept(std::string_view op) {
  bool found = is(op);
  if (found) next();
  return found;
}

bool Parser::accept(TokenKind kind) {
  bool found = peek().kind == kind;
  if (found) next();
  return found;
}

void Parser::expect(std::string_view op) {
  if (accept(op)) return;
  if (op == ":") error(peek().at, "expected ':'");
  unexpected();
}

Name Parser::name() {
  if (peek().kind != TokenKind::Name || is_keyword(peek())) unexpected();
  return next().text;
}

void Parser::unexpected() {
  const Token& t = peek();
  switch (t.kind) {
    case TokenKind::Newline:
    case TokenKind::End: error(t.at, "invalid syntax: the line ends too early");
    case TokenKind::Indent: error(t.at, "unexpected indent");
    case TokenKind::Dedent: error(t.at, "expected an indented block");
    case TokenKind::String:
    case TokenKind::FString: error(t.at, "invalid syntax at a string");
    default: error(t.at, "invalid syntax at '{}'", t.text);
  }
}

// --- statements --------------------------------------------------------------

void Parser::statement(Block& out) {
  Deeper deeper(*this);
  Place at = peek().at;
  for (const char* word : {"try", "async", "global", "nonlocal"}) {
    if (is(word)) error(at, "'{}' is not supported", word);
  }
  if (is("@") || is("def") || is("class")) {
    out.push_back(decorated());
  } else if (accept("if")) {
    out.push_back(if_statement());
  } else if (accept("for")) {
    out.push_back(for_statement());
  } else if (accept("with")) {
    out.push_back(with_statement());
  } else if (accept("while")) {
    Expression test = expression();
    out.push_back(While{test, block()});
  } else {
    return simple_statements(out);
  }
  if (is("else")) error(peek().at, "'else' of a loop is not supported");
}

void Parser::simple_statements(Block& out) {
  while (true) {
    out.push_back(simple_statement());
    if (peek().kind != TokenKind::Newline) unexpected();
    if (next().text.empty()) return;  // the line's end, and no ';'
    if (peek().kind == TokenKind::Newline) {
      next();
      return;
    }
  }
}

Statement Parser::simple_statement() {
  Place at = peek().at;
  auto ends = [&] { return peek().kind == TokenKind::Newline; };
  if (accept("pass")) return Jump{Jump::Kind::Pass, at};
  if (accept("break")) return Jump{Jump::Kind::Break, at};
  if (accept("continue")) return Jump{Jump::Kind::Continue, at};
  if (accept("import")) return import_statement();
  if (accept("from")) return from_statement();
  if (accept("return")) {
    if (locals_.empty()) error(at, "'return' outside function");
    return Return{at, ends() ? Expression() : expressions()};
  }
  if (accept("raise")) return Raise{at, ends() ? Expression() : expression()};
  if (accept("assert")) {
    Expression test = expression();
    return Assert{at, test, accept(",") ? expression() : Expression()};
  }
  if (accept("del")) {
    Delete del;
    do {
      del.targets.push_back(primary());
      bind(del.targets.back());
    } while (accept(",") && !ends());
    return del;
  }
  return expression_statement();
}

Statement Parser::expression_statement() {
  Expression first = expressions();
  Place at = peek().at;
  if (accept(":")) {  // an annotation is read, and means nothing
    expression();
    if (!accept("=")) return Jump{Jump::Kind::Pass, at};
    bind(first);
    return Assign{{first}, expressions()};
  }
  for (const char* op :
       {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", ">>", "<<"}) {
    if (!accept(std::string(op) + "=")) continue;
    if (first.as<Display>())
      error(place_of(first), "illegal target for augmented assignment");
    bind(first);
    return AugmentedAssign{at, first, op, expressions()};
  }
  if (!is("=")) return Evaluate{first};
  Assign assign;
  while (accept("=")) {
    bind(first);
    assign.targets.push_back(first);
    first = expressions();
  }
  assign.value = first;
  return assign;
}

// A name that is assigned anywhere in a function is the function's own.
void Parser::bind(const Name& name) {
  if (!locals_.empty()) locals_.back()[name] = true;
}

void Parser::bind(const Expression& target) {
  if (const auto* variable = target.as<Variable>()) {
    bind(variable->name);
  } else if (const auto* display = target.as<Display>()) {
    for (const Expression& item : display->items)
      bind(item);
  } else if (const auto* star = target.as<Starred>()) {
    bind(star->value);
  } else if (!target.as<Attribute>() && !target.as<Subscript>()) {
    error(place_of(target), "cannot assign to this expression");
  }
}

Name Parser::dotted_name() {
  Name all = name();
  while (accept("."))
    all += "." + name();
  return all;
}

Statement Parser::import_statement() {
  Import import{peek().at, dotted_name(), {}, ""};
  if (accept("as")) import.as = name();
  bind(import.as.empty() ? import.module.substr(0, import.module.find('.'))
                         : import.as);
  if (is(",")) error(peek().at, "one module in each import, please");
  return import;
}

Statement Parser::from_statement() {
  Import import{peek().at, dotted_name(), {}, ""};
  expect("import");
  bool brackets = accept("(");
  do {
    if (is("*")) error(peek().at, "'import *' is not supported");
    Name what = name();
    import.names.emplace_back(what, accept("as") ? name() : what);
    bind(import.names.back().second);
  } while (accept(",") && !is(")"));
  if (brackets) expect(")");
  return import;
}

Block Parser::block() {
  expect(":");
  Block out;
  if (!accept(TokenKind::Newline)) {
    simple_statements(out);
    return out;
  }
  if (!accept(TokenKind::Indent))
    error(peek().at, "expected an indented block");
  while (!accept(TokenKind::Dedent))
    statement(out);
  return out;
}

Statement Parser::if_statement() {
  If branch{expression(), {}, {}};
  branch.yes = block();
  if (accept("elif")) {
    Deeper deeper(*this);
    branch.no = {if_statement()};
  } else if (accept("else")) {
    branch.no = block();
  }
  return branch;
}

Statement Parser::for_statement() {
  Expression target = target_list();
  expect("in");
  Expression iterable = expressions();
  return For{target, iterable, block()};
}

Statement Parser::with_statement() {
  With with{expression(), {}, {}};
  if (accept("as")) {
    with.target = primary();
    bind(with.target);
  }
  if (is(",")) error(peek().at, "one context in each 'with', please");
  with.body = block();
  return with;
}

Statement Parser::decorated() {
  std::vector<Expression> decorators;
  while (accept("@")) {
    decorators.push_back(expression());
    if (!accept(TokenKind::Newline)) unexpected();
  }
  if (accept("def")) return function_statement(std::move(decorators));
  if (!is("class")) unexpected();
  if (!decorators.empty())
    error(place_of(decorators[0]), "decorators of classes are not supported");
  return class_statement();
}

Statement Parser::function_statement(std::vector<Expression> decorators) {
  Place at = peek().at;
  FunctionCode code{name(), {}, {}, {}, code_.is_ours()};
  bind(code.name);
  locals_.emplace_back();
  expect("(");
  code.parameters = parameters(")");
  expect(")");
  if (accept("->")) expression();
  code.body = block();
  code.locals = locals_.back();
  locals_.pop_back();
  return Define{at, std::make_shared<const FunctionCode>(code),
                std::move(decorators)};
}

Statement Parser::class_statement() {
  expect("class");
  DefineClass made{peek().at, name(), {}, {}};
  bind(made.name);
  if (accept("(")) {
    for (const Argument& base : arguments()) {
      if (!base.keyword.empty())
        error(made.at, "keywords of classes are not supported");
      made.bases.push_back(base.value);
    }
  }
  // The class body's names are the class's, not those of what is around it.
  locals_.emplace_back();
  made.body = block();
  locals_.pop_back();
  return made;
}

}  // namespace sextant::python
