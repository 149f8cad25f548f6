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
bool only_starts_others(std::string_view word);

/// The same of a word of a script: an assignment, a program that is given another one (`nohup`)
/// with its options and numbers.
bool leads_to_program(std::string_view word);

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
  while (at < words.size() && only_starts_others(text_of_word(words[at]))) ++at;
  return at;
}

/// Calls `use` for the words of each command of a script.
template <class Use>
void each_command(const std::vector<ShellWord>& words, Use use) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= words.size(); ++i) {
    if (i < words.size() && words[i].text != "\n") continue;
    if (i > begin) use(std::span(words).subspan(begin, i - begin));
    begin = i + 1;
  }
}

}  // namespace trainyard
