#include "lints/scripts/misspelt_variables.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "shell/command_line.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "shell/word_view.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_of_name(char c) {
  return kShellNameCharacters.find(c) != kShellNameCharacters.npos;
}

/// Set by shells, images, Kubernetes, operators and launchers.
bool may_be_set_by_others(std::string_view name) {
  constexpr std::string_view names[] = {"EUID",
                                        "FUNCNAME",
                                        "HOME",
                                        "HOSTNAME",
                                        "HOSTTYPE",
                                        "LANG",
                                        "LINENO",
                                        "LOCAL_RANK",
                                        "LOCAL_WORLD_SIZE",
                                        "MAPFILE",
                                        "MASTER_ADDR",
                                        "NNODES",
                                        "NODE_RANK",
                                        "NPROC_PER_NODE",
                                        "NUM_PROCESSES",
                                        "OLDPWD",
                                        "OPTARG",
                                        "OPTIND",
                                        "PATH",
                                        "PIPESTATUS",
                                        "PPID",
                                        "PROCESS_ID",
                                        "PWD",
                                        "RANDOM",
                                        "RANK",
                                        "REPLY",
                                        "SECONDS",
                                        "SHELL",
                                        "SHLVL",
                                        "TERM",
                                        "TMPDIR",
                                        "UID",
                                        "USER",
                                        "WORLD_SIZE"};
  constexpr auto beginnings = std::to_array<std::string_view>(
      {"AWS_",        "BASH",    "COORDINATOR_", "CUDA_",      "DMLC_",  "HF_",   "JOB_",
       "KUBERNETES_", "LD_",     "LWS_",         "MEGASCALE_", "MPI",    "NCCL_", "NVIDIA_",
       "OMPI_",       "PADDLE_", "PET_",         "PMIX_",      "PYTHON", "RAY_",  "SLURM_",
       "TPU_",        "VC_",     "VK_",          "WORKER_"});
  return std::ranges::find(names, name) != std::end(names) || name.find("_SERVICE_") != name.npos ||
         name.find("_PORT") != name.npos || name.ends_with("_VERSION") ||
         std::ranges::any_of(beginnings,
                             [&](std::string_view each) { return name.starts_with(each); });
}

/// Scripts that take variables from elsewhere, and those whose text is hard to tell from code.
bool is_unclear(std::string_view script) {
  constexpr auto signs = std::to_array<std::string_view>({"source ", " . ", "\t. ", "\n. ", "eval ",
                                                          "<<", "export $", "export \"", "declare ",
                                                          "set -a", "set -o allexport", "awk"});
  return script.starts_with(". ") || std::ranges::any_of(signs, [&](std::string_view sign) {
           return script.find(sign) != script.npos;
         });
}

/// Where values are put in, but for those that say what is put in where nothing is set.
bool is_plain_use(const Expansion& each) {
  return each.kind == Expansion::Kind::Variable && !each.name.empty() &&
         starts_shell_name(each.name[0]) &&
         std::string_view(":-+=").find(each.change) == std::string_view::npos;
}

/// Whether what is put in here is tested: `[ -n "$NAME" ]`. It may be empty, and the script knows.
bool ends_with_test(std::string_view before) {
  for (std::string_view mark : {"{", "$", "\""}) {
    if (before.ends_with(mark)) before.remove_suffix(1);
  }
  return before.ends_with("-n ") || before.ends_with("-z ");
}

/// The names that stand in a script other than to put their values in, as `NAME=` and `read NAME`
/// do, and those that it tests.
std::set<std::string_view> names_with_care(std::string_view script) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (!is_of_name(script[i])) continue;
    const std::size_t begin = i;
    while (i < script.size() && is_of_name(script[i])) ++i;
    const std::string_view before = script.substr(0, begin);
    const bool is_put_in = before.ends_with('$') || before.ends_with('{');
    if (!is_put_in || ends_with_test(before)) names.insert(script.substr(begin, i - begin));
  }
  return names;
}

/// The variable of the container that was meant; "" for none, and where several are near.
std::string_view meant(View container, std::string_view name) {
  constexpr std::uint32_t kMostCandidates = 200;  // among more, a guess costs too much
  if (get(container, "env")->size > kMostCandidates) return {};
  std::string_view found;
  for (View each : items_at(container, "env")) {
    const std::string_view known = string_at(each, "name");
    if (known == name) return {};
    if (known == found || !is_slip_of_name(name, known)) continue;
    if (!found.empty()) return {};
    found = known;
  }
  return found;
}

/// By its first word alone, which is the same in many jobs: most start no shell.
bool may_start_shell(View command) {
  if (!has_items(command)) return false;
  const std::string_view first = string_of(*Items(command).begin());
  return first.ends_with("sh") || only_starts_others(first);
}

}  // namespace

void check_misspelt_variables(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View container = each.node;
    if (!may_start_shell(get(container, "command"))) continue;
    if (!has_items(get(container, "env")) || has_items(get(container, "envFrom"))) continue;
    const View script = script_of(arguments_of(container));
    const std::string_view text = string_of(script);
    if (text.empty() || is_unclear(text)) continue;
    const auto read = script_in(script);
    std::set<std::string_view> passed_over = names_with_care(text);
    for (const Expansion& use : read->expansions) {
      if (!is_plain_use(use)) continue;
      const std::string_view name = use.name;
      if (!passed_over.insert(name).second || may_be_set_by_others(name)) continue;
      const std::string_view known = meant(container, name);
      if (known.empty()) continue;
      context.lint(WordView(script, read->end_of_name(use) - name.size(), read->end_of_name(use)),
                   "nothing sets " + shown(name) + "; did you mean " + shown(known) + "?");
      break;
    }
  }
}

}  // namespace trainyard
