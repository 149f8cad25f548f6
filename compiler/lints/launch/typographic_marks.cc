#include "lints/launch/typographic_marks.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "diag/words.h"
#include "shell/command_line.h"
#include "shell/shell_words.h"

namespace trainyard {
namespace {

/// `“python”`, with the quotes of an office program or a web page.
bool has_curly_quotes(std::string_view word) {
  constexpr auto pairs = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"\xE2\x80\x9C", "\xE2\x80\x9D"}, {"\xE2\x80\x98", "\xE2\x80\x99"}});
  return std::ranges::any_of(pairs, [&](const auto& pair) {
    return word.starts_with(pair.first) && word.ends_with(pair.second);
  });
}

}  // namespace

void check_typographic_marks(View container, const std::vector<View>& words,
                             CheckContext& context) {
  constexpr auto dashes = std::to_array<std::string_view>({"\xE2\x80\x93", "\xE2\x80\x94"});
  const auto may_hold_one = [](View word) { return word->text.find('\xE2') != std::string::npos; };
  if (std::ranges::none_of(words, may_hold_one)) return;
  for (const ShellWord& word : command_words(container)) {
    if (has_curly_quotes(word.text)) {
      context.lint(word.at,
                   "the quotes of " + shown(word.text) +
                       " are a part of the word: only `\"` and `'` are quotes",
                   Severity::Warning);
      return;
    }
    const bool begins = word.text.starts_with(dashes[0]) || word.text.starts_with(dashes[1]);
    const std::string_view rest = begins ? word.text.substr(dashes[0].size()) : std::string_view();
    if (rest.empty() || !(starts_shell_name(rest[0]) || rest[0] == '-')) continue;
    context.lint(word.at,
                 shown(word.text) + " begins with a long dash, which no program takes for `-`",
                 Severity::Warning);
    return;
  }
}

}  // namespace trainyard
