// Formatting random documents: written in every layout that YAML allows, with comments everywhere.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "property/tree_generator.h"
#include "tree/format.h"
#include "tree/quoted_text.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// Writes documents as carelessly as it can.
class MessyWriter {
 public:
  explicit MessyWriter(std::uint64_t seed) : texts_(seed), state_(seed * 2654435761 + 1) {}

  std::string file() {
    out_.clear();
    if (chance(20)) noise(0);
    const std::uint64_t documents = 1 + below(3);
    for (std::uint64_t i = 0; i < documents; ++i) {
      if (i > 0 || chance(30)) {
        out_ += "---";
        line_end();
      }
      root();
      if (chance(10)) {
        out_ += "...";
        line_end();
      }
    }
    if (chance(30)) noise(0);
    return out_;
  }

  const std::vector<std::string>& comments() const { return comments_; }

 private:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  std::string spaces(std::uint64_t least, std::uint64_t most) {
    return std::string(least + below(most - least + 1), ' ');
  }

  std::string comment() {
    comments_.push_back("# c" + std::to_string(comments_.size()) + (chance(20) ? " # [x]: {" : ""));
    return comments_.back();
  }

  /// The end of a line, now and then with a comment.
  void line_end() {
    if (chance(15)) out_ += spaces(1, 4) + comment();
    if (chance(10)) out_ += spaces(0, 3);
    out_ += '\n';
  }

  /// Empty lines and comments, mostly indented as what is around them.
  void noise(std::uint64_t indent) {
    while (chance(25)) {
      if (chance(50)) {
        out_ += spaces(0, 3) + '\n';
      } else {
        out_ += (chance(80) ? std::string(indent, ' ') : spaces(0, 8)) + comment() + '\n';
      }
    }
  }

  void root() {
    const std::uint64_t kind = below(10);
    const std::uint64_t indent = chance(80) ? 0 : below(4);
    if (kind < 6) {
      map(indent, 4, false);
    } else if (kind < 9) {
      list(indent, 4, false);
    } else {
      noise(0);
      out_ += flow(3);
      line_end();
    }
  }

  void map(std::uint64_t indent, int depth, bool continued) {
    const std::uint64_t size = 1 + below(4);
    for (std::uint64_t i = 0; i < size; ++i) {
      if (!continued || i > 0) {
        noise(indent);
        out_ += std::string(indent, ' ');
      }
      out_ += key(i) + spaces(0, 1) + ':';
      value(indent, depth, chance(50) ? 0 : 1 + below(4));
    }
    if (chance(20)) noise(indent);
  }

  void list(std::uint64_t indent, int depth, bool continued) {
    const std::uint64_t size = 1 + below(3);
    for (std::uint64_t i = 0; i < size; ++i) {
      if (!continued || i > 0) {
        noise(indent);
        out_ += std::string(indent, ' ');
      }
      out_ += '-';
      item(indent, depth);
    }
    if (chance(20)) noise(indent);
  }

  /// What follows a dash.
  void item(std::uint64_t indent, int depth) {
    const std::uint64_t kind = depth == 0 ? 9 : below(10);
    if (kind < 4) {
      const std::uint64_t gap = 1 + below(4);
      const bool continued = chance(70);
      if (continued) {
        out_ += std::string(gap, ' ');
      } else {
        line_end();
      }
      const std::uint64_t inner = indent + 1 + gap;
      kind < 2 ? map(inner, depth - 1, continued) : list(inner, depth - 1, continued);
    } else {
      scalar(indent, depth);
    }
  }

  /// What follows a key.
  void value(std::uint64_t indent, int depth, std::uint64_t list_indent) {
    const std::uint64_t kind = depth == 0 ? 9 : below(10);
    if (kind < 3) {
      line_end();
      map(indent + 1 + below(6), depth - 1, false);
    } else if (kind < 5) {
      line_end();
      list(indent + list_indent, depth - 1, false);
    } else {
      scalar(indent, depth);
    }
  }

  void scalar(std::uint64_t indent, int depth) {
    const std::uint64_t kind = below(12);
    if (kind == 0) return line_end();
    if (kind < 3) {
      block_text(indent);
    } else if (kind == 3) {
      out_ += ' ' + std::string("two words\n") + spaces(indent + 1, indent + 5) + "on lines";
      line_end();
    } else if (kind == 4) {
      out_ += " \"quoted\\n  \n" + (chance(50) ? std::string("\n") : std::string()) +
              spaces(indent + 1, indent + 5) + "it's # no comment\"";
      line_end();
    } else {
      if (chance(10)) {
        line_end();
        noise(indent + 2);
        out_ += std::string(indent + 2, ' ');
      } else {
        out_ += spaces(1, 3);
      }
      out_ += kind < 8 && depth > 0 ? flow(2) : word();
      line_end();
    }
  }

  void block_text(std::uint64_t indent) {
    constexpr std::string_view kHeaders[] = {"|", "|-", ">", ">-", "|+", ">+"};
    out_ += ' ' + std::string(kHeaders[below(6)]);
    const std::uint64_t inner = indent + 1 + below(4);
    line_end();
    const std::uint64_t lines = 1 + below(3);
    for (std::uint64_t i = 0; i < lines; ++i) {
      if (i > 0 && chance(20)) out_ += '\n';
      out_ += std::string(inner, ' ') + (i > 0 && chance(30) ? "  more: [x" : "text # no comment");
      out_ += '\n';
    }
    while (chance(20)) out_ += '\n';
  }

  std::string key(std::uint64_t index) {
    const std::string name = "k" + std::to_string(index);
    return chance(20) ? "'" + name + "'" : chance(10) ? "\"" + name + " x: y\"" : name;
  }

  std::string word() {
    constexpr std::string_view kWords[] = {"a",    "x y",     "1",       "2.50", "true",
                                           "null", "~",       "10Gi",    "a:b",  "x#y",
                                           "'1'",  "'it''s'", "\"yes\"", "''",   "-x"};
    if (chance(60)) return std::string(kWords[below(std::size(kWords))]);
    std::string result;
    const std::string text = texts_.text();
    {
      TextBuffer buffer(result);
      put_double_quoted(buffer, text);
    }
    return result;
  }

  /// Within brackets a line may end nearly anywhere; here it does so before and after values.
  std::string flow(int depth) {
    const bool is_map = chance(50);
    std::string result(1, is_map ? '{' : '[');
    const std::uint64_t size = below(4);
    const bool long_form = chance(30);
    for (std::uint64_t i = 0; i < size; ++i) {
      result += pause(long_form);
      if (is_map) result += "f" + std::to_string(i) + ": ";
      result += depth > 0 && chance(30) ? flow(depth - 1) : word();
      result += pause(long_form);
      if (i + 1 < size || chance(20)) result += ',';
    }
    return result + pause(long_form) + (is_map ? '}' : ']');
  }

  std::string pause(bool long_form) {
    if (!long_form) return spaces(0, 2);
    if (chance(20)) return ' ' + comment() + '\n' + spaces(9, 12);
    if (chance(10)) return "\n\n" + spaces(9, 12);
    return chance(50) ? '\n' + spaces(9, 12) : spaces(0, 2);
  }

  TreeGenerator texts_;
  std::uint64_t state_;
  std::string out_;
  std::vector<std::string> comments_;
};

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') ++result;
  }
  return result;
}

/// The documents as trees, or nothing when the reader refuses the text.
bool read(const std::string& text, std::vector<Tree>& result, SourceMap& sources) {
  Sink sink;
  result = read_yaml(sources, sources.add("in", text), sink);
  return !sink.has_errors();
}

bool format(const std::string& text, std::string& result, std::string& message) {
  SourceMap sources;
  Sink sink;
  const auto formatted = format_yaml(sources, sources.add("in", text), sink);
  if (sink.has_errors()) message = sink.all().front().message;
  if (formatted) result = *formatted;
  return formatted.has_value();
}

}  // namespace

TEST_CASE("formatting random documents keeps values and comments, and is stable") {
  std::size_t formatted = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    MessyWriter writer(seed);
    const std::string text = writer.file();
    SourceMap sources;
    std::vector<Tree> before, after;
    if (!read(text, before, sources)) continue;
    INFO("seed " << seed << "\n" << text);
    std::string once, twice, message;
    const bool good = format(text, once, message);
    INFO(message << "\n" << once);
    REQUIRE(good);
    REQUIRE(read(once, after, sources));
    REQUIRE(before.size() == after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      REQUIRE(equal(before[i], before[i].root(), after[i], after[i].root()));
    }
    for (const std::string& comment : writer.comments()) {
      INFO(comment);
      REQUIRE(count(once, comment) == count(text, comment));
    }
    REQUIRE(format(once, twice, message));
    REQUIRE(once == twice);
    ++formatted;
  }
  // What the reader refuses is not of interest here, but must stay rare.
  CHECK(formatted > 2500);
}
