#include "admission/schedule.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/words.h"
#include "manifest/go_text.h"

namespace trainyard {
namespace {

struct Field {
  std::string_view name;
  int least;
  int most;
  std::span<const std::string_view> words;  // of the numbers from `least` on
};

constexpr auto kMonths = std::to_array<std::string_view>(
    {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"});
constexpr auto kDays =
    std::to_array<std::string_view>({"sun", "mon", "tue", "wed", "thu", "fri", "sat"});
constexpr auto kFields = std::to_array<Field>({{"minute", 0, 59, {}},
                                               {"hour", 0, 23, {}},
                                               {"day of the month", 1, 31, {}},
                                               {"month", 1, 12, kMonths},
                                               {"day of the week", 0, 6, kDays}});

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> number_of(std::string_view text, const Field& field) {
  for (std::size_t i = 0; i < field.words.size(); ++i) {
    bool same = text.size() == field.words[i].size();
    for (std::size_t j = 0; same && j < text.size(); ++j) {
      same = static_cast<char>(text[j] | ' ') == field.words[i][j];
    }
    if (same) return field.least + static_cast<std::int64_t>(i);
  }
  const auto number = go_integer(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// One of the parts between commas: `*`, `5`, `1-5`, `*/10`, `5-30/5`.
Fault why_no_range(std::string_view text, const Field& field) {
  const std::string about = "has " + shown(text) + " for the " + std::string(field.name);
  const auto step = split(text, '/');
  const auto ends = split(step.front(), '-');
  if (step.size() > 2 || ends.size() > 2) return about + ", which is no range";
  if (step.size() == 2) {
    const auto each = go_integer(step.back());
    if (!each || *each <= 0) return about + "; behind `/` a number above 0 is expected";
  }
  if (ends.front() == "*" || ends.front() == "?") return std::nullopt;
  const auto first = number_of(ends.front(), field);
  const auto last = number_of(ends.back(), field);
  const std::string range = std::to_string(field.least) + " to " + std::to_string(field.most);
  if (!first || !last) return about + ", which is no number; expected " + range + " or `*`";
  if (*first < field.least || *last > field.most) return about + "; expected " + range;
  if (*first > *last) return about + ", which ends before it begins";
  return std::nullopt;
}

Fault why_no_word(std::string_view text) {
  constexpr auto words = std::to_array<std::string_view>(
      {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"});
  for (std::string_view word : words) {
    if (word == text) return std::nullopt;
  }
  constexpr std::string_view every = "@every ";
  if (!text.starts_with(every)) {
    return "is no schedule; expected `@hourly`, `@daily`, `@weekly`, `@monthly` or `@yearly`";
  }
  if (go_duration(text.substr(every.size()))) return std::nullopt;
  return "has no duration behind `@every`; expected one such as `1h30m`";
}

}  // namespace

Fault why_no_schedule(std::string_view text) {
  if (text.starts_with('@')) return why_no_word(text);
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (end != 0) fields.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (fields.size() != kFields.size()) {
    return "has " + counted(static_cast<std::uint32_t>(fields.size()), "field") +
           "; expected 5: minute, hour, day, month and day of the week";
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (std::string_view part : split(fields[i], ',')) {
      if (part.empty()) continue;
      if (Fault fault = why_no_range(part, kFields[i])) return fault;
    }
  }
  return std::nullopt;
}

}  // namespace trainyard
