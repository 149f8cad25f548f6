#include "shell/kept_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMostVariables = 200;
/// Bytes of words that are held, and that are handed on: a list of lists would double with each
/// line, and a long list may be used over and over.
constexpr std::size_t kMostText = 64 * 1024;

std::size_t size(const KeptWords::Word& word) {
  return word.text.size() + 1;
}

/// The name in `$NAME` and `${NAME}`; "" for any other text.
std::string_view name_of_text(std::string_view text) {
  if (!text.starts_with('$')) return {};
  text.remove_prefix(1);
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  const bool is_name = !text.empty() && starts_shell_name(text[0]) &&
                       text.find_first_not_of(kShellNameCharacters) == text.npos;
  return is_name ? text : std::string_view();
}

/// The name in `${NAME[@]}`, and without quotes in `${NAME[*]}`; "" for any other word.
std::string_view name_of_list(const ScriptWord& word) {
  std::string_view text = word.text;
  const bool is_whole = text.ends_with("[@]}") || (!word.is_quoted && text.ends_with("[*]}"));
  if (!is_whole || !text.starts_with("${")) return {};
  text = text.substr(2, text.size() - 6);
  return text.find_first_not_of(kShellNameCharacters) == text.npos ? text : std::string_view();
}

/// Words of a text that has neither quotes, patterns nor what a shell would run.
std::vector<KeptWords::Word> split(std::string_view script, const ScriptWord& word,
                                   std::string_view value) {
  std::vector<KeptWords::Word> words;
  script = script.substr(0, word.end);
  std::size_t from = word.begin;
  for (std::size_t i = value.find_first_not_of(kBlanks); i < value.size();) {
    const std::size_t end = std::min(value.find_first_of(kBlanks, i), value.size());
    const std::string_view text = value.substr(i, end - i);
    const std::size_t at = script.find(text, from);
    const bool is_found = at != script.npos;
    words.push_back(
        {std::string(text), is_found ? at : word.begin, is_found ? at + text.size() : word.end});
    if (is_found) from = at + text.size();
    i = value.find_first_not_of(kBlanks, end);
  }
  return words;
}

/// A value that stays one word, and is none that a shell makes another of.
bool is_plain_text(std::string_view value) {
  return !value.empty() && value.find_first_of(" \t\r\n$`'\"\\*?[](){};&|<>~!") == value.npos;
}

/// Whether a value is text and whole variables: nothing that a shell would make into several words
/// in another way, `${A:-b c}`, `{a,b}`, `*`.
bool is_plain_value(std::string_view value) {
  if (value.find_first_of("`'\"\\*?[(;&|<>~") != value.npos) return false;
  for (std::size_t at = value.find('{'); at != value.npos; at = value.find('{', at + 1)) {
    const std::size_t end = value.find_first_not_of(kShellNameCharacters, at + 1);
    if (at == 0 || value[at - 1] != '$' || end == value.npos || value[end] != '}') return false;
  }
  return true;
}

/// Commands that may set variables which they do not name, or that name them as words.
bool may_set(std::string_view program) {
  constexpr auto kNames = std::to_array<std::string_view>({"source", ".", "eval"});
  return std::ranges::find(kNames, program) != kNames.end();
}
bool sets_by_name(std::string_view program) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"read", "mapfile", "readarray", "unset", "getopts", "printf", "local", "let"});
  return std::ranges::find(kNames, program) != kNames.end();
}
bool declares(std::string_view program) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"declare", "typeset", "export", "readonly"});
  return std::ranges::find(kNames, program) != kNames.end();
}

}  // namespace

KeptWords::KeptWords(const Script& script, View container) {
  for (View each : items_at(container, "env")) {
    const std::string_view value = string_at(each, "value");
    if (variables_.size() == kMostVariables || !is_plain_text(value)) continue;
    Variable given{std::string(string_at(each, "name")), {}};
    forget(given.name);
    held_ += value.size();
    given.is_known = held_ <= kMostText;
    given.is_text = true;
    given.text = value;
    variables_.push_back(std::move(given));
  }
  for (const ScriptCommand& each : script.commands) command(script, each);
}

bool KeptWords::may_be(const ScriptWord& word) {
  if (!name_of_list(word).empty()) return true;
  return !word.is_quoted && !name_of_text(word.text).empty();
}

const std::vector<KeptWords::Word>* KeptWords::of(const ScriptWord& word) {
  const Variable* found = known(word, word.begin);
  if (found == nullptr || handed_on_ > kMostText) return nullptr;
  for (const Word& each : found->words) handed_on_ += size(each);
  return &found->words;
}

const std::string* KeptWords::text_of(const Script& script, const ScriptWord& word) {
  if (handed_on_ > kMostText) return nullptr;
  auto text = resolved(script, word, 0);
  if (!text) return nullptr;
  handed_on_ += text->size();
  return &texts_.emplace_back(std::move(*text));
}

/// The text behind `from`, with what its variables hold.
std::optional<std::string> KeptWords::resolved(const Script& script, const ScriptWord& word,
                                               std::size_t from) const {
  std::string all;
  for (const Expansion& each : script.expansions_of(word)) {
    if (each.kind != Expansion::Kind::Variable || each.change != 0 || each.from < from) return {};
    const auto found = std::ranges::find(variables_, each.name, &Variable::name);
    const bool is_known = found != variables_.end() && found->is_known && found->is_text &&
                          found->since <= each.begin;
    if (!is_known || each.to > word.text.size()) return {};
    all.append(word.text, from, each.from - from).append(found->text);
    from = each.to;
    if (all.size() > kMostText) return {};
  }
  return all.append(word.text, from);
}

void KeptWords::set_text(const Script& script, const ScriptWord& word, Variable& variable) {
  if (word.is_list || variable.is_known) return;
  auto text = resolved(script, word, word.text.find('=') + 1);
  variable.is_text = text && is_plain_text(*text);
  if (!variable.is_text) return;
  held_ += text->size();
  if (held_ > kMostText) {  // `B=$A$A`, `C=$B$B` and so on double it
    variable.is_text = false;
    return;
  }
  variable.is_known = true;
  variable.text = std::move(*text);
}

const KeptWords::Variable* KeptWords::known(const ScriptWord& word, std::size_t at) const {
  const std::string_view list = name_of_list(word);
  const std::string_view text =
      list.empty() && !word.is_quoted ? name_of_text(word.text) : std::string_view();
  const auto found = std::ranges::find_if(variables_, [&](const Variable& each) {
    return each.is_known && !each.is_text && each.since <= at &&
           each.name == (each.is_list ? list : text);
  });
  return found == variables_.end() ? nullptr : &*found;
}

void KeptWords::command(const Script& script, const ScriptCommand& command) {
  const bool is_certain =
      command.is_simple() && !command.may_be_left_out && !command.is_output &&
      command.around == kNoCommand && command.behind != ScriptCommand::Joint::Pipe &&
      command.before != ScriptCommand::Joint::And && command.before != ScriptCommand::Joint::Or;
  if (!command.is_simple()) {
    const bool is_sum = command.kind == ScriptCommand::Kind::Sum;
    for (const ScriptWord& each : command.words) forget(each.text);  // the variable of a loop
    if (is_sum) forget_in(script.text.substr(command.begin, command.end - command.begin));
    return;
  }
  const auto program = std::ranges::find_if(
      command.words, [](const ScriptWord& each) { return assigned_name(each.text).empty(); });
  const bool is_plain = program == command.words.end() || declares(program->text);
  if (!is_plain && may_set(program->text)) {
    for (Variable& each : variables_) each.is_known = false;
  }
  for (const ScriptWord& each : command.words) {
    if (!is_plain && sets_by_name(program->text)) {
      forget(each.text.substr(0, each.text.find('=')));
    }
    // In front of a program it is set for that alone.
    if (is_plain && !assigned_name(each.text).empty()) assign(script, each, is_certain);
  }
}

void KeptWords::forget(std::string_view name) {
  for (Variable& each : variables_) {
    if (each.name == name) each.is_known = false;
  }
}

/// `((RANK += 1))`
void KeptWords::forget_in(std::string_view text) {
  for (Variable& each : variables_) {
    if (text.find(each.name) != text.npos) each.is_known = false;
  }
}

void KeptWords::assign(const Script& script, const ScriptWord& word, bool is_certain) {
  const std::string_view name = assigned_name(word.text);
  const bool adds = word.text[name.size()] == '+';
  const auto old = std::ranges::find(variables_, name, &Variable::name);
  bool is_known = is_certain;
  std::vector<Word> words = is_known ? items(script, word, is_known) : std::vector<Word>();
  is_known = is_known && held_ <= kMostText;
  if (old == variables_.end()) {
    if (variables_.size() == kMostVariables) return;
    Variable made{std::string(name), std::move(words), word.end, word.is_list, is_known && !adds};
    if (is_certain && !adds) set_text(script, word, made);
    variables_.push_back(std::move(made));
    return;
  }
  old->is_known = old->is_known && is_known && adds && old->is_list && word.is_list;
  old->words.insert(old->words.end(), words.begin(), words.end());
}

std::vector<KeptWords::Word> KeptWords::items(const Script& script, const ScriptWord& word,
                                              bool& is_known) {
  if (!word.is_list) {
    const std::string_view value = std::string_view(word.text).substr(word.text.find('=') + 1);
    // One word is as plain where the script uses it.
    is_known = is_plain_value(value) && value.find_first_of(kBlanks) != value.npos;
    std::vector<Word> words;
    if (!is_known) return words;
    for (Word& each : split(script.text, word, value)) keep(std::move(each), words);
    return words;
  }
  const std::size_t open = script.text.find('(', word.begin);
  std::vector<Word> all;
  is_known = open < word.end && script.text[word.end - 1] == ')';
  if (!is_known) return all;
  const Script list = read_script(script.text.substr(open + 1, word.end - open - 2));
  is_known = !list.fault;
  for (const ScriptCommand& each : list.commands) {
    if (each.is_output) continue;
    is_known = is_known && each.is_simple() && each.redirections.empty();
    for (const ScriptWord& item : each.words) add_item(item, open + 1, all);
  }
  return all;
}

void KeptWords::add_item(const ScriptWord& item, std::size_t offset, std::vector<Word>& to) {
  if (held_ > kMostText) return;
  const std::size_t begin = offset + item.begin;
  if (const Variable* inner = known(item, begin)) {
    for (const Word& each : inner->words) keep(each, to);
  } else {
    keep({item.text, begin, offset + item.end}, to);
  }
}

void KeptWords::keep(Word word, std::vector<Word>& to) {
  held_ += size(word);
  if (held_ <= kMostText) to.push_back(std::move(word));
}

}  // namespace trainyard
