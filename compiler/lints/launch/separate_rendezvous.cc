#include "lints/launch/separate_rendezvous.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "check/check.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "source/characters.h"
#include "source/word_table.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_of_variable(char c) {
  return is_alphanumeric(c) || c == '_';
}

/// The length of `$NAME`, `${NAME}` or `$(NAME)` at the beginning of a text; 0 where another text
/// is there.
std::size_t variable_at(std::string_view text, std::string_view name) {
  for (const auto& [open, close] :
       {std::pair{std::string_view("${"), '}'}, std::pair{std::string_view("$("), ')'}}) {
    const std::size_t end = open.size() + name.size();
    if (text.starts_with(open) && text.substr(open.size()).starts_with(name) && text.size() > end &&
        text[end] == close) {
      return end + 1;
    }
  }
  if (!text.starts_with('$') || !text.substr(1).starts_with(name)) return 0;
  const std::size_t end = name.size() + 1;
  return end < text.size() && is_of_variable(text[end]) ? 0 : end;
}

/// `$(hostname)`, with options alone.
std::size_t host_name_at(std::string_view text) {
  constexpr std::string_view kCall = "$(hostname";
  if (!text.starts_with(kCall)) return 0;
  const std::size_t end = text.find(')');
  if (end == text.npos) return 0;
  const std::string_view options = text.substr(kCall.size(), end - kCall.size());
  const bool plain = std::ranges::all_of(
      options, [](char c) { return c == ' ' || c == '-' || is_lower(c) || c == 'I'; });
  return plain ? end + 1 : 0;
}

/// What a field of the pod says that is another one in each pod.
bool is_own_field(View variable) {
  constexpr auto fields = std::to_array<std::string_view>(
      {"metadata.name", "metadata.uid", "status.podIP", "status.podIPs"});
  const std::string_view path = string_at(get(get(variable, "valueFrom"), "fieldRef"), "fieldPath");
  return std::ranges::find(fields, path) != fields.end();
}

/// The length of what stands for the pod itself at the beginning of a text; 0 where it does not.
std::size_t own_at(std::string_view text, View container) {
  if (!text.starts_with('$')) return 0;
  if (const std::size_t length = host_name_at(text)) return length;
  if (const std::size_t length = variable_at(text, "HOSTNAME")) return length;
  for (View each : items_at(container, "env")) {
    if (!is_own_field(each)) continue;
    if (const std::size_t length = variable_at(text, string_at(each, "name"))) return length;
  }
  return 0;
}

/// Whether the text is another one in each pod.
bool differs(std::string_view text, View container) {
  for (std::size_t i = text.find('$'); i != text.npos; i = text.find('$', i + 1)) {
    const std::string_view rest = text.substr(i);
    if (own_at(rest, container) != 0 || variable_at(rest, "RANDOM") != 0 ||
        variable_at(rest, "JOB_COMPLETION_INDEX") != 0 || rest.starts_with("$(uuidgen")) {
      return true;
    }
  }
  return false;
}

/// Whether the host is the pod itself, in every pod that reads it.
bool is_own_host(std::string_view address, View container) {
  const std::size_t length = own_at(address, container);
  return length != 0 && (length == address.size() || address[length] == ':');
}

/// A script that tells cases apart may start something else in the first pod.
bool tells_apart(View container) {
  constexpr auto words = std::to_array<std::string_view>({"if", "case", "[", "[[", "test"});
  return std::ranges::any_of(command_words(container), [&](const ShellWord& word) {
    return std::ranges::find(words, word.text) != words.end();
  });
}

bool is_for_several(const Workload& workload, const WorkloadRole& role, View container) {
  if (role.is_launcher || role.pods < 2) return false;
  const ExplicitNumber nodes = explicit_node_count(container);
  return nodes ? nodes.number > 1 : is_injected(workload, role, container, "PET_NNODES");
}

/// pytorch/pytorch torch/distributed/run.py get_args_parser
constexpr auto kTorchrunOptions = word_table<
    "nnodes nproc-per-node rdzv-backend rdzv-endpoint rdzv-id rdzv-conf standalone max-restarts "
    "start-method event-log-handler monitor-interval module no-python run-path log-dir redirects "
    "local-ranks-filter node-rank master-addr master-port local-addr logs-specs use-env role tee "
    "numa-binding signals-to-handle duplicate-stdout-filters">;

}  // namespace

void check_separate_rendezvous(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      if (!call || call->option("standalone")) continue;
      const OptionValue& id = call->option("rdzv-id");
      const bool may = id.text.find('$') != std::string::npos ||
                       call->option("rdzv-endpoint").text.starts_with('$') ||
                       call->option("master-addr").text.starts_with('$');
      if (!may || !is_for_several(workload, role, container) || tells_apart(container)) continue;
      const std::string all = "each of the " + pods_of(role);
      if (differs(id.text, container)) {
        context.lint(id.at, "`--rdzv-id` is " + shown(id.text) + ", another one in " + all);
      }
      for (std::string_view name : {"rdzv-endpoint", "master-addr"}) {
        const OptionValue& address = call->option(name);
        if (!is_own_host(address.text, container)) continue;
        context.lint(address.at, "`--" + std::string(name) + "` is " + shown(address.text) +
                                     ", by which " + all + " means itself");
      }
    }
  }
}

void check_torchrun_options(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      if (!call) continue;
      for (const auto& [name, value] : call->options) {
        if (name == "use-env" && !contains_text(container, "torch.distributed.launch")) {
          context.lint(value.at,
                       "torchrun has no option `--use-env`, which was one of "
                       "`torch.distributed.launch`; leave it out");
          continue;
        }
        // The beginning of an option stands for it.
        const bool is_known =
            name.size() < 4 ||
            std::ranges::any_of(kTorchrunOptions, [&](auto one) { return one.starts_with(name); });
        if (is_known) continue;
        const std::string_view near = closest_known_value(name, kTorchrunOptions);
        if (near.empty()) continue;
        context.lint(value.at, "torchrun has no option " + shown("--" + name) + "; did you mean " +
                                   shown("--" + std::string(near)) + "?");
      }
    }
  }
}

}  // namespace trainyard
