#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/words.h"
#include "shell/script.h"
#include "shell/shell_words.h"

namespace trainyard {

/// A variable that has another value while this lives.
template <class T>
class Held {
 public:
  Held(T& variable, T value) : variable_(variable), was_(std::exchange(variable, value)) {}
  ~Held() { variable_ = was_; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  T& variable_;
  T was_;
};

inline bool contains(std::string_view characters, char c) {
  return characters.find(c) != characters.npos;
}

/// Reads the words of a script. The reader of the commands around them, in script.cc, derives from
/// it.
class WordReader {
 protected:
  explicit WordReader(std::string_view text) : text_(text) { script_.text = text; }
  ~WordReader() = default;

  /// The commands of `$(...)`, up to the text's end or the `)` that no command has, which is left.
  virtual void output_commands() = 0;

  static constexpr std::string_view kBlanks = " \t\r";
  enum Class : unsigned char { kPlain, kSpecial, kPattern, kEnd };

  bool at_end() const { return i_ >= text_.size(); }
  char here() const { return at(i_); }
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  bool starts(std::string_view mark) const { return text_.substr(i_).starts_with(mark); }
  std::string_view since(std::size_t begin) const { return text_.substr(begin, i_ - begin); }
  static Class class_of(char c) {
    static constexpr auto kClasses = [] {
      constexpr std::pair<std::string_view, Class> kRows[] = {
          {"\\'\"`$", kSpecial}, {"*?[]{}~", kPattern}, {" \t\r\n;&|<>()", kEnd}};
      std::array<Class, 256> classes{};
      for (const auto& [row, its_class] : kRows) {
        for (char each : row) classes[static_cast<unsigned char>(each)] = its_class;
      }
      return classes;
    }();
    return kClasses[static_cast<unsigned char>(c)];
  }
  /// How many characters stand in front of the next one of this class or a later one.
  std::size_t count_before(Class stop) const {
    std::size_t end = i_;
    while (end < text_.size() && class_of(text_[end]) < stop) ++end;
    return end - i_;
  }

  /// The first one counts.
  void fail(std::size_t begin, std::size_t end, std::string what) {
    if (!is_quiet_ && !script_.fault) script_.fault = ShellFault{begin, end, std::move(what)};
  }
  void never_closed(std::size_t begin, std::size_t end, std::string_view by) {
    fail(begin, end,
         shown(text_.substr(begin, end - begin)) + " is never closed: there is no " + shown(by) +
             " for it");
  }
  /// One level deeper; false where that is too deep, and no fault is certain any more.
  [[nodiscard]] bool enter() {
    constexpr std::size_t kMost = 100;
    if (depth_ == kMost) return is_certain_ = false;
    ++depth_;
    return true;
  }
  void leave() { --depth_; }

  /// And joined lines, and a comment.
  void skip_blanks() {
    while (contains(kBlanks, here()) || starts("\\\n")) i_ += here() == '\\' ? 2U : 1U;
    if (here() != '#') return;
    script_.comments.push_back(i_);
    i_ = std::min(text_.find('\n', i_), text_.size());
  }
  /// And ends of lines, with the here-documents that follow them.
  void skip_lines() {
    for (skip_blanks(); here() == '\n'; skip_blanks()) {
      ++i_;
      for (const Document& each : std::exchange(documents_, {})) read_document(each);
    }
  }

  /// `takes_list`: `NAME=(a b)` is one.
  ScriptWord word(bool takes_list = false) {
    ScriptWord word;
    word.begin = i_;
    word.first_expansion = script_.expansions.size();
    const Held open(open_, std::size_t{0});
    const Held list(takes_list_, takes_list);
    while (!at_end() && part(word)) {
    }
    word.end = i_;
    word.last_expansion = script_.expansions.size();
    return word;
  }

  /// `((...))` from the first parenthesis on; false where two commands in parentheses begin.
  bool sum(ScriptWord& word) {
    const auto end = end_of_sum(i_);
    // Two commands in parentheses, which bash reads when it comes there, or what is not read here.
    if (!end || *end == text_.size()) is_certain_ = false;
    if (!end) return false;
    i_ += 2;
    read_expansions(*end, word);
    i_ = std::min(i_ + 2, text_.size());
    return true;
  }

  struct Document {
    std::string end;
    bool takes_tabs;
    bool expands;
  };

  std::string_view text_;
  std::size_t i_ = 0;
  Script script_;
  std::vector<Document> documents_;  // that follow the line
  bool in_test_ = false;             // `[[ ... ]]`, in which parentheses may stand in words
  bool is_certain_ = true;           // of a fault

 private:
  void read_document(const Document& document) {
    const std::size_t begin = i_;
    std::size_t end = text_.size();
    while (!at_end() && end == text_.size()) {
      const std::size_t line_begin = i_;
      std::string_view line = text_.substr(i_, text_.find('\n', i_) - i_);
      i_ = std::min(i_ + line.size() + 1, text_.size());
      if (line.ends_with('\r')) line.remove_suffix(1);
      const std::size_t tabs = document.takes_tabs ? line.find_first_not_of('\t') : 0;
      line.remove_prefix(std::min(tabs, line.size()));
      // Shells let the `)` of `$(` stand behind the word.
      const bool closes = outputs_ > 0 && line.starts_with(document.end) &&
                          line.substr(document.end.size()).starts_with(')');
      if (closes) i_ = text_.find(')', line_begin + document.end.size());
      if (closes || line == document.end) end = line_begin;
    }
    if (!document.expands) return;
    const std::size_t behind = std::exchange(i_, begin);
    const Held quiet(is_quiet_, true);
    const Held inside(in_document_, true);
    ScriptWord text;
    read_expansions(end, text);
    i_ = behind;
  }

  /// In a text in which quotes do not count, up to `end`.
  void read_expansions(std::size_t end, ScriptWord& word) {
    const Held text(text_, text_.substr(0, end));
    while (!at_end()) {
      if (!expansion(word, true)) i_ += here() == '\\' ? 2U : 1U;
    }
    i_ = end;
  }

  // --- words

  void take(ScriptWord& word, std::size_t count) {
    word.text += text_.substr(i_, count);
    i_ += count;
  }

  /// False where the word ends.
  bool part(ScriptWord& word) {
    const char c = here();
    if (const std::size_t plain = count_before(kSpecial); plain > 0) {
      take(word, plain);
    } else if (c == '\\') {
      escaped(word);
    } else if (c == '\'') {
      single_quoted(word);
    } else if (c == '"') {
      double_quoted(word);
    } else if ((c == '<' || c == '>') && at(i_ + 1) == '(') {
      output(word);
    } else if (c == '(') {
      return parenthesis(word);
    } else if (c == ')' && open_ > 0) {
      --open_;
      take(word, 1);
    } else if (class_of(c) == kEnd) {
      return false;
    } else if (!expansion(word, false)) {
      word.has_pattern = true;
      take(word, 1);
    }
    return true;
  }

  void escaped(ScriptWord& word) {
    const bool joins_lines = starts("\\\n");
    i_ += joins_lines ? 2U : i_ + 1 < text_.size() ? 1U : 0U;
    word.is_quoted = word.is_quoted || !joins_lines;
    if (!joins_lines) take(word, 1);
  }

  /// Behind the quote that closes the one at `begin`, which is next.
  void close_quote(std::size_t begin) {
    if (at_end()) {
      fail(begin, begin + 1, "the quote " + shown(text_.substr(begin, 1)) + " is never closed");
    } else {
      ++i_;
    }
  }

  void single_quoted(ScriptWord& word) {
    const std::size_t begin = i_++;
    word.is_quoted = true;
    take(word, std::min(text_.find('\'', i_), text_.size()) - i_);
    close_quote(begin);
  }

  void double_quoted(ScriptWord& word) {
    const std::size_t begin = i_++;
    word.is_quoted = true;
    while (!at_end() && here() != '"') {
      if (starts("\\\n")) {
        i_ += 2;
      } else if (!expansion(word, true)) {
        if (here() == '\\' && contains("$`\"\\", at(i_ + 1))) ++i_;
        take(word, 1);
      }
    }
    close_quote(begin);
  }

  /// `$'a\nb'`, in which a few escapes are known and the others are left as they are.
  void ansi_quoted(ScriptWord& word) {
    const std::size_t begin = ++i_;
    ++i_;
    word.is_quoted = true;
    while (!at_end() && here() != '\'') {
      const char escape = here() == '\\' ? at(i_ + 1) : '\0';
      if (escape == 'n' || escape == 't') {
        word.text += escape == 'n' ? '\n' : '\t';
        i_ += 2;
      } else {
        if (contains("\\'\"?", escape)) ++i_;
        take(word, 1);
      }
    }
    close_quote(begin);
  }

  /// Their commands are known where no backslash changes them. bash looks at them only when it
  /// comes there, so that no fault in them is one of the script.
  void back_quoted(ScriptWord& word) {
    const std::size_t begin = i_;
    std::size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '`') end += text_[end] == '\\' ? 2U : 1U;
    if (end >= text_.size()) {
      take(word, text_.size() - begin);
      return close_quote(begin);
    }
    const std::size_t made = begin_expansion(Expansion::Kind::Output, word);
    if (!contains(text_.substr(begin, end - begin), '\\') && enter()) {
      const Held text(text_, text_.substr(0, end));
      const Held quiet(is_quiet_, true);
      ++i_;
      output_commands();
      leave();
    }
    i_ = end + 1;
    end_expansion(made, word);
  }

  /// `(` in a word: `NAME=(a b)`, a pattern as `@(a|b)`, and any in a test; false before `()`.
  bool parenthesis(ScriptWord& word) {
    if (i_ == word.begin) return false;
    const char before = text_[i_ - 1];
    if (before == '=' && takes_list_ && !word.is_quoted) return list_of_words(word), true;
    if (in_test_ || (contains("@?+*!", before) && since(word.begin) != "!")) {
      return balanced(word), true;
    }
    if (at(text_.find_first_not_of(kBlanks, i_ + 1)) == ')') return false;
    fail(i_, i_ + 1, "`(` needs quotes in a word");
    ++open_;
    take(word, 1);
    return true;
  }

  void list_of_words(ScriptWord& word) {
    const std::size_t begin = i_++;
    word.is_list = true;
    for (skip_lines(); !at_end() && here() != ')'; skip_lines()) {
      const std::size_t item = i_;
      this->word();
      if (i_ != item) continue;
      fail(i_, i_ + 1, shown(text_.substr(i_, 1)) + " cannot stand in a list of words");
      ++i_;
    }
    if (at_end()) never_closed(begin - 1, begin + 1, ")");
    i_ = std::min(i_ + 1, text_.size());
    word.text += since(begin);
  }

  /// Up to the parenthesis that closes this one; a text with quotes is not looked into.
  void balanced(ScriptWord& word) {
    int depth = 0;
    word.has_pattern = true;
    do {
      depth += here() == '(' ? 1 : here() == ')' ? -1 : 0;
      take(word, here() == '\\' && i_ + 1 < text_.size() ? 2 : 1);
    } while (depth > 0 && !at_end());
  }

  // --- expansions

  /// What begins with `$` or a back quote; false where neither is next.
  bool expansion(ScriptWord& word, bool in_quotes) {
    if (here() == '`') return back_quoted(word), true;
    if (here() != '$') return false;
    const char next = at(i_ + 1);
    if (next == '\'' && !in_quotes) {
      ansi_quoted(word);
    } else if (next == '"' && !in_quotes) {
      ++i_;
      double_quoted(word);
    } else if (next == '(') {
      output(word);
    } else {
      parameter(word, in_quotes);
    }
    return true;
  }

  std::size_t begin_expansion(Expansion::Kind kind, const ScriptWord& word) {
    Expansion& made = script_.expansions.emplace_back();
    made.kind = kind;
    made.begin = i_;
    made.is_in_document = in_document_;
    made.from = word.text.size();
    return script_.expansions.size() - 1;
  }

  /// The text of the word is that of the script here, whatever was added to it meanwhile.
  void end_expansion(std::size_t made, ScriptWord& word) {
    i_ = std::min(i_, text_.size());
    Expansion& ended = script_.expansions[made];
    ended.end = i_;
    word.text.resize(ended.from);
    word.text += since(ended.begin);
    ended.to = word.text.size();
  }

  static bool begins_name(char c) {
    return contains(kShellNameCharacters, c) || contains("@*#?-!", c);
  }

  /// A name, or one of those that have one character.
  void name(Expansion& expansion) {
    const std::size_t begin = i_++;
    if (starts_shell_name(text_[begin])) {
      i_ = std::min(text_.find_first_not_of(kShellNameCharacters, i_), text_.size());
    }
    expansion.name = since(begin);
  }

  /// `$NAME`, `${NAME}`; a `$` before anything else stands for itself.
  void parameter(ScriptWord& word, bool in_quotes) {
    const bool is_braced = at(i_ + 1) == '{';
    if (is_braced ? !enter() : !begins_name(at(i_ + 1))) return take(word, 1);
    const std::size_t made = begin_expansion(Expansion::Kind::Variable, word);
    i_ += is_braced ? 2U : 1U;
    if (is_braced) {
      braces(made, word, in_quotes);
      leave();
    } else {
      name(script_.expansions[made]);
    }
    end_expansion(made, word);
  }

  void braces(std::size_t made, ScriptWord& word, bool in_quotes) {
    Expansion& named = script_.expansions[made];
    const std::size_t begin = named.begin;
    if (contains("#!", here()) && at(i_ + 1) != '}') named.change = text_[i_++];
    if (begins_name(here())) name(named);
    if (!at_end() && here() != '}') named.change = here();
    const bool quotes_count = !in_quotes || contains("%#/^,", named.change);
    while (!at_end() && here() != '}') {
      if (here() == '"') {
        double_quoted(word);
      } else if (here() == '\'' && quotes_count) {
        single_quoted(word);
      } else if (!in_quotes && (starts("<(") || starts(">("))) {
        output(word);
      } else if (!expansion(word, in_quotes)) {
        i_ += here() == '\\' ? 2U : 1U;
      }
    }
    if (at_end()) return never_closed(begin, begin + 2, "}");
    ++i_;
  }

  /// `$(command)`, `<(command)` and `$((sum))`.
  void output(ScriptWord& word) {
    const std::size_t begin = i_;
    if (!enter()) return take(word, 2);
    const std::size_t made = begin_expansion(Expansion::Kind::Sum, word);
    const bool may_be_sum = starts("$((");
    ++i_;
    if (!may_be_sum || !sum(word)) {
      script_.expansions[made].kind = Expansion::Kind::Output;
      ++i_;
      const Held outputs(outputs_, outputs_ + 1);
      output_commands();
      const std::string_view inside = since(begin + 2);
      const bool is_name = !inside.empty() && starts_shell_name(inside[0]) &&
                           inside.find_first_not_of(kShellNameCharacters) == inside.npos;
      if (is_name) script_.expansions[made].name = inside;
      if (at_end()) never_closed(begin, begin + 2, ")");
      ++i_;
    }
    end_expansion(made, word);
    leave();
  }

  /// Where the `))` is that closes the `((` at `begin`; the text's end where nothing does. Nothing
  /// where its parentheses are not closed together.
  std::optional<std::size_t> end_of_sum(std::size_t begin) const {
    std::size_t depth = 0;
    for (std::size_t i = begin; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\\') ++i;
      if (c == '\'' || c == '"') i = std::min(text_.find(c, i + 1), text_.size());
      if (c == '(') ++depth;
      if (c == ')' && --depth == 0) {
        return text_[i - 1] == ')' ? std::optional(i - 1) : std::nullopt;
      }
    }
    return text_.size();
  }

  std::size_t depth_ = 0;
  std::size_t outputs_ = 0;  // that are open
  std::size_t open_ = 0;     // parentheses of the word that are taken for text
  bool takes_list_ = false;
  bool in_document_ = false;
  bool is_quiet_ = false;  // what is read is no part of the script for sure
};

}  // namespace trainyard
