#include "chapters/04-tile-ir/schedule.h"

#include "src/base/text.h"

namespace sextant::tile {
namespace {

constexpr std::string_view kHoldLetters = "btrsu";

// Reads one line from left to right; what is wrong is told with its column.
class Reader {
 public:
  explicit Reader(const std::string& text)
      : line_{0, text, {"schedule", 1, 1, text}}, c_(line_) {}

  Schedule run() {
    splits();
    if (bar()) stagings();
    if (bar()) options();
    if (!c_.at_end()) wrong("expected a space or '|'");
    return out_;
  }

 private:
  template <class... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> text, Args&&... args) {
    fail(c_.where(c_.position()), text, std::forward<Args>(args)...);
  }

  bool bar() {
    c_.skip_spaces();
    return c_.literal("|");
  }

  // More words of this part?
  bool more() {
    c_.skip_spaces();
    return !c_.at_end() && c_.peek() != '|';
  }

  // Letters and digits without dots, which separate here.
  Name word(const char* what) {
    Name out;
    while (std::isalnum(static_cast<unsigned char>(c_.peek())) ||
           c_.peek() == '_') {
      out += c_.peek();
      c_.move_to(c_.position() + 1);
    }
    if (out.empty()) wrong("expected {}", what);
    return out;
  }

  int64_t number(const char* what) {
    int64_t n = 0;
    if (!c_.integer(n) || n < 1) wrong("expected {}, 1 or more", what);
    return n;
  }

  void splits() {
    while (more()) {
      Split split{word("an axis"), {}};
      if (out_.split(split.axis) != nullptr) {
        wrong("the axis {} is split twice", split.axis);
      }
      if (!c_.literal("=")) wrong("expected '=' after the axis {}", split.axis);
      do {
        split.digits.push_back(digit(split));
      } while (c_.literal("."));
      out_.splits.push_back(split);
    }
  }

  Digit digit(const Split& split) {
    Digit d;
    if (c_.literal("*")) {
      if (!split.digits.empty()) {
        wrong("only the outermost digit of {} may be '*'", split.axis);
      }
    } else {
      d.extent = number("the extent of a digit");
    }
    std::size_t hold = kHoldLetters.find(c_.peek());
    if (hold == std::string_view::npos || c_.peek() == '\0') {
      wrong("expected who holds the digit: b, t, r, s or u");
    }
    c_.move_to(c_.position() + 1);
    d.hold = static_cast<Hold>(hold);
    return d;
  }

  void stagings() {
    while (more()) {
      Staging s;
      s.operand = word("a buffer to stage");
      if (!c_.literal(":smem")) {
        wrong("expected ':smem' after the buffer {}", s.operand);
      }
      if (c_.literal("*")) s.buffers = number("a number of buffers");
      while (c_.literal("."))
        staging_option(s);
      out_.stages.push_back(s);
    }
  }

  void staging_option(Staging& s) {
    if (c_.literal("pad")) {
      s.pad = number("the elements of the pad");
    } else if (c_.literal("kmajor")) {
      s.kmajor = true;
    } else if (c_.literal("async") || c_.literal("held")) {
      if (!s.transport.empty()) wrong("two transports for {}", s.operand);
      const std::string& text = c_.line().text;
      s.transport = text[c_.position() - 1] == 'c' ? "async" : "held";
    } else {
      wrong("expected async, held, kmajor or pad with a number");
    }
  }

  void options() {
    while (more()) {
      if (c_.literal("raster=")) {
        out_.raster = number("the rows of a group");
      } else if (c_.literal("min_blocks=")) {
        out_.min_blocks = number("a number of blocks");
      } else if (c_.literal("prefetch")) {
        out_.prefetch = true;
      } else {
        wrong("expected raster=, min_blocks= or prefetch");
      }
    }
  }

  Line line_;
  Cursor c_;
  Schedule out_;
};

std::string digits_text(const Split& split) {
  std::vector<std::string> parts;
  for (const Digit& d : split.digits) {
    std::string extent = d.extent == 0 ? "*" : fmt::format("{}", d.extent);
    parts.push_back(extent + kHoldLetters[static_cast<std::size_t>(d.hold)]);
  }
  return split.axis + "=" + join(parts, ".");
}

std::string staging_text(const Staging& s) {
  std::string text = s.operand + ":smem";
  if (s.buffers != 1) text += fmt::format("*{}", s.buffers);
  if (!s.transport.empty()) text += "." + s.transport;
  if (s.kmajor) text += ".kmajor";
  if (s.pad != 0) text += fmt::format(".pad{}", s.pad);
  return text;
}

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] != '*') {
    return !name.empty() && name[0] == pattern[0] &&
           fits(pattern.substr(1), name.substr(1));
  }
  for (std::size_t i = 0; i <= name.size(); i++) {
    if (fits(pattern.substr(1), name.substr(i))) return true;
  }
  return false;
}

}  // namespace

const Split* Schedule::split(const Name& axis) const {
  for (const Split& s : splits) {
    if (s.axis == axis) return &s;
  }
  return nullptr;
}

Schedule parse_schedule(const std::string& text) {
  return Reader(text).run();
}

std::string to_string(const Schedule& s) {
  std::vector<std::string> splits, stages, options;
  for (const Split& split : s.splits)
    splits.push_back(digits_text(split));
  for (const Staging& staging : s.stages)
    stages.push_back(staging_text(staging));
  if (s.raster != 0) options.push_back(fmt::format("raster={}", s.raster));
  if (s.min_blocks != 0) {
    options.push_back(fmt::format("min_blocks={}", s.min_blocks));
  }
  if (s.prefetch) options.push_back("prefetch");
  std::string text = join(splits, " ");
  if (!stages.empty()) text += " | " + join(stages, " ");
  if (!options.empty()) {
    text += (stages.empty() ? " | | " : " | ") + join(options, " ");
  }
  return text;
}

std::optional<std::string> schedule_for(const std::string& all,
                                        const Name& kernel) {
  for (std::string entry : split(all, ';')) {
    entry.erase(0, entry.find_first_not_of(' '));
    if (entry.empty()) continue;
    // A selector ends at a ':' before anything that only schedules hold.
    std::size_t colon = entry.find_first_of(":=| ");
    bool selects = colon != std::string::npos && entry[colon] == ':' &&
                   entry.find_first_of("=|") != std::string::npos;
    std::string pattern = selects ? entry.substr(0, colon) : "*";
    if (!fits(pattern, kernel)) continue;
    return selects ? entry.substr(colon + 1) : entry;
  }
  return std::nullopt;
}

}  // namespace sextant::tile
