#include "structure/code_sizes.h"

#include <algorithm>
#include <array>
#include <regex>

namespace trainyard::structure {
namespace {

/// Overwrites what is not code with spaces: comments, literals, lines of the preprocessor. Lines
/// stay where they are.
class Blanked {
 public:
  explicit Blanked(std::string_view source) : text_(source) {
    while (at_ < text_.size()) step();
  }
  std::string text() && { return std::move(text_); }

 private:
  void step() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    if (rest.starts_with("//")) return blank(end_of_line());
    if (rest.starts_with("/*")) return blank(after("*/", at_ + 2));
    if (rest.starts_with("R\"") && !is_word(at_ - 1)) {
      const std::string close = ")" + text_.substr(at_ + 2, text_.find('(', at_) - at_ - 2) + "\"";
      return blank(after(close, at_ + 2));
    }
    const bool separates_digits = rest.starts_with('\'') && is_word(at_ - 1);
    if (rest.starts_with('"') || (rest.starts_with('\'') && !separates_digits)) {
      return blank(end_of_literal(rest.front()));
    }
    if (rest.starts_with('#') && starts_line()) return blank(end_of_directive());
    ++at_;
  }

  void blank(std::size_t end) {
    for (; at_ < std::min(end, text_.size()); ++at_) {
      if (text_[at_] != '\n') text_[at_] = ' ';
    }
  }

  bool is_word(std::size_t at) const {
    return at < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at])) != 0);
  }
  bool starts_line() const {
    const std::size_t before = at_ == 0 ? text_.npos : text_.find_last_not_of(' ', at_ - 1);
    return before == text_.npos || text_[before] == '\n';
  }
  std::size_t after(const std::string& close, std::size_t from) const {
    const std::size_t found = text_.find(close, from);
    return found == text_.npos ? text_.size() : found + close.size();
  }
  std::size_t end_of_line() const { return std::min(text_.find('\n', at_), text_.size()); }
  std::size_t end_of_directive() const {
    std::size_t end = end_of_line();
    while (end < text_.size() && text_[end - 1] == '\\') {
      end = std::min(text_.find('\n', end + 1), text_.size());
    }
    return end;
  }
  std::size_t end_of_literal(char quote) const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2U : 1U;
    return end + 1;
  }

  std::string text_;
  std::size_t at_ = 0;
};

std::string without_template(std::string text) {
  constexpr std::string_view kTemplate = "template <";
  while (text.starts_with(kTemplate)) {
    std::size_t at = kTemplate.size();
    for (int depth = 1; depth > 0 && at < text.size(); ++at) {
      depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    }
    text.erase(0, text.find_first_not_of(' ', at));
  }
  return text;
}

/// Follows the braces of a source whose literals are gone.
class Braces {
 public:
  std::vector<Function> read(const std::string& text) {
    for (const char c : text) {
      if (c == '\n') ++line_;
      take(c);
    }
    return std::move(functions_);
  }

 private:
  enum class Kind { Scope, Function, Block, Value, Table };
  struct Open {
    Kind kind;
    int line;
    std::string name;
    int table_lines = 0;  // of a function
  };

  void take(char c) {
    if (c == '{') return open();
    if (c == '}') return close();
    if (c == ';' && !in_value()) return end_statement();
    if (statement_.empty()) {
      if (c == ' ' || c == '\n') return;
      statement_line_ = line_;
    }
    statement_ += c == '\n' ? ' ' : c;
    const bool access = statement_ == "public:" || statement_ == "private:";
    if (access) end_statement();
  }

  void open() {
    const Kind kind = kind_of_brace();
    open_.push_back({kind, kind == Kind::Function && in_value() ? line_ : statement_line_, name()});
    if (kind == Kind::Value || kind == Kind::Table) {
      statement_ += '{';
    } else {
      end_statement();
    }
  }

  void close() {
    if (open_.empty()) return;
    const Open closed = std::move(open_.back());
    open_.pop_back();
    const int lines = line_ - closed.line + 1;
    if (closed.kind == Kind::Function) {
      functions_.push_back({closed.name, closed.line, lines - closed.table_lines});
    }
    if (closed.kind == Kind::Table) add_to_function(lines);
    if (closed.kind == Kind::Value || closed.kind == Kind::Table || in_value()) {
      statement_ += '}';
    } else {
      end_statement();
    }
  }

  Kind kind_of_brace() const {
    const bool spaced = statement_.ends_with(' ');
    const std::size_t last = statement_.find_last_not_of(' ');
    const char before = last == std::string::npos ? ' ' : statement_[last];
    const bool value = std::string_view("=(,{").find(before) != std::string_view::npos || !spaced;
    if (in_function()) return value && is_constant() ? Kind::Table : Kind::Block;
    if (in_value()) return before == ')' && spaced ? Kind::Function : Kind::Value;
    const std::string text = without_template(statement_);
    static const std::regex kScope(
        "(inline |typedef )?(namespace|class|struct|union|enum|extern)\\b");
    if (std::regex_search(text, kScope, std::regex_constants::match_continuous)) {
      return Kind::Scope;
    }
    if (value) return Kind::Value;
    return text.find('(') == std::string::npos ? Kind::Scope : Kind::Function;
  }

  bool is_constant() const {
    return statement_.starts_with("constexpr ") || statement_.starts_with("const ") ||
           statement_.starts_with("static const");
  }
  bool in_value() const { return !open_.empty() && open_.back().kind == Kind::Value; }
  bool in_function() const {
    return std::ranges::any_of(open_, [](const Open& o) { return o.kind == Kind::Function; });
  }
  void add_to_function(int lines) {
    for (Open& each : open_) {
      if (each.kind == Kind::Function) each.table_lines += lines;
    }
  }

  /// The word before the first parenthesis.
  std::string name() const {
    const std::string text = without_template(statement_);
    static const std::regex kName("([\\w:~]+|operator[^\\w]+)\\(");
    std::smatch found;
    return std::regex_search(text, found, kName) ? found[1].str() : "lambda";
  }
  void end_statement() { statement_.clear(); }

  std::vector<Function> functions_;
  std::vector<Open> open_;
  std::string statement_;  // since the last one ended, on one line
  int statement_line_ = 1;
  int line_ = 1;
};

}  // namespace

std::vector<Function> functions_of(std::string_view source) {
  return Braces().read(Blanked(source).text());
}

int lines_of(std::string_view source) {
  return static_cast<int>(std::ranges::count(source, '\n'));
}

}  // namespace trainyard::structure
