#include "lints/training/endless_program.h"

#include <span>
#include <string_view>

#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The words of the last command of a container, which is what it ends with.
ShellWords last_command(View container) {
  const ShellWords words = command_words(container);
  std::span<const ShellWord> last;
  each_command(words, [&](std::span<const ShellWord> command) { last = command; });
  return {last, words.kept};
}

bool is_in_background(View argument) {
  std::string_view text = string_of(argument);
  while (text.ends_with(' ') || text.ends_with('\n')) text.remove_suffix(1);
  return text.ends_with('&');
}

}  // namespace

/// `sshd -D` stays in the foreground; `-d` and `-i` serve one connection.
View runs_for_good(View container) {
  const ShellWords words = last_command(container);
  std::size_t at = place_of_program(words);
  if (at < words.size() && is_shell(words[at].text)) {
    ++at;
    while (at < words.size() && is_wrapper_command(words[at].text)) ++at;
  }
  if (at + 1 >= words.size() || is_in_background(words.back().at)) return {};
  const std::string_view program = program_name(words[at].text);
  const std::string_view first = words[at + 1].text;
  if (program == "sleep") {
    return first == "infinity" || first == "inf" ? View(words[at].at) : View();
  }
  if (program == "tail") {
    return first.starts_with("-f") && words.back().text == "/dev/null" ? View(words[at].at)
                                                                       : View();
  }
  // The daemon of GPUDirect-TCPXO serves until it is stopped.
  if (program == "tensorboard" || program == "entrypoint_rxdm_container.sh") return words[at].at;
  if (program != "sshd") return {};
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const std::string_view option = words[i].text;
    const bool is_flags =
        option.starts_with('-') && option.find_first_not_of("46Deq", 1) == option.npos;
    if (is_flags && option.find('D') != option.npos) return words[at].at;
  }
  return {};
}

}  // namespace trainyard
