#include "convert/generated_mpirun.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "shell/launchers.h"
#include "shell/plain_command.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kEnd = "exec \"$@\"\n";
constexpr auto kHostVariables = std::to_array<std::string_view>(
    {"OMPI_MCA_orte_keep_fqdn_hostnames", "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args",
     "OMPI_MCA_orte_set_default_slots", "PRTE_MCA_prte_default_hostfile",
     "PRTE_MCA_prte_set_default_slots", "PRTE_MCA_plm_ssh_args",
     "PRTE_MCA_prte_keep_fqdn_hostnames", "I_MPI_HYDRA_HOST_FILE",
     "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "I_MPI_PERHOST", "HYDRA_HOST_FILE",
     "HYDRA_LAUNCH_EXTRA_ARGS"});

/// Reads one word after the other.
class LineReader {
 public:
  explicit LineReader(View container) : container_(container) {
    for (View each : arguments_of(container)) words_.emplace_back(each->text);
  }

  std::optional<GeneratedMpirun> read() {
    wrappers();
    if (!take("mpirun")) return std::nullopt;
    take("--allow-run-as-root");
    if (!take("-np") || !number(made_.ranks)) return std::nullopt;
    if (at("--map-by") && at("slot", 1)) i_ += 2;
    if (at("--bind-to") && at("none", 1)) i_ += 2;
    if (take("-ppn") && !number(made_.per_node)) return std::nullopt;
    if (!variables()) return std::nullopt;
    options();
    rank_shell();
    if (i_ >= words_.size()) return std::nullopt;
    made_.program.insert(made_.program.end(), words_.begin() + static_cast<std::ptrdiff_t>(i_),
                         words_.end());
    return std::move(made_);
  }

 private:
  bool at(std::string_view word, std::size_t further = 0) const {
    return i_ + further < words_.size() && words_[i_ + further] == word;
  }
  bool take(std::string_view word) {
    if (!at(word)) return false;
    ++i_;
    return true;
  }
  bool number(std::int64_t& value) {
    if (i_ >= words_.size()) return false;
    const std::string& text = words_[i_++];
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  }

  bool is_shell_call() const { return at("/bin/sh") && at("-c", 1) && at("sh", 3); }

  /// What reaches the workers, and what is to run before.
  void wrappers() {
    while (is_shell_call()) {
      const std::string script = as_shell_sees(words_[i_ + 2]);
      if (!script.ends_with(kEnd)) return;
      const bool reaches = reaches_hosts(script);
      if (!reaches && !script.starts_with("set -e\n")) return;
      if (!reaches) made_.preparation = words_[i_ + 2];
      i_ += 4;
    }
  }

  bool is_own_variable(std::string_view assignment) const {
    const std::string_view name = assignment.substr(0, assignment.find('='));
    return std::ranges::any_of(items_at(container_, "env"),
                               [&](View each) { return string_at(each, "name") == name; });
  }

  /// Those of the image, and then those of the container.
  bool variables() {
    if (take("-genvlist")) {
      const bool usual = i_ < words_.size() && words_[i_].starts_with("PATH,LD_LIBRARY_PATH");
      if (!usual) return false;
      std::string_view names = words_[i_++];
      while (!names.empty()) {
        const std::size_t end = std::min(names.find(','), names.size());
        made_.exported.emplace(names.substr(0, end));
        names.remove_prefix(std::min(end + 1, names.size()));
      }
      for (; at("-genv") && i_ + 2 < words_.size() && is_own_variable(words_[i_ + 1]); i_ += 3) {
        made_.exported.insert(words_[i_ + 1]);
      }
      return true;
    }
    for (std::string_view name : {"PATH", "LD_LIBRARY_PATH"}) {
      if (!take("-x") || !take(name)) return false;
      if (is_own_variable(name)) made_.exported.emplace(name);
    }
    for (; at("-x") && i_ + 1 < words_.size() && is_own_variable(words_[i_ + 1]); i_ += 2) {
      made_.exported.insert(words_[i_ + 1].substr(0, words_[i_ + 1].find('=')));
    }
    return true;
  }

  void options() {
    while (i_ < words_.size() && words_[i_].size() > 1 && words_[i_][0] == '-') {
      const std::size_t count = 1 + mpirun_options.values_behind(words_[i_]);
      for (std::size_t k = 0; k < count && i_ < words_.size(); ++k) {
        made_.options.push_back(words_[i_++]);
      }
    }
  }

  void rank_shell() {
    if (!is_shell_call()) return;
    const auto shell = read_rank_shell(as_shell_sees(words_[i_ + 2]));
    if (!shell) return;
    made_.program = shell->front;
    made_.tells_local_rank =
        std::ranges::find(shell->exported, "LOCAL_RANK") != shell->exported.end();
    i_ += 4;
  }

  std::vector<std::string> words_;
  View container_;
  std::size_t i_ = 0;
  GeneratedMpirun made_;
};

}  // namespace

std::optional<RankShell> read_rank_shell(std::string_view script) {
  const Script read = read_script(script);
  if (read.fault || read.commands.empty()) return std::nullopt;
  RankShell shell;
  for (const ScriptCommand& each : std::span(read.commands).first(read.commands.size() - 1)) {
    const bool exports = each.words.size() == 2 && each.words[0].text == "export" &&
                         each.words[1].text.find("=$") != std::string::npos;
    if (!exports) return std::nullopt;
    shell.exported.emplace_back(assigned_name(each.words[1].text));
  }
  std::span words(read.commands.back().words);
  if (words.size() < 2 || words.front().text != "exec" || words.back().text != "$@") return {};
  words = words.subspan(1, words.size() - 2);
  if (words.empty()) return shell.exported.empty() ? std::nullopt : std::optional(shell);
  if (!words.back().text.starts_with('$')) return std::nullopt;
  for (const ScriptWord& each : words.first(words.size() - 1)) shell.front.push_back(each.text);
  shell.front.emplace_back("$(NODE_RANK)");
  return shell;
}

bool reaches_hosts(std::string_view script) {
  bool tells_port = false;
  for (constexpr std::string_view kExport = "export "; script.starts_with(kExport);) {
    const std::string_view line = script.substr(kExport.size());
    if (!is_host_variable(line.substr(0, line.find('=')))) return false;
    script.remove_prefix(std::min(script.find('\n'), script.size() - 1) + 1);
    tells_port = true;
  }
  if (tells_port && script == kEnd) return true;
  constexpr std::string_view kEndOfWait = "end=$(($(date +%s) + 1800))\n";
  if (script.starts_with(kEndOfWait)) script.remove_prefix(kEndOfWait.size());
  return script.starts_with("for host in $(sed '");
}

std::optional<GeneratedMpirun> read_made_mpirun(View container) {
  return LineReader(container).read();
}

bool is_host_variable(std::string_view name) {
  return std::ranges::find(kHostVariables, name) != kHostVariables.end();
}

}  // namespace trainyard
