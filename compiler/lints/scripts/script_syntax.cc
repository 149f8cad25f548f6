#include "lints/scripts/script_syntax.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "check/typos.h"
#include "diag/words.h"
#include "shell/command_line.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_call.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

WordView place_of_word_in(View word) {
  return word;
}
WordView place_of_word_in(const ShellWord& word) {
  return word.at;
}

/// The option of the shell that is meant by a word behind `-o`; "" for one that there is, and for
/// what is like none.
std::string_view meant_option(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>(
      {"allexport",  "braceexpand", "emacs",     "errexit", "errtrace", "functrace", "hashall",
       "histexpand", "history",     "ignoreeof", "keyword", "monitor",  "noclobber", "noexec",
       "noglob",     "nolog",       "notify",    "nounset", "onecmd",   "physical",  "pipefail",
       "posix",      "privileged",  "verbose",   "vi",      "xtrace"});
  if (std::ranges::find(names, word) != names.end()) return {};
  const auto* const near =
      std::ranges::find_if(names, [word](std::string_view name) { return is_slip_of(word, name); });
  return near == names.end() ? std::string_view() : *near;
}

/// `set -o pipefial`, `bash -eo pipefial -c ...`.
template <class Words>
void shell_options(const Words& words, std::size_t first, std::size_t end, CheckContext& context) {
  for (std::size_t i = first; i + 1 < end; ++i) {
    const std::string_view word = text_of_word(words[i]);
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+') || !word.ends_with('o')) continue;
    const std::string_view option = text_of_word(words[i + 1]);
    const std::string_view meant = meant_option(option);
    if (meant.empty()) continue;
    context.lint(place_of_word_in(words[i + 1]), "the shell has no option " + shown(option) +
                                                     "; did you mean " + shown(meant) + "?");
  }
}

}  // namespace

void check_script_syntax(const Pod& pod, CheckContext& context) {
  constexpr auto shells = std::to_array<std::string_view>({"sh", "bash", "dash", "ash"});
  if (string_at(get(pod.spec, "os"), "name") == "windows") return;
  for (const PodContainer& each : pod.containers) {
    const std::vector<View> words = arguments_of(each.node);
    const View script = script_of(words);
    const std::string_view text = string_of(script);
    if (text.find_first_of(" \t\n\r") == text.npos || text.find("{{") != text.npos) continue;
    const std::string_view shell = program_name(string_of(words[place_of_program(words)]));
    if (std::ranges::find(shells, shell) == shells.end()) continue;
    const std::size_t program = place_of_program(words);
    shell_options(words, program + 1, words.size(), context);
    const Script read = read_script(text);
    each_command(argument_words(script), [&](std::span<const ShellWord> command) {
      if (command[0].text == "set") shell_options(command, 1, command.size(), context);
    });
    if (!read.fault) continue;
    context.lint(WordView(script, read.fault->begin, read.fault->end),
                 "the shell cannot read the script: " + read.fault->what);
  }
}

}  // namespace trainyard
