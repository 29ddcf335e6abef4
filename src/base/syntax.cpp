#include "src/base/syntax.h"

#include <algorithm>
#include <map>

namespace sextant {

void Printer::end_line() {
  while (!line_.empty() && line_.back() == ' ')
    line_.pop_back();
  std::string text = line_.empty() ? "" : fold_line(line_, indent_, backslash_);
  out_ += text + '\n';
  line_.clear();
  Origin from = open_.empty() ? Origin{} : open_.back();
  auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  origins_.insert(origins_.end(), static_cast<std::size_t>(lines), from);
}

void Printer::close_origin() {
  // The statement's own line, if it has no block that ended it.
  if (!line_.empty()) end_line();
  open_.pop_back();
}

std::string Printer::take() {
  if (!line_.empty()) end_line();
  return std::move(out_);
}

void Parser::open_line() {
  cursor_.emplace(lines_[next_]);
}

void Parser::open_after_block(int indent) {
  static const Line kNothing;
  bool same = !at_end() && lines_[next_].indent == indent;
  cursor_.emplace(same ? lines_[next_] : kNothing);
}

void Parser::open_block() {
  constexpr int kDeepestBlock = 64;
  if (++blocks_ > kDeepestBlock) {
    fail(where(), "more than {} blocks are open here", kDeepestBlock);
  }
}

Span Parser::where() const {
  if (!at_end()) return lines_[next_].where;
  return lines_.empty() ? Span{} : lines_.back().where;
}

void Parser::restore(State s) {
  next_ = s.next;
  if (at_end()) return;
  cursor_.emplace(lines_[next_]);
  cursor_->move_to(s.position);
}

void print_field(Printer& p, const std::string& x) {
  bool plain = !x.empty() && !std::isdigit(static_cast<unsigned char>(x[0])) &&
               std::all_of(x.begin(), x.end(), [](unsigned char c) {
                 return std::isalnum(c) || c == '_' || c == '.';
               });
  p.write(plain ? x : '"' + x + '"');
}

bool parse_field(Parser& p, std::string& x) {
  return p.cursor().name(x) || p.cursor().quoted(x);
}

void print_field(Printer& p, const int64_t& x) {
  p.write(std::to_string(x));
}
bool parse_field(Parser& p, int64_t& x) {
  return p.cursor().integer(x);
}
void print_field(Printer& p, const int& x) {
  p.write(std::to_string(x));
}
bool parse_field(Parser& p, int& x) {
  int64_t wide = 0;
  if (!p.cursor().integer(wide) || wide != static_cast<int>(wide)) return false;
  x = static_cast<int>(wide);
  return true;
}

void print_field(Printer& p, const DType& x) {
  p.write(name_of(x));
}
bool parse_field(Parser& p, DType& x) {
  Name word;
  if (!p.cursor().name(word) || !dtype_named(word)) return false;
  x = *dtype_named(word);
  return true;
}

void print_field(Printer& p, const Expr& x) {
  p.write(to_string(x));
}
bool parse_field(Parser& p, Expr& x) {
  return p.cursor().expr(x);
}
void print_field(Printer& p, const Var& x) {
  p.write(to_string(Expr(x)));
}
bool parse_field(Parser& p, Var& x) {
  return p.cursor().var(x);
}

namespace {

std::vector<Piece> split_format(std::string_view format) {
  std::vector<Piece> pieces;
  std::vector<std::string> names;
  std::string text;
  auto flush = [&] {
    if (!text.empty()) pieces.push_back({Piece::Text, text, 0});
    text.clear();
  };
  for (std::size_t i = 0; i < format.size(); i++) {
    std::string_view rest = format.substr(i);
    if (rest.substr(0, 2) == "{?" || rest.substr(0, 2) == "?}") {
      flush();
      pieces.push_back({rest[0] == '{' ? Piece::Open : Piece::Close, "", 0});
      i++;
    } else if (rest[0] == '\n') {
      flush();
      pieces.push_back({Piece::NewLine, "", 0});
    } else if (rest[0] == '{') {
      flush();
      std::size_t end = rest.find('}');
      std::string name(rest.substr(1, end - 1));
      auto found = std::find(names.begin(), names.end(), name);
      int number = static_cast<int>(found - names.begin());
      if (found == names.end()) names.push_back(name);
      pieces.push_back({Piece::Field, "", number});
      i += end;
    } else {
      text += rest[0];
    }
  }
  flush();
  return pieces;
}

}  // namespace

const std::vector<Piece>& pieces_of(const char* format) {
  // A cache of a pure function: what it returns never depends on it.
  thread_local std::map<const char*, std::vector<Piece>> cache;
  auto found = cache.find(format);
  if (found == cache.end()) {
    found = cache.emplace(format, split_format(format)).first;
  }
  return found->second;
}

std::size_t group_end(const std::vector<Piece>& pieces, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < pieces.size(); i++) {
    if (pieces[i].kind == Piece::Open) depth++;
    if (pieces[i].kind == Piece::Close && --depth == 0) return i;
  }
  INVARIANT(false, "a format string has an open group");
  return pieces.size();
}

}  // namespace sextant
