#include "manifest/launch.h"

#include <algorithm>
#include <array>
#include <span>

#include "diag/words.h"
#include "manifest/launches.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "source/text_equal.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

ExplicitNumber stated(View value) {
  if (!value || !value->is_scalar()) return {};
  const auto found = plain_number(value->text);
  return found ? ExplicitNumber{*found, value} : ExplicitNumber();
}

ExplicitNumber stated(const OptionValue& option) {
  const auto found = option.number();
  return found ? ExplicitNumber{*found, option.at} : ExplicitNumber();
}

/// The fields in which kinds say it.
ExplicitNumber processes_of_kind(const Workload& workload) {
  const View spec = workload.spec;
  if (workload.kind == "PyTorchJob") {
    const View elastic = get(get(spec, "elasticPolicy"), "nProcPerNode");
    return stated(elastic ? elastic : get(spec, "nprocPerNode"));
  }
  if (workload.kind == "TrainJob") return stated(get(get(spec, "trainer"), "numProcPerNode"));
  if (workload.kind.ends_with("TrainingRuntime")) {
    return stated(get(get(get(spec, "mlPolicy"), "torch"), "numProcPerNode"));
  }
  return {};
}

using Names = std::span<const std::string_view>;

bool is_one_of(std::string_view name, Names names) {
  return std::ranges::any_of(names,
                             [name](std::string_view each) { return same_text(each, name); });
}

constexpr auto kOfEvery = std::to_array<std::string_view>({"PET_NNODES", "PET_NPROC_PER_NODE"});
constexpr auto kOfElastic =
    std::to_array<std::string_view>({"PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND"});
constexpr auto kOfMaster =
    std::to_array<std::string_view>({"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK",
                                     "PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NODE_RANK"});
constexpr auto kTorch =
    std::to_array<std::string_view>({"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"});
constexpr auto kTaskIndex = std::to_array<std::string_view>({"VC_TASK_INDEX", "VK_TASK_INDEX"});

// kubeflow/training-operator pkg/controller.v1/pytorch/envvar.go and elastic.go
bool pytorch_injects(const Workload& workload, std::string_view name) {
  if (is_one_of(name, kOfEvery)) return true;
  if (is_one_of(name, kOfElastic) && get(workload.spec, "elasticPolicy")) return true;
  return is_one_of(name, kOfMaster) && workload.role("Master") != nullptr;
}

// volcano-sh/volcano pkg/controllers/job/plugins/distributed-framework
bool volcano_injects(const Workload& workload, const WorkloadRole& role, std::string_view name) {
  if (const View plugin = volcano_plugin(workload, "pytorch")) {
    const auto task = [&](std::string_view flag, std::string_view own) {
      const std::string_view named = plugin_flag(plugin, flag);
      return role.name == (named.empty() ? own : named);
    };
    const bool taken = task("master", "master") || task("worker", "worker");
    if (taken && is_one_of(name, kTorch)) return true;
  }
  if (volcano_plugin(workload, "tensorflow") && name == "TF_CONFIG") return true;
  return volcano_plugin(workload, "env") && is_one_of(name, kTaskIndex);
}

constexpr auto kJax = std::to_array<std::string_view>(
    {"COORDINATOR_ADDRESS", "COORDINATOR_PORT", "NUM_PROCESSES", "PROCESS_ID"});
constexpr auto kPaddle =
    std::to_array<std::string_view>({"PADDLE_JOB_ID", "PADDLE_NNODES", "PADDLE_MASTER"});
constexpr auto kLeaderWorker =
    std::to_array<std::string_view>({"LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX"});

struct Injected {
  std::string_view kind;
  Names names;
};

// kubeflow/training-operator pkg/controller.v1/{xgboost,jax,paddlepaddle}; kubeflow/mpi-operator
// pkg/controller/mpi_job_controller.go; kubernetes-sigs/lws pkg/utils/pod/pod_utils.go
constexpr Injected kInjected[] = {
    {"XGBoostJob", kTorch},
    {"JAXJob", kJax},
    {"PaddleJob", kPaddle},
    {"LeaderWorkerSet", kLeaderWorker},
};

constexpr auto kTorchrunVariables = std::to_array<std::string_view>(
    {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"});
constexpr auto kMpiVariables = std::to_array<std::string_view>(
    {"OMPI_MCA_orte_keep_fqdn_hostnames", "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args",
     "OMPI_MCA_orte_set_default_slots"});

}  // namespace

ExplicitNumber processes_per_pod(const Workload& workload, View container) {
  const auto torchrun = torchrun_call(container);
  if (torchrun) {
    if (const OptionValue& option = torchrun->option("nproc-per-node")) return stated(option);
  }
  if (const View value = variable(container, "PET_NPROC_PER_NODE")) {
    if (workload.kind != "PyTorchJob") return stated(get(value, "value"));
  }
  return processes_of_kind(workload);
}

ExplicitNumber explicit_node_count(View container) {
  OptionValue nodes;
  if (const auto torchrun = torchrun_call(container)) nodes = torchrun->option("nnodes");
  if (const View value = variable_value(container, "PET_NNODES"); !nodes && value) {
    nodes = {std::string(value->text), value};
  }
  const std::size_t colon = nodes.text.find(':');
  if (colon != std::string::npos) nodes.text.resize(colon);
  return stated(nodes);
}

bool is_injected(const Workload& workload, const WorkloadRole& role, View container,
                 std::string_view variable) {
  if (workload.kind == "PyTorchJob") return pytorch_injects(workload, variable);
  if (workload.is("batch.volcano.sh", "Job")) return volcano_injects(workload, role, variable);
  if (workload.kind == "TFJob") {
    return variable == "TF_CONFIG" && workload.pods() > 1 &&
           string_at(container, "name") == "tensorflow";
  }
  if (workload.kind == "MPIJob") {
    return mpi_of_operator(workload.spec) == Mpi::Open && role.name == "Launcher" &&
           is_one_of(variable, kMpiVariables);
  }
  if (workload.kind == "TrainJob") return is_one_of(variable, kTorchrunVariables);
  if (workload.kind.ends_with("TrainingRuntime")) {
    const View policy = get(workload.spec, "mlPolicy");
    return role.name == "node" && get(policy, "torch") && is_one_of(variable, kTorchrunVariables);
  }
  return std::ranges::any_of(kInjected, [&](const Injected& each) {
    return each.kind == workload.kind && is_one_of(variable, each.names);
  });
}

bool is_indexed(const Workload& workload, const WorkloadRole& role) {
  if (workload.kind == "Job" && workload.group == "batch") {
    return string_at(workload.spec, "completionMode") == "Indexed";
  }
  if (workload.kind == "CronJob") return string_at(role.holder, "completionMode") == "Indexed";
  if (workload.kind == "JobSet" || workload.kind.ends_with("TrainingRuntime")) {
    return string_at(get(get(role.holder, "template"), "spec"), "completionMode") != "NonIndexed";
  }
  return workload.kind == "TrainJob";
}

bool joins_by_order(View container) {
  std::string backend;
  if (const auto call = torchrun_call(container)) backend = call->option("rdzv-backend").text;
  if (const View value = variable_value(container, "PET_RDZV_BACKEND"); backend.empty() && value) {
    backend = value->text;
  }
  return !backend.empty() && backend != "static";
}

bool is_training_kind(const Workload& workload) {
  // One node each, by word: trainings side by side.
  if (workload.kind.ends_with("TrainingRuntime") && workload.working_pods() > 1 &&
      integer_at(get(workload.spec, "mlPolicy"), "numNodes") == 1) {
    return false;
  }
  if (workload.group == "kubeflow.org" || workload.group == "trainer.kubeflow.org") return true;
  return workload.is("batch.volcano.sh", "Job") &&
         (volcano_plugin(workload, "pytorch") || volcano_plugin(workload, "mpi") ||
          volcano_plugin(workload, "tensorflow"));
}

bool script_sets(View container, std::string_view name) {
  const std::string assignment = std::string(name) + "=";
  const auto sets = [&](std::string_view word) {
    return word.starts_with(assignment) || word == name ||  // `read NAME`
           word.find("{" + std::string(name) + ":") != word.npos || word == "source" ||
           word == "." || word == "eval";
  };
  const auto may_set = [&](View argument) {
    const std::string_view text = argument->text;
    return text.find(name) != text.npos || text.find("source") != text.npos || text == "." ||
           text.find(". ") != text.npos || text.find("eval") != text.npos;
  };
  return any_argument(container, [&](View argument) {
    return argument.is_scalar() && may_set(argument) &&
           std::ranges::any_of(argument_words({argument}), sets, &ShellWord::text);
  });
}

std::string_view referred_variable(std::string_view text) {
  if (!text.starts_with('$')) return {};
  text.remove_prefix(1);
  const bool closed = text.size() > 2 && ((text.front() == '{' && text.back() == '}') ||
                                          (text.front() == '(' && text.back() == ')'));
  if (closed) text = text.substr(1, text.size() - 2);
  const bool plain =
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
  return plain ? text : std::string_view();
}

bool is_given(const Workload& workload, const WorkloadRole& role, View container,
              const LauncherCall& call, std::string_view option) {
  constexpr std::size_t kShortest = 4;
  const bool is_written = std::ranges::any_of(call.options, [&](const auto& each) {
    return each.first.size() >= kShortest && option.starts_with(each.first);
  });
  if (is_written) return true;
  std::string name = "PET_";
  for (const char c : option) {
    name += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  }
  return variable(container, name) || is_injected(workload, role, container, name) ||
         script_sets(container, name);
}

namespace {

/// Whether a script starts a launcher by itself, and not by another program, which may add to what
/// the launcher is given.
bool is_started_plainly(std::span<const ShellWord> script) {
  bool by_another = false;
  for (const ShellWord& word : script) {
    const std::string_view name = program_name(word.text);
    if (word.text == "\n") by_another = false;
    if (name == "torchrun" || name == "accelerate" || name.starts_with("python")) {
      return !by_another;
    }
    const bool is_path =
        word.text.find('/') != word.text.npos && word.text.find('=') == word.text.npos;
    by_another = by_another || is_path;
  }
  return true;
}

}  // namespace

bool is_all_known(View container, const LauncherCall& call) {
  if (call.may_have_more || has_items(get(container, "envFrom"))) return false;
  if (!has_items(get(container, "command"))) return false;  // the program of the image comes first
  const ShellWords words = command_words(container);
  const std::size_t first = place_of_program(words);
  if (first + 1 >= words.size()) return false;
  const std::string_view program = program_name(words[first].text);
  const std::string_view next = words[first + 1].text;
  if (is_shell(program)) {
    const bool reads_file = std::ranges::any_of(
        words, [](const ShellWord& word) { return word.text.ends_with(".sh"); });
    return next.starts_with('-') && !reads_file &&
           is_started_plainly(std::span(words).subspan(first + 1));
  }
  return program == "torchrun" || program == "accelerate" ||
         (program.starts_with("python") && next.starts_with('-'));
}

bool is_local_address(std::string_view address) {
  const auto local = [](std::string_view text) {
    return text == "localhost" || text == "127.0.0.1" || text == "::1" || text == "[::1]" ||
           text == "0.0.0.0";
  };
  return local(address) || local(address.substr(0, address.rfind(':')));
}

std::int64_t torchrun_pods(const Workload& workload) {
  std::int64_t sum = 0;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    for (View container : role.containers) {
      if (!torchrun_call(container) && !variable(container, "PET_NNODES")) continue;
      sum += role.pods;
      break;
    }
  }
  return sum;
}

namespace {

/// Of another pod, whichever reads it. What a variable stands for may be the pod's own.
bool is_address_of_others(std::string_view address) {
  return !address.empty() && address.find('$') == address.npos && !is_local_address(address);
}

/// A number in a variable that counts the ranks or nodes of all pods, and not those of one.
View count_of_all(const Workload& workload, const WorkloadRole& role, View container) {
  const std::int64_t pods = workload.working_pods();
  const std::int64_t gpus = role.devices.all();
  const ExplicitNumber nodes = stated(variable_value(container, "NNODES"));
  if (nodes && nodes.number > 1) return nodes.at;
  const ExplicitNumber ranks = stated(variable_value(container, "WORLD_SIZE"));
  const bool is_of_all = ranks && pods > 1 && gpus > 0 && ranks.number == pods * gpus;
  return is_of_all ? View(ranks.at) : View();
}

}  // namespace

View evidence_of_peers(const Workload& workload, const WorkloadRole& role, View container) {
  if (const auto call = torchrun_call(container)) {
    for (std::string_view name : {"master-addr", "rdzv-endpoint"}) {
      const OptionValue& address = call->option(name);
      if (is_address_of_others(address.text)) return address.at;
    }
    const OptionValue& rank = call->option("node-rank");
    if (rank && rank.text != "0") return rank.at;
  }
  for (std::string_view name : {"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT"}) {
    const View address = variable_value(container, name);
    if (address && is_address_of_others(address->text)) return address;
  }
  const View rank = variable(container, "PET_NODE_RANK");
  if (rank && string_at(rank, "value") != "0") return rank;
  if (const View plugin = volcano_plugin(workload, "pytorch");
      plugin && is_injected(workload, role, container, "MASTER_ADDR")) {
    return plugin;
  }
  return count_of_all(workload, role, container);
}

View volcano_plugin(const Workload& workload, std::string_view name) {
  if (!workload.is("batch.volcano.sh", "Job")) return {};
  return get(get(workload.spec, "plugins"), name);
}

std::string_view plugin_flag(View plugin, std::string_view flag) {
  for (View argument : Items(plugin)) {
    std::string_view text = argument->text;
    while (text.starts_with('-')) text.remove_prefix(1);
    if (text.starts_with(flag) && text.substr(flag.size()).starts_with('=')) {
      return text.substr(flag.size() + 1);
    }
  }
  return {};
}

std::string pods_of(const WorkloadRole& role) {
  const std::string count = std::to_string(role.pods);
  const std::string pods = role.pods == 1 ? " pod" : " pods";
  return role.name.empty() ? count + pods : count + " " + shown(role.name) + pods;
}

}  // namespace trainyard
