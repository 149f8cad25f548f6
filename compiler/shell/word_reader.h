#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/script.h"

namespace trainyard {

/// Reads the words of a script. What reads the commands around them derives from it.
class WordReader {
 protected:
  explicit WordReader(std::string_view text) : text_(text) { script_.text = text; }
  ~WordReader() = default;

  /// The commands of `$(...)`, up to the text's end or the `)` that no command has, which is left.
  virtual void output_commands() = 0;

  bool at_end() const { return i_ >= text_.size(); }
  char here() const { return at(i_); }
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  bool starts(std::string_view mark) const { return text_.substr(i_).starts_with(mark); }
  std::string_view since(std::size_t begin) const { return text_.substr(begin, i_ - begin); }

  /// The first one counts.
  void fail(std::size_t begin, std::size_t end, std::string what);
  void never_closed(std::size_t begin, std::size_t end, std::string_view by);
  /// One level deeper; false where that is too deep, and no fault is certain any more.
  [[nodiscard]] bool enter();
  void leave() { --depth_; }
  bool is_certain() const { return is_certain_; }

  void skip_blanks();  // and joined lines, and a comment
  void skip_lines();   // and ends of lines
  /// At the end of a line: goes behind it and the here-documents that follow.
  void end_line();
  void announce_document(const ScriptWord& end, bool takes_tabs);

  /// `takes_list`: `NAME=(a b)` is one.
  ScriptWord word(bool takes_list = false);
  /// `((...))` from the first parenthesis on; false where two commands in parentheses begin.
  bool sum(ScriptWord& word);

  std::string_view text_;
  std::size_t i_ = 0;
  Script script_;
  bool in_test_ = false;  // `[[ ... ]]`, in which parentheses may stand in words

 private:
  struct Document {
    std::string end;
    bool takes_tabs;
    bool expands;
  };

  void read_document(const Document& document);
  void read_expansions(std::size_t end, ScriptWord& word);
  bool part(ScriptWord& word);
  void escaped(ScriptWord& word);
  void single_quoted(ScriptWord& word);
  void double_quoted(ScriptWord& word);
  void ansi_quoted(ScriptWord& word);
  void back_quoted(ScriptWord& word);
  void output(ScriptWord& word);
  void dollar(ScriptWord& word, bool in_quotes);
  void variable(Expansion& expansion);
  void braces(std::size_t expansion, ScriptWord& word, bool in_quotes);
  bool parenthesis(ScriptWord& word);
  void list_of_words(ScriptWord& word);
  void balanced(ScriptWord& word);
  std::optional<std::size_t> end_of_sum(std::size_t begin) const;
  std::size_t begin_expansion(Expansion::Kind kind, const ScriptWord& word);
  void end_expansion(std::size_t expansion, ScriptWord& word);
  void take(ScriptWord& word, std::size_t count);

  std::vector<Document> documents_;
  std::size_t depth_ = 0;
  std::size_t outputs_ = 0;  // that are open
  bool takes_list_ = false;
  std::size_t open_ = 0;  // parentheses of the word that are taken for text
  bool in_document_ = false;
  bool is_certain_ = true;
  bool is_quiet_ = false;  // what is read is no part of the script for sure
};

}  // namespace trainyard
