#include "src/base/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace sextant {
namespace {

constexpr std::size_t kColumns = 80;

// Change of bracket depth over the meaningful part of a physical line.
int depth_change(std::string_view line) {
  int depth = 0;
  for (char c : line) {
    if (c == '#') break;
    if (c == '(' || c == '[' || c == '{') depth++;
    if (c == ')' || c == ']' || c == '}') depth--;
  }
  return depth;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) {
    s.remove_suffix(1);
  }
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) {
    s.remove_prefix(1);
  }
  return s;
}

}  // namespace

std::vector<Line> split_lines(std::string_view text, const std::string& file) {
  std::vector<Line> lines;
  int number = 0, depth = 0;
  bool goes_on = false;
  for (const std::string& physical : split(text, '\n')) {
    number++;
    std::string_view body = trim(physical);
    if (body.empty() || (!goes_on && body.front() == '#')) continue;
    bool backslash = body.back() == '\\';
    if (backslash) body = trim(body.substr(0, body.size() - 1));
    if (!goes_on) {
      int indent = static_cast<int>(physical.find_first_not_of(' '));
      Span where{file, number, indent + 1, physical};
      lines.push_back({indent, std::string(body), where});
      depth = depth_change(body);
    } else {
      Line& line = lines.back();
      char before = line.text.empty() ? ' ' : line.text.back();
      bool glue = before == '(' || before == '[';
      line.text += (glue ? "" : " ") + std::string(body);
      depth += depth_change(body);
    }
    goes_on = depth > 0 || backslash;
  }
  return lines;
}

std::string fold_line(const std::string& line, int indent, bool backslash) {
  std::string out;
  std::string rest = std::string(indent, ' ') + line;
  int open = 0;  // brackets that earlier pieces opened and did not close
  while (rest.size() > kColumns) {
    // The best place is a space at the least bracket depth, the last of those;
    // the first half of a line is for when nothing else is there.
    int depth = open, best_cost = 0, best_depth = 0;
    std::size_t at = 0;
    std::size_t first = rest.find_first_not_of(' ');
    bool comment = false;
    for (std::size_t i = first; i < kColumns; i++) {
      char c = rest[i];
      comment = comment || c == '#';
      if (!comment && (c == '(' || c == '[')) depth++;
      if (!comment && (c == ')' || c == ']')) depth--;
      if (c != ' ' || i == first) continue;
      if (depth == 0 && i >= kColumns - 2) continue;  // room for a backslash
      bool late = i > kColumns / 2, best_late = at > kColumns / 2;
      // Outside brackets a break costs a backslash: as bad as one bracket.
      int cost = depth == 0 ? 1 : depth;
      if (at == 0 || (late && !best_late) ||
          (late == best_late && cost <= best_cost)) {
        at = i;
        best_cost = cost;
        best_depth = depth;
      }
    }
    if (at == 0) break;  // nothing to break at
    out += rest.substr(0, at) + (best_depth == 0 && backslash ? " \\\n" : "\n");
    open += depth_change(rest.substr(0, at));
    rest = std::string(indent + 4, ' ') + rest.substr(at + 1);
  }
  return out + rest;
}

void Cursor::advance(std::size_t by) {
  at_ += by;
  furthest_ = std::max(furthest_, at_);
}

char Cursor::peek() const {
  return at_ < line_->text.size() ? line_->text[at_] : '\0';
}

void Cursor::skip_spaces() {
  while (peek() == ' ')
    advance(1);
}

bool Cursor::literal(std::string_view text) {
  if (std::string_view(line_->text).substr(at_, text.size()) != text) {
    return false;
  }
  advance(text.size());
  return true;
}

bool Cursor::name(Name& out) {
  auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  if (!letter(peek())) return false;
  std::size_t start = at_;
  while (letter(peek()) || std::isdigit(static_cast<unsigned char>(peek())) ||
         (peek() == '.' && at_ + 1 < line_->text.size() &&
          (letter(line_->text[at_ + 1]) ||
           std::isdigit(static_cast<unsigned char>(line_->text[at_ + 1]))))) {
    advance(1);
  }
  out = line_->text.substr(start, at_ - start);
  return true;
}

bool Cursor::integer(int64_t& out) {
  std::size_t start = at_;
  double value = 0;
  bool is_integer = false;
  if (!number(value, is_integer) || !is_integer) {
    at_ = start;
    return false;
  }
  errno = 0;
  out = std::strtoll(line_->text.c_str() + start, nullptr, 10);
  if (errno != 0) fail(where(start), "the number is too large");
  return true;
}

bool Cursor::number(double& out, bool& is_integer) {
  std::size_t start = at_;
  std::size_t end = at_ + (peek() == '-' ? 1 : 0);
  const std::string& t = line_->text;
  for (std::string_view word : {"inf", "nan"}) {
    if (std::string_view(t).substr(end, 3) != word) continue;
    char next = end + 3 < t.size() ? t[end + 3] : ' ';
    if (std::isalnum(static_cast<unsigned char>(next)) || next == '_') break;
    out = word == "inf" ? HUGE_VAL : std::nan("");
    if (end > start) out = -out;
    is_integer = false;
    advance(end + 3 - start);
    return true;
  }
  auto digit = [&](std::size_t i) {
    return i < t.size() && std::isdigit(static_cast<unsigned char>(t[i]));
  };
  // Digits from there on, if there are any, belong to the number.
  auto digits = [&](std::size_t from) {
    if (!digit(from)) return false;
    for (end = from; digit(end); end++) {
    }
    return true;
  };
  if (!digits(end)) return false;
  is_integer = true;
  if (end < t.size() && t[end] == '.' && digits(end + 1)) is_integer = false;
  if (end < t.size() && (t[end] == 'e' || t[end] == 'E')) {
    bool sign = end + 1 < t.size() && (t[end + 1] == '-' || t[end + 1] == '+');
    if (digits(end + (sign ? 2 : 1))) is_integer = false;
  }
  out = std::strtod(t.substr(start, end - start).c_str(), nullptr);
  advance(end - start);
  return true;
}

bool Cursor::quoted(std::string& out) {
  if (peek() != '"') return false;
  std::size_t end = line_->text.find('"', at_ + 1);
  if (end == std::string::npos) fail(where(at_), "the quote is not closed");
  out = line_->text.substr(at_ + 1, end - at_ - 1);
  advance(end + 1 - at_);
  return true;
}

bool Cursor::rest(std::string& out) {
  out = line_->text.substr(std::min(at_, line_->text.size()));
  advance(out.size());
  return true;
}

bool Cursor::at_end() {
  std::size_t i = at_;
  while (i < line_->text.size() && line_->text[i] == ' ')
    i++;
  return i >= line_->text.size() || line_->text[i] == '#';
}

Span Cursor::where(std::size_t position) const {
  // A logical line may be made of several physical ones: the column is that
  // of its first line as long as it lies there.
  Span span = line_->where;
  int column = span.column + static_cast<int>(position);
  if (column <= static_cast<int>(span.text.size()) + 1) span.column = column;
  return span;
}

std::string join(const std::vector<std::string>& parts,
                 std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); i++) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    std::size_t end = text.find(separator, start);
    if (end == std::string_view::npos) break;
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  parts.emplace_back(text.substr(start));
  return parts;
}

}  // namespace sextant
