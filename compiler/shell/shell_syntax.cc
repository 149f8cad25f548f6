#include "shell/shell_syntax.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "diag/words.h"
#include "shell/here_documents.h"

namespace trainyard {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// The grammar of POSIX 1003.1 Shell Command Language, 2.10, with what bash adds and people use.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<ShellFault> read() {
    while (!is_lost_ && !fault_ && i_ < text_.size()) step();
    if (is_lost_) return std::nullopt;
    if (!fault_ && !blocks_.empty()) unclosed(blocks_.back());
    return is_lost_ ? std::nullopt : fault_;
  }

 private:
  enum class Kind : std::uint8_t { If, Loop, Case, Brace, Parenthesis };
  enum class Part : std::uint8_t { Head, Body };  // before and behind `then`, `do`, a pattern

  struct Block {
    Kind kind;
    Part part;
    std::size_t begin;
    std::size_t end;
    int words = 0;       // of the head of a `for` or a `case`
    bool names = false;  // the head is one of words, and not of commands
  };

  char here() const { return i_ < text_.size() ? text_[i_] : '\0'; }
  char next() const { return i_ + 1 < text_.size() ? text_[i_ + 1] : '\0'; }
  void lost() { is_lost_ = true; }

  void fail(std::size_t begin, std::size_t end, std::string what) {
    if (!fault_) fault_ = ShellFault{begin, end, std::move(what)};
  }

  void unclosed(const Block& block) {
    constexpr auto ends = std::to_array<std::string_view>({"fi", "done", "esac", "}", ")"});
    constexpr auto middles = std::to_array<std::string_view>({"then", "do", "in", "", ""});
    const auto kind = static_cast<std::size_t>(block.kind);
    const bool has_body = block.part == Part::Body || middles[kind].empty();
    fail(block.begin, block.end,
         shown(text_.substr(block.begin, block.end - block.begin)) +
             " is never closed: there is no " +
             shown(has_body || block.kind == Kind::Case ? ends[kind] : middles[kind]) + " for it");
  }

  void step() {
    const char c = here();
    if (kBlanks.find(c) != kBlanks.npos) {
      ++i_;
    } else if (c == '\\' && next() == '\n') {
      i_ += 2;
    } else if (c == '#') {
      i_ = std::min(text_.find('\n', i_), text_.size());
    } else if (c == '\n') {
      ++i_;
      documents_.pass(text_, i_);
      separator();
    } else if (c == ';') {
      semicolon();
    } else if (c == '&' || c == '|') {
      if (c == '&' && next() == '>') {  // `&>file`
        i_ += 2;
        return;
      }
      i_ += next() == c || (c == '|' && next() == '&') ? 2U : 1U;
      if (!in_pattern()) separator();
    } else if (c == '<' || c == '>') {
      redirection();
    } else if (c == '(') {
      opening();
    } else if (c == ')') {
      closing();
    } else {
      word();
    }
  }

  bool in_pattern() const {
    return !blocks_.empty() && blocks_.back().kind == Kind::Case &&
           blocks_.back().part == Part::Head && !blocks_.back().names;
  }

  void separator() {
    begins_ = true;
    if (!blocks_.empty() && blocks_.back().kind == Kind::Loop && blocks_.back().names) {
      blocks_.back().names = false;  // `for x in a b;`: now `do`
    }
  }

  void semicolon() {
    const std::size_t begin = i_;
    while (here() == ';' || here() == '&') ++i_;
    if (i_ - begin > 1) {  // `;;`, `;&`, `;;&`
      if (blocks_.empty() || blocks_.back().kind != Kind::Case) return lost();
      blocks_.back().part = Part::Head;
      begins_ = true;
      return;
    }
    separator();
  }

  void redirection() {
    if (next() == '(') return parenthesis_of_word(i_ + 1);  // `<(command)`
    if (here() == '<' && next() == '<') {
      i_ += 2;
      if (here() == '<') {
        ++i_;
        return;
      }
      if (!documents_.announce(text_, i_)) lost();
      return;
    }
    ++i_;
    while (here() == '>' || here() == '&' || here() == '|') ++i_;
    i_ = std::min(text_.find_first_not_of(kBlanks, i_), text_.size());
    if (i_ == text_.size() || here() == '\n' || here() == ';' || here() == ')') return lost();
    if (!part_of_word()) lost();
  }

  void opening() {
    if (in_pattern()) {  // one may stand in front of a pattern
      ++i_;
      return;
    }
    if (begins_ && next() == '(') {  // `((i++))`
      const std::size_t end = text_.find("))", i_ + 2);
      if (end == text_.npos) return lost();
      i_ = end + 2;  // `then` may follow at once, as behind all that has an end of its own
      return;
    }
    if (begins_) {
      blocks_.push_back({Kind::Parenthesis, Part::Body, i_, i_ + 1});
      ++i_;
      return;
    }
    const std::size_t close = text_.find_first_not_of(kBlanks, i_ + 1);
    if (close == text_.npos || text_[close] != ')' || words_ != 1) return lost();
    i_ = close + 1;  // `name()`
    begins_ = true;
  }

  void closing() {
    if (in_pattern()) {
      blocks_.back().part = Part::Body;
      begins_ = true;
      ++i_;
      return;
    }
    if (blocks_.empty() || blocks_.back().kind != Kind::Parenthesis) return lost();
    blocks_.pop_back();
    begins_ = true;
    ++i_;
  }

  void word() {
    const std::size_t begin = i_;
    if (!part_of_word()) return;
    const std::string_view text = text_.substr(begin, i_ - begin);
    const bool begins = std::exchange(begins_, false);
    words_ = begins ? 1 : words_ + 1;
    if (!blocks_.empty() && blocks_.back().names) return word_of_head(text, begin);
    if (in_pattern()) {
      if (begins && text == "esac") blocks_.pop_back();
      return;
    }
    if (begins) first_word(text, begin);
  }

  /// `for NAME in ...`, `case WORD in`.
  void word_of_head(std::string_view text, std::size_t begin) {
    Block& block = blocks_.back();
    const int number = ++block.words;
    if (block.kind == Kind::Case) {
      if (number < 2) return;
      if (text != "in") {
        return fail(begin, begin + text.size(),
                    "`case` wants one word and then `in`, and has " + shown(text) + " there");
      }
      block.names = false;
      begins_ = true;
    } else if (number == 2 && text == "do") {
      block.names = false;
      block.part = Part::Body;
      begins_ = true;
    } else if (number == 2 && text != "in") {
      fail(begin, begin + text.size(),
           "`for` wants a name and then `in`, and has " + shown(text) + " there");
    }
  }

  void first_word(std::string_view text, std::size_t begin) {
    const auto open = [&](Kind kind, Part part, bool names = false) {
      blocks_.push_back({kind, part, begin, i_, 0, names});
      begins_ = !names;
    };
    if (text == "if") return open(Kind::If, Part::Head);
    if (text == "while" || text == "until") return open(Kind::Loop, Part::Head);
    if (text == "for" || text == "select") {
      const std::size_t next = text_.find_first_not_of(kBlanks, i_);
      if (next != text_.npos && text_.substr(next).starts_with("((")) {
        const std::size_t end = text_.find("))", next);
        if (end == text_.npos) return lost();
        i_ = end + 2;
        open(Kind::Loop, Part::Head);
        begins_ = true;  // `do` may follow without a semicolon
        return;
      }
      return open(Kind::Loop, Part::Head, true);
    }
    if (text == "case") return open(Kind::Case, Part::Head, true);
    if (text == "{") return open(Kind::Brace, Part::Body);
    if (text == "!" || text == "time") {
      begins_ = true;
    } else if (text == "function") {
      function();
    } else if (text == "[[") {
      test(begin);
    } else if (text == "coproc") {
      lost();
    } else {
      middle_or_end(text, begin);
    }
  }

  void function() {
    i_ = std::min(text_.find_first_not_of(kBlanks, i_), text_.size());
    if (!part_of_word()) return;
    const std::size_t next = text_.find_first_not_of(kBlanks, i_);
    if (next != text_.npos && text_[next] == '(') {
      const std::size_t close = text_.find(')', next);
      if (close == text_.npos) return lost();
      i_ = close + 1;
    }
    begins_ = true;
  }

  /// `[[ a =~ (b|c) && d ]]`: of its own grammar only the end matters.
  void test(std::size_t begin) {
    const std::size_t after = i_;
    while (i_ < text_.size() && !is_lost_ && !fault_) {
      i_ = std::min(text_.find_first_not_of(" \t\r\n&|<>()!=~;", i_), text_.size());
      const std::size_t word = i_;
      if (i_ < text_.size() && !part_of_word()) return;
      if (text_.substr(word, i_ - word) == "]]") {
        begins_ = true;
        return;
      }
      if (text_.substr(word, i_ - word) == "then" || text_.substr(word, i_ - word) == "fi") break;
    }
    if (is_lost_ || fault_) return;
    fail(begin, after, "`[[` is never closed: there is no `]]` for it");
  }

  void middle_or_end(std::string_view text, std::size_t begin) {
    struct Word {
      std::string_view text;
      Kind kind;
      Part from;
      bool closes;
      Part to;
      std::string_view opener;
    };
    constexpr auto words = std::to_array<Word>({
        {"then", Kind::If, Part::Head, false, Part::Body, "if"},
        {"elif", Kind::If, Part::Body, false, Part::Head, "if"},
        {"else", Kind::If, Part::Body, false, Part::Body, "if"},
        {"fi", Kind::If, Part::Body, true, Part::Body, "if"},
        {"do", Kind::Loop, Part::Head, false, Part::Body, "for` or `while"},
        {"done", Kind::Loop, Part::Body, true, Part::Body, "for` or `while"},
        {"esac", Kind::Case, Part::Body, true, Part::Body, "case"},
        {"}", Kind::Brace, Part::Body, true, Part::Body, "{"},
    });
    const auto* const known = std::ranges::find(words, text, &Word::text);
    if (known == words.end()) return;
    const bool has_block = !blocks_.empty() && blocks_.back().kind == known->kind;
    if (has_block && blocks_.back().part == known->from) {
      if (known->closes) {
        blocks_.pop_back();
      } else {
        blocks_.back().part = known->to;
      }
      begins_ = true;
      return;
    }
    if (blocks_.empty()) {
      return fail(begin, i_, shown(text) + " belongs to no `" + std::string(known->opener) + "`");
    }
    unclosed(blocks_.back());
  }

  /// Goes behind a word with its quotes; false when it does not end.
  bool part_of_word() {
    while (i_ < text_.size()) {
      const char c = here();
      if (c == '\\') {
        i_ = std::min(i_ + 2, text_.size());
      } else if (c == '\'') {
        if (!quote('\'')) return false;
      } else if (c == '"') {
        if (!double_quote()) return false;
      } else if (c == '`') {
        if (!quote('`')) return false;
      } else if (c == '$') {
        if (!dollar()) return false;
      } else if (c == '(' && i_ > 0 && text_[i_ - 1] == '=') {  // `a=(b c)`
        parenthesis_of_word(i_);
        if (is_lost_ || fault_) return false;
      } else if (std::string_view(" \t\r\n;&|<>()").find(c) != std::string_view::npos) {
        return true;
      } else {
        ++i_;
      }
    }
    return true;
  }

  bool quote(char mark) {
    const std::size_t begin = i_++;
    while (i_ < text_.size() && here() != mark) i_ += here() == '\\' && mark == '`' ? 2U : 1U;
    if (i_ >= text_.size()) {
      fail(begin, begin + 1, "the quote " + shown(std::string_view(&mark, 1)) + " is never closed");
      return false;
    }
    ++i_;
    return true;
  }

  bool double_quote() {
    const std::size_t begin = i_++;
    while (i_ < text_.size() && here() != '"') {
      if (here() == '\\') {
        i_ += 2;
      } else if (here() == '$') {
        if (!dollar()) return false;
      } else if (here() == '`') {
        if (!quote('`')) return false;
      } else {
        ++i_;
      }
    }
    if (i_ >= text_.size()) {
      fail(begin, begin + 1, "the quote `\"` is never closed");
      return false;
    }
    ++i_;
    return true;
  }

  /// `$x`, `${x:-y}`, `$(x)`, `$((x))`, `$'x'`. Whatever stands in another does so by way of here.
  bool dollar() {
    if (depth_ == kDeepest) return is_lost_ = true, false;
    ++depth_;
    const bool is_read = substitution();
    --depth_;
    return is_read;
  }

  bool substitution() {
    const std::size_t begin = i_++;
    if (here() == '\'') {
      ++i_;
      while (i_ < text_.size() && here() != '\'') i_ += here() == '\\' ? 2U : 1U;
      if (i_ >= text_.size()) return is_lost_ = true, false;
      ++i_;
    } else if (here() == '{') {
      return braces(begin);
    } else if (here() == '(') {
      parenthesis_of_word(i_);
      return !is_lost_ && !fault_;
    }
    return true;
  }

  bool braces(std::size_t begin) {
    ++i_;
    while (i_ < text_.size() && here() != '}') {
      if (here() == '\\') {
        i_ += 2;
      } else if (here() == '$') {
        if (!dollar()) return false;
      } else if (here() == '"') {
        if (!double_quote()) return false;
      } else if (here() == '\'' || here() == '`') {
        lost();  // a quote counts in some forms, and in others not
        return false;
      } else {
        ++i_;
      }
    }
    if (i_ >= text_.size()) {
      fail(begin, begin + 2, "`${` is never closed: there is no `}` for it");
      return false;
    }
    ++i_;
    return true;
  }

  /// What stands between the parenthesis at `begin` and its end, which may be commands.
  void parenthesis_of_word(std::size_t begin) {
    i_ = begin + 1;
    int depth = 1;
    while (i_ < text_.size() && depth > 0) {
      const char c = here();
      if (c == '\\') {
        i_ += 2;
      } else if (c == '\'') {
        if (!quote('\'')) return;
      } else if (c == '"') {
        if (!double_quote()) return;
      } else if (c == '`') {
        if (!quote('`')) return;
      } else if (c == '#' && std::string_view(" \t\n(").find(text_[i_ - 1]) != text_.npos) {
        i_ = std::min(text_.find('\n', i_), text_.size());
      } else if (c == '<' && next() == '<') {
        return lost();
      } else if (text_.substr(i_).starts_with("case ")) {
        return lost();  // whose patterns have parentheses without a beginning
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        ++i_;
      }
    }
    if (depth == 0) return;
    fail(begin > 0 ? begin - 1 : begin, begin + 1,
         shown(text_.substr(begin > 0 ? begin - 1 : begin, begin > 0 ? 2 : 1)) +
             " is never closed: there is no `)` for it");
  }

  static constexpr int kDeepest = 100;  // each level takes some of the stack

  std::string_view text_;
  std::size_t i_ = 0;
  int depth_ = 0;  // of substitutions in one another
  std::vector<Block> blocks_;
  HereDocuments documents_;
  bool begins_ = true;    // the next word is the first one of a command
  int words_ = 0;         // of the command so far
  bool is_lost_ = false;  // there is something that is not read here
  std::optional<ShellFault> fault_;
};

}  // namespace

std::optional<ShellFault> shell_fault(std::string_view script) {
  return Reader(script).read();
}

}  // namespace trainyard
