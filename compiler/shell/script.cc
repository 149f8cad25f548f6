#include "shell/script.h"

#include <algorithm>
#include <utility>

#include "diag/words.h"
#include "shell/shell_words.h"
#include "shell/word_reader.h"

namespace trainyard {
namespace {

using Kind = ScriptCommand::Kind;
using Joint = ScriptCommand::Joint;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

/// Words that end a list of commands, and what they belong to.
struct Closer {
  std::string_view word;
  std::string_view opener;
};
constexpr Closer kClosers[] = {
    {"then", "`if`"},   {"elif", "`if`"},           {"else", "`if`"}, {"fi", "`if`"},
    {"esac", "`case`"}, {"do", "`for` or `while`"}, {"}", "`{`"},     {"done", "`for` or `while`"},
    {")", "`(`"},       {";;", "`case`"},           {";&", "`case`"}, {";;&", "`case`"}};

/// Words that begin a compound command.
struct Opener {
  std::string_view word;
  Kind kind;
};
constexpr Opener kOpeners[] = {{"if", Kind::If},      {"while", Kind::Loop},
                               {"until", Kind::Loop}, {"for", Kind::Loop},
                               {"case", Kind::Case},  {"select", Kind::Loop},
                               {"{", Kind::Group},    {"function", Kind::Function}};

struct Mark {
  std::string_view text;
  Joint joint;
};
constexpr Mark kMarks[] = {{"&&", Joint::And}, {"||", Joint::Or},        {"|&", Joint::Pipe},
                           {"|", Joint::Pipe}, {"&", Joint::Background}, {";", Joint::Line}};

/// The grammar of POSIX 1003.1, 2.10, from above: a function for each sort of command. Where a
/// shell would give up, the fault is noted and reading goes on.
class ScriptReader final : private WordReader {
 public:
  explicit ScriptReader(std::string_view text) : WordReader(text) {}

  Script read() {
    for (list(); !at_end(); list()) stray();
    if (!is_certain_) script_.fault.reset();
    return std::move(script_);
  }

 private:
  void output_commands() override {
    const Held output(in_output_, true);
    for (list(); !at_end() && here() != ')'; list()) stray();
  }

  // --- what is next

  /// The word or the mark that is next.
  std::string_view next_word() const {
    if (here() == ')') return text_.substr(i_, 1);
    if (here() == ';')
      return text_.substr(i_, starts(";;&") ? 3 : starts(";;") || starts(";&") ? 2 : 0);
    return text_.substr(i_, count_before(kEnd));
  }
  const Closer* closer() const {
    if (!contains("tefd});", here())) return nullptr;
    const auto* const found = std::ranges::find(kClosers, next_word(), &Closer::word);
    return found == std::end(kClosers) ? nullptr : found;
  }
  /// What joins two commands; null for anything else.
  const Mark* mark() const {
    if (!contains("&|;", here()) || starts("&>")) return nullptr;
    return std::ranges::find_if(kMarks, [this](const Mark& each) { return starts(each.text); });
  }
  /// Goes behind a word if it is next.
  bool accept(std::string_view word) {
    if (next_word() != word) return false;
    i_ += word.size();
    return true;
  }
  /// Goes behind the word that has to come next.
  bool expect(std::string_view word, std::size_t made) {
    skip_lines();
    return accept(word) || unclosed(made, word);
  }

  // --- faults

  bool unclosed(std::size_t made, std::string_view by) {
    const std::size_t begin = script_.commands[made].begin;
    std::size_t end = begin + (text_.substr(begin).starts_with("[[") ? 2 : 1);
    while (contains(kLetters, text_[begin]) && contains(kLetters, at(end))) ++end;
    never_closed(begin, end, by);
    return false;
  }
  bool refuse(std::size_t length, std::string_view why) {
    length = std::min(std::max<std::size_t>(length, 1), text_.size() - i_);
    fail(i_, i_ + length, shown(text_.substr(i_, length)) + std::string(why));
    return false;
  }
  void unexpected(std::size_t length) { refuse(length, " stands where a command should begin"); }

  /// Something that closes no block that is open.
  void stray() {
    const Closer* known = closer();
    if (known == nullptr) return;
    refuse(known->word.size(), " belongs to no " + std::string(known->opener));
    i_ += known->word.size();
  }

  // --- lists

  /// Commands up to what closes a block, which is left. False where there are none.
  bool list() {
    if (!enter()) {
      if (!at_end()) ++i_;  // a mark is passed over
      return true;
    }
    std::size_t last = kNoCommand;
    bool is_complete = true;  // nothing has to follow, as it has behind `&&`
    for (skip_lines(); !at_end() && closer() == nullptr; skip_lines()) {
      if (const Mark* found = mark()) {
        unexpected(found->text.size());
        i_ += found->text.size();
        continue;
      }
      last = command(last == kNoCommand ? Joint::Line : script_.commands[last].behind);
      skip_blanks();
      is_complete = join(last);
    }
    if (!is_complete) {
      const std::string_view rest = text_.substr(mark_);
      const std::string_view mark = rest.substr(0, rest.find_first_not_of("&|"));
      fail(mark_, mark_ + mark.size(), "no command stands behind " + shown(mark));
    }
    leave();
    return last != kNoCommand;
  }

  /// What stands between a command and the next one; false where one has to follow.
  bool join(std::size_t command) {
    if (at_end() || here() == '\n' || closer() != nullptr) return true;
    const Mark* found = mark();
    if (found == nullptr) {
      const std::size_t length = next_word().size();
      refuse(length, " stands behind a command, and nothing ends that");
      if (length == 0) ++i_;
      return true;
    }
    script_.commands[command].behind = found->joint;
    mark_ = i_;
    i_ += found->text.size();
    return found->joint == Joint::Line || found->joint == Joint::Background;
  }

  // --- commands

  std::size_t command(Joint before) {
    std::string_view next = next_word();
    if (before == Joint::Pipe && next == "!") unexpected(1);
    bool is_negated = false;
    for (; next == "!" || next == "time"; next = next_word()) {
      is_negated = next == "!";
      i_ += next.size();
      skip_blanks();
    }
    const bool has_mark = mark() != nullptr && here() != ';';
    if (is_negated && (has_mark || closer() != nullptr)) unexpected(next.size());
    const auto* const opener = std::ranges::find(kOpeners, next, &Opener::word);
    const Kind kind = here() == '('                  ? Kind::Subshell
                      : opener != std::end(kOpeners) ? opener->kind
                                                     : Kind::Simple;
    ScriptCommand& added = script_.commands.emplace_back();
    added.kind = kind;
    added.around = around_;
    added.is_output = in_output_;
    added.may_be_left_out = in_branch_;
    added.before = before;
    added.begin = i_;
    const std::size_t made = script_.commands.size() - 1;
    if (kind == Kind::Simple) {
      simple(made);
    } else {
      compound(made);
      redirections(made);
    }
    script_.commands[made].end = std::min(i_, text_.size());
    return made;
  }

  void compound(std::size_t made) {
    const Held around(around_, made);
    const Held branch(in_branch_, in_branch_);
    const std::string_view head = next_word();
    ScriptWord counted;
    if (starts("((") && sum(counted)) {
      script_.commands[made].kind = Kind::Sum;
      return;
    }
    i_ += std::max<std::size_t>(head.size(), 1);
    const Kind kind = script_.commands[made].kind;
    if (kind == Kind::If) return conditional(made);
    if (kind == Kind::Case) return choice(made);
    if (kind == Kind::Function) return function(made);
    if (head == "for" || head == "select") return counted_loop(made);
    if (kind == Kind::Loop && !block(made, "do")) return;
    block(made, kind == Kind::Loop ? "done" : head == "{" ? "}" : ")");
  }

  /// Commands, at least one, and the word that ends them.
  bool block(std::size_t made, std::string_view end) {
    if (!list() && next_word() == end) unexpected(end.size());
    return expect(end, made);
  }

  void conditional(std::size_t made) {
    do {
      if (!block(made, "then")) return;
      in_branch_ = true;
      commands_before_closer();
    } while (accept("elif"));
    if (accept("else")) commands_before_closer();
    expect("fi", made);
  }

  /// Of a block that can go on in several ways.
  void commands_before_closer() {
    if (!list() && !at_end()) unexpected(next_word().size());
  }

  /// `for NAME in WORDS; do`, `for NAME; do`, `for ((...)) do`.
  void counted_loop(std::size_t made) {
    skip_blanks();
    ScriptWord counter;
    if (starts("((") && sum(counter)) {
      skip_blanks();
      if (here() == ';') ++i_;
    } else if (!loop_words(made)) {
      return;
    }
    skip_lines();
    if (accept("{")) {
      block(made, "}");
    } else if (expect("do", made)) {
      block(made, "done");
    }
  }

  bool loop_words(std::size_t made) {
    if (!add_word(made)) return unclosed(made, "do");
    skip_lines();
    if (accept("in")) {
      for (skip_blanks(); add_word(made); skip_blanks()) {
      }
    } else if (const auto next = next_word();
               !next.empty() && next != "do" && next != "{" && !contains(";)", next[0])) {
      fail(i_, i_ + next.size(),
           "`for` wants a name and then `in`, and has " + shown(next) + " there");
      return false;
    }
    if (here() == ';' && closer() == nullptr) ++i_;
    return true;
  }

  bool add_word(std::size_t made) {
    ScriptWord next = word();
    if (next.begin == next.end) return false;
    script_.commands[made].words.push_back(std::move(next));
    return true;
  }

  void choice(std::size_t made) {
    skip_blanks();
    if (!add_word(made)) return static_cast<void>(unclosed(made, "esac"));
    skip_lines();
    const std::string_view next = next_word();
    if (next.empty()) {
      unclosed(made, "esac");
    } else if (!accept("in")) {
      fail(i_, i_ + next.size(),
           "`case` wants one word and then `in`, and has " + shown(next) + " there");
    } else {
      in_branch_ = true;
      for (skip_lines(); next_word() != "esac"; skip_lines()) {
        if (!pattern(made)) return;
        list();
        if (!starts(";;") && !starts(";&")) break;
        i_ += next_word().size();
      }
      expect("esac", made);
    }
  }

  /// `a | b)`
  bool pattern(std::size_t made) {
    if (here() == '(') ++i_;
    for (skip_blanks(); add_word(made); skip_blanks()) {
      skip_blanks();
      if (here() != '|') break;
      ++i_;
    }
    if (here() == ')') return ++i_, true;
    if (at_end()) return unclosed(made, "esac");
    fail(i_, i_ + 1, "a pattern of `case` ends with `)`");
    return false;
  }

  /// `function name {`
  void function(std::size_t made) {
    skip_blanks();
    add_word(made);
    skip_blanks();
    empty_parentheses();
    body();
  }

  bool empty_parentheses() {
    const std::size_t close = text_.find_first_not_of(kBlanks, i_ + 1);
    if (here() != '(' || at(close) != ')') return false;
    i_ = close + 1;
    return true;
  }

  void body() {
    skip_lines();
    in_branch_ = true;
    if (at_end() || closer() != nullptr || contains(";&|", here())) {
      return fail(i_, std::min(i_ + 1, text_.size()), "a function has no body");
    }
    if (!enter()) return;
    command(Joint::Line);
    leave();
  }

  // --- simple commands

  void simple(std::size_t made) {
    if (here() == '[' && next_word() == "[[") return test(made);
    bool takes_list = true;
    bool has_program = false;
    while (true) {
      skip_blanks();
      if (at_end() || contains("\n)", here()) || mark() != nullptr) return;
      if (redirection(made)) continue;
      if (here() == '(') {
        if (script_.commands[made].words.size() == 1 && empty_parentheses()) return defined(made);
        fail(i_, i_ + 1, "`(` stands where a word should");
        ++i_;
        continue;
      }
      ScriptWord next = word(takes_list);
      if (is_number_of_file(next)) continue;
      if (!has_program && assigned_name(next.text).empty()) {
        has_program = true;
        takes_list = declares(next.text);
      }
      script_.commands[made].words.push_back(std::move(next));
    }
  }

  /// `name() { ... }`
  void defined(std::size_t made) {
    script_.commands[made].kind = Kind::Function;
    const Held around(around_, made);
    const Held branch(in_branch_, in_branch_);
    body();
  }

  static bool declares(std::string_view program) {
    constexpr std::string_view kNames[] = {"declare", "typeset", "local", "export", "readonly"};
    return std::ranges::find(kNames, program) != std::end(kNames);
  }

  /// The `2` of `2>file`.
  bool is_number_of_file(const ScriptWord& word) const {
    return (here() == '<' || here() == '>') && !word.is_quoted && !word.text.empty() &&
           word.text.find_first_not_of("0123456789") == word.text.npos;
  }

  void redirections(std::size_t made) {
    std::size_t begin = i_;
    do {
      skip_blanks();
      begin = i_;
      while (here() >= '0' && here() <= '9') ++i_;
    } while (redirection(made));
    i_ = begin;
  }

  bool redirection(std::size_t made) {
    static constexpr std::string_view kAll[] = {"&>>", "&>", "<<<", "<<-", "<<", "<&",
                                                "<>",  "<",  ">>",  ">&",  ">|", ">"};
    if (!contains("&<>", here()) || starts("<(") || starts(">(")) return false;
    const auto* const found =
        std::ranges::find_if(kAll, [this](std::string_view each) { return starts(each); });
    if (found == std::end(kAll)) return false;
    const std::size_t begin = i_;
    i_ += found->size();
    while (contains(kBlanks, here())) ++i_;
    ScriptWord target = word();
    if (target.begin == target.end) {
      fail(begin, begin + found->size(), "no word stands behind " + shown(*found));
    } else if (*found == "<<" || *found == "<<-") {
      documents_.push_back({target.text, *found == "<<-", !target.is_quoted});
    }
    script_.commands[made].redirections.push_back({*found, std::move(target)});
    return true;
  }

  /// `[[ a =~ (b|c) && d ]]`: of its own grammar only the words and the end matter.
  void test(std::size_t made) {
    add_word(made);
    while (true) {
      i_ = std::min(text_.find_first_not_of(" \t\r\n&|<>()!=~;", i_), text_.size());
      const std::size_t before = i_;
      in_test_ = true;
      ScriptWord next = word();
      in_test_ = false;
      const bool is_end = next.text == "]]" && !next.is_quoted;
      if (next.begin == next.end || next.text == "then" || next.text == "fi") {
        i_ = before;
        unclosed(made, "]]");
        return;
      }
      script_.commands[made].words.push_back(std::move(next));
      if (is_end) break;
    }
    redirections(made);
  }

  std::size_t around_ = kNoCommand;
  bool in_output_ = false;
  bool in_branch_ = false;
  std::size_t mark_ = 0;  // the last one between commands
};

}  // namespace

Script read_script(std::string_view text) {
  return ScriptReader(text).read();
}

std::vector<Expansion> Script::expansions_of(const ScriptWord& word) const {
  std::vector<Expansion> outer;
  for (std::size_t i = word.first_expansion; i < word.last_expansion; ++i) {
    if (outer.empty() || expansions[i].begin >= outer.back().end) outer.push_back(expansions[i]);
  }
  return outer;
}

std::string_view Script::head(const ScriptCommand& command) const {
  if (command.kind != Kind::Loop && command.kind != Kind::Case) return {};
  const std::string_view rest = text.substr(command.begin);
  return rest.substr(0, rest.find_first_not_of(kLetters));
}

bool Script::is_ended(const ScriptCommand& command) const {
  return !command.is_simple() || text.find_first_not_of(" \t\r", command.end) != text.npos;
}

bool Script::surely_ends_with(const ScriptCommand& command) const {
  const bool is_alone = command.around == kNoCommand &&
                        (command.before == Joint::Line || command.before == Joint::Background) &&
                        command.behind != Joint::Pipe && command.behind != Joint::Background;
  if (!is_alone || !command.is_simple() || command.words.empty()) return false;
  const std::string& program = command.words[0].text;
  return program == "exit" || (program == "exec" && command.words.size() > 1);
}

}  // namespace trainyard
