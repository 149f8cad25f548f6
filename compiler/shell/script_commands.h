#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "shell/command_line.h"
#include "tree/tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

// Texts as a shell reads them, as far as lints look at these.

/// The last part of the path of a program: `bash` of `/bin/bash`.
inline std::string_view program_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Whether a word only starts what follows it (`tini`, `env`, `exec`), or is an option of such a
/// one.
bool is_wrapper_command(std::string_view word);

/// The same for a word of a script: an assignment, a program that is given another one (`nohup`)
/// with its options and numbers.
bool is_before_program(std::string_view word);

inline std::string_view text_of_word(View word) {
  return string_of(word);
}
inline std::string_view text_of_word(const ShellWord& word) {
  return word.text;
}

/// Where the program stands that a command starts in the end, behind those that only start it; the
/// number of words where there is none.
template <class Words>
std::size_t place_of_program(const Words& words) {
  std::size_t at = 0;
  while (at < words.size() && is_wrapper_command(text_of_word(words[at]))) ++at;
  return at;
}

/// The arguments of a container, those of `command` in front.
std::vector<View> arguments_of(View container);

/// What stands behind the options of a shell, and whether it is a script by `-c`.
struct ShellCall {
  std::size_t script = 0;
  bool by_option = false;
};

/// Of words in the document or in a script.
template <class Words>
ShellCall shell_call(const Words& words, std::size_t shell) {
  ShellCall call{shell + 1};
  while (call.script < words.size()) {
    const std::string_view word = text_of_word(words[call.script]);
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) break;
    ++call.script;
    if (word == "--") break;
    if (word.starts_with("--")) continue;
    call.by_option = call.by_option || word.find('c') != word.npos;
    if (word.find_first_of("oO") != word.npos) ++call.script;  // `-o pipefail`
  }
  return call;
}

/// The text that a shell is given by `-c`; an empty view where there is none.
View script_of(const std::vector<View>& words);

/// Calls `use` for the words of each command of a script.
template <class Use>
void each_command(std::span<const ShellWord> words, Use use) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= words.size(); ++i) {
    if (i < words.size() && words[i].text != "\n") continue;
    if (i > begin) use(words.subspan(begin, i - begin));
    begin = i + 1;
  }
}

}  // namespace trainyard
