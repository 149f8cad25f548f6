#include "cel/field_names.h"

#include <algorithm>
#include <array>

#include "cel/lexer.h"
#include "source/characters.h"

namespace trainyard::cel {
namespace {

struct Escape {
  std::string_view word;
  std::string_view meaning;
};
constexpr std::array<Escape, 4> kEscapes = {
    {{"underscores", "__"}, {"dot", "."}, {"dash", "-"}, {"slash", "/"}}};

bool is_keyword(std::string_view word) {
  return word == "true" || word == "false" || word == "null" || word == "in" || is_reserved(word);
}

}  // namespace

bool unescape_field(std::string_view escaped, std::string& name) {
  name.clear();
  const std::string_view all = escaped;
  while (!escaped.empty()) {
    const std::size_t open = escaped.find("__");
    const std::size_t close = open == escaped.npos ? open : escaped.find("__", open + 2);
    if (close == escaped.npos) break;
    const std::string_view word = escaped.substr(open + 2, close - open - 2);
    const auto found = std::ranges::find(kEscapes, word, &Escape::word);
    name += escaped.substr(0, open);
    if (found != kEscapes.end()) {
      name += found->meaning;
    } else if (is_keyword(word) && word.size() + 4 == all.size()) {
      name += word;
    } else {
      return false;
    }
    escaped.remove_prefix(close + 2);
  }
  name += escaped;
  return true;
}

bool escape_field(std::string_view name, std::string& escaped) {
  escaped.clear();
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  if (is_keyword(name)) {
    escaped.append("__").append(name).append("__");
    return true;
  }
  while (!name.empty()) {
    const auto found = std::ranges::find_if(
        kEscapes, [&](const Escape& each) { return name.starts_with(each.meaning); });
    if (found != kEscapes.end()) {
      escaped.append("__").append(found->word).append("__");
      name.remove_prefix(found->meaning.size());
      continue;
    }
    const char c = name.front();
    const bool plain = is_alphanumeric(c) || c == '_';
    if (!plain) return false;
    escaped += c;
    name.remove_prefix(1);
  }
  return true;
}

}  // namespace trainyard::cel
