#include "shell/word_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "diag/words.h"
#include "shell/shell_words.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostDepth = 100;
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kEndsWord = " \t\r\n;&|<>()";
constexpr std::string_view kPatterns = "*?[]{}~";

/// Characters that need a look: the others are words as they stand.
constexpr auto kSpecial = [] {
  std::array<bool, 256> special{};
  for (std::string_view each : {kEndsWord, kPatterns, std::string_view("\\'\"`$")}) {
    for (char c : each) special[static_cast<unsigned char>(c)] = true;
  }
  return special;
}();

bool contains(std::string_view characters, char c) {
  return characters.find(c) != characters.npos;
}

std::size_t end_of_name(std::string_view text, std::size_t begin) {
  return std::min(text.find_first_not_of(kShellNameCharacters, begin), text.size());
}

}  // namespace

// --- where it stands

void WordReader::fail(std::size_t begin, std::size_t end, std::string what) {
  if (!is_quiet_ && !script_.fault) script_.fault = ShellFault{begin, end, std::move(what)};
}

void WordReader::never_closed(std::size_t begin, std::size_t end, std::string_view by) {
  if (script_.fault) return;
  fail(begin, end,
       shown(text_.substr(begin, end - begin)) + " is never closed: there is no " + shown(by) +
           " for it");
}

bool WordReader::enter() {
  if (depth_ == kMostDepth) is_certain_ = false;
  if (depth_ == kMostDepth) return false;
  ++depth_;
  return true;
}

void WordReader::skip_blanks() {
  while (!at_end()) {
    if (contains(kBlanks, here())) {
      ++i_;
    } else if (starts("\\\n")) {
      i_ += 2;
    } else if (here() == '#') {
      script_.comments.push_back(i_);
      i_ = std::min(text_.find('\n', i_), text_.size());
    } else {
      return;
    }
  }
}

void WordReader::skip_lines() {
  for (skip_blanks(); here() == '\n'; skip_blanks()) end_line();
}

// --- here-documents

void WordReader::announce_document(const ScriptWord& end, bool takes_tabs) {
  documents_.push_back({end.text, takes_tabs, !end.is_quoted});
}

void WordReader::end_line() {
  ++i_;
  for (const Document& each : std::exchange(documents_, {})) read_document(each);
}

void WordReader::read_document(const Document& document) {
  const std::size_t begin = i_;
  std::size_t end = text_.size();
  while (!at_end()) {
    const std::size_t line_begin = i_;
    const std::size_t line_end = std::min(text_.find('\n', i_), text_.size());
    std::string_view line = text_.substr(i_, line_end - i_);
    i_ = std::min(line_end + 1, text_.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (document.takes_tabs)
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    // Shells let the `)` of `$(` stand behind the word.
    const bool closes = outputs_ > 0 && line.starts_with(document.end) &&
                        line.substr(document.end.size()).starts_with(')');
    if (line != document.end && !closes) continue;
    if (closes) i_ = text_.find(')', line_begin + document.end.size());
    end = line_begin;
    break;
  }
  if (!document.expands) return;
  const std::size_t behind = std::exchange(i_, begin);
  const bool was_quiet = std::exchange(is_quiet_, true);
  const bool was_document = std::exchange(in_document_, true);
  ScriptWord text;
  read_expansions(end, text);
  in_document_ = was_document;
  is_quiet_ = was_quiet;
  i_ = behind;
}

/// In a text in which quotes do not count, up to `end`.
void WordReader::read_expansions(std::size_t end, ScriptWord& word) {
  const std::string_view whole = std::exchange(text_, text_.substr(0, end));
  while (!at_end()) {
    if (here() == '$') {
      dollar(word, true);
    } else if (here() == '`') {
      back_quoted(word);
    } else {
      i_ += here() == '\\' ? 2U : 1U;
    }
  }
  text_ = whole;
  i_ = end;
}

// --- words

ScriptWord WordReader::word(bool takes_list) {
  ScriptWord word;
  word.begin = i_;
  word.first_expansion = script_.expansions.size();
  const std::size_t open = std::exchange(open_, 0);
  const bool took_list = std::exchange(takes_list_, takes_list);
  while (!at_end() && part(word)) {
  }
  takes_list_ = took_list;
  open_ = open;
  word.end = std::min(i_, text_.size());
  word.last_expansion = script_.expansions.size();
  return word;
}

void WordReader::take(ScriptWord& word, std::size_t count) {
  word.text += text_.substr(i_, count);
  i_ += count;
}

/// False where the word ends.
bool WordReader::part(ScriptWord& word) {
  const char c = here();
  std::size_t end = i_;
  while (end < text_.size() && !kSpecial[static_cast<unsigned char>(text_[end])]) ++end;
  if (end > i_) {
    take(word, end - i_);
  } else if (c == '\\') {
    escaped(word);
  } else if (c == '\'') {
    single_quoted(word);
  } else if (c == '"') {
    double_quoted(word);
  } else if (c == '`') {
    back_quoted(word);
  } else if (c == '$') {
    dollar(word, false);
  } else if ((c == '<' || c == '>') && at(i_ + 1) == '(') {
    output(word);
  } else if (c == '(') {
    return parenthesis(word);
  } else if (c == ')' && open_ > 0) {
    --open_;
    take(word, 1);
  } else if (contains(kEndsWord, c)) {
    return false;
  } else {
    word.has_pattern = word.has_pattern || contains(kPatterns, c);
    take(word, 1);
  }
  return true;
}

void WordReader::escaped(ScriptWord& word) {
  if (starts("\\\n")) {
    i_ += 2;
    return;
  }
  word.is_quoted = true;
  if (i_ + 1 < text_.size()) ++i_;
  take(word, 1);
}

void WordReader::single_quoted(ScriptWord& word) {
  const std::size_t begin = i_++;
  const std::size_t end = text_.find('\'', i_);
  word.is_quoted = true;
  take(word, std::min(end, text_.size()) - i_);
  if (at_end()) return fail(begin, begin + 1, "the quote `'` is never closed");
  ++i_;
}

void WordReader::double_quoted(ScriptWord& word) {
  const std::size_t begin = i_++;
  word.is_quoted = true;
  while (!at_end() && here() != '"') {
    if (starts("\\\n")) {
      i_ += 2;
    } else if (here() == '\\' && contains("$`\"\\", at(i_ + 1)) && i_ + 1 < text_.size()) {
      ++i_;
      take(word, 1);
    } else if (here() == '$') {
      dollar(word, true);
    } else if (here() == '`') {
      back_quoted(word);
    } else {
      take(word, 1);
    }
  }
  if (at_end()) return fail(begin, begin + 1, "the quote `\"` is never closed");
  ++i_;
}

/// `$'a\nb'`, in which a few escapes are known and the others are left as they are.
void WordReader::ansi_quoted(ScriptWord& word) {
  const std::size_t begin = ++i_;
  ++i_;
  word.is_quoted = true;
  while (!at_end() && here() != '\'') {
    const char next = at(i_ + 1);
    if (here() != '\\' || i_ + 1 >= text_.size()) {
      take(word, 1);
    } else if (next == 'n' || next == 't') {
      word.text += next == 'n' ? '\n' : '\t';
      i_ += 2;
    } else if (contains("\\'\"?", next)) {
      ++i_;
      take(word, 1);
    } else {
      take(word, 2);
    }
  }
  if (at_end()) return fail(begin, begin + 1, "the quote `'` is never closed");
  ++i_;
}

/// Their commands are known where no backslash changes them. bash looks at them only when it comes
/// there, so that no fault in them is one of the script.
void WordReader::back_quoted(ScriptWord& word) {
  const std::size_t begin = i_;
  std::size_t end = begin + 1;
  while (end < text_.size() && text_[end] != '`') end += text_[end] == '\\' ? 2U : 1U;
  if (end >= text_.size()) {
    take(word, text_.size() - begin);
    return fail(begin, begin + 1, "the quote " + shown("`") + " is never closed");
  }
  const std::size_t expansion = begin_expansion(Expansion::Kind::Output, word);
  const std::string_view inside = text_.substr(begin + 1, end - begin - 1);
  if (!contains(inside, '\\') && enter()) {
    const std::string_view whole = std::exchange(text_, text_.substr(0, end));
    const bool was_quiet = std::exchange(is_quiet_, true);
    ++i_;
    output_commands();
    is_quiet_ = was_quiet;
    text_ = whole;
    leave();
  }
  i_ = end + 1;
  end_expansion(expansion, word);
}

/// `(` in a word: `NAME=(a b)`, a pattern as `@(a|b)`, and any in a test; false before `()`.
bool WordReader::parenthesis(ScriptWord& word) {
  if (i_ == word.begin) return false;
  const char before = text_[i_ - 1];
  if (before == '=' && takes_list_ && !word.is_quoted) {
    list_of_words(word);
    return true;
  }
  if (in_test_ || (contains("@?+*!", before) && since(word.begin) != "!")) {
    balanced(word);
    return true;
  }
  const std::size_t next = text_.find_first_not_of(kBlanks, i_ + 1);
  if (next != text_.npos && text_[next] == ')') return false;
  fail(i_, i_ + 1, "`(` needs quotes in a word");
  ++open_;
  take(word, 1);
  return true;
}

void WordReader::list_of_words(ScriptWord& word) {
  const std::size_t begin = i_++;
  const std::size_t from = word.text.size();
  word.is_list = true;
  for (skip_lines(); !at_end() && here() != ')'; skip_lines()) {
    const std::size_t item = i_;
    this->word();
    if (i_ != item) continue;
    fail(i_, i_ + 1, shown(text_.substr(i_, 1)) + " cannot stand in a list of words");
    ++i_;
  }
  if (at_end()) {
    never_closed(begin - 1, begin + 1, ")");
  } else {
    ++i_;
  }
  word.text.resize(from);
  word.text += since(begin);
}

/// Up to the parenthesis that closes this one; a text with quotes is not looked into.
void WordReader::balanced(ScriptWord& word) {
  int depth = 0;
  word.has_pattern = true;
  do {
    depth += here() == '(' ? 1 : here() == ')' ? -1 : 0;
    if (here() == '\\' && i_ + 1 < text_.size()) take(word, 1);
    take(word, 1);
  } while (depth > 0 && !at_end());
}

// --- expansions

std::size_t WordReader::begin_expansion(Expansion::Kind kind, const ScriptWord& word) {
  Expansion expansion;
  expansion.kind = kind;
  expansion.begin = i_;
  expansion.is_in_document = in_document_;
  expansion.from = word.text.size();
  script_.expansions.push_back(expansion);
  return script_.expansions.size() - 1;
}

/// The text of the word is that of the script here, whatever was added to it meanwhile.
void WordReader::end_expansion(std::size_t expansion, ScriptWord& word) {
  i_ = std::min(i_, text_.size());
  Expansion& ended = script_.expansions[expansion];
  ended.end = i_;
  word.text.resize(ended.from);
  word.text += since(ended.begin);
  ended.to = word.text.size();
}

void WordReader::dollar(ScriptWord& word, bool in_quotes) {
  const char next = at(i_ + 1);
  if (next == '\'' && !in_quotes) return ansi_quoted(word);
  if (next == '"' && !in_quotes) {
    ++i_;
    return double_quoted(word);
  }
  if (next == '(') return output(word);
  const bool is_named = contains(kShellNameCharacters, next) || contains("@*#?-!", next);
  if ((next != '{' && !is_named) || i_ + 1 >= text_.size() || (next == '{' && !enter())) {
    return take(word, 1);
  }
  const std::size_t expansion = begin_expansion(Expansion::Kind::Variable, word);
  if (next == '{') {
    braces(expansion, word, in_quotes);
    leave();
  } else {
    ++i_;
    variable(script_.expansions[expansion]);
  }
  end_expansion(expansion, word);
}

/// A name, or one of those that have one character.
void WordReader::variable(Expansion& expansion) {
  const std::size_t begin = i_;
  i_ = starts_shell_name(here()) ? end_of_name(text_, i_) : std::min(i_ + 1, text_.size());
  expansion.name = since(begin);
}

void WordReader::braces(std::size_t expansion, ScriptWord& word, bool in_quotes) {
  const std::size_t begin = i_;
  i_ += 2;
  Expansion& named = script_.expansions[expansion];
  if (contains("#!", here()) && at(i_ + 1) != '}') named.change = text_[i_++];
  if (contains(kShellNameCharacters, here()) || contains("@*#?-!", here())) variable(named);
  if (!at_end() && here() != '}') named.change = here();
  const bool quotes_count = !in_quotes || contains("%#/^,", named.change);
  while (!at_end() && here() != '}') {
    if (here() == '\\') {
      i_ += 2;
    } else if (here() == '$') {
      dollar(word, in_quotes);
    } else if (here() == '"') {
      double_quoted(word);
    } else if (here() == '`') {
      back_quoted(word);
    } else if (here() == '\'' && quotes_count) {
      single_quoted(word);
    } else if (!in_quotes && (starts("<(") || starts(">("))) {
      output(word);
    } else {
      ++i_;
    }
  }
  if (at_end()) return never_closed(begin, begin + 2, "}");
  ++i_;
}

/// `$(command)`, `<(command)` and `$((sum))`.
void WordReader::output(ScriptWord& word) {
  const std::size_t begin = i_;
  if (!enter()) return take(word, 2);
  const bool is_sum = starts("$((");
  const std::size_t expansion =
      begin_expansion(is_sum ? Expansion::Kind::Sum : Expansion::Kind::Output, word);
  ++i_;
  if (!is_sum || !sum(word)) {
    script_.expansions[expansion].kind = Expansion::Kind::Output;
    ++i_;
    ++outputs_;
    output_commands();
    --outputs_;
    const std::string_view inside = since(begin + 2);
    const bool is_name =
        !inside.empty() && starts_shell_name(inside[0]) && end_of_name(inside, 0) == inside.size();
    if (is_name) script_.expansions[expansion].name = inside;
    if (at_end()) never_closed(begin, begin + 2, ")");
    ++i_;
  }
  end_expansion(expansion, word);
  leave();
}

bool WordReader::sum(ScriptWord& word) {
  const auto end = end_of_sum(i_);
  // Two commands in parentheses, which bash reads when it comes there, or what is not read here.
  if (!end || *end == text_.size()) is_certain_ = false;
  if (!end) return false;
  i_ += 2;
  read_expansions(*end, word);
  i_ = std::min(i_ + 2, text_.size());
  return true;
}

/// Where the `))` is that closes the `((` at `begin`; the text's end where nothing does. Nothing
/// where its parentheses are not closed together.
std::optional<std::size_t> WordReader::end_of_sum(std::size_t begin) const {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"') {
      i = std::min(text_.find(c, i + 1), text_.size());
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return text_[i - 1] == ')' ? std::optional(i - 1) : std::nullopt;
    }
  }
  return text_.size();
}

}  // namespace trainyard
