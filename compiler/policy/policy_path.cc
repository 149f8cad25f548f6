#include "policy/policy_path.h"

#include <algorithm>

namespace trainyard {
namespace {

using Part = PolicyPath::Part;
using Step = PolicyPath::Step;

/// What stands in brackets at the beginning of `text`, which loses it. Nothing for another thing.
std::optional<Part> take_brackets(std::string_view& text) {
  for (const auto& [words, step] :
       {std::pair<std::string_view, Step>{"[]", Step::Items}, {"[*]", Step::Entries}}) {
    if (!text.starts_with(words)) continue;
    text.remove_prefix(words.size());
    return Part{step, {}};
  }
  if (text.size() < 2 || (text[1] != '"' && text[1] != '\'')) return std::nullopt;
  const std::size_t end = text.find(std::string{text[1], ']'}, 2);
  if (end == std::string_view::npos) return std::nullopt;
  Part part{Step::Field, std::string(text.substr(2, end - 2))};
  text.remove_prefix(end + 2);
  return part;
}

}  // namespace

std::optional<PolicyPath> read_policy_path(std::string_view text) {
  PolicyPath path;
  bool wants_name = true;
  while (!text.empty()) {
    if (text.front() == '[') {
      auto part = take_brackets(text);
      if (!part) return std::nullopt;
      path.parts.push_back(std::move(*part));
      wants_name = false;
      continue;
    }
    if (text.front() == '.') {
      if (wants_name) return std::nullopt;
      text.remove_prefix(1);
    } else if (!wants_name) {
      return std::nullopt;
    }
    const std::size_t end = std::min(text.find_first_of(".["), text.size());
    if (end == 0) return std::nullopt;
    path.parts.push_back({Step::Field, std::string(text.substr(0, end))});
    text.remove_prefix(end);
    wants_name = false;
  }
  return path;
}

View PolicyPath::first(View from) const {
  View result;
  each(from, [&](View value) {
    if (!result) result = value;
  });
  return result;
}

}  // namespace trainyard
