#include "shell/python_text.h"

#include <algorithm>

#include "diag/words.h"
#include "source/characters.h"

namespace trainyard {
namespace {

bool starts_name(char c) {
  return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_of_name(char c) {
  return starts_name(c) || is_digit(c);
}

/// python/cpython Parser/lexer/lexer.c
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  PythonText read() {
    while (at_ < text_.size() && !out_.fault) step();
    if (!out_.fault && !open_.empty()) {
      const std::size_t at = open_.back();
      fail(at, at + 1, shown(text_.substr(at, 1)) + " is never closed");
    }
    return std::move(out_);
  }

 private:
  void fail(std::size_t begin, std::size_t end, std::string what) {
    out_.fault = PythonFault{begin, end, std::move(what)};
  }
  void add(std::size_t begin) { out_.tokens.push_back({text_.substr(begin, at_ - begin), begin}); }

  void step() {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '"' || c == '\'') {
      quoted(at_);
    } else if (starts_name(c)) {
      name();
    } else if (c == '\\') {
      at_ = std::min(at_ + 2, text_.size());
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else {
      sign(c);
    }
  }

  /// With the letters in front of a text, as in `rb""`.
  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_of_name(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const bool is_prefix = word.size() < 3 && word.find_first_not_of("rRbBuUfFtT") == word.npos;
    if (is_prefix && at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      quoted(begin);
    } else {
      add(begin);
    }
  }

  void quoted(std::size_t begin) {
    const char quote = text_[at_];
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    const std::size_t open = at_;
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\') {
        at_ += 2;
        continue;
      }
      if (is_long ? text_.substr(at_, 3) == three : text_[at_] == quote) {
        at_ += is_long ? 3 : 1;
        add(begin);
        return;
      }
      if (!is_long && text_[at_] == '\n') break;
      ++at_;
    }
    at_ = std::min(at_, text_.size());
    fail(open, open + (is_long ? 3 : 1), "a text begins here, and does not end");
  }

  void sign(char c) {
    const std::size_t begin = at_++;
    if (c == '(' || c == '[' || c == '{') open_.push_back(begin);
    if (c == ')' || c == ']' || c == '}') {
      if (open_.empty()) {
        fail(begin, at_, shown(text_.substr(begin, 1)) + " closes nothing");
        return;
      }
      const char wanted = text_[open_.back()] == '(' ? ')' : text_[open_.back()] == '[' ? ']' : '}';
      if (c != wanted) {
        fail(begin, at_,
             shown(text_.substr(begin, 1)) + " where " + shown(std::string(1, wanted)) +
                 " would be right");
        return;
      }
      open_.pop_back();
    }
    add(begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;
  PythonText out_;
};

}  // namespace

bool PythonToken::is_name() const {
  return !text.empty() && starts_name(text.front()) && text.back() != '"' && text.back() != '\'';
}

std::string_view PythonToken::literal() const {
  const bool is_text = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                       text.back() == text.front() && text.find('\\') == text.npos;
  if (!is_text || text.substr(0, 3) == std::string(3, text.front())) return {};
  return text.substr(1, text.size() - 2);
}

PythonText read_python(std::string_view text) {
  return Reader(text).read();
}

}  // namespace trainyard
