// The parser's state, shared by the two files that read expressions and
// statements. A method reads one form of the grammar, from its first token.
#pragma once

#include "src/python/ast.h"

namespace sextant::python {

class Parser {
 public:
  explicit Parser(const Code& code) : Parser(code, tokenize(code)) {}
  Parser(const Code& code, std::vector<Token> tokens)
      : code_(code), tokens_(std::move(tokens)) {}

  Block program();
  /// The expression of an f-string's field, in the brackets around it.
  Expression field();

 private:
  // Statements.
  void statement(Block& out);
  void simple_statements(Block& out);
  Statement simple_statement();
  Statement expression_statement();
  Statement import_statement();
  Statement from_statement();
  Block block();
  Statement if_statement();
  Statement for_statement();
  Statement with_statement();
  Statement function_statement(std::vector<Expression> decorators);
  Statement class_statement();
  Statement decorated();
  Name dotted_name();

  // Expressions, from loose to tight.
  Expression expressions();  // a, b or *a, b: a tuple if there is a comma
  Expression starred();
  Expression expression();
  Expression lambda(Place at);
  Expression logical(bool is_and);
  Expression negation();
  Expression comparison();
  std::string comparison_operator();
  Expression binary(std::size_t level);
  Expression factor();
  Expression primary();
  Expression atom();
  Expression literal(const Token& token);
  Expression number(const Token& token);
  int64_t integer(const Token& token, const std::string& text, int base) const;
  Expression format_string(const Token& token);
  Expression parenthesis(Place at);
  Expression list_display(Place at);
  Expression dict_display(Place at);
  Expression subscripts();
  Expression subscript();
  std::vector<Argument> arguments();
  Argument argument();
  std::vector<Clause> clauses();
  Parameters parameters(std::string_view close);
  Expression target_list();
  void bind(const Expression& target);
  void bind(const Name& name);

  // Makes a node, counting its height.
  template <class Node>
  Expression make(Node node);

  // Tokens.
  const Token& peek() const { return tokens_[at_]; }
  const Token& next();
  bool is(std::string_view op) const;  // an operator, or a keyword
  bool accept(std::string_view op);    // the same, taken
  void expect(std::string_view op);    // the same, demanded
  bool accept(TokenKind kind);
  Name name();
  bool is_keyword(const Token& token) const;
  [[noreturn]] void unexpected();
  template <class... Args>
  [[noreturn]] void error(Place at, fmt::format_string<Args...> text,
                          Args&&... args) const {
    fail(code_.span(at), text, std::forward<Args>(args)...);
  }

  const Code& code_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;  // of forms that are being read
  // What the functions around this place assign, innermost last.
  std::vector<std::map<Name, bool>> locals_;

  static constexpr int kMaxHeight = 150;
  // A tree that is too high would overflow the stack of whoever walks it.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxHeight)
        parser_.error(parser_.peek().at, "this is nested too deeply");
    }
    ~Deeper() { parser_.depth_--; }

   private:
    Parser& parser_;
  };
};

}  // namespace sextant::python
