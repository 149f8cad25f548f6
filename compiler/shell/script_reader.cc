#include "shell/script.h"

#include <algorithm>
#include <array>
#include <utility>

#include "diag/words.h"
#include "shell/shell_words.h"
#include "shell/word_reader.h"

namespace trainyard {
namespace {

using Kind = ScriptCommand::Kind;
using Joint = ScriptCommand::Joint;

/// Words that end a list of commands, and what they belong to.
struct Closer {
  std::string_view word;
  std::string_view opener;
};
constexpr auto kClosers = std::to_array<Closer>({{"then", "`if`"},
                                                 {"elif", "`if`"},
                                                 {"else", "`if`"},
                                                 {"fi", "`if`"},
                                                 {"do", "`for` or `while`"},
                                                 {"done", "`for` or `while`"},
                                                 {"esac", "`case`"},
                                                 {"}", "`{`"},
                                                 {")", "`(`"},
                                                 {";;", "`case`"},
                                                 {";&", "`case`"},
                                                 {";;&", "`case`"}});

/// The grammar of POSIX 1003.1, 2.10, from above: a function for each sort of command. Where a
/// shell would give up, the fault is noted and reading goes on.
class ScriptReader final : private WordReader {
 public:
  explicit ScriptReader(std::string_view text) : WordReader(text) {}

  Script read() {
    for (list(); !at_end(); list()) stray();
    if (!is_certain()) script_.fault.reset();
    return std::move(script_);
  }

 private:
  /// A word that opens a block, for what is said of it.
  struct Opener {
    std::size_t command;
    std::size_t begin;
    std::size_t end;
  };

  void output_commands() override {
    const bool was_output = std::exchange(in_output_, true);
    for (list(); !at_end() && here() != ')'; list()) stray();
    in_output_ = was_output;
  }

  // --- lists

  static bool ends_word(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ';' || c == '&' || c == '|' ||
           c == '<' || c == '>' || c == '(' || c == ')';
  }

  /// The word or the mark that is next.
  std::string_view next_word() const {
    if (here() == ')') return text_.substr(i_, 1);
    if (starts(";;&")) return text_.substr(i_, 3);
    if (starts(";;") || starts(";&")) return text_.substr(i_, 2);
    std::size_t end = i_;
    while (end < text_.size() && !ends_word(text_[end])) ++end;
    return text_.substr(i_, end - i_);
  }
  const Closer* closer() const {
    if (!contains("tefd});", here())) return nullptr;
    const auto* const found = std::ranges::find(kClosers, next_word(), &Closer::word);
    return found == kClosers.end() ? nullptr : found;
  }

  /// Commands up to what closes a block, which is left. False where there are none.
  bool list() {
    if (!enter()) return skip_deep();
    std::size_t last = kNoCommand;
    bool is_complete = true;  // nothing has to follow, as it has behind `&&`
    for (skip_lines(); !at_end() && closer() == nullptr; skip_lines()) {
      if (contains(";&|", here()) && !starts("&>")) {
        unexpected(mark_length());
        i_ += mark_length();
        continue;
      }
      const Joint before = last == kNoCommand ? Joint::Line : script_.commands[last].behind;
      last = command(before);
      skip_blanks();
      is_complete = join(last);
    }
    if (!is_complete) lacks_command();
    leave();
    return last != kNoCommand;
  }

  /// Where blocks stand too deep, a mark is passed over.
  bool skip_deep() {
    if (!at_end()) ++i_;
    return true;
  }

  static bool contains(std::string_view marks, char c) { return marks.find(c) != marks.npos; }

  std::size_t mark_length() const { return starts("&&") || starts("||") || starts("|&") ? 2 : 1; }

  void unexpected(std::size_t length) {
    fail(i_, i_ + length, shown(text_.substr(i_, length)) + " stands where a command should begin");
  }

  /// What stands between a command and the next one; false where one has to follow.
  bool join(std::size_t command) {
    Joint& joint = script_.commands[command].behind;
    if (at_end() || here() == '\n' || closer() != nullptr) return true;
    if (!contains(";&|", here())) {
      const std::string_view next = next_word();
      fail(i_, i_ + std::max<std::size_t>(next.size(), 1),
           shown(text_.substr(i_, std::max<std::size_t>(next.size(), 1))) +
               " stands behind a command, and nothing ends that");
      if (next.empty()) ++i_;
      return true;
    }
    joint = starts("&&")    ? Joint::And
            : starts("||")  ? Joint::Or
            : here() == '|' ? Joint::Pipe
            : here() == '&' ? Joint::Background
                            : Joint::Line;
    mark_ = i_;
    i_ += mark_length();
    return joint == Joint::Line || joint == Joint::Background;
  }

  void lacks_command() {
    const std::size_t length = text_.substr(mark_).find_first_not_of("&|");
    fail(mark_, mark_ + std::min(length, text_.size() - mark_),
         "no command stands behind " + shown(text_.substr(mark_, length)));
  }

  /// Something that closes no block that is open.
  void stray() {
    const Closer* known = closer();
    if (known == nullptr) return;
    fail(i_, i_ + known->word.size(),
         shown(known->word) + " belongs to no " + std::string(known->opener));
    i_ += known->word.size();
  }

  // --- commands

  std::size_t add(Kind kind, Joint before) {
    ScriptCommand command;
    command.kind = kind;
    command.around = around_;
    command.is_output = in_output_;
    command.may_be_left_out = in_branch_;
    command.before = before;
    command.begin = i_;
    script_.commands.push_back(std::move(command));
    return script_.commands.size() - 1;
  }

  std::size_t command(Joint before) {
    if (before == Joint::Pipe && next_word() == "!") unexpected(1);
    bool is_negated = false;
    while (next_word() == "!" || next_word() == "time") {
      is_negated = next_word() == "!";
      i_ += next_word().size();
      skip_blanks();
    }
    if (is_negated && ((contains("&|", here()) && !starts("&>")) || closer() != nullptr)) {
      unexpected(next_word().empty() ? 1 : next_word().size());
    }
    const Kind kind = kind_of_next();
    const std::size_t made = add(kind, before);
    if (kind == Kind::Simple) {
      simple(made);
    } else {
      const std::size_t was_around = std::exchange(around_, made);
      const bool was_branch = in_branch_;
      compound(made);
      around_ = was_around;
      in_branch_ = was_branch;
      redirections(made);
    }
    script_.commands[made].end = std::min(i_, text_.size());
    return made;
  }

  Kind kind_of_next() const {
    if (here() == '(') return Kind::Subshell;
    const std::string_view word = next_word();
    if (word == "if") return Kind::If;
    if (word == "while" || word == "until" || word == "for" || word == "select") return Kind::Loop;
    if (word == "case") return Kind::Case;
    if (word == "{") return Kind::Group;
    if (word == "function") return Kind::Function;
    return Kind::Simple;
  }

  void compound(std::size_t made) {
    const std::string_view word = next_word();
    Opener opener{made, i_, i_ + std::max<std::size_t>(word.size(), 1)};
    if (here() == '(') {
      ScriptWord sum_word;
      if (at(i_ + 1) == '(' && sum(sum_word)) {
        script_.commands[made].kind = Kind::Sum;
        return;
      }
    }
    i_ = opener.end;
    switch (script_.commands[made].kind) {
      case Kind::If:
        return conditional(opener);
      case Kind::Loop:
        return word == "for" || word == "select" ? counted_loop(opener) : loop(opener);
      case Kind::Case:
        return choice(opener);
      case Kind::Function:
        return function(opener);
      case Kind::Group:
        block(opener, "}");
        return;
      default:
        block(opener, ")");
    }
  }

  /// Goes behind the word that has to come next.
  bool expect(std::string_view word, const Opener& opener) {
    skip_lines();
    if (next_word() == word) {
      i_ += word.size();
      return true;
    }
    never_closed(opener.begin, opener.end, word);
    return false;
  }

  /// Commands, at least one, and the word that ends them.
  bool block(const Opener& opener, std::string_view end) {
    if (!list() && next_word() == end) unexpected(end.size());
    return expect(end, opener);
  }

  void conditional(const Opener& opener) {
    if (!block(opener, "then")) return;
    in_branch_ = true;
    while (true) {
      commands_before_closer();
      if (next_word() == "elif") {
        i_ += 4;
        if (!block(opener, "then")) return;
        continue;
      }
      if (next_word() == "else") {
        i_ += 4;
        commands_before_closer();
      }
      expect("fi", opener);
      return;
    }
  }

  /// Of a block that can go on in several ways.
  void commands_before_closer() {
    if (!list() && !at_end()) unexpected(next_word().size());
  }

  void loop(const Opener& opener) {
    if (block(opener, "do")) block(opener, "done");
  }

  /// `for NAME in WORDS; do`, `for NAME; do`, `for ((...)) do`.
  void counted_loop(const Opener& opener) {
    skip_blanks();
    ScriptWord counter;
    if (starts("((") && sum(counter)) {
      skip_blanks();
      if (here() == ';') ++i_;
    } else if (!loop_words(opener)) {
      return;
    }
    skip_lines();
    if (next_word() == "{") {
      i_ += 1;
      block(opener, "}");
    } else if (expect("do", opener)) {
      block(opener, "done");
    }
  }

  bool loop_words(const Opener& opener) {
    if (!add_word(opener.command)) return never_closed(opener.begin, opener.end, "do"), false;
    skip_lines();
    const std::string_view next = next_word();
    if (next == "in") {
      i_ += 2;
      for (skip_blanks(); add_word(opener.command); skip_blanks()) {
      }
    } else if (!next.empty() && next != "do" && next != "{" && !contains(";)", next[0])) {
      fail(i_, i_ + next.size(),
           shown("for") + " wants a name and then `in`, and has " + shown(next) + " there");
      return false;
    }
    if (here() == ';' && closer() == nullptr) ++i_;
    return true;
  }

  bool add_word(std::size_t command) {
    ScriptWord next = word();
    if (next.begin == next.end) return false;
    script_.commands[command].words.push_back(std::move(next));
    return true;
  }

  void choice(const Opener& opener) {
    skip_blanks();
    if (!add_word(opener.command)) return never_closed(opener.begin, opener.end, "esac");
    skip_lines();
    const std::string_view next = next_word();
    if (next != "in") {
      if (next.empty()) return never_closed(opener.begin, opener.end, "esac");
      fail(i_, i_ + next.size(),
           "`case` wants one word and then `in`, and has " + shown(next) + " there");
      return;
    }
    i_ += 2;
    in_branch_ = true;
    for (skip_lines(); next_word() != "esac"; skip_lines()) {
      if (!pattern(opener)) return;
      list();
      if (!starts(";;") && !starts(";&")) break;
      i_ += next_word().size();
    }
    expect("esac", opener);
  }

  /// `a | b)`
  bool pattern(const Opener& opener) {
    if (here() == '(') ++i_;
    skip_blanks();
    while (add_word(opener.command)) {
      skip_blanks();
      if (here() != '|') break;
      ++i_;
      skip_blanks();
    }
    if (here() == ')') return ++i_, true;
    if (at_end()) {
      never_closed(opener.begin, opener.end, "esac");
    } else {
      fail(i_, i_ + 1, "a pattern of `case` ends with `)`");
    }
    return false;
  }

  /// `function name {`
  void function(const Opener& opener) {
    skip_blanks();
    add_word(opener.command);
    skip_blanks();
    if (here() == '(') empty_parentheses();
    body();
  }

  bool empty_parentheses() {
    const std::size_t close = text_.find_first_not_of(" \t\r", i_ + 1);
    if (close >= text_.size() || text_[close] != ')') return false;
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
    bool takes_list = true;
    bool has_program = false;
    if (next_word() == "[[") return test(made);
    while (true) {
      skip_blanks();
      if (at_end() || contains("\n;|)", here()) || (here() == '&' && !starts("&>"))) return;
      if (redirection(made)) continue;
      if (here() == '(') {
        if (script_.commands[made].words.size() == 1 && empty_parentheses()) {
          return defined(made);
        }
        unexpected_parenthesis();
        continue;
      }
      ScriptWord next = word(takes_list);
      if (is_number_of_file(next)) continue;
      if (!has_program && next.assigned_name().empty()) {
        has_program = true;
        takes_list = declares(next.text);
      }
      script_.commands[made].words.push_back(std::move(next));
    }
  }

  void unexpected_parenthesis() {
    fail(i_, i_ + 1, "`(` stands where a word should");
    ++i_;
  }

  /// `name() { ... }`
  void defined(std::size_t made) {
    script_.commands[made].kind = Kind::Function;
    const std::size_t was_around = std::exchange(around_, made);
    const bool was_branch = in_branch_;
    body();
    around_ = was_around;
    in_branch_ = was_branch;
  }

  static bool declares(std::string_view program) {
    constexpr auto names =
        std::to_array<std::string_view>({"declare", "typeset", "local", "export", "readonly"});
    return std::ranges::find(names, program) != names.end();
  }

  /// The `2` of `2>file`.
  bool is_number_of_file(const ScriptWord& word) const {
    if (here() != '<' && here() != '>') return false;
    if (word.end != i_ || word.is_quoted || word.text.empty()) return false;
    return word.text.find_first_not_of("0123456789") == word.text.npos;
  }

  void redirections(std::size_t made) {
    for (skip_blanks(); !at_end(); skip_blanks()) {
      const std::size_t begin = i_;
      while (here() >= '0' && here() <= '9') ++i_;
      if (redirection(made)) continue;
      i_ = begin;
      return;
    }
  }

  bool redirection(std::size_t made) {
    constexpr auto marks = std::to_array<std::string_view>(
        {"&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"});
    const auto* const mark =
        std::ranges::find_if(marks, [this](std::string_view each) { return starts(each); });
    if (mark == marks.end() || starts("<(") || starts(">(")) return false;
    const std::size_t begin = i_;
    i_ += mark->size();
    while (contains(" \t\r", here()) && !at_end()) ++i_;
    ScriptWord target = word();
    if (target.begin == target.end) {
      fail(begin, begin + mark->size(), "no word stands behind " + shown(*mark));
    } else if (*mark == "<<" || *mark == "<<-") {
      announce_document(target, *mark == "<<-");
    }
    script_.commands[made].redirections.push_back({*mark, std::move(target)});
    return true;
  }

  /// `[[ a =~ (b|c) && d ]]`: of its own grammar only the words and the end matter.
  void test(std::size_t made) {
    const std::size_t begin = i_;
    const std::size_t end = i_ + 2;
    add_word(made);
    while (true) {
      i_ = std::min(text_.find_first_not_of(" \t\r\n&|<>()!=~;", i_), text_.size());
      if (at_end()) break;
      const std::size_t before = i_;
      in_test_ = true;
      ScriptWord next = word();
      in_test_ = false;
      const bool is_end = next.text == "]]" && !next.is_quoted;
      const bool is_beyond = next.text == "then" || next.text == "fi";
      if (is_beyond) i_ = before;
      if (is_beyond) break;
      script_.commands[made].words.push_back(std::move(next));
      if (is_end) return redirections(made);
    }
    never_closed(begin, end, "]]");
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

}  // namespace trainyard
