#include "src/python/lexer.h"

#include "src/base/text.h"

namespace sextant::python {
namespace {

constexpr std::size_t kMaxBytes = 1 << 18, kMaxLineShown = 400;

// Longest first, so that the first that fits is the token.
constexpr std::string_view kOperators[] = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "!=", "==", "<=",
    ">=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "@=", "&=", "|=", "^=", ":=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  "=",  ";"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

class Lexer {
 public:
  Lexer(const Code& code, const std::vector<std::string>& lines, Place start)
      : code_(code), lines_(lines), start_(start) {}

  std::vector<Token> run() {
    for (; row_ < lines_.size(); row_++) {
      column_ = 0;
      if (brackets_.empty() && !continued_ && !indentation()) continue;
      continued_ = false;
      while (column_ < line().size())
        token();
      if (brackets_.empty() && !continued_) push("NEWLINE", "");
    }
    if (!brackets_.empty()) {
      const Token& open = brackets_.back();
      fail(code_.span(open.at), "'{}' was never closed", open.text);
    }
    if (continued_) error("unexpected end of the program after a backslash");
    row_ = lines_.empty() ? 0 : lines_.size() - 1;
    for (; indents_.size() > 1; indents_.pop_back())
      push("DEDENT", "");
    push("END", "");
    return std::move(tokens_);
  }

 private:
  const std::string& line() const { return lines_[row_]; }
  std::string_view rest() const {
    return std::string_view(line()).substr(column_);
  }
  char peek(std::size_t ahead = 0) const {
    return column_ + ahead < line().size() ? line()[column_ + ahead] : '\0';
  }
  Place here() const {
    if (code_.is_ours()) return {};
    int row = static_cast<int>(row_), column = static_cast<int>(column_);
    return {start_.line + row, (row == 0 ? start_.column : 1) + column};
  }
  void push(std::string_view kind, std::string text) {
    tokens_.push_back({kind, std::move(text), here()});
  }
  template <class... Args>
  [[noreturn]] void error(fmt::format_string<Args...> text, Args&&... args) {
    fail(code_.span(here()), text, std::forward<Args>(args)...);
  }

  // The start of a logical line: makes Indent and Dedent tokens. False for a
  // line that holds nothing.
  bool indentation() {
    int width = 0;
    for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; column_++)
      width = peek() == '\t' ? (width / 8 + 1) * 8 : width + 1;
    if (column_ == line().size() || peek() == '#') return false;
    if (width > indents_.back()) {
      indents_.push_back(width);
      push("INDENT", "");
    }
    for (; width < indents_.back(); indents_.pop_back())
      push("DEDENT", "");
    if (width != indents_.back())
      error("unindent does not match any outer indentation level");
    return true;
  }

  void token() {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      column_++;
    } else if (c == '#') {
      column_ = line().size();
    } else if (c == '\\' && column_ + 1 == line().size()) {
      continued_ = true;
      column_++;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (std::size_t prefix = string_prefix(); prefix != kNoString) {
      string(prefix);
    } else if (is_name_start(c)) {
      std::size_t n = 1;
      while (is_name_part(peek(n)))
        n++;
      take("NAME", n);
    } else {
      operation();
    }
  }
  void take(std::string_view kind, std::size_t n) {
    push(kind, line().substr(column_, n));
    column_ += n;
  }

  void number() {
    std::size_t n = 0;
    bool radix = peek() == '0' && std::string("xXoObB").find(peek(1)) < 6;
    // A sign belongs to a number after the e of an exponent only.
    while (is_name_part(peek(n)) || (peek(n) == '.' && !radix) ||
           ((peek(n) == '+' || peek(n) == '-') && !radix && n > 0 &&
            (peek(n - 1) == 'e' || peek(n - 1) == 'E')))
      n++;
    take("NUMBER", n);
  }

  static constexpr std::size_t kNoString = 9;
  // How many letters stand before a quote here; kNoString if none follows.
  std::size_t string_prefix() const {
    for (std::size_t n = 0; n < 3; n++) {
      if (peek(n) == '"' || peek(n) == '\'') return n;
      if (std::string_view("rRfFbBuU").find(peek(n)) > 7) break;
    }
    return kNoString;
  }

  void string(std::size_t prefix) {
    Place start = here();
    bool raw = false, formatted = false;
    for (std::size_t i = 0; i < prefix; i++, column_++) {
      char letter = static_cast<char>(peek() | 0x20);
      if (letter == 'b') error("bytes literals are not supported");
      raw = raw || letter == 'r';
      formatted = formatted || letter == 'f';
    }
    std::string quote(1, peek());
    if (rest().substr(0, 3) == std::string(3, peek())) quote.assign(3, peek());
    column_ += quote.size();
    std::string text;
    while (rest().substr(0, quote.size()) != quote) {
      if (column_ < line().size()) {
        // A raw string keeps its backslashes, but one still shields a quote;
        // those of a raw f-string are doubled, since it is unescaped later.
        if (peek() == '\\' && raw && formatted) text += '\\';
        if (peek() == '\\' && column_ + 1 < line().size())
          text += line()[column_++];
        text += line()[column_++];
      } else if ((quote.size() == 3 ||
                  (!text.empty() && text.back() == '\\')) &&
                 row_ + 1 < lines_.size()) {
        text += '\n';
        row_++;
        column_ = 0;
      } else {
        fail(code_.span(start), "unterminated string literal");
      }
    }
    column_ += quote.size();
    if (!formatted && !raw) text = unescape(text);
    tokens_.push_back(
        {formatted ? "FSTRING" : "STRING", std::move(text), start});
  }

  void operation() {
    for (std::string_view op : kOperators) {
      if (rest().substr(0, op.size()) != op) continue;
      bracket(op);
      take("OPERATOR", op.size());
      return;
    }
    auto byte = static_cast<unsigned char>(peek());
    if (byte > 32 && byte < 127) error("unexpected character '{}'", peek());
    error("unexpected byte 0x{:02x}", byte);
  }
  void bracket(std::string_view op) {
    if (op == "(" || op == "[" || op == "{")
      brackets_.push_back({"OPERATOR", std::string(op), here()});
    if (op != ")" && op != "]" && op != "}") return;
    if (brackets_.empty()) error("unmatched '{}'", op);
    std::string open = brackets_.back().text;
    if (op != (open == "(" ? ")" : open == "[" ? "]" : "}"))
      error("closing '{}' does not match opening '{}'", op, open);
    brackets_.pop_back();
  }

  const Code& code_;
  const std::vector<std::string>& lines_;
  Place start_;
  std::size_t row_ = 0, column_ = 0;
  bool continued_ = false;
  std::vector<int> indents_ = {0};
  std::vector<Token> brackets_, tokens_;
};

}  // namespace

Code::Code(std::string_view text, std::string file) : file_(std::move(file)) {
  if (text.size() > kMaxBytes)
    fail({file_, 0, 0, ""}, "the program has {} bytes, more than {}",
         text.size(), kMaxBytes);
  lines_ = split(text, '\n');
  for (std::string& line : lines_) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
  }
}

Span Code::span(Place at) const {
  if (at.line < 1 || at.line > static_cast<int>(lines_.size()))
    return {file_, 0, 0, ""};
  const std::string& line = lines_[at.line - 1];
  return {file_, at.line, at.column, line.size() < kMaxLineShown ? line : ""};
}

std::vector<Token> tokenize(const Code& code) {
  return Lexer(code, code.lines(), {1, 1, 0}).run();
}

std::vector<Token> tokenize_field(const Code& code, std::string_view text,
                                  Place at) {
  // In brackets, so that lines and indentation mean nothing.
  std::vector<std::string> lines = split("(" + std::string(text) + ")", '\n');
  at.column--;
  return Lexer(code, lines, at).run();
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char c = text[++i];
    constexpr std::string_view kFrom = "ntr0\\'\"", kTo("\n\t\r\0\\'\"", 7);
    if (std::size_t k = kFrom.find(c); k < kFrom.size()) {
      out += kTo[k];
    } else if (c != '\n') {  // a backslash at the end of a line joins lines
      out += {'\\', c};
    }
  }
  return out;
}

}  // namespace sextant::python
