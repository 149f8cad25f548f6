#include "lints/launch/unset_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Joint = ScriptCommand::Joint;

// Each name is searched for in the whole script: longer ones are left out.
constexpr std::size_t kLongestScript = 64 * 1024;  // bytes
constexpr std::size_t kMostNames = 500;            // that a script reads, or sets

/// `-eu`, also of the shell itself.
bool is_switch(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find('u') != word.npos;
}

bool is_outer(const ScriptCommand& command) {
  return command.is_simple() && command.around == kNoCommand && !command.is_output &&
         !command.words.empty();
}

/// `set -u`, `set -euo pipefail`, `set -o nounset`.
bool turns_on(const ScriptCommand& command) {
  if (!is_outer(command) || command.before != Joint::Line) return false;
  if (command.words.front().text != "set") return false;
  return std::ranges::any_of(command.words, [](const ScriptWord& word) {
    return is_switch(word.text) || word.text == "nounset";
  });
}

/// Whether variables may come from elsewhere, or what stands behind may not be reached.
bool hides_variables(const Script& script) {
  if (script.text.find("set +") != std::string_view::npos) return true;
  constexpr auto kWords =
      std::to_array<std::string_view>({"source", ".", "eval", "exit", "return", "trap", "module"});
  return std::ranges::any_of(script.commands, [&](const ScriptCommand& command) {
    return command.is_simple() && !command.words.empty() &&
           std::ranges::find(kWords, command.words.front().text) != kWords.end();
  });
}

/// What shells, images and Kubernetes may set.
bool is_known_elsewhere(std::string_view name) {
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"CUDA",       "NV",       "NCCL",       "LD_",
       "PYTHON",     "CONDA",    "KUBERNETES", "OMPI",
       "PMI",        "TORCH",    "JAVA",       "BASH",
       "HOST",       "HOME",     "PATH",       "USER",
       "SHELL",      "PWD",      "OLDPWD",     "TERM",
       "LANG",       "LC_",      "EUID",       "PPID",
       "OPT",        "REPLY",    "RANDOM",     "SECONDS",
       "LINENO",     "FUNCNAME", "OSTYPE",     "JOB_COMPLETION_INDEX",
       "PIPESTATUS", "ROCM",     "HIP",        "HF_",
       "TMP",        "TEMP"});
  return name.ends_with("_SERVICE_HOST") || name.find("_PORT") != name.npos ||
         std::ranges::any_of(kStarts, [&](auto start) { return name.starts_with(start); });
}

/// Whether a name stands anywhere in a script but behind `$`, as in `read NAME`.
bool is_mentioned(std::string_view text, std::string_view name) {
  const auto is_part = [](char c) {
    return kShellNameCharacters.find(c) != std::string_view::npos;
  };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end < text.size() && is_part(text[end])) continue;
    if (at == 0) return true;
    if (is_part(text[at - 1])) continue;
    const bool is_read = text[at - 1] == '$' || (at > 1 && text.substr(at - 2, 2) == "${");
    if (!is_read) return true;
  }
  return false;
}

/// Names that the container or the script sets.
std::vector<std::string_view> set_names(View container, const Script& script) {
  std::vector<std::string_view> names;
  for (View each : items_at(container, "env")) names.push_back(string_at(each, "name"));
  for (const ScriptCommand& command : script.commands) {
    if (!command.is_simple()) continue;
    for (const ScriptWord& word : command.words) {
      const std::string_view text = word.text;
      const std::size_t equal = text.find_first_not_of(kShellNameCharacters);
      if (equal == text.npos) {
        if (text != "export") break;
        continue;
      }
      if (equal == 0 || text[equal] != '=') break;
      names.push_back(text.substr(0, equal));
    }
  }
  return names;
}

/// The command that surely reads an expansion, when it is reached; null for none.
const ScriptCommand* surely_read_by(const Script& script, const Expansion& each) {
  const ScriptCommand* found = nullptr;
  for (const ScriptCommand& command : script.commands) {
    if (each.begin < command.begin || each.begin >= command.end) continue;
    const bool is_alone = command.before == Joint::Line && command.behind == Joint::Line;
    if (found != nullptr || !is_outer(command) || !is_alone) return nullptr;
    found = &command;
  }
  return found;
}

/// `$NAME` or `${NAME}`.
bool is_plain(const Script& script, const Expansion& each) {
  if (each.kind != Expansion::Kind::Variable || each.change != 0 || each.name.size() < 4) {
    return false;
  }
  const auto at = static_cast<std::size_t>(each.name.data() - script.text.data());
  return at == each.begin + 1 || (at == each.begin + 2 && script.text[each.begin + 1] == '{');
}

bool has_default(const Script& script, std::string_view name) {
  return std::ranges::any_of(script.expansions, [&](const Expansion& other) {
    return other.name == name && !is_plain(script, other);
  });
}

/// Where the shell begins to end at what nothing sets; the length of the script if it never does.
std::size_t switched_on(const std::vector<View>& words, View text, const Script& script) {
  for (std::size_t at = place_of_program(words) + 1; at < words.size(); ++at) {
    if (words[at].is_at(text)) break;
    if (is_switch(string_of(words[at]))) return 0;
  }
  const auto found = std::ranges::find_if(script.commands, turns_on);
  return found == script.commands.end() ? script.text.size() : found->end;
}

}  // namespace

void check_unset_names(const Workload& workload, const WorkloadRole& role, View container,
                       CheckContext& context) {
  const std::vector<View> words = arguments_of(container);
  const View text = script_of(words);
  if (string_of(text).empty() || text->text.find("{{") != std::string_view::npos) return;
  if (text->text.size() > kLongestScript) return;
  const auto read = script_in(text);
  const Script& script = *read;
  const std::size_t from = switched_on(words, text, script);
  if (from == script.text.size() || script.fault || hides_variables(script)) return;
  const std::vector<std::string_view> names = set_names(container, script);
  if (names.size() > kMostNames || script.expansions.size() > kMostNames) return;
  for (const Expansion& each : script.expansions) {
    if (each.begin < from || !is_plain(script, each) || is_known_elsewhere(each.name)) continue;
    if (is_mentioned(script.text, each.name) || has_default(script, each.name)) continue;
    if (std::ranges::find(names, each.name) != names.end()) continue;
    if (is_injected(workload, role, container, each.name)) continue;
    const auto near = std::ranges::find_if(
        names, [&](std::string_view name) { return is_typo_of_name(each.name, name); });
    if (near == names.end() || surely_read_by(script, each) == nullptr) continue;
    context.lint(WordView(text, each.begin, each.end),
                 "nothing sets " + shown(each.name) + ", but " + shown(*near) +
                     ", and `set -u` ends the shell there",
                 Severity::Warning);
    return;
  }
}

}  // namespace trainyard
