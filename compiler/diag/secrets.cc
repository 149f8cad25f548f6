#include "diag/secrets.h"

#include <algorithm>
#include <set>
#include <utility>

#include "diag/secret_objects.h"
#include "diag/secret_text.h"
#include "source/characters.h"
#include "source/text_scan.h"
#include "source/unescaped.h"

namespace trainyard {
namespace {

using namespace secret_text;

// Beyond these a value is judged by its beginning, and reaches to the end of its line.
constexpr std::size_t kLongestWord = 4096;
constexpr std::size_t kLongestJudged = 1024;
constexpr std::size_t kLongestQuoted = 64 * 1024;

/// A cheap look before the words of a name are taken apart: what credentials are called ends so.
bool may_name_credential(std::string_view name) {
  constexpr std::string_view kLast = "ndtyslehNDTYSLEH_-.";
  return name.size() >= 4 && kLast.find(name.back()) != std::string_view::npos;
}

/// Whether a key can have the name of a Secret, as `tlsSecret` does in objects of Kubernetes.
bool is_reference(std::string_view key) {
  static constexpr std::string_view kLiterals[] = {
      "clientSecret",  "appSecret",     "apiSecret",     "sharedSecret",
      "webhookSecret", "signingSecret", "consumerSecret"};
  if (key == "secret" || key == "credentials") return true;
  return key.ends_with("Secret") && std::ranges::find(kLiterals, key) == std::end(kLiterals);
}

/// Whether a name that ends before `end` may mean anything: it is `name`, `value`, or ends as those
/// of credentials do.
bool may_matter(std::string_view text, std::size_t end) {
  const std::string_view name = text.substr(0, end);
  return name.ends_with("name") || name.ends_with("value") || may_name_a_credential(name);
}

/// Walks through a text once, from one `:`, `=` or `--` to the next.
class SecretSearch {
 public:
  /// `aliases` are those that stand in the place of secrets, as far as they are known.
  explicit SecretSearch(std::string_view text, SecretAliases aliases = {})
      : text_(text), aliases_(std::move(aliases)) {}

  std::vector<CredentialFinding> run() {
    for (at_ = find_sign(text_, 0); at_ < text_.size(); at_ = find_sign(text_, at_ + 1)) {
      if (at_ >= line_end_) start_line();
      const char c = text_[at_];
      if (c == '{' || c == '[') {
        ++brackets_;
      } else if (c == ':' || c == '=') {
        assignment(c);
      } else if (c == '-' && at_ + 2 < text_.size() && text_[at_ + 1] == '-') {
        option();
      }
    }
    if (!aliases_.empty()) anchors();
    return std::move(found_);
  }

 private:
  /// The values at the anchors of these aliases, wherever they stand.
  void anchors() {
    line_end_ = 0;
    for (at_ = text_.find('&'); at_ < text_.size(); at_ = text_.find('&', at_ + 1)) {
      const std::string_view name = anchor_at(text_, at_ + 1);
      if (!aliases_.contains(name)) continue;
      if (at_ >= line_end_) start_line();
      const std::size_t back = std::min(at_, kLongestName);
      const std::string_view before = text_.substr(at_ - back, back);
      const std::string_view line = before.substr(before.rfind('\n') + 1);
      brackets_ = line.find_first_of("{[") == std::string_view::npos ? 0 : 1;
      const std::size_t begin = text_.find_first_not_of(" \t", at_ + 1 + name.size());
      if (begin == std::string_view::npos || text_[begin] == '\n') continue;
      if (text_[begin] == '|' || text_[begin] == '>') {
        block();
      } else {
        add(begin, value_end(begin, ':'));
      }
    }
  }

  void start_line() {
    in_line_ = at_;
    line_end_ = std::min(text_.find('\n', at_ + 1), text_.size());
    brackets_ = 0;
  }

  /// Where the name ends that stands before `end`, without its quotes.
  std::size_t name_end(std::size_t end) const {
    constexpr int kWidestGap = 8;
    for (int gap = 0; gap < kWidestGap && end > 0 && text_[end - 1] == ' '; ++gap) --end;
    return end > 0 && is_quote(text_[end - 1]) ? end - 1 : end;
  }

  std::string_view name_before(std::size_t end) const {
    std::size_t begin = end;
    while (begin > 0 && end - begin < kLongestName && is_name(text_[begin - 1])) --begin;
    return text_.substr(begin, end - begin);
  }

  /// The value behind `:`, without its quotes.
  std::string_view value_at(std::size_t begin) const {
    const std::size_t end = value_end(begin, ':');
    if (is_quote(text_[begin])) ++begin;
    return text_.substr(begin, std::max(end, begin) - begin);
  }

  /// The same where the name stands on the line above, behind a `?`.
  std::size_t name_end_above(std::size_t end) const {
    if (end == 0 || text_[end - 1] != '\n') return end;
    const std::size_t above = text_.substr(0, end - 1).rfind('\n') + 1;
    const std::size_t first = text_.find_first_not_of(" \t-", above);
    const bool is_key = first < end && text_.substr(first).starts_with("? ");
    return is_key ? name_end(end - (text_.substr(0, end - 1).ends_with('\r') ? 2 : 1)) : end;
  }

  /// Where a value starts that stands below its key, when there is nothing behind its `:`.
  std::size_t value_below(std::size_t begin) const {
    const std::size_t line = text_.find_first_not_of(" \t\r\n", begin);
    if (line == std::string_view::npos) return begin;
    const std::size_t end = std::min(text_.find('\n', line), text_.size());
    const std::string_view value = text_.substr(line, end - line);
    const std::size_t key = text_.rfind('\n', in_line_);
    const std::size_t from = key == std::string_view::npos ? 0 : key + 1;
    const std::size_t indent = line - std::min(text_.rfind('\n', line) + 1, line);
    constexpr std::string_view kOther = "-#?{[*%@`";
    if (indent <= indent_at(from) || kOther.find(value.front()) != std::string_view::npos) {
      return begin;
    }
    const bool is_map = !is_quote(value.front()) &&
                        (value.find(": ") != std::string_view::npos ||
                         value.find(":\r") != std::string_view::npos || value.back() == ':');
    return is_map ? begin : line;
  }

  void assignment(char sign) {
    const std::string_view named = std::exchange(named_, {});
    const std::size_t end = name_end_above(name_end(at_));
    if (!may_matter(text_, end)) return;
    const std::string_view name = name_before(end);
    const bool of_named = name == "value" && names_a_credential(named);
    std::size_t begin = text_.find_first_not_of(" \t", at_ + 1);
    if (begin == std::string_view::npos) return;
    if (sign == ':') {
      begin = behind_properties(text_, begin);
      if (begin == text_.size()) return;
      if (text_[begin] == '\n' || text_[begin] == '\r') begin = value_below(begin);
    }
    if (name == "name") {
      const std::string_view value = text_.substr(begin, value_end(begin, ':') - begin);
      if (value.size() <= kLongestName && may_name_a_credential(value)) named_ = value;
      return;
    }
    const bool says_so =
        may_name_credential(name) && name != "secret" && names_a_credential(name) &&
        !(sign == ':' && is_reference(name) && refers_to_secret(name, value_at(begin)));
    if (!of_named && !says_so) return by_value(name == "value" ? named : name, begin, sign);
    if (text_[begin] == '|' || text_[begin] == '>') {
      block();
    } else {
      add(begin, value_end(begin, sign));
    }
  }

  /// `--wandb-key=VALUE` with a value that can only be a key, `auth: VALUE` with one that is a user
  /// and a password in base64.
  void by_value(std::string_view name, std::size_t begin, char sign) {
    if (!may_name_a_credential(name) || names_a_credential(name)) return;
    const std::size_t end = value_end(begin, sign);
    const std::size_t first = is_quote(text_[begin]) ? begin + 1 : begin;
    if (first >= end || !is_named_credential(name, text_.substr(first, end - first))) return;
    add(begin, end);
  }

  /// `--token VALUE`, also as two items of a list.
  void option() {
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, std::min(end - at_, kLongestName));
    at_ = end - 1;
    if (!may_name_credential(name) || !names_a_credential(name)) return;
    std::size_t begin = text_.find_first_not_of(" \t\r\n,\"'", end);
    if (begin == std::string_view::npos || begin == end) return;
    if (text_.substr(begin).starts_with("- ")) begin = text_.find_first_not_of(" \"'", begin + 2);
    if (begin == std::string_view::npos || text_[begin] == '-') return;
    add(begin, value_end(begin, '='));
  }

  /// Where the value that starts at `begin` ends. Behind `=` it is a word; behind `:` it is what
  /// YAML takes, except that a plain one ends with its line.
  std::size_t value_end(std::size_t begin, char sign) const {
    if (is_quote(text_[begin])) return quoted_end(begin);
    if (begin >= line_end_) {
      const std::string_view ends = sign == '=' ? " \t\r\n\"',]}" : "\r\n";
      return std::min(text_.find_first_of(ends, begin), text_.size());
    }
    const std::string_view rest = text_.substr(begin, std::min(line_end_ - begin, kLongestWord));
    std::size_t length = std::min(line_end_ - begin, rest.find('\r'));
    if (sign == '=') {
      length = std::min(length, rest.find_first_of(" \t\"',]}"));
    } else {
      if (brackets_ > 0) length = std::min(length, rest.find_first_of(",]}"));
      length = std::min(length, rest.find(" #"));
    }
    while (length > 0 && text_[begin + length - 1] == ' ') --length;
    return begin + length;
  }

  std::size_t quoted_end(std::size_t begin) const {
    const char quote = text_[begin];
    const std::size_t limit = std::min(text_.size(), begin + kLongestQuoted);
    for (std::size_t i = begin + 1; i < limit; ++i) {
      if (text_[i] == '\\' && quote == '"') {
        ++i;
      } else if (text_[i] == quote) {
        return i;
      }
    }
    return std::min(text_.find('\n', begin), text_.size());
  }

  /// The lines of a block scalar: those that are indented deeper than the line of its header.
  void block() {
    const std::size_t above = text_.rfind('\n', in_line_);
    const std::size_t least = indent_at(above == std::string_view::npos ? 0 : above + 1) + 1;
    std::size_t line = line_end_ < text_.size() ? line_end_ : std::string_view::npos;
    while (line != std::string_view::npos && ++line < text_.size()) {
      const std::size_t indent = indent_at(line);
      const std::size_t end = std::min(text_.find('\n', line), text_.size());
      const bool blank = line + indent >= end;
      if (!blank && indent < least) break;
      if (!blank) found_.push_back({line + indent, end, kWhat});
      at_ = end - 1;
      line = end == text_.size() ? std::string_view::npos : end;
    }
  }

  std::size_t indent_at(std::size_t line) const {
    return std::min(text_.find_first_not_of(' ', line), text_.size()) - line;
  }

  void add(std::size_t begin, std::size_t end) {
    if (is_quote(text_[begin])) ++begin;
    if (end <= begin) return;
    const std::string_view value = text_.substr(begin, end - begin);
    if (value.front() == '*') aliases_.insert(anchor_at(text_, begin + 1));
    if (!could_be_credential_value(value.substr(0, kLongestJudged))) return;
    constexpr std::string_view kStructure = "{[&*!|>";
    if (kStructure.find(text_[begin]) != std::string_view::npos) return;
    found_.push_back({begin, end, kWhat});
    at_ = end - 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t in_line_ = 0;  // the first place of the line that was looked at
  std::size_t line_end_ = 0;
  std::size_t brackets_ = 0;  // opened on this line
  std::string_view named_;    // what just followed `name:`, if credentials can be called so
  SecretAliases aliases_;
  std::vector<CredentialFinding> found_;
};

}  // namespace

bool refers_to_secret(std::string_view key, std::string_view value) {
  constexpr std::size_t kLongestReference = 63;
  return is_reference(key) && value.size() <= kLongestReference &&
         value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") ==
             std::string_view::npos;
}

namespace {

std::vector<CredentialFinding> secrets_as_written(std::string_view source) {
  std::vector<CredentialFinding> found = find_credentials(source);
  SecretAliases aliases;
  find_secret_objects(source, found, aliases);
  const std::vector<CredentialFinding> named = SecretSearch(source, std::move(aliases)).run();
  found.insert(found.end(), named.begin(), named.end());
  return found;
}

}  // namespace

std::vector<CredentialFinding> find_secrets(std::string_view source) {
  std::vector<CredentialFinding> found = secrets_as_written(source);
  if (const auto unescaped = Unescaped::of(source)) {
    for (CredentialFinding each : secrets_as_written(unescaped->text())) {
      each.begin = unescaped->place_of(each.begin);
      each.end = unescaped->place_of(each.end);
      found.push_back(each);
    }
  }
  make_disjoint(found);
  return found;
}

namespace {

bool is_literal(std::string_view value) {
  constexpr std::size_t kShortest = 16;
  const auto is_allowed = [](char c) { return (is_name(c) && c != '.') || c == '+' || c == '/'; };
  return value.size() >= kShortest && std::all_of(value.begin(), value.end(), is_allowed) &&
         std::any_of(value.begin(), value.end(), is_digit) &&
         !std::all_of(value.begin(), value.end(), is_digit);
}

}  // namespace

std::optional<CredentialFinding> find_written_secret(std::string_view source) {
  if (const auto found = find_credential(source)) return found;
  for (const CredentialFinding& named : SecretSearch(source).run()) {
    if (is_literal(source.substr(named.begin, named.end - named.begin))) return named;
  }
  return std::nullopt;
}

std::optional<CredentialFinding> find_named_secret(std::string_view source) {
  for (const CredentialFinding& named : SecretSearch(source).run()) {
    const std::string_view value = source.substr(named.begin, named.end - named.begin);
    const bool is_program = value.find('(') != std::string_view::npos;
    if (!is_program && is_named_credential("token", value)) return named;
  }
  return std::nullopt;
}

std::string without_secrets(std::string_view source) {
  std::string result;
  std::size_t at = 0;
  for (const CredentialFinding& secret : find_secrets(source)) {
    result += source.substr(at, secret.begin - at);
    result += kSecretMask;
    at = secret.end;
  }
  return result += source.substr(at);
}

}  // namespace trainyard
