// Variables and options by which pods find each other and their ranks.

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/launch/rank_missing.h"
#include "lints/launch/separate_rendezvous.h"
#include "lints/launch/tao_nodes.h"
#include "lints/launch/torchrun_values.h"
#include "lints/launch/unset_names.h"
#include "lints/scripts/exported_value.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/launches.h"
#include "operators/train_job_runtime.h"
#include "shell/command_line.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kRankVariables =
    std::to_array<std::string_view>({"RANK", "NODE_RANK", "PET_NODE_RANK", "GROUP_RANK",
                                     "MACHINE_RANK", "JAX_PROCESS_ID", "PROCESS_ID"});
constexpr auto kAddressVariables = std::to_array<std::string_view>(
    {"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "JAX_COORDINATOR_ADDRESS",
     "JAX_COORDINATOR_IP", "COORDINATOR_ADDRESS"});

template <class Each>
void each_container(const Workload& workload, Each each) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    for (View container : role.containers) each(role, container);
  }
}

/// A number greater than one in a variable or option that counts the nodes or processes: the sign
/// that pods of a plain Job belong together.
bool says_distributed(const Workload& workload, View container) {
  const ExplicitNumber nodes = explicit_node_count(container);
  if (nodes) return nodes.number > 1;  // with one, node-count tells that each trains alone
  if (is_training_kind(workload)) return true;
  if (const auto call = torchrun_call(container); call && call->option("standalone")) return false;
  if (const auto call = accelerate_call(container)) {
    const auto machines = call->option("num-machines").number();
    if (machines) return *machines > 1;
  }
  if (const auto call = deepspeed_call(container); call && call->option("no-ssh")) {
    const auto nodes_there = call->option("num-nodes").number();
    if (nodes_there) return *nodes_there > 1;
  }
  for (std::string_view name : {"WORLD_SIZE", "NNODES", "JAX_NUM_PROCESSES", "NUM_PROCESSES"}) {
    const View value = variable_value(container, name);
    if (value && is_all_digits(value->text)) return value->text != "1" && value->text != "0";
  }
  return false;
}

void overridden_variables(const Workload& workload, CheckContext& context) {
  if (workload.kind == "TrainJob") return;  // its webhook refuses them
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      for (View each : items_at(container, "env")) {
        const View name = get(each, "name");
        if (!is_injected(workload, role, container, string_of(name))) continue;
        context.lint(name, shown(string_of(name)) + " is set here and by the controller of the " +
                               std::string(workload.kind) + ", whose value counts");
      }
    }
  }
}

/// Whether what a container runs may take a variable for its rank: torchrun reads its own, and what
/// its options say.
bool is_rank_of(View container, std::string_view name) {
  const auto call = torchrun_call(container);
  if (!call) return true;
  if (joins_by_order(container) || call->may_have_more) return false;
  const OptionValue& rank = call->option("node-rank");
  return rank ? referred_variable(rank.text) == name : name == "PET_NODE_RANK";
}

/// Whether torchrun gets its rank from elsewhere, and sets this variable for its processes anew.
bool has_other_rank(const Workload& workload, const WorkloadRole& role, View container,
                    std::string_view name) {
  const auto call = torchrun_call(container);
  if (!call) return false;
  const OptionValue& rank = call->option("node-rank");
  if (rank) return referred_variable(rank.text) != name;
  return name != "PET_NODE_RANK" && (variable(container, "PET_NODE_RANK") ||
                                     is_injected(workload, role, container, "PET_NODE_RANK"));
}

/// Numbers at the ends of pods' names, which begin anew in each role.
/// kubeflow/training-operator pkg/core/utils.go: `J-master-0`, `J-worker-0`
void ordinals_of_roles(const Workload& workload, CheckContext& context) {
  const bool has_both = workload.role("Master") != nullptr && workload.role("Worker") != nullptr;
  if (!workload.is("kubeflow.org", "PyTorchJob") || !has_both) return;
  for (View container : workload.role("Worker")->containers) {
    const auto call = torchrun_call(container);
    if (!call || call->option("node-rank").text != "${HOSTNAME##*-}") continue;
    if (call->option("rdzv-backend") || joins_by_order(container)) continue;
    context.lint(call->option("node-rank").at,
                 "the first of the `Worker` pods has rank 0 by its name, as the `Master` has; the "
                 "operator sets `RANK`");
  }
}

void one_rank_for_all(const Workload& workload, CheckContext& context) {
  ordinals_of_roles(workload, context);
  // The operator sets the rendezvous, and ranks are given in the order of joining.
  const View backend = get(get(workload.spec, "elasticPolicy"), "rdzvBackend");
  const bool is_elastic =
      workload.kind == "PyTorchJob" && !string_of(backend).empty() && backend->text != "static";
  each_container(workload, [&](const WorkloadRole& role, View container) {
    if (role.pods < 2 || !says_distributed(workload, container)) return;
    const auto all = [&] { return ": the " + pods_of(role) + " all take this rank"; };
    for (std::string_view name : kRankVariables) {
      const View value = variable_value(container, name);
      if (!value || !is_all_digits(value->text)) continue;
      if (has_other_rank(workload, role, container, name)) continue;
      if (is_injected(workload, role, container, name)) continue;
      context.lint(value, shown(name) + " is " + shown(value->text) + " in the template" + all());
    }
    for (std::string_view name : kRankVariables) {
      const OptionValue value = exported_value(container, name);
      if (!is_all_digits(value.text) || !is_rank_of(container, name)) continue;
      if (is_injected(workload, role, container, name)) continue;
      context.lint(value.at, shown(name) + " is " + shown(value.text) + " in the script" + all());
    }
    if (const auto call = torchrun_call(container)) {
      const OptionValue& rank = call->option("node-rank");
      if (is_all_digits(rank.text) && !joins_by_order(container) && !is_elastic) {
        context.lint(rank.at, "`--node-rank` is " + shown(rank.text) + all());
      }
    }
    if (const auto call = accelerate_call(container)) {
      const OptionValue& rank = call->option("machine-rank");
      if (is_all_digits(rank.text)) {
        context.lint(rank.at, "`--machine_rank` is " + shown(rank.text) + all());
      }
    }
    if (const auto call = deepspeed_call(container); call && call->option("no-ssh")) {
      const OptionValue& rank = call->option("node-rank");
      if (is_all_digits(rank.text)) {
        context.lint(rank.at, "`--node_rank` is " + shown(rank.text) + all());
      }
    }
  });
}

/// The same for an address.
bool is_address_of(View container, std::string_view name) {
  const auto call = torchrun_call(container);
  if (!call) return true;
  if (call->may_have_more || call->option("standalone")) return false;
  const OptionValue& endpoint = call->option("rdzv-endpoint");
  const OptionValue& address = endpoint ? endpoint : call->option("master-addr");
  if (!address) return name.starts_with("PET_");
  const std::string_view host = std::string_view(address.text).substr(0, address.text.find(':'));
  return referred_variable(host) == name;
}

void local_master(const Workload& workload, CheckContext& context) {
  if (workload.working_pods() < 2) return;
  each_container(workload, [&](const WorkloadRole& role, View container) {
    if (!says_distributed(workload, container)) return;
    constexpr const char* meets = ", where each pod meets only itself";
    for (std::string_view name : kAddressVariables) {
      const View value = variable_value(container, name);
      if (!value || !is_local_address(value->text)) continue;
      if (is_injected(workload, role, container, name)) continue;
      context.lint(value, shown(name) + " is " + shown(value->text) + meets);
    }
    for (std::string_view name : kAddressVariables) {
      if (role.pods < 2) break;  // rank 0 alone may call itself so
      const OptionValue value = exported_value(container, name);
      if (!value || !is_local_address(value.text) || !is_address_of(container, name)) continue;
      if (is_injected(workload, role, container, name)) continue;
      context.lint(value.at, shown(name) + " is " + shown(value.text) + " in the script" + meets);
    }
    for (std::string_view name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
      const View value = variable_value(container, name);
      if (value && (value->text == "lo" || value->text == "=lo")) {
        context.lint(value, shown(name) + " is " + shown(value->text) + meets);
      }
      const OptionValue exported = exported_value(container, name);
      if (exported.text == "lo" || exported.text == "=lo") {
        context.lint(exported.at,
                     shown(name) + " is " + shown(exported.text) + " in the script" + meets);
      }
    }
    const auto call = torchrun_call(container);
    if (!call || call->option("standalone")) return;
    for (std::string_view name : {"master-addr", "rdzv-endpoint"}) {
      const OptionValue& value = call->option(name);
      if (!value || !is_local_address(value.text)) continue;
      context.lint(value.at, "`--" + std::string(name) + "` is " + shown(value.text) + meets);
    }
  });
}

bool has_any_variable(View container, std::span<const std::string_view> names) {
  return std::ranges::any_of(
      names, [&](std::string_view name) { return static_cast<bool>(variable(container, name)); });
}

/// What `${NAME:-1}` comes to, as far as the container says it; another text as it is.
std::string_view with_default(std::string_view text, View container) {
  const std::size_t colon = text.find(":-");
  if (!text.starts_with("${") || !text.ends_with('}') || colon == text.npos) return text;
  if (const View own = variable(container, text.substr(2, colon - 2))) {
    return string_at(own, "value");
  }
  return text.substr(colon + 2, text.size() - colon - 3);
}

/// Whether torchrun waits for more than its own node, or may.
bool waits_for_several(const Workload& workload, const WorkloadRole& role, View container,
                       const LauncherCall& call) {
  const OptionValue& option = call.option("nnodes");
  const View own = option ? View() : variable(container, "PET_NNODES");
  if (!option && !own) return is_injected(workload, role, container, "PET_NNODES");
  std::string_view nodes = option ? std::string_view(option.text) : string_at(own, "value");
  nodes = with_default(nodes, container);
  if (const View value = variable_value(container, referred_variable(nodes))) nodes = value->text;
  return nodes != "1" && nodes != "1:1";
}

bool runs_c10d(View container, const LauncherCall& call) {
  const OptionValue& backend = call.option("rdzv-backend");
  return (backend ? std::string_view(backend.text)
                  : string_of(variable_value(container, "PET_RDZV_BACKEND"))) == "c10d";
}

/// `master` for `Master`, which another check reports: what its pods are given is not known.
bool has_unknown_roles(const Workload& workload) {
  return workload.kind == "PyTorchJob" &&
         std::ranges::any_of(workload.roles, [](const WorkloadRole& role) {
           return role.name != "Master" && role.name != "Worker";
         });
}

/// torchrun on several nodes with nothing that leads them together.
void no_rendezvous(const Workload& workload, CheckContext& context) {
  if (workload.working_pods() < 2 || workload.kind == "TrainJob") return;
  if (has_unknown_roles(workload)) return;
  each_container(workload, [&](const WorkloadRole& role, View container) {
    const auto call = torchrun_call(container);
    if (!call || has_items(get(container, "envFrom"))) return;
    if (call->may_have_more || call->option("rdzv-endpoint")) return;
    const bool by_c10d = runs_c10d(container, *call);
    if (!by_c10d && call->option("master-addr")) return;
    for (std::string_view name : {"PET_MASTER_ADDR", "PET_RDZV_ENDPOINT"}) {
      if (by_c10d && name == "PET_MASTER_ADDR") continue;
      if (variable(container, name) || is_injected(workload, role, container, name)) return;
    }
    if (is_given(workload, role, container, *call, "standalone")) return;
    if (!waits_for_several(workload, role, container, *call)) return;
    // `$PET_...` of a script that sets them itself cannot be told from here.
    for (const ShellWord& word : command_words(container)) {
      if (word.text.starts_with("PET_MASTER_ADDR=") || word.text.starts_with("PET_RDZV_")) return;
    }
    context.lint(call->at, "nothing tells torchrun on " + std::to_string(workload.working_pods()) +
                               " pods where to meet: " +
                               (by_c10d ? "with `c10d` it looks at no master address, and without "
                                          "`--rdzv-endpoint` at localhost"
                                        : "its own default is 127.0.0.1"));
  });
}

/// Whether something other than the operator tells a container where the others are.
bool finds_others(View container) {
  constexpr auto own = std::to_array<std::string_view>(
      {"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "RANK", "PET_NODE_RANK"});
  if (has_items(get(container, "envFrom")) || has_any_variable(container, own)) return true;
  if (torchrun_call(container)) return true;  // which no-rendezvous looks at
  const auto words = command_words(container);
  return std::ranges::any_of(words, [](const ShellWord& word) {
    return word.text.find("MASTER_ADDR") != std::string::npos;
  });
}

/// Neither a Master nor an elastic policy: the operator gives workers neither address nor rank. Of
/// several containers in a pod one trains.
void master_is_missing(const Workload& workload, CheckContext& context) {
  if (workload.kind != "PyTorchJob" || workload.role("Master") != nullptr) return;
  if (get(workload.spec, "elasticPolicy") || workload.working_pods() < 2) return;
  if (has_unknown_roles(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || role.containers.empty()) continue;
    if (std::ranges::any_of(role.containers, finds_others)) continue;
    context.lint(role.holder,
                 "the operator gives these " + pods_of(role) +
                     " neither an address nor a rank: there is no `Master` and no `elasticPolicy`");
  }
}

/// Those of roles that get the number of all: others, such as an evaluator's, are not counted.
std::int64_t pods_told(const Workload& workload, std::string_view name) {
  std::int64_t pods = 0;
  const WorkloadRole* counted = nullptr;
  each_container(workload, [&](const WorkloadRole& role, View container) {
    if (&role == counted || !variable_value(container, name)) return;
    counted = &role;
    pods += role.pods;
  });
  return pods;
}

/// Whether each Job of a JobSet has so many pods: a group with ranks of its own.
bool is_of_group(const Workload& workload, const WorkloadRole& role, std::int64_t number) {
  if (workload.kind != "JobSet" || number < 2) return false;
  const View job = get(get(role.holder, "template"), "spec");
  return number == count_of(get(job, "parallelism"), get(job, "completions"));
}

/// Whether other objects may have the other ranks: a pod with a rank of its own, or pods that learn
/// elsewhere where rank 0 is.
bool may_be_part(const Workload& workload, const WorkloadRole& role, View container) {
  if (role.pods == 1 && variable_value(container, "RANK")) return true;
  return workload.group == "apps" && variable(container, "MASTER_ADDR") &&
         !variable_value(container, "MASTER_ADDR");
}

/// A runtime for mpirun: how many nodes there are is known to the TrainJob alone.
bool has_unknown_nodes(const Workload& workload) {
  return workload.kind.ends_with("TrainingRuntime") && get(get(workload.spec, "mlPolicy"), "mpi");
}

void world_size(const Workload& workload, CheckContext& context) {
  if (has_unknown_nodes(workload)) return;
  const std::int64_t pods = workload.working_pods();
  each_container(workload, [&](const WorkloadRole& role, View container) {
    for (std::string_view name : {"WORLD_SIZE", "NNODES", "JAX_NUM_PROCESSES"}) {
      if (name == "WORLD_SIZE" && pods > 1 && runs_tao(container))
        continue;  // which has a lint of its own
      const View value = variable_value(container, name);
      if (!value || !is_all_digits(value->text)) continue;
      if (is_injected(workload, role, container, name)) continue;
      const auto number = OptionValue{std::string(value->text), value}.number();
      if (!number || *number == pods || *number == role.pods) continue;
      if (*number == pods_told(workload, name)) continue;
      if (is_of_group(workload, role, *number)) continue;
      if (*number > pods && may_be_part(workload, role, container)) continue;
      const std::int64_t gpus = role.devices.all();
      const ExplicitNumber processes = processes_per_pod(workload, container);
      const bool counts_processes = name != "NNODES";
      if (counts_processes && gpus > 0 && *number == pods * gpus) continue;
      if (counts_processes && gpus > 0 && *number == role.pods * gpus) continue;
      if (counts_processes && processes && *number == pods * processes.number) continue;
      // Jobs side by side, each of one pod.
      const bool is_of_one = *number == 1 || (counts_processes && *number == gpus);
      if (is_of_one && !says_distributed(workload, container)) continue;
      if (gpus == 0 && counts_processes && !processes &&
          *number % std::max<std::int64_t>(pods, 1) == 0) {
        continue;  // several processes in each pod, which nothing here tells
      }
      std::string right = std::to_string(pods) + (pods == 1 ? " pod" : " pods");
      if (counts_processes && gpus > 0) {
        right += " with " + std::to_string(gpus) + (gpus == 1 ? " GPU each" : " GPUs each");
      }
      context.lint(value, shown(name) + " is " + shown(value->text) + ", and there are " + right)
          .also(context.place(role.count), "how many pods");
    }
  });
}

/// The meanings of WORLD_SIZE: with an integer `nprocPerNode` the operator counts processes.
void world_size_as_nodes(const Workload& workload, CheckContext& context) {
  if (workload.kind != "PyTorchJob") return;
  const View field = get(workload.spec, "nprocPerNode");
  if (!field || !is_all_digits(field->text) || field->text == "1" || workload.working_pods() < 2) {
    return;
  }
  each_container(workload, [&](const WorkloadRole& role, View container) {
    const auto call = torchrun_call(container);
    if (!call || !is_injected(workload, role, container, "WORLD_SIZE")) return;
    const OptionValue& nodes = call->option("nnodes");
    if (referred_variable(nodes.text) != "WORLD_SIZE") return;
    context
        .lint(nodes.at, "`WORLD_SIZE` is the number of processes here, " +
                            std::to_string(workload.working_pods()) + " pods times " +
                            shown(field->text) + ", and torchrun waits for as many nodes")
        .also(context.place(field), "with this number the operator counts processes");
  });
}

/// Variables that exist only where some controller gives them.
constexpr auto kControllerVariables = std::to_array<std::string_view>(
    {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT", "NODE_RANK", "NNODES", "PET_NNODES",
     "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT", "JOB_COMPLETION_INDEX", "VC_TASK_INDEX",
     "VK_TASK_INDEX", "LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX"});

/// The name of a variable of the container that is nearly `name`; "" for none.
std::string_view near_variable(View container, std::string_view name) {
  for (View each : items_at(container, "env")) {
    const std::string_view own = string_at(each, "name");
    if (is_typo_of_name(name, own)) return own;
  }
  return {};
}

/// `$MASTER_PROT`: a shell puts nothing in its place. `$(NAME)` has a check of its own.
void misspelt_variable(View container, std::string_view option, const OptionValue& value,
                       std::string_view name, CheckContext& context) {
  const std::string_view near =
      value.text.starts_with("$(") ? std::string_view() : near_variable(container, name);
  if (near.empty() || script_sets(container, name)) return;
  context.lint(value.at, "`--" + std::string(option) + "` is " + shown(value.text) +
                             ", and nothing sets " + shown(name) + ", but " + shown(near));
}

std::string kind_of(const Workload& workload) {
  return (workload.group == "batch.volcano.sh" ? "Volcano " : "") + std::string(workload.kind);
}

/// Whether the pods of a kind can be those of an Indexed Job.
bool has_indexed_form(const Workload& workload) {
  return workload.group == "batch" || workload.kind == "JobSet" ||
         workload.kind.ends_with("TrainingRuntime");
}

/// No image knows the hosts of a job, so a variable with them is set by the object.
void unset_hosts(const Workload& workload, const WorkloadRole& role, View container,
                 CheckContext& context) {
  if (has_items(get(container, "envFrom"))) return;
  for (const LaunchHosts& hosts : mpi_launch_in(container).hosts) {
    const OptionValue& value = hosts.told;
    const std::string_view name = referred_variable(value.text);
    if (name.empty() || variable(container, name) || script_sets(container, name)) continue;
    if (is_injected(workload, role, container, name) || name.find("HOST") == name.npos) continue;
    context.lint(value.at,
                 "mpirun is given " + shown(value.text) + ", and nothing sets " + shown(name),
                 Severity::Warning);
  }
}

/// A runtime without a step for the trainer does not take the command of a TrainJob, which
/// train-job-trainer-step tells.
bool has_unused_trainer(const Workload& workload, CheckContext& context) {
  if (workload.kind != "TrainJob") return false;
  const TrainJob job = train_job(workload.object, context);
  return job && !step(job.template_spec, "trainer");
}

/// In what we make of a spec, rule other-systems-check tells of these.
bool is_told_by_rule(std::string_view name, const CheckContext& context) {
  constexpr auto kOthers = std::to_array<std::string_view>({"SLURM_", "SKYPILOT_", "SM_"});
  return context.is_ours() &&
         std::ranges::any_of(kOthers, [&](auto each) { return name.starts_with(each); });
}

/// `accelerate launch --machine_rank $JOB_COMPLETION_INDEX` in pods without an index.
void accelerate_index(const Workload& workload, const WorkloadRole& role, View container,
                      CheckContext& context) {
  const auto call = accelerate_call(container);
  if (!call) return;
  const OptionValue& rank = call->option("machine-rank");
  constexpr std::string_view kIndex = "JOB_COMPLETION_INDEX";
  const std::string_view name = referred_variable(rank.text);
  if (name.empty() || variable(container, name) || is_told_by_rule(name, context)) return;
  if (name != kIndex) {  // no image can know the rank
    const bool may_be_set = script_sets(container, name) || name == "HOSTNAME" ||
                            is_injected(workload, role, container, name) ||
                            workload.kind.ends_with("TrainingRuntime");
    if (may_be_set) return;
    context.lint(rank.at,
                 "`--machine_rank` is " + shown(rank.text) + ", and nothing sets " + shown(name),
                 Severity::Warning);
    return;
  }
  if (is_indexed(workload, role) || script_sets(container, kIndex)) return;
  if (workload.kind.ends_with("TrainingRuntime") && role.name != "node") return;
  context.lint(rank.at, "`--machine_rank` is " + shown(rank.text) + ", and nothing sets " +
                            shown(kIndex) + " in a " + kind_of(workload) +
                            (has_indexed_form(workload) ? " that is not Indexed" : ""));
}

/// Each Job of a JobSet counts its pods from 0.
void repeated_index(const Workload& workload, const WorkloadRole& role, const LauncherCall& call,
                    const OptionValue& rank, CheckContext& context) {
  if (workload.kind != "JobSet" || integer_at(role.holder, "replicas").value_or(1) < 2) return;
  const View completions = get(get(get(role.holder, "template"), "spec"), "completions");
  const auto nodes = call.option("nnodes").number();
  const std::int64_t pods = integer_of(completions).value_or(1);
  if (!nodes || *nodes <= pods) return;
  context
      .lint(rank.at, "each Job of the JobSet counts its " + std::to_string(pods) +
                         (pods == 1 ? " pod" : " pods") +
                         " from 0, and torchrun wants another rank for each of " +
                         std::to_string(*nodes) + " nodes")
      .also(context.place(get(role.holder, "replicas")), "the Jobs");
}

/// What this container has for an option, in place of a variable that nothing sets.
std::string_view own_variable(const Workload& workload, const WorkloadRole& role, View container,
                              std::string_view option) {
  constexpr auto kOwn = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"nnodes", "NNODES"},
       {"nnodes", "PET_NNODES"},
       {"node-rank", "NODE_RANK"},
       {"node-rank", "PET_NODE_RANK"},
       {"node-rank", "RANK"},
       {"node-rank", "JOB_COMPLETION_INDEX"},
       {"master-addr", "MASTER_ADDR"},
       {"master-addr", "PET_MASTER_ADDR"},
       {"master-port", "MASTER_PORT"},
       {"master-port", "PET_MASTER_PORT"}});
  for (const auto& [of, name] : kOwn) {
    if (of != option) continue;
    if (variable(container, name) || is_injected(workload, role, container, name)) return name;
    if (name == "JOB_COMPLETION_INDEX" && is_indexed(workload, role)) return name;
  }
  return {};
}

void tell_of_own_variable(Diagnostic& found, std::string text, std::string_view name,
                          std::string_view own) {
  if (own.empty()) return;
  text.replace(text.find(name), name.size(), own);
  found.note("write " + shown(text) + ", which this container has");
}

/// Options of torchrun that name a variable.
void unset_options(const Workload& workload, const WorkloadRole& role, View container,
                   CheckContext& context) {
  const auto call = torchrun_call(container);
  if (!call) return;
  for (std::string_view option : {"nnodes", "node-rank", "master-addr", "master-port"}) {
    const OptionValue& value = call->option(option);
    const std::string_view name = referred_variable(value.text);
    if (name == "HOSTNAME" && option == "node-rank" && !variable(container, name)) {
      context.lint(value.at,
                   "`--node-rank` is `$HOSTNAME`, the name of the pod, and torchrun wants a "
                   "number there",
                   Severity::Warning);
      continue;
    }
    // No image can know the rank; of other names it may have some of its own.
    const bool known = std::ranges::find(kControllerVariables, name) != kControllerVariables.end();
    if (name.empty() || is_told_by_rule(name, context)) continue;
    if (variable(container, name) || is_injected(workload, role, container, name)) continue;
    const bool is_of_launcher = name.starts_with("LWS_") || name.starts_with("PET_");
    if (!known && option != "node-rank" && !is_of_launcher) {
      misspelt_variable(container, option, value, name, context);
      continue;
    }
    if (name == "JOB_COMPLETION_INDEX" && is_indexed(workload, role)) {
      repeated_index(workload, role, *call, value, context);
      continue;
    }
    if (workload.kind.ends_with("TrainingRuntime") && role.name != "node") continue;
    if (script_sets(container, name)) continue;
    const bool by_index = name == "JOB_COMPLETION_INDEX" && has_indexed_form(workload);
    std::string message = "`--" + std::string(option) + "` is " + shown(value.text) +
                          ", and nothing sets " + shown(name) + " in a " + kind_of(workload) +
                          (by_index ? " that is not Indexed" : "");
    Diagnostic& found =
        context.lint(value.at, std::move(message), known ? Severity::Error : Severity::Warning);
    tell_of_own_variable(found, value.text, name, own_variable(workload, role, container, option));
  }
}

void unset_variable(const Workload& workload, CheckContext& context) {
  if (has_unused_trainer(workload, context)) return;
  each_container(workload, [&](const WorkloadRole& role, View container) {
    const std::size_t before = context.findings();
    unset_hosts(workload, role, container, context);
    if (has_items(get(container, "envFrom"))) return;
    accelerate_index(workload, role, container, context);
    unset_options(workload, role, container, context);
    // One finding for a variable that an option names.
    if (context.findings() == before) check_unset_names(workload, role, container, context);
  });
}

void elastic_static_rank(const Workload& workload, CheckContext& context) {
  each_container(workload, [&](const WorkloadRole& role, View container) {
    const auto call = torchrun_call(container);
    if (!call) return;
    const OptionValue& nodes = call->option("nnodes");
    const std::string_view text = with_default(nodes.text, container);
    const std::size_t colon = text.find(':');
    const bool range = colon != text.npos && text.substr(0, colon) != text.substr(colon + 1);
    const View policy = get(workload.spec, "elasticPolicy");
    if (!range && !(workload.kind == "PyTorchJob" && policy)) return;
    if (const OptionValue& backend = call->option("rdzv-backend"); backend.text == "static") {
      context.lint(backend.at, "a static rendezvous with a number of nodes that may change");
      return;
    }
    const bool given = call->option("rdzv-backend") || variable(container, "PET_RDZV_BACKEND") ||
                       is_injected(workload, role, container, "PET_RDZV_BACKEND");
    if (!given) {
      context.lint(nodes.at,
                   "a number of nodes that may change, with torchrun's default of a "
                   "static rendezvous");
      return;
    }
    if (const OptionValue& rank = call->option("node-rank")) {
      context.lint(rank.at,
                   "a fixed `--node-rank` with a number of nodes that may change: ranks "
                   "are given in the order of joining");
    }
  });
}

void elastic_standalone(const Workload& workload, CheckContext& context) {
  if (workload.kind != "PyTorchJob") return;
  const View flag = get(get(workload.spec, "elasticPolicy"), "standalone");
  if (!is_true(flag)) return;
  bool torchrun = false;
  each_container(workload, [&](const WorkloadRole&, View container) {
    torchrun = torchrun || torchrun_call(container) != nullptr;
  });
  context.lint(flag,
               "`standalone` reaches torchrun as an empty `PET_STANDALONE`, which it cannot "
               "read",
               torchrun ? Severity::Error : Severity::Warning);
}

void elastic_master(const Workload& workload, CheckContext& context) {
  if (workload.kind != "PyTorchJob") return;
  const View policy = get(workload.spec, "elasticPolicy");
  const WorkloadRole* master = workload.role("Master");
  if (!policy || master == nullptr) return;
  const auto most = integer_at(policy, "maxReplicas");
  if (most && *most >= workload.pods()) return;
  context
      .lint(master->holder,
            "the Master joins an elastic job, whose number of nodes counts the workers only")
      .also(context.place(policy), "elastic");
}

constexpr Check kChecks[] = {
    {.name = "torch-variable",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Variables of PyTorch hold what it reads.",
     .source =
         "pytorch/pytorch torch/csrc/distributed/c10d/debug.cpp loadDebugLevelFromEnvironment, "
         "c10/cuda/CUDAAllocatorConfig.cpp parseArgs, torch/csrc/distributed/c10d/Utils.hpp "
         "getCvarInt "
         "and getCvarBool",
     .pod = check_torch_variables,
     .severity = Severity::Warning,
     .because = "It throws when it reads the variable, in every rank.",
     .fix = "write one of the words that PyTorch knows"},
    {.name = "rank-is-missing",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Launchers on several pods get the rank of their pod.",
     .source = "pytorch/pytorch torch/distributed/run.py: node-rank 0 with the static rendezvous; "
               "huggingface/accelerate src/accelerate/utils/launch.py prepare_multi_gpu_env",
     .workload = check_rank_is_given,
     .because = "torchrun takes rank 0 in every pod, and waits for the others until its time-out; "
                "accelerate ends with an error.",
     .fix =
         "give it `--node-rank` (accelerate: `--machine_rank`) from the pod's index, such as the "
         "annotation `batch.kubernetes.io/job-completion-index`",
     .rule = "rendezvous-variables"},
    {.name = "node-count-is-missing",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "torchrun that gets other pods also gets their number.",
     .source = "pytorch/pytorch torch/distributed/run.py: nnodes 1:1, and no variables but those "
               "that begin with PET_",
     .workload = check_node_count_is_given,
     .severity = Severity::Warning,
     .because =
         "It reads neither `WORLD_SIZE` nor `MASTER_ADDR`, and without a number of nodes "
         "waits for no other: pods train the whole model on their own and all write the same "
         "checkpoints, or wait for a rank that never comes.",
     .fix = "give it `--nnodes`, with `--node-rank` and `--master-addr`, or the variables "
            "`PET_NNODES`, "
            "`PET_NODE_RANK` and `PET_MASTER_ADDR`",
     .rule = "rendezvous-variables"},
    {.name = "torchrun-values",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "torchrun can read the numbers, flags and endpoints that it gets.",
     .source = "pytorch/pytorch torch/distributed/argparse_util.py check_env, run.py, "
               "elastic/rendezvous/utils.py parse_rendezvous_endpoint, "
               "elastic/rendezvous/static_tcp_rendezvous.py",
     .workload = check_torchrun_values,
     .because = "It ends with an error before it starts any rank.",
     .fix = "write `1` or `0` for a flag, a number for ranks and ports, and `host:port` for an "
            "endpoint",
     .rule = "rendezvous-variables"},
    {.name = "own-meeting",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "The pods of a job meet at one place, under one name.",
     .source = "pytorch/pytorch torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py: "
               "the store and the key are those of the endpoint and the id",
     .workload = check_separate_rendezvous,
     .because = "Each pod waits for the others in a rendezvous of its own until its time-out.",
     .fix = "give all pods the same id, and the host name of the first pod"},
    {.name = "torchrun-option",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Options of torchrun are spelt as it knows them.",
     .source = "pytorch/pytorch torch/distributed/run.py get_args_parser",
     .workload = check_torchrun_options,
     .because = "It ends with an error before it starts any rank.",
     .fix = "write the option as `torchrun --help` has it"},
    {.name = "overridden-variable",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "A template does not set variables that the controller sets.",
     .source = "kubeflow/training-operator pkg/controller.v1/pytorch/envvar.go and its siblings; "
               "volcano-sh/volcano pkg/controllers/job/plugins",
     .workload = overridden_variables,
     .severity = Severity::Warning,
     .because = "Controllers add their variables behind those of the template, and of two of one "
                "name the last counts: what stands in the template has no effect.",
     .fix = "leave it out",
     .rule = "environment"},
    {.name = "one-rank-for-all",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "No rank is written down in a template that several pods are made from.",
     .source = "pytorch/pytorch torch/distributed/run.py: node-rank with the static rendezvous",
     .workload = one_rank_for_all,
     .because = "Every pod of the template then claims the same rank, and the others never come.",
     .fix = "take the rank from the pod's index, such as the annotation "
            "`batch.kubernetes.io/job-completion-index`",
     .rule = "rendezvous-variables"},
    {.name = "local-master",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Pods do not look for each other on their own loopback address.",
     .source = "pytorch/pytorch torch/distributed/run.py: master-addr; NVIDIA/nccl "
               "documentation: NCCL_SOCKET_IFNAME",
     .workload = local_master,
     .because = "Each pod is its own localhost: rank 0 waits for the others, and the others for a "
                "rank 0 that is not there.",
     .fix =
         "name the pod of rank 0 by its host name, and leave the choice of the interface to NCCL "
         "or name one of the pod network"},
    {.name = "no-rendezvous",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "torchrun on several pods gets the address of their rendezvous.",
     .source = "pytorch/pytorch torch/distributed/run.py: master-addr 127.0.0.1, node-rank 0",
     .workload = no_rendezvous,
     .because = "Its defaults are 127.0.0.1 and rank 0, on every pod.",
     .fix = "give it `--master-addr` and `--node-rank`, or `--rdzv-endpoint` with a backend",
     .rule = "rendezvous-variables"},
    {.name = "master-is-missing",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "A PyTorchJob on several pods has a Master or is elastic.",
     .source = "kubeflow/training-operator pkg/controller.v1/pytorch/envvar.go: MASTER_ADDR and "
               "RANK only with a Master",
     .workload = master_is_missing,
     .severity = Severity::Warning,
     .because = "Without either the operator sets neither MASTER_ADDR nor RANK, and each worker "
                "starts alone.",
     .fix = "make one of the workers the `Master`, or add an `elasticPolicy`",
     .rule = "roles"},
    {.name = "world-size",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "A number of ranks that is written down is that of the pods, or of their GPUs.",
     .source = "pytorch/pytorch torch/distributed/distributed_c10d.py: init_process_group waits "
               "for WORLD_SIZE ranks",
     .workload = world_size,
     .severity = Severity::Warning,
     .because = "A rendezvous waits for exactly that many ranks.",
     .fix = "let it follow from the number of pods and of processes in each",
     .rule = "rendezvous-variables"},
    {.name = "tao-nodes",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "TAO is given the number of nodes by `WORLD_SIZE`, and a port that it takes.",
     .source = "NVIDIA-TAO/tao-pytorch nvidia_tao_pytorch/core/entrypoint.py launch, "
               "nvidia_tao_pytorch/core/distributed/validator.py",
     .workload = check_tao_nodes,
     .because = "TAO counts nodes where PyTorch counts processes, and waits for nodes that do not "
                "exist; what it finds wrong makes each node train alone.",
     .fix = "let `WORLD_SIZE` be the number of pods, `NUM_GPU_PER_NODE` their GPUs, and "
            "`MASTER_PORT` one of 1024 to 65535; in a PyTorchJob leave `nprocPerNode` out",
     .rule = "rendezvous-variables"},
    {.name = "world-size-as-nodes",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "`WORLD_SIZE` is not read as the number of nodes where it counts processes.",
     .source = "kubeflow/training-operator pkg/controller.v1/pytorch/envvar.go: replicas times "
               "nprocPerNode",
     .workload = world_size_as_nodes,
     .because = "With an integer `nprocPerNode` the operator multiplies by it, and torchrun waits "
                "for nodes that do not exist.",
     .fix = "use `$PET_NNODES`, or leave `--nnodes` away: torchrun reads the operator's variables"},
    {.name = "unset-rank-variable",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Variables that torchrun gets for ranks and addresses, mpirun for hosts, and a "
                 "script under `set -u`, are set.",
     .source = "kubernetes-sigs/jobset pkg/controllers: no variables; kubeflow/trainer "
               "pkg/runtime/framework/plugins/torch: PET_* only",
     .workload = unset_variable,
     .because = "What one controller sets another does not: the option is then empty, or the "
                "literal text, and torchrun does not start. Under `set -u` the shell ends.",
     .fix = "set the variable in `env`, or use those that this kind has",
     .rule = "rendezvous-variables"},
    {.name = "elastic-static-rank",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "A job with a changing number of nodes has a rendezvous that gives out ranks.",
     .source =
         "pytorch/pytorch torch/distributed/run.py and elastic/rendezvous/static_tcp_rendezvous.py",
     .workload = elastic_static_rank,
     .severity = Severity::Warning,
     .because = "A static rendezvous waits for a fixed number of nodes with ranks known "
                "beforehand; after a change of members it hangs.",
     .fix = "use `--rdzv-backend=c10d` with an endpoint, and no node rank",
     .rule = "rendezvous-variables"},
    {.name = "elastic-standalone",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "The elastic policy of a PyTorchJob is not `standalone`.",
     .source = "kubeflow/training-operator pkg/controller.v1/pytorch/elastic.go; pytorch/pytorch "
               "torch/distributed/argparse_util.py",
     .workload = elastic_standalone,
     .severity = Severity::Warning,
     .because = "The operator sets PET_STANDALONE to an empty text, and torchrun wants 0 or 1 "
                "there.",
     .fix = "leave `standalone` away; for one pod write `--standalone` among the arguments"},
    {.name = "elastic-master",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "An elastic PyTorchJob has workers only, or counts its Master.",
     .source = "kubeflow/training-operator pkg/apis/kubeflow.org/v1/pytorch_defaults.go: min and "
               "max replicas default to the workers",
     .workload = elastic_master,
     .severity = Severity::Warning,
     .because = "The Master joins as one node more than `maxReplicas` allows, and one pod stays "
                "outside.",
     .fix = "make the Master one of the workers, or count it in `maxReplicas`"},
};

}  // namespace

const std::span<const Check> rank_lints = kChecks;

}  // namespace trainyard
