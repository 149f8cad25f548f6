#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/script.h"
#include "tree/tree.h"

namespace trainyard {

/// Words that a script keeps in a variable and hands on later: `ARGS=(--a 1)` for `"${ARGS[@]}"`,
/// `ARGS="--a 1"` for `$ARGS`, `OUT=/ckpt` for `"$OUT/last"`. Only what the script surely sets,
/// once, is known.
class KeptWords {
 public:
  struct Word {
    std::string text;
    std::size_t begin = 0;  // in the script
    std::size_t end = 0;
  };

  /// With the variables that the container states; it may be empty.
  explicit KeptWords(const Script& script, View container = {});

  /// What the shell makes of a word that is one such variable; null for any other word, and when
  /// the words handed on before are too many.
  const std::vector<Word>* of(const ScriptWord& word);
  /// The text of a word in which all variables are known; null for any other word.
  const std::string* text_of(const Script& script, const ScriptWord& word);
  /// Whether a word looks like one: a glance before a script is gone through.
  static bool may_be(const ScriptWord& word);

 private:
  struct Variable {
    std::string name;
    std::vector<Word> words;
    std::size_t since = 0;  // where the script sets it
    bool is_list = false;
    bool is_known = true;
    bool is_text = false;  // one word or none
    std::string text = {};
  };

  std::optional<std::string> resolved(const Script& script, const ScriptWord& word,
                                      std::size_t from) const;
  void set_text(const Script& script, const ScriptWord& word, Variable& variable);
  void command(const Script& script, const ScriptCommand& command);
  void assign(const Script& script, const ScriptWord& word, bool is_certain);
  void forget(std::string_view name);
  void forget_in(std::string_view text);
  std::vector<Word> items(const Script& script, const ScriptWord& word, bool& is_known);
  void add_item(const ScriptWord& item, std::size_t offset, std::vector<Word>& to);
  void keep(Word word, std::vector<Word>& to);
  const Variable* known(const ScriptWord& word, std::size_t at) const;

  std::vector<Variable> variables_;
  std::deque<std::string> texts_;
  std::size_t held_ = 0;  // bytes of words
  std::size_t handed_on_ = 0;
};

}  // namespace trainyard
