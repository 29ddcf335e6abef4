// Syntax as data. A node type has one format string, and from it this small
// engine prints nodes and parses them back: the grammar of an IR is the table
// of its format strings.
//
//   {name}       the next field (fields come in the order they are declared);
//                a name that occurred before must print and parse the same
//   {? ... ?}    printed if a field inside differs from its default; parsed
//                if it is there
//   {body}       of a list of statements: a block, one deeper
//   \n           the next line
//   all else     itself
//
// How a field of some type looks is said by a codec: print_field, parse_field.
#pragma once

#include <type_traits>

#include "src/base/text.h"

namespace sextant {

/// The format string of a node type; each IR's syntax.h specialises it.
template <class T>
inline constexpr const char* format_of = nullptr;

/// The words of an enum, in order; an empty last word ends the list.
template <class E>
inline constexpr const char* const* words_of = nullptr;

class Printer {
 public:
  /// `backslash`: whether a line broken outside brackets says that it goes on.
  explicit Printer(bool backslash = true) : backslash_(backslash) {}
  void write(std::string_view text) { line_ += text; }
  void end_line();
  void indent(int by) { indent_ += by; }
  bool at_line_start() const { return line_.empty(); }
  std::string take();
  // What the text comes from: the origin of the innermost open statement is
  // noted for each printed line.
  void open_origin(const Origin& origin) { open_.push_back(origin); }
  void close_origin();
  /// One origin a line of what `take` returns.
  const std::vector<Origin>& origins() const { return origins_; }

 private:
  std::string out_, line_;
  int indent_ = 0;
  bool backslash_;
  std::vector<Origin> open_, origins_;
};

/// Logical lines with a cursor in the current one.
class Parser {
 public:
  Parser(std::string_view text, const std::string& file)
      : lines_(split_lines(text, file)) {}

  bool at_end() const { return next_ >= lines_.size(); }
  const Line& line() const { return lines_[next_]; }
  Cursor& cursor() { return *cursor_; }
  void open_line();               // the cursor starts the current line
  void close_line() { next_++; }  // the current line was read
  // After a block: the cursor starts the next line if it has the indentation
  // of the line that opened the block (`else:`), and is at an end otherwise.
  void open_after_block(int indent);
  /// Where the current line, or the end of the text, stands.
  Span where() const;

  // Blocks in blocks are read by recursion; the bound keeps a stranger's text
  // from using up the stack.
  void open_block();
  void close_block() { blocks_--; }

  // What a file's statements come from is the file: a statement's origin is
  // its number among the statements read, whose places these are.
  int note_statement(Span where) {
    statements_.push_back(std::move(where));
    return static_cast<int>(statements_.size()) - 1;
  }
  const std::vector<Span>& statements() const { return statements_; }

  // For attempts: where one stands, and going back there.
  struct State {
    std::size_t next;
    std::size_t position;
  };
  State state() const { return {next_, cursor_ ? cursor_->position() : 0}; }
  void restore(State s);

 private:
  std::vector<Line> lines_;
  std::size_t next_ = 0;
  int blocks_ = 0;
  std::vector<Span> statements_;
  std::optional<Cursor> cursor_;
};

// --- Codecs of the simple types ---------------------------------------------
void print_field(Printer& p, const std::string& x);
bool parse_field(Parser& p, std::string& x);
void print_field(Printer& p, const int64_t& x);
bool parse_field(Parser& p, int64_t& x);
void print_field(Printer& p, const int& x);
bool parse_field(Parser& p, int& x);
// A flag is the text around it.
inline void print_field(Printer&, const bool&) {}
inline bool parse_field(Parser&, bool& x) {
  return x = true;
}
void print_field(Printer& p, const DType& x);
bool parse_field(Parser& p, DType& x);
void print_field(Printer& p, const Expr& x);
bool parse_field(Parser& p, Expr& x);
void print_field(Printer& p, const Var& x);
bool parse_field(Parser& p, Var& x);

template <class E>
requires std::is_enum_v<E>
void print_field(Printer& p, const E& x) {
  p.write(words_of<E>[static_cast<int>(x)]);
}
template <class E>
requires std::is_enum_v<E>
bool parse_field(Parser& p, E& x) {
  for (int i = 0; words_of<E>[i][0] != '\0'; i++) {
    Cursor& c = p.cursor();
    std::size_t start = c.position();
    Name word;
    if (c.name(word) && word == words_of<E>[i]) {
      x = static_cast<E>(i);
      return true;
    }
    c.move_to(start);
  }
  return false;
}

// --- Structs with a format, and handles to them -----------------------------
template <class T>
concept HasFormat = std::is_aggregate_v<T> && format_of<T>
!= nullptr;
template <class T>
concept IsTree = requires(const T& x) {
  x.variant();
  x.with_origin({});
}
&&!std::same_as<T, Expr>;

template <HasFormat T>
void print_field(Printer& p, const T& x);
template <HasFormat T>
bool parse_field(Parser& p, T& x);
template <IsTree T>
void print_field(Printer& p, const T& x);
template <IsTree T>
bool parse_field(Parser& p, T& x);

// Lists: trees are blocks of lines, everything else stands between commas.
template <class T>
void print_field(Printer& p, const std::vector<T>& list) {
  if constexpr (IsTree<T>) {
    p.end_line();
    p.indent(2);
    for (const T& x : list) {
      print_field(p, x);
      if (!p.at_line_start()) p.end_line();
    }
    p.indent(-2);
  } else {
    for (std::size_t i = 0; i < list.size(); i++) {
      if (i > 0) p.write(", ");
      print_field(p, list[i]);
    }
  }
}

template <class T>
bool parse_block(Parser& p, std::vector<T>& list) {
  if (!p.cursor().at_end()) return false;
  int outer = p.line().indent;
  p.close_line();
  if (p.at_end() || p.line().indent <= outer) return true;
  int inner = p.line().indent;
  p.open_block();
  while (!p.at_end() && p.line().indent > outer) {
    if (p.line().indent != inner) {
      fail(p.line().where, "the indentation fits no block");
    }
    p.open_line();
    T x;
    parse_field(p, x);
    list.push_back(x);
  }
  p.close_block();
  p.open_after_block(outer);
  return true;
}

template <class T>
bool parse_field(Parser& p, std::vector<T>& list) {
  list.clear();
  if constexpr (IsTree<T>) {
    return parse_block(p, list);
  } else {
    Cursor& c = p.cursor();
    std::size_t end = c.position();  // of what was read so far
    while (true) {
      T x{};
      // `a, b, op=add`: what is followed by '=' is no element.
      if (!parse_field(p, x) || c.peek() == '=') {
        c.move_to(end);
        return true;
      }
      list.push_back(x);
      end = c.position();
      c.skip_spaces();
      if (!c.literal(",")) {
        c.move_to(end);
        return true;
      }
      c.skip_spaces();
    }
  }
}

// --- The engine --------------------------------------------------------------
/// One piece of a format string.
struct Piece {
  enum Kind { Text, Field, Open, Close, NewLine } kind;
  std::string text;  // of Text
  int field = 0;     // of Field
};
/// Splits a format string; each is split once.
const std::vector<Piece>& pieces_of(const char* format);

// Calls f(field) for the field of that number.
template <class T, class F>
void with_field(T& x, int number, F&& f) {
  int i = 0;
  each_field(x, [&](auto& field) {
    if (i++ == number) f(field);
  });
}

template <class T>
bool field_is_default(const T& x, int number) {
  [[maybe_unused]] static const T fresh{};
  bool same = true;
  with_field(x, number, [&](const auto& field) {
    with_field(fresh, number, [&](const auto& usual) {
      if constexpr (std::is_same_v<decltype(field), decltype(usual)>) {
        same = field == usual;
      }
    });
  });
  return same;
}

// The index of the Close that ends the group opened at `open`, and whether a
// field inside differs from its default.
std::size_t group_end(const std::vector<Piece>& pieces, std::size_t open);

template <class T>
bool group_is_wanted(const std::vector<Piece>& pieces, std::size_t open,
                     const T& x) {
  for (std::size_t i = open; i < group_end(pieces, open); i++) {
    if (pieces[i].kind == Piece::Field &&
        !field_is_default(x, pieces[i].field)) {
      return true;
    }
  }
  return false;
}

template <HasFormat T>
void print_field(Printer& p, const T& x) {
  const std::vector<Piece>& pieces = pieces_of(format_of<T>);
  for (std::size_t i = 0; i < pieces.size(); i++) {
    switch (pieces[i].kind) {
      case Piece::Text: p.write(pieces[i].text); break;
      case Piece::NewLine: p.end_line(); break;
      case Piece::Field:
        with_field(x, pieces[i].field,
                   [&](const auto& field) { print_field(p, field); });
        break;
      case Piece::Open:
        if (!group_is_wanted(pieces, i, x)) i = group_end(pieces, i);
        break;
      case Piece::Close: break;
    }
  }
}

// A field that was read before must stand here again, to the letter.
template <class Field>
bool parse_again(Parser& p, const Field& field) {
  Printer once;
  print_field(once, field);
  std::string text = once.take();
  return p.cursor().literal(std::string_view(text).substr(0, text.find('\n')));
}

template <class T>
bool parse_pieces(Parser& p, T& x, const std::vector<Piece>& pieces,
                  std::size_t begin, std::size_t end, std::vector<bool>& seen) {
  for (std::size_t i = begin; i < end; i++) {
    const Piece& piece = pieces[i];
    bool ok = true;
    switch (piece.kind) {
      case Piece::Text: ok = p.cursor().literal(piece.text); break;
      case Piece::NewLine:
        if (!p.cursor().at_end()) return false;
        p.close_line();
        if (p.at_end()) return false;
        p.open_line();
        break;
      case Piece::Field:
        with_field(x, piece.field, [&](auto& field) {
          ok =
              seen[piece.field] ? parse_again(p, field) : parse_field(p, field);
        });
        seen[piece.field] = true;
        break;
      case Piece::Open: {
        std::size_t close = group_end(pieces, i);
        Parser::State start = p.state();
        T before = x;
        std::vector<bool> seen_before = seen;
        if (!parse_pieces(p, x, pieces, i + 1, close, seen)) {
          p.restore(start);
          x = before;
          seen = seen_before;
        }
        i = close;
        break;
      }
      case Piece::Close: break;
    }
    if (!ok) return false;
  }
  return true;
}

template <HasFormat T>
bool parse_field(Parser& p, T& x) {
  const std::vector<Piece>& pieces = pieces_of(format_of<T>);
  std::vector<bool> seen(field_count<T>(), false);
  return parse_pieces(p, x, pieces, 0, pieces.size(), seen);
}

template <IsTree T>
void print_field(Printer& p, const T& x) {
  p.open_origin(x.origin());
  std::visit([&](const auto& node) { print_field(p, node); }, x.variant());
  p.close_origin();
}

// Ordered choice: the first node type whose format takes the whole line.
template <class T, std::size_t I = 0>
bool parse_alternative(Parser& p, T& x, std::size_t& furthest) {
  if constexpr (I == std::variant_size_v<typename T::Variant>) {
    return false;
  } else {
    using Node = std::variant_alternative_t<I, typename T::Variant>;
    Parser::State start = p.state();
    std::size_t line = start.next;
    Node node{};
    if (parse_field(p, node)) {
      // A node with a block has read its lines; one without ends its line.
      if (p.state().next != line) return x = node, true;
      if (p.cursor().at_end()) return p.close_line(), x = node, true;
    }
    if (p.state().next == line) {
      furthest = std::max(furthest, p.cursor().position());
    }
    p.restore(start);
    return parse_alternative<T, I + 1>(p, x, furthest);
  }
}

template <IsTree T>
bool parse_field(Parser& p, T& x) {
  Span where = p.line().where;
  std::size_t furthest = p.cursor().position();
  if (parse_alternative(p, x, furthest)) {
    x = x.with_origin({p.note_statement(where)});
    return true;
  }
  fail(p.cursor().where(furthest), "this is no statement of this IR");
}

/// The text of anything that has a codec.
template <class T>
std::string print(const T& x) {
  Printer p;
  print_field(p, x);
  return p.take();
}

}  // namespace sextant
