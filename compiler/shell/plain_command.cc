#include "shell/plain_command.h"

#include <utility>

#include "shell/shell_words.h"

namespace trainyard {
namespace {

/// The length of `$NAME`, `${NAME}` or `$(NAME)` at the start; 0 for anything else, or for more.
std::size_t variable_length(std::string_view text) {
  if (text.size() < 2) return 0;
  const char open = text[1];
  if (open != '{' && open != '(') {
    if (!starts_shell_name(open)) return 0;
    const std::size_t end = text.find_first_not_of(kShellNameCharacters, 1);
    return end == text.npos ? text.size() : end;
  }
  const std::size_t end = text.find_first_not_of(kShellNameCharacters, 2);
  const bool named = end != text.npos && end > 2 && starts_shell_name(text[2]);
  return named && text[end] == (open == '{' ? '}' : ')') ? end + 1 : 0;
}

class PlainCommand {
 public:
  explicit PlainCommand(std::string_view script) : text_(script) {
    while (!text_.empty() && std::string_view(" \t\n").find(text_.back()) != text_.npos) {
      text_.remove_suffix(1);
    }
  }

  std::optional<std::vector<PlainWord>> read() {
    while (i_ < text_.size()) {
      if (!step()) return std::nullopt;
    }
    end_word();
    if (!words_.empty() && words_.front().text == "exec") words_.erase(words_.begin());
    if (words_.empty() || words_.front().text.find('=') != std::string::npos) return std::nullopt;
    return std::move(words_);
  }

 private:
  bool step() {
    const char c = text_[i_];
    if (c == ' ' || c == '\t') return end_word(), ++i_, true;
    if (c == '\n') return ++i_, words_.empty() && !in_word_;  // before the command only
    if (c == '\\') return escape();
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c == '$') return variable();
    if (std::string_view(";&|<>()`*?[]{}!#~").find(c) != text_.npos) return false;
    take(c);
    return true;
  }

  bool escape() {
    if (i_ + 1 >= text_.size()) return false;
    if (text_[i_ + 1] == '\n') {
      end_word();
    } else {
      ++i_;
      take(text_[i_]);
      return true;
    }
    i_ += 2;
    return true;
  }

  bool single_quoted() {
    const std::size_t end = text_.find('\'', i_ + 1);
    if (end == text_.npos) return false;
    const std::string_view inside = text_.substr(i_ + 1, end - i_ - 1);
    if (inside.find('$') != inside.npos) return false;  // Kubernetes may put something in
    word_ += inside;
    in_word_ = true;
    i_ = end + 1;
    return true;
  }

  bool double_quoted() {
    in_word_ = true;
    for (++i_; i_ < text_.size() && text_[i_] != '"';) {
      if (text_[i_] == '`' || text_[i_] == '\\') return false;
      if (text_[i_] == '$') {
        if (!variable()) return false;
      } else {
        take(text_[i_]);
      }
    }
    return i_++ < text_.size();
  }

  bool variable() {
    const std::size_t length = variable_length(text_.substr(i_));
    if (length == 0) return false;
    word_ += text_.substr(i_, length);
    expands_ = in_word_ = true;
    i_ += length;
    return true;
  }

  void take(char c) {
    word_ += c;
    in_word_ = true;
    ++i_;
  }

  void end_word() {
    if (in_word_) words_.push_back({std::move(word_), expands_});
    word_.clear();
    in_word_ = expands_ = false;
  }

  std::string_view text_;
  std::size_t i_ = 0;
  std::string word_;
  bool in_word_ = false;
  bool expands_ = false;
  std::vector<PlainWord> words_;
};

}  // namespace

std::optional<std::vector<PlainWord>> plain_command(std::string_view script) {
  return PlainCommand(script).read();
}

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
      in_word = true;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::string as_shell_sees(std::string_view argument) {
  std::string script;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    script += argument[i];
    if (argument.substr(i).starts_with("$$")) ++i;
  }
  return script;
}

namespace {

/// Takes a line apart that has nothing but words, quotes and variables in double quotes.
class LineWords {
 public:
  explicit LineWords(std::string_view line) : text_(line) {}

  std::optional<std::vector<std::string>> read() {
    while (i_ < text_.size()) {
      if (!step()) return std::nullopt;
    }
    end_word();
    return std::move(words_);
  }

 private:
  bool step() {
    const char c = text_[i_];
    if (c == ' ') return end_word(), ++i_, true;
    if (c == '"') return variable();
    if (c == '\'') {
      const std::size_t end = text_.find('\'', i_ + 1);
      if (end == text_.npos) return false;
      take(text_.substr(i_ + 1, end - i_ - 1));
      i_ = end + 1;
      return true;
    }
    const bool escaped = c == '\\';
    if (escaped && ++i_ == text_.size()) return false;
    if (!escaped && std::string_view("\n\t;&|<>()$`*?[]{}!#~").find(c) != text_.npos) return false;
    take(text_.substr(i_++, 1));
    return true;
  }

  bool variable() {
    const std::string_view rest = text_.substr(i_ + 1);
    const std::size_t length = variable_length(rest);
    if (!rest.starts_with("${") || length == 0 || !rest.substr(length).starts_with('"'))
      return false;
    flush(true);
    word_ += "$(" + std::string(rest.substr(2, length - 3)) + ")";
    in_word_ = true;
    i_ += length + 2;
    return true;
  }

  void take(std::string_view literal) {
    literal_ += literal;
    in_word_ = true;
  }

  /// Kubernetes makes one `$` of two, and puts something in for `$(`.
  void flush(bool before_variable) {
    for (std::size_t i = 0; i < literal_.size(); ++i) {
      const std::string_view next = std::string_view(literal_).substr(i + 1);
      const bool mistaken = next.empty() ? before_variable : next[0] == '$' || next[0] == '(';
      word_ += literal_[i];
      if (literal_[i] == '$' && mistaken) word_ += '$';
    }
    literal_.clear();
  }

  void end_word() {
    flush(false);
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t i_ = 0;
  std::string literal_;
  std::string word_;
  bool in_word_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> words_of_line(std::string_view line) {
  return LineWords(line).read();
}

bool has_kubernetes_variable(std::string_view argument) {
  for (std::size_t i = 0; i + 1 < argument.size(); ++i) {
    if (argument[i] != '$') continue;
    if (argument[i + 1] == '$') {
      ++i;
    } else if (argument[i + 1] == '(' && variable_length(argument.substr(i)) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace trainyard
