#include "schema/names.h"

#include <algorithm>
#include <array>

#include "schema/type_words.h"
#include "source/characters.h"
#include "tree/recent_texts.h"

namespace trainyard {
namespace {

constexpr bool is_lower_alphanumeric(char c) {
  return is_lower(c) || is_digit(c);
}
constexpr bool in_dns_label(char c) {
  return is_lower_alphanumeric(c) || c == '-';
}
constexpr bool in_subdomain(char c) {
  return in_dns_label(c) || c == '.';
}
constexpr bool in_key(char c) {
  return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}
constexpr bool in_url_path(char c) {
  return is_alphanumeric(c) ||
         std::string_view("/-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
}
constexpr bool in_shell_name(char c) {
  return is_alphanumeric(c) || c == '_';
}

Fault too_long(std::string_view text, std::size_t limit) {
  return "has " + std::to_string(text.size()) + " characters, at most " + std::to_string(limit) +
         " are allowed";
}

/// The character at `at`, whole even if it takes several bytes.
std::string character(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return shown(text.substr(at, end - at));
}

/// A class of characters, to be asked without a call.
using Characters = std::array<bool, 256>;

constexpr Characters characters(bool (*allowed)(char)) {
  Characters table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = allowed(static_cast<char>(c));
  return table;
}

constexpr Characters kInDnsLabel = characters(in_dns_label);
constexpr Characters kInSubdomain = characters(in_subdomain);
constexpr Characters kInUrlPath = characters(in_url_path);
constexpr Characters kInKey = characters(in_key);
constexpr Characters kInShellName = characters(in_shell_name);

Fault foreign_character(std::string_view text, const Characters& allowed, std::string_view only) {
  const auto at = std::ranges::find_if_not(
      text, [&allowed](char c) { return allowed[static_cast<unsigned char>(c)]; });
  if (at == text.end()) return std::nullopt;
  const auto offset = static_cast<std::size_t>(at - text.begin());
  return "holds " + character(text, offset) + ", only " + std::string(only) + " are allowed";
}

Fault bad_ends(std::string_view text, bool (*allowed)(char), std::string_view wanted) {
  if (!allowed(text.front())) {
    return "starts with " + character(text, 0) + ", it must start with " + std::string(wanted);
  }
  if (!allowed(text.back())) {
    return "ends with " + shown(text.substr(text.size() - 1)) + ", it must end with " +
           std::string(wanted);
  }
  return std::nullopt;
}

// Most texts are right. These see it in one pass; the functions below say what is wrong with
// others.

/// Parts of lower-case letters, digits and `-`, with dots between, that begin and end with none
/// but letters and digits.
bool is_subdomain(std::string_view text) {
  if (text.size() > kSubdomainSize) return false;
  char last = '.';
  for (char c : text) {
    if (!is_lower_alphanumeric(c)) {
      if (c != '-' && c != '.') return false;
      if (last == '.' || (c == '.' && last == '-')) return false;
    }
    last = c;
  }
  return last != '.' && last != '-';
}

bool is_key_part(std::string_view text) {
  if (text.empty() || text.size() > kLabelSize) return false;
  for (char c : text) {
    if (!kInKey[static_cast<unsigned char>(c)]) return false;
  }
  return is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

bool has_label_key_form(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_key_part(text);
  return is_subdomain(text.substr(0, slash)) && is_key_part(text.substr(slash + 1));
}

/// The same few keys come again and again, in every object and for check after check.
bool is_label_key(std::string_view text) {
  constinit thread_local RecentTexts right;
  const bool is_short = !text.empty() && text.size() <= RecentTexts::kLongest;
  if (is_short && right.find(text) != nullptr) return true;
  if (!has_label_key_form(text)) return false;
  if (is_short) right.add(text, 1);
  return true;
}

/// The name part of a key, or a label value that is not empty.
Fault why_not_key_part(std::string_view text) {
  if (text.size() > kLabelSize) return too_long(text, kLabelSize);
  if (Fault fault = foreign_character(text, kInKey, "letters, digits, `-`, `_` and `.`")) {
    return fault;
  }
  return bad_ends(text, is_alphanumeric, "a letter or digit");
}

Fault why_not_key(std::string_view text, Fault (*prefix_fault)(std::string_view)) {
  if (text.empty()) return "is empty";
  const std::size_t slash = text.find('/');
  std::string_view name = text;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) return "has more than one `/`";
    if (prefix.empty()) return "has nothing before the `/`";
    if (Fault fault = prefix_fault(prefix)) return "has a prefix that " + *fault;
  }
  if (name.empty()) return "has nothing after the `/`";
  return why_not_key_part(name);
}

Fault why_not_any_case_subdomain(std::string_view text) {
  return std::ranges::any_of(text, is_upper) ? why_not_subdomain(lower_case(text))
                                             : why_not_subdomain(text);
}

/// Names that a file system would take for something else.
Fault why_a_special_path(std::string_view text) {
  if (text == "." || text.starts_with("..")) return "must not be `.` or start with `..`";
  return std::nullopt;
}

}  // namespace

Fault why_not_dns_label(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > kLabelSize) return too_long(text, kLabelSize);
  if (Fault fault = foreign_character(text, kInDnsLabel, "lower-case letters, digits and `-`")) {
    return fault;
  }
  return bad_ends(text, is_lower_alphanumeric, "a lower-case letter or digit");
}

Fault why_not_subdomain(std::string_view text) {
  if (is_subdomain(text)) return std::nullopt;
  if (text.empty()) return "is empty";
  if (text.size() > kSubdomainSize) return too_long(text, kSubdomainSize);
  constexpr std::string_view only = "lower-case letters, digits, `-` and `.`";
  if (Fault fault = foreign_character(text, kInSubdomain, only)) return fault;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    if (begin == end) return "has an empty part beside a `.`";
    const std::string_view part = text.substr(begin, end - begin);
    if (Fault fault = bad_ends(part, is_lower_alphanumeric, "a lower-case letter or digit")) {
      return part.size() == text.size() ? fault : "has a part " + shown(part) + " that " + *fault;
    }
    begin = end + 1;
  }
  return std::nullopt;
}

Fault why_not_service_name(std::string_view text) {
  if (Fault fault = why_not_dns_label(text)) return fault;
  if (is_lower(text.front())) return std::nullopt;
  return "starts with the digit " + character(text, 0) + ", it must start with a letter";
}

Fault why_not_path_segment(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text == "." || text == "..") return "must not be `.` or `..`";
  for (std::string_view bad : {"/", "%"}) {
    if (text.find(bad) != std::string_view::npos) return "must not hold " + shown(bad);
  }
  return std::nullopt;
}

Fault why_not_label_key(std::string_view text) {
  return is_label_key(text) ? std::nullopt : why_not_key(text, why_not_subdomain);
}

Fault why_not_annotation_key(std::string_view text) {
  return is_label_key(text) ? std::nullopt : why_not_key(text, why_not_any_case_subdomain);
}

Fault why_not_label_value(std::string_view text) {
  return text.empty() || is_key_part(text) ? std::nullopt : why_not_key_part(text);
}

Fault why_not_env_name(std::string_view text) {
  if (text.empty()) return "is empty";
  if (Fault fault = why_a_special_path(text)) return fault;
  if (Fault fault = foreign_character(text, kInKey, "letters, digits, `-`, `_` and `.`")) {
    return fault;
  }
  if (is_digit(text.front())) return "starts with a digit, it must start with a letter or `_`";
  return std::nullopt;
}

Fault why_not_shell_name(std::string_view text) {
  if (text.empty()) return "is empty";
  if (Fault fault = foreign_character(text, kInShellName, "letters, digits and `_`")) return fault;
  if (is_digit(text.front())) return "starts with a digit, it must start with a letter or `_`";
  return std::nullopt;
}

Fault why_not_port_name(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > kPortNameSize) return too_long(text, kPortNameSize);
  if (Fault fault = foreign_character(text, kInDnsLabel, "lower-case letters, digits and `-`")) {
    return fault;
  }
  if (text.find("--") != std::string_view::npos) return "must not hold `--`";
  if (Fault fault = bad_ends(text, is_lower_alphanumeric, "a lower-case letter or digit")) {
    return fault;
  }
  if (std::ranges::none_of(text, is_lower)) return "has no letter, it needs at least one";
  return std::nullopt;
}

Fault why_not_domain_path(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size() ||
      why_not_subdomain(text.substr(0, slash))) {
    return "is not of the form `domain/name`, such as `kueue.x-k8s.io/multikueue`";
  }
  return foreign_character(text.substr(slash + 1), kInUrlPath, "those of a URL path");
}

Fault why_not_config_key(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > kSubdomainSize) return too_long(text, kSubdomainSize);
  if (Fault fault = why_a_special_path(text)) return fault;
  return foreign_character(text, kInKey, "letters, digits, `-`, `_` and `.`");
}

}  // namespace trainyard
