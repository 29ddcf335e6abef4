// The engine that reads programs by the grammar: recursive descent with
// backtracking. The grammar is such that the first token of an alternative
// decides, so that going back is never far.
#include <algorithm>
#include <map>
#include <set>

#include "src/python/tree.h"

namespace sextant::python {
namespace {

constexpr int kMaxHeight = 150, kMaxRules = 900;

/// A piece of a rule.
struct Item {
  enum class Kind { Token, Keep, Word, Rule, Sequence, Choice, Many, Maybe };
  Kind kind = Kind::Sequence;
  std::string text;         // of Token, Keep, Word, Rule
  std::vector<Item> items;  // of the others
  int least = 0;            // of Many: repetitions
  bool hole = false;        // of Maybe: an absent part leaves an empty one
};

struct Rule {
  std::string name;
  Item body;
  bool splices = false, folds = false;
};

struct Grammar {
  std::map<std::string, Rule> rules;
  std::set<std::string> keywords;
};

/// Reads the grammar's text.
class GrammarReader {
 public:
  Grammar run() {
    while (*at_ == '\n' && at_[1] != '\0') {
      at_++;
      Rule rule;
      rule.name = word();
      rule.splices = rule.name[0] == '_';
      rule.folds = accept('<');
      accept(':');
      rule.body = choice();
      grammar_.rules[rule.name] = rule;
    }
    return std::move(grammar_);
  }

 private:
  // A line that begins with a space goes on with the rule of the one before.
  void skip() {
    while (*at_ == ' ' || (*at_ == '\n' && at_[1] == ' '))
      at_++;
  }
  bool accept(char c) {
    skip();
    bool found = *at_ == c;
    at_ += found;
    return found;
  }
  std::string word() {
    const char* start = at_;
    while (*at_ > ' ' && std::string_view("<:|()[]?*+'\"").find(*at_) > 11)
      at_++;
    return {start, at_};
  }

  Item choice() {
    Item all{Item::Kind::Choice, "", {sequence()}};
    while (accept('|'))
      all.items.push_back(sequence());
    return all.items.size() == 1 ? all.items[0] : all;
  }
  Item sequence() {
    Item all;
    for (skip(); *at_ != '\n' && *at_ != '|' && *at_ != ')' && *at_ != ']';
         skip())
      all.items.push_back(repeated());
    return all.items.size() == 1 ? all.items[0] : all;
  }
  Item repeated() {
    Item one = piece();
    if (*at_ == '?') return at_++, Item{Item::Kind::Maybe, "", {one}};
    if (*at_ == '*') return at_++, Item{Item::Kind::Many, "", {one}, 0};
    if (*at_ == '+') return at_++, Item{Item::Kind::Many, "", {one}, 1};
    return one;
  }
  Item piece() {
    char c = *at_;
    if (c == '(' || c == '[') {
      at_++;
      Item inside = choice();
      accept(c == '(' ? ')' : ']');
      if (c == '(') return inside;
      return Item{Item::Kind::Maybe, "", {inside}, 0, true};
    }
    if (c == '\'' || c == '"') {
      const char* start = ++at_;
      while (*at_ != c)
        at_++;
      std::string text(start, at_++);
      if (text[0] >= 'A') grammar_.keywords.insert(text);
      return Item{c == '"' ? Item::Kind::Keep : Item::Kind::Token, text, {}};
    }
    std::string name = word();
    bool upper = name[0] >= 'A' && name[0] <= 'Z';
    return Item{upper ? Item::Kind::Word : Item::Kind::Rule, name, {}};
  }

  const char* at_ = kGrammar;
  Grammar grammar_;
};

const Grammar& grammar() {
  static const Grammar read = GrammarReader().run();
  return read;
}

class Parser {
 public:
  Parser(const Code& code, std::vector<Token> tokens)
      : code_(code), tokens_(std::move(tokens)) {}

  Tree run(const std::string& rule) {
    for (const Token& token : tokens_)
      refuse(token);
    Node out;
    if (!match(Item{Item::Kind::Rule, rule, {}}, out)) unexpected();
    return out.parts[0];
  }

 private:
  template <class... Args>
  [[noreturn]] void error(Place at, fmt::format_string<Args...> text,
                          Args&&... args) const {
    fail(code_.span(at), text, std::forward<Args>(args)...);
  }

  // Words and signs of Python that no rule has.
  void refuse(const Token& token) const {
    if (token.kind == "OPERATOR" && token.text == ":=")
      error(token.at, "assignment expressions are not supported");
    for (const char* word : {"try", "except", "finally", "async", "await",
                             "global", "nonlocal", "yield"}) {
      if (token.kind == "NAME" && token.text == word)
        error(token.at, "'{}' is not supported", word);
    }
  }

  // Matches an item and adds to the node; where it fails, nothing changed.
  bool match(const Item& item, Node& out) {
    std::size_t at = at_, parts = out.parts.size(), text = out.text.size();
    bool found = matches(item, out);
    if (!found) {
      at_ = at;
      out.parts.resize(parts);
      out.text.resize(text);
    }
    return found;
  }

  bool matches(const Item& item, Node& out) {
    switch (item.kind) {
      case Item::Kind::Token:
      case Item::Kind::Keep:
      case Item::Kind::Word: return token(item, out);
      case Item::Kind::Rule: return rule(grammar().rules.at(item.text), out);
      case Item::Kind::Sequence:
        for (const Item& part : item.items) {
          if (!match(part, out)) return false;
        }
        return true;
      case Item::Kind::Choice:
        for (const Item& part : item.items) {
          if (match(part, out)) return true;
        }
        return false;
      case Item::Kind::Many: {
        int times = 0;
        while (match(item.items[0], out))
          times++;
        return times >= item.least;
      }
      case Item::Kind::Maybe:
        if (!match(item.items[0], out) && item.hole) out.parts.emplace_back();
        return true;
    }
    return false;
  }

  bool token(const Item& item, Node& out) {
    const Token& t = tokens_[at_];
    bool word = item.kind == Item::Kind::Word;
    bool textual = t.kind == "OPERATOR" || t.kind == "NAME";
    bool fits =
        word ? item.text == t.kind &&
                   !(t.kind == "NAME" && grammar().keywords.count(t.text))
             : textual && item.text == t.text;
    if (at_ > furthest_) wants_block_ = false;
    furthest_ = std::max(furthest_, at_);
    if (!fits) {
      if (at_ == furthest_ && item.text == "INDENT") wants_block_ = true;
      return false;
    }
    if (item.kind == Item::Kind::Keep || (word && !t.text.empty())) {
      if (out.text.empty()) out.at = t.at;
      out.text += t.text;
    }
    at_ += t.kind != "END";
    return true;
  }

  bool rule(const Rule& rule, Node& out) {
    if (++depth_ > kMaxRules)
      error(tokens_[at_].at, "this is nested too deeply");
    Node made{
        rule.name.substr(0, rule.name.find('.')), tokens_[at_].at, "", {}};
    bool found = match(rule.body, made);
    depth_--;
    if (!found) return false;
    if (rule.folds) fold(made);
    if (made.kind == "fstring") split_fields(made);
    if (!rule.splices) {
      out.parts.push_back(finished(std::move(made)));
    } else {
      out.parts.insert(out.parts.end(), made.parts.begin(), made.parts.end());
    }
    return true;
  }

  // Counts the node's height. A tree that is too high would overflow the stack
  // of whoever walks it.
  Tree finished(Node node) const {
    for (const Tree& part : node.parts) {
      if (part) node.at.height = std::max(node.at.height, part->at.height + 1);
    }
    if (node.at.height > kMaxHeight)
      error(node.at, "this is nested too deeply");
    return std::make_shared<const Node>(std::move(node));
  }

  void fold(Node& node) const {
    Tree all = node.parts[0];
    for (std::size_t i = 1; i < node.parts.size(); i++) {
      Node next = *node.parts[i];
      // What keeps no text is where it begins. A chain on a name is pointed
      // at as a whole, one on something computed where it goes on.
      bool path = all->kind == "variable" || all->kind == "attribute";
      if (next.text.empty() ||
          (path && next.kind == "attribute" && next.at.line == all->at.line))
        next.at = all->at;
      next.at.height = 0;
      next.parts.insert(next.parts.begin(), all);
      all = finished(std::move(next));
    }
    node.parts = {all};
  }

  // The texts and the expressions in braces of an f-string become its parts.
  void split_fields(Node& node) {
    std::string s = std::exchange(node.text, ""), text;
    auto flush = [&] {
      node.parts.push_back(finished({"string", node.at, unescape(text), {}}));
      text.clear();
    };
    for (std::size_t i = 0; i < s.size(); i++) {
      bool brace = s[i] == '{' || s[i] == '}';
      std::size_t end = s.find('}', i);
      if (!brace || (i + 1 < s.size() && s[i + 1] == s[i])) {
        text += s[i];
        i += brace;
        continue;
      }
      if (s[i] == '}' || end == std::string::npos)
        error(node.at, "f-string: single '{}' is not allowed", s[i]);
      flush();
      std::string inside = s.substr(i + 1, end - i - 1);
      if (inside.find_first_of(":!{") != std::string::npos)
        error(node.at,
              "f-strings with a format, as in '{{{}}}', are not "
              "supported",
              inside);
      Parser parser(code_, tokenize_field(code_, inside, node.at));
      parser.depth_ = depth_;
      node.parts.push_back(parser.run("field")->parts[0]);
      i = end;
    }
    flush();
  }

  [[noreturn]] void unexpected() const {
    const Token& t = tokens_[furthest_];
    if (wants_block_) error(t.at, "expected an indented block");
    if (t.kind == "NEWLINE" || t.kind == "END")
      error(t.at, "invalid syntax: the line ends too early");
    if (t.kind == "INDENT") error(t.at, "unexpected indent");
    if (t.text.empty() || t.kind == "STRING") error(t.at, "invalid syntax");
    error(t.at, "invalid syntax at '{}'", t.text);
  }

  const Code& code_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0, furthest_ = 0;
  bool wants_block_ = false;
  int depth_ = 0;
};

}  // namespace

Tree parse(const Code& code) {
  return Parser(code, tokenize(code)).run("program");
}

}  // namespace sextant::python
