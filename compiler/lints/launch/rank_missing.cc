#include "lints/launch/rank_missing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Templates that other objects complete: what is missing may still come.
bool is_finished_later(const Workload& workload) {
  return workload.kind == "TrainJob" || workload.kind.ends_with("TrainingRuntime");
}

/// A number of nodes. A range with two ends is none: the ranks may then be given out.
std::optional<std::int64_t> fixed_number(std::string_view nodes) {
  const std::size_t colon = nodes.find(':');
  if (colon == nodes.npos) return plain_number(nodes);
  const std::string_view least = nodes.substr(0, colon);
  return least == nodes.substr(colon + 1) ? plain_number(least) : std::nullopt;
}

/// Whether torchrun waits for a fixed number of other nodes.
bool waits_for_others(const Workload& workload, const WorkloadRole& role, View container,
                      const LauncherCall& call) {
  const OptionValue& option = call.option("nnodes");
  std::string_view nodes = option.text;
  if (!option) {
    const View value = variable(container, "PET_NNODES");
    if (!value) return is_injected(workload, role, container, "PET_NNODES");
    nodes = string_at(value, "value");
  }
  if (const std::string_view name = referred_variable(nodes); !name.empty()) {
    if (is_injected(workload, role, container, name)) return true;
    nodes = string_of(variable_value(container, name));
  }
  return fixed_number(nodes).value_or(0) > 1;
}

bool has_static_rendezvous(const Workload& workload, const WorkloadRole& role, View container,
                           const LauncherCall& call) {
  if (const OptionValue& backend = call.option("rdzv-backend")) return backend.text == "static";
  if (!is_given(workload, role, container, call, "rdzv-backend")) return true;
  return string_of(variable_value(container, "PET_RDZV_BACKEND")) == "static";
}

/// Without an address no-rendezvous has spoken.
bool lacks_node_rank(const Workload& workload, const WorkloadRole& role, View container,
                     const LauncherCall& call) {
  const auto given = [&](std::string_view option) {
    return is_given(workload, role, container, call, option);
  };
  return waits_for_others(workload, role, container, call) && !given("node-rank") &&
         !given("standalone") && (given("master-addr") || given("rdzv-endpoint")) &&
         has_static_rendezvous(workload, role, container, call) && is_all_known(container, call);
}

/// huggingface/accelerate src/accelerate/utils/launch.py prepare_multi_gpu_env: several machines
/// need a rank, which has no default. Its file may have one, and other launchers other ways.
bool lacks_machine_rank(View container, const LauncherCall& call) {
  for (std::string_view option :
       {"machine-rank", "config-file", "use-deepspeed", "tpu", "cpu", "mpirun-hostfile"}) {
    if (call.option(option)) return false;
  }
  const OptionValue& backend = call.option("rdzv-backend");
  if (backend && backend.text != "static") return false;
  if (call.option("num-machines").number().value_or(1) <= 1 || !is_all_known(container, call)) {
    return false;
  }
  return std::ranges::none_of(command_words(container), [](const ShellWord& word) {
    return word.text == "config" || word.text.find("default_config") != word.text.npos;
  });
}

/// What shows that all pods are one training where no address does: pods of a Job have names only
/// to find each other, and a gang of Volcano starts together.
View sign_of_gang(const Workload& workload, const WorkloadRole& role) {
  if (workload.is("batch", "Job") && role.pods > 1) return get(role.pod.spec, "subdomain");
  const View least = get(workload.spec, "minAvailable");
  const bool is_gang = workload.is("batch.volcano.sh", "Job") &&
                       integer_of(least).value_or(0) >= workload.pods() && workload.pods() > 1;
  return is_gang ? least : View();
}

/// Whether a file of accelerate, which it looks for in its cache, may come with a volume.
bool may_have_own_file(View container) {
  if (variable(container, "HF_HOME") || variable(container, "XDG_CACHE_HOME")) return true;
  return std::ranges::any_of(items_at(container, "volumeMounts"), [](View mount) {
    const std::string_view path = string_at(mount, "mountPath");
    return path == "/root" || path.starts_with("/home") || path.find("cache") != path.npos;
  });
}

}  // namespace

void check_rank_is_given(const Workload& workload, CheckContext& context) {
  if (is_finished_later(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || role.pods < 2) continue;
    for (View container : role.containers) {
      if (const auto call = torchrun_call(container);
          call && lacks_node_rank(workload, role, container, *call)) {
        context
            .lint(call->at, "torchrun gets no rank: the " + pods_of(role) +
                                " all take node rank 0, its default")
            .also(context.place(role.count), "how many pods");
      }
      if (const auto call = accelerate_call(container);
          call && lacks_machine_rank(container, *call)) {
        context
            .lint(call->at,
                  "`accelerate launch` for " + call->option("num-machines").text +
                      " machines does not get the number of this machine: the " + pods_of(role) +
                      " all have the same command",
                  may_have_own_file(container) ? Severity::Warning : Severity::Error)
            .also(context.place(role.count), "how many pods");
      }
    }
  }
}

void check_node_count_is_given(const Workload& workload, CheckContext& context) {
  if (is_finished_later(workload) || workload.pods() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      if (!call || is_given(workload, role, container, *call, "nnodes")) continue;
      if (is_given(workload, role, container, *call, "standalone")) continue;
      View sign = evidence_of_peers(workload, role, container);
      if (!sign) sign = sign_of_gang(workload, role);
      const std::int64_t pods = torchrun_pods(workload);
      if (!sign || pods < 2 || !is_all_known(container, *call)) continue;
      // A rank beyond the only one that there is never starts.
      const bool has_rank = is_given(workload, role, container, *call, "node-rank") &&
                            call->option("node-rank").text != "0" &&
                            has_static_rendezvous(workload, role, container, *call);
      context
          .lint(call->at,
                "torchrun gets no number of nodes, and takes 1: " + std::to_string(pods) +
                    " pods do not train together",
                has_rank ? Severity::Error : Severity::Warning)
          .also(context.place(sign), "this shows that they belong together");
      return;
    }
  }
}

}  // namespace trainyard
