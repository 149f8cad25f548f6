// Numbers of processes against GPUs and pods.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gpu_words.h"
#include "lints/launch/launch_sizes.h"
#include "lints/launch/mpi_hosts.h"
#include "lints/tables.h"
#include "manifest/bare_launchers.h"
#include "manifest/launch.h"
#include "manifest/launches.h"
#include "operators/train_job_runtime.h"
#include "shell/command_line.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

Devices devices_in(const WorkloadRole& role, View container) {
  return devices_of(get(container, role.pod.spec ? "resources" : "resourcesPerNode"));
}

/// Whether there is anything to compare processes with. A part of a GPU is refused, and its
/// meaning is unknown.
bool are_countable(const Devices& devices) {
  if (devices.whole == 0 || devices.slices != 0) return false;
  const auto amount = Quantity::parse(devices.at->text);
  const auto units = amount ? amount->whole_units() : std::nullopt;
  return units && Quantity::of(*units) == *amount;
}

/// Whether mpirun gets other hosts than those that the operator writes down.
bool has_own_hosts(const Launch& launch) {
  return std::ranges::any_of(launch.hosts, [](const LaunchHosts& each) {
    return !each.in_file || each.told.text != "/etc/mpi/hostfile";
  });
}

/// A TrainJob that leaves its resources to the runtime has those of the runtime's node.
void processes_of_train_job(const Workload& workload, CheckContext& context) {
  const View trainer = get(workload.spec, "trainer");
  const ExplicitNumber processes = processes_per_pod(workload, trainer);
  if (!processes || processes.number <= 1 || get(trainer, "resourcesPerNode")) return;
  const View object = train_job(workload.object, context).runtime;
  if (!object) return;
  const Workload runtime = read_workload(object, "trainer.kubeflow.org", string_at(object, "kind"));
  const WorkloadRole* node = runtime.role("node");
  const View policy = get(runtime.spec, "mlPolicy");
  if (node == nullptr || (!get(policy, "torch") && !get(policy, "mpi"))) return;
  const Devices devices = node->devices;
  if (!are_countable(devices) || devices.whole == processes.number) return;
  const bool fails = processes.number > devices.whole && get(policy, "torch");
  context.lint(processes.at,
               std::to_string(processes.number) + " processes on each node, which has " +
                   gpus(devices.whole) + " by its runtime " +
                   shown(string_at(get(object, "metadata"), "name")),
               fails ? Severity::Error : Severity::Warning);
}

/// How many processes mpirun starts on a node by a runtime; empty where Trainer takes the number of
/// GPUs.
ExplicitNumber slots_of(const Workload& runtime) {
  const View at = get(get(get(runtime.spec, "mlPolicy"), "mpi"), "numProcPerNode");
  const auto number = integer_of(at);
  return number && *number > 1 ? ExplicitNumber{*number, at} : ExplicitNumber();
}

void tell_of_slots(const ExplicitNumber& slots, const Devices& devices, const WordView& at,
                   CheckContext& context) {
  if (!slots || !are_countable(devices) || slots.number == devices.whole) return;
  const bool too_many = slots.number > devices.whole;
  context
      .lint(at,
            "mpirun starts " + std::to_string(slots.number) + " processes on each node, " +
                (too_many ? "which has " + gpus(devices.whole) + ": several share one"
                          : "and leaves " + std::to_string(devices.whole - slots.number) + " of " +
                                gpus(devices.whole) + " without work"),
            Severity::Warning)
      .also(context.place(at.is_at(slots.at) ? devices.at : slots.at),
            at.is_at(slots.at) ? "the GPUs" : "how many processes");
}

/// The slots of a runtime for mpirun against its GPUs.
void slots_of_runtime(const Workload& workload, CheckContext& context) {
  if (!workload.kind.ends_with("TrainingRuntime")) return;
  const WorkloadRole* node = workload.role("node");
  if (node == nullptr) return;
  const ExplicitNumber slots = slots_of(workload);
  tell_of_slots(slots, node->devices, slots.at, context);
}

/// The pods that mpirun starts processes in; 0 where the TrainJob does not say how many.
std::int64_t mpi_hosts_of(View trainer, View mpi) {
  const std::int64_t nodes = integer_at(trainer, "numNodes").value_or(0);
  if (nodes <= 0 || !is_true(get(mpi, "runLauncherAsNode"))) return nodes;
  return std::max<std::int64_t>(nodes, 2);  // the launcher, and at least one other
}

/// A TrainJob that gives its nodes other GPUs than the runtime, which has the number of slots, and
/// one that starts more processes than there are.
///
/// kubeflow/trainer pkg/runtime/framework/plugins/mpi/mpi.go EnforceMLPolicy
void slots_of_train_job(const Workload& workload, CheckContext& context) {
  const View trainer = get(workload.spec, "trainer");
  const Launch launch = mpi_launch_in(trainer);
  const View resources = get(trainer, "resourcesPerNode");
  if (!launch && !resources) return;
  const View object = train_job(workload.object, context).runtime;
  if (!object) return;
  const Workload runtime = read_workload(object, "trainer.kubeflow.org", string_at(object, "kind"));
  const View mpi = get(get(runtime.spec, "mlPolicy"), "mpi");
  if (!mpi || mpi_of_operator(mpi) != Mpi::Open) return;
  const View own = get(trainer, "numProcPerNode");
  const ExplicitNumber slots =
      own ? ExplicitNumber{integer_of(own).value_or(0), own} : slots_of(runtime);
  if (!own && slots) {
    const Devices devices = devices_of(resources);
    tell_of_slots(slots, devices, devices.at, context);
  }
  const std::int64_t all = mpi_hosts_of(trainer, mpi) * slots.number;
  if (!launch || all <= 0 || launch.call->option("map-by") || may_oversubscribe(trainer)) return;
  if (has_own_hosts(launch)) return;
  const OptionValue& option = launch.ranks;
  const auto wanted = option.number();
  if (!wanted || *wanted <= all) return;
  context
      .lint(option.at, std::to_string(*wanted) + " processes, and only " + std::to_string(all) +
                           " slots: " + std::to_string(slots.number) + " on each node")
      .also(context.place(slots.at), "slots of each node");
}

/// `torchrun ... &`, while the script goes on.
bool leaves_in_background(View argument) {
  return argument->text.find('&') != argument->text.npos &&
         std::ranges::any_of(script_in(argument)->commands, [](const ScriptCommand& each) {
           return each.behind == ScriptCommand::Joint::Background;
         });
}

/// Whether a script starts a launcher several times, or one for each GPU.
bool may_start_several(View container) {
  if (variable(container, "CUDA_VISIBLE_DEVICES") ||
      script_sets(container, "CUDA_VISIBLE_DEVICES")) {
    return true;
  }
  if (any_argument(container, leaves_in_background)) return true;
  const ShellWords words = command_words(container);
  return std::ranges::any_of(words, [](const ShellWord& word) {
    return word.text == "for" || word.text == "while" || word.text == "xargs" ||
           word.text == "parallel";
  });
}

/// Processes of a pod beyond its GPUs, by their local ranks.
std::string without_gpu(std::int64_t processes, std::int64_t gpus) {
  const std::string last = std::to_string(processes - 1);
  return processes - 1 == gpus
             ? "process " + last + " fails without a GPU"
             : "processes " + std::to_string(gpus) + " to " + last + " fail without a GPU";
}

void processes_in(const Workload& workload, View container, const Devices& devices,
                  CheckContext& context) {
  if (!are_countable(devices)) return;
  const ExplicitNumber processes = processes_per_pod(workload, container);
  if (!processes || processes.number <= 1 || processes.number == devices.whole) return;
  const bool too_many = processes.number > devices.whole;
  if (!too_many && may_start_several(container)) return;  // which may share them
  const std::string each = std::to_string(processes.number) + " processes per pod";
  context
      .lint(processes.at,
            too_many ? each + ", but the pod has " + gpus(devices.whole) + ": " +
                           without_gpu(processes.number, devices.whole)
                     : each + " leave " + gpus(devices.whole - processes.number) + " of " +
                           std::to_string(devices.whole) + " without work",
            too_many ? Severity::Error : Severity::Warning)
      .also(context.place(devices.at), gpus(devices.whole) + " here");
}

/// Whether a container starts one Python program and no launcher, as far as its words say it.
bool runs_plain_python(View container) {
  const ShellWords words = command_words(container);
  const std::size_t at = place_of_program(words);
  if (at + 1 >= words.size() || !program_name(words[at].text).starts_with("python")) return false;
  const auto names_launcher = [](const ShellWord& word) {
    return word.text.find("launch") != word.text.npos || word.text.find("run") != word.text.npos ||
           word.text.find("spawn") != word.text.npos || word.text.find("proc") != word.text.npos;
  };
  return words[at + 1].text.ends_with(".py") && std::ranges::none_of(words, names_launcher);
}

/// With a number for `nprocPerNode` the operator makes `WORLD_SIZE` the processes of all pods. Each
/// pod then has to start as many.
void processes_without_launcher(const Workload& workload, CheckContext& context) {
  const View field = workload.kind == "PyTorchJob" ? get(workload.spec, "nprocPerNode") : View();
  const std::int64_t each = field ? plain_number(field->text).value_or(1) : 1;
  if (each <= 1 || get(workload.spec, "elasticPolicy")) return;
  if (workload.role("Master") == nullptr) return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || role.containers.size() != 1) return;
    if (!runs_plain_python(role.containers[0])) return;
  }
  const std::int64_t pods = workload.working_pods();
  context
      .lint(field,
            "with this number `WORLD_SIZE` is " + std::to_string(pods * each) +
                ", and the command starts one process in " +
                (pods == 1 ? "the pod" : "each of " + std::to_string(pods) + " pods"),
            Severity::Warning)
      .note(
          "start it by torchrun, or leave `nprocPerNode` out where the program starts the others");
}

/// A pod without GPUs that takes part in a job whose other pods have a process on each of theirs.
void processes_without_gpus(const Workload& workload, const WorkloadRole& role, View container,
                            const Devices& devices, CheckContext& context) {
  if (!role.pod.spec || workload.kind != "PyTorchJob" || devices.all() != 0) return;
  const bool others = std::ranges::any_of(
      workload.roles, [](const WorkloadRole& each) { return each.devices.whole > 1; });
  const ExplicitNumber processes = processes_per_pod(workload, container);
  if (!others || !processes || processes.number <= 1 || !torchrun_call(container)) return;
  if (role.devices.all() != 0) return;
  context
      .lint(processes.at,
            std::to_string(processes.number) + " processes in each pod, those of " +
                shown(role.name) + " without a GPU too",
            Severity::Warning)
      .also(context.place(role.holder), "no GPUs here");
}

/// The launcher of DeepSpeed starts a process for each GPU that it knows of.
void deepspeed_in(View container, const Devices& devices, CheckContext& context) {
  const auto call = deepspeed_call(container);
  if (!call || !are_countable(devices)) return;
  const OptionValue option = call->option("num-gpus");
  const auto processes = option.number();
  if (!processes || *processes <= devices.whole) return;
  context
      .lint(option.at, std::to_string(*processes) + " processes in each pod, which has " +
                           gpus(devices.whole) + ": " + without_gpu(*processes, devices.whole))
      .also(context.place(devices.at), "the GPUs");
}

/// accelerate counts the processes of all machines.
void accelerate_in(const Workload& workload, View container, const Devices& devices,
                   CheckContext& context) {
  const auto call = accelerate_call(container);
  if (!call || !are_countable(devices)) return;
  const OptionValue& option = call->option("num-processes");
  const auto processes = option.number();
  if (!processes || *processes <= 1) return;
  const auto machines = call->option("num-machines").number().value_or(workload.working_pods());
  const std::int64_t all = machines * devices.whole;
  if (*processes == all || machines <= 0) return;
  context
      .lint(option.at,
            std::to_string(*processes) + " processes on " + std::to_string(machines) +
                (machines == 1 ? " machine with " : " machines with ") + gpus(devices.whole) +
                (machines == 1 ? "" : " each") + "; `--num_processes` counts those of all machines",
            *processes > all ? Severity::Error : Severity::Warning)
      .also(context.place(devices.at), "the GPUs")
      .note("one for each GPU is `--num_processes " + std::to_string(all) + "`");
}

/// `gpu`: as many as there are, which is an error where there are none.
void processes_by_word(const Workload& workload, const WorkloadRole& role, View container,
                       const Devices& devices, CheckContext& context) {
  const auto call = torchrun_call(container);
  if (!call || !role.pod.spec || devices.all() != 0) return;
  const View resources = get(container, "resources");
  const View limits = get(resources, "limits");
  if (!has_items(limits) || has_items(get(resources, "claims"))) return;
  for (View limit : Items(limits)) {
    if (limit.key().find('/') != std::string_view::npos) return;  // a device of some sort
  }
  const OptionValue& option = call->option("nproc-per-node");
  const View field = workload.kind == "PyTorchJob" ? get(workload.spec, "nprocPerNode") : View();
  const WordView at = option ? option.at : WordView(field);
  if ((option ? std::string_view(option.text) : string_of(field)) != "gpu") return;
  context.lint(at, "a process for each GPU, and the container asks for none", Severity::Warning)
      .also(context.place(limits), "its limits");
}

/// `--nproc-per-node` behind the script, which torchrun hands on to it; "" for none.
std::string option_of_script(View container) {
  const ShellWords words = command_words(container);
  const auto found = std::ranges::find_if(words, [](const ShellWord& word) {
    return word.text.starts_with("--nproc-per-node") || word.text.starts_with("--nproc_per_node");
  });
  return std::string(found == words.end() ? "" : found->text.substr(0, found->text.find('=')));
}

/// torchrun starts one process by default.
void one_process(const Workload& workload, const WorkloadRole& role, View container,
                 const Devices& devices, CheckContext& context) {
  const auto call = torchrun_call(container);
  if (!call || !role.pod.spec || !are_countable(devices) || devices.whole == 1) return;
  if (is_given(workload, role, container, *call, "nproc-per-node")) return;
  if (!is_all_known(container, *call)) return;
  if (may_start_several(container)) return;
  const std::string behind = option_of_script(container);
  context
      .lint(call->at,
            (behind.empty() ? "nothing tells torchrun how many processes to start"
                            : shown(behind) + " behind the script is an option of that, and not "
                                              "of torchrun") +
                ": its default of one leaves " + gpus(devices.whole - 1) + " of " +
                std::to_string(devices.whole) + " in each pod without work",
            Severity::Warning)
      .also(context.place(devices.at), "the GPUs");
}

void process_count(const Workload& workload, CheckContext& context) {
  if (workload.kind == "TrainJob") {
    processes_of_train_job(workload, context);
    slots_of_train_job(workload, context);
  }
  slots_of_runtime(workload, context);
  check_accelerate_file(workload, context);
  processes_without_launcher(workload, context);
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    for (View container : role.containers) {
      const Devices devices = devices_in(role, container);
      processes_in(workload, container, devices, context);
      one_process(workload, role, container, devices, context);
      accelerate_in(workload, container, devices, context);
      deepspeed_in(container, devices, context);
      processes_by_word(workload, role, container, devices, context);
      processes_without_gpus(workload, role, container, devices, context);
    }
  }
}

/// Without a mapping, or by `slot` and `node`, which fill the slots of hosts.
bool maps_by_slots(const LauncherCall& call) {
  const OptionValue& mapping = call.option("map-by");
  return !mapping || mapping.text == "slot" || mapping.text == "node";
}

/// `--map-by ppr:8:node`: open-mpi/ompi docs/man-openmpi/man1/mpirun.1.rst
void processes_per_host(const Launch& launch, std::int64_t hosts, std::int64_t slots,
                        CheckContext& context) {
  const OptionValue& mapping = launch.call->option("map-by");
  constexpr std::string_view kBegin = "ppr:";
  if (!mapping.text.starts_with(kBegin) || has_own_hosts(launch)) return;
  const std::string_view rest = std::string_view(mapping.text).substr(kBegin.size());
  const std::size_t colon = rest.find(':');
  if (colon == rest.npos || !rest.substr(colon + 1).starts_with("node")) return;
  const auto each = plain_number(rest.substr(0, colon));
  if (!each || *each < 1 || *each > 1'000'000) return;
  const OptionValue& option = launch.ranks;
  const auto wanted = option.number();
  if (*each > slots && mapping.text.find("OVERSUBSCRIBE") == std::string::npos) {
    context.lint(mapping.at, std::to_string(*each) + " processes on each node, and a worker has " +
                                 std::to_string(slots) + (slots == 1 ? " slot" : " slots"));
  } else if (wanted && *wanted > *each * hosts) {
    context.lint(option.at, std::to_string(*wanted) + " processes, and " + shown(mapping.text) +
                                " makes " + std::to_string(*each) + " on each of " +
                                std::to_string(hosts) + (hosts == 1 ? " node" : " nodes"));
  }
}

/// As many as there are slots: `-np` above that ends in "not enough slots".
void mpi_processes(const Workload& workload, CheckContext& context) {
  if (workload.kind != "MPIJob") return;
  const WorkloadRole* workers = workload.role("Worker");
  const WorkloadRole* launcher = workload.role("Launcher");
  if (workers == nullptr || launcher == nullptr) return;
  const View slots_at = get(workload.spec, "slotsPerWorker");
  const std::int64_t slots = integer_of(slots_at).value_or(1);
  const Devices devices = workers->devices;
  if (devices.whole > 0 && slots > devices.whole) {
    context
        .lint(slots_at,
              std::to_string(slots) + " slots on each worker, which has " + gpus(devices.whole) +
                  ": several processes share one",
              Severity::Warning)
        .also(context.place(devices.at), "the GPUs");
  }
  if (slots_at && devices.slices == 0 && slots > 1 && slots < devices.whole) {
    context
        .lint(slots_at,
              std::to_string(slots) + " slots on each worker leave " + gpus(devices.whole - slots) +
                  " of " + std::to_string(devices.whole) + " without work",
              Severity::Warning)
        .also(context.place(devices.at), "the GPUs");
  }
  for (View container : launcher->containers) {
    const Launch launch = mpi_launch_in(container);
    const std::int64_t own = launcher->is_launcher ? std::int64_t{0} : launcher->pods;
    const std::int64_t hosts = workers->pods + own;
    if (!launch) continue;
    processes_per_host(launch, hosts, slots, context);
    if (!maps_by_slots(*launch.call) || may_oversubscribe(container)) continue;
    if (has_own_hosts(launch)) continue;
    const OptionValue& option = launch.ranks;
    const auto wanted = option.number();
    const std::int64_t all = slots * hosts;
    if (!wanted || *wanted == all || all <= 0) continue;
    const std::string slots_text = std::to_string(all) + (all == 1 ? " slot" : " slots");
    if (*wanted > all) {
      // Hydra begins with the first host again.
      if (mpi_of_operator(workload.spec) != Mpi::Open) continue;
      context
          .lint(option.at, std::to_string(*wanted) + " processes, and only " + slots_text + ": " +
                               std::to_string(slots) + " on each of " + pods_of(*workers))
          .also(context.place(slots_at), "slots of each worker")
          .note("`slotsPerWorker` is 1 where it is left out; mpirun ends with `not enough slots`");
    } else if (devices.whole > 0) {
      context.lint(option.at,
                   std::to_string(*wanted) + " processes leave " + std::to_string(all - *wanted) +
                       " of " + slots_text + " without work",
                   Severity::Warning);
    }
  }
}

/// accelerate waits for `--num_machines` as torchrun does for its nodes.
void machine_count(const Workload& workload, const WorkloadRole& role, View container,
                   CheckContext& context) {
  const auto call = accelerate_call(container);
  const std::int64_t pods = workload.working_pods();
  if (!call || pods == 0 || !role.pod.spec) return;
  const OptionValue option = call->option("num-machines");
  const auto machines = option.number();
  if (!machines || *machines <= pods) return;
  context
      .lint(option.at, std::to_string(*machines) + " machines are waited for, and there are only " +
                           std::to_string(pods) + (pods == 1 ? " pod" : " pods"))
      .also(context.place(role.count), "how many pods");
}

/// Whether all pods of a template go to one address that is written down.
bool has_one_address(View container) {
  for (std::string_view name : {"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT"}) {
    const View value = variable_value(container, name);
    if (value && !value->text.empty() && value->text.find('$') == std::string_view::npos)
      return true;
  }
  const auto call = torchrun_call(container);
  if (!call) return false;
  return std::ranges::any_of(std::to_array<std::string_view>({"master-addr", "rdzv-endpoint"}),
                             [&](std::string_view name) {
                               const OptionValue& value = call->option(name);
                               return value && value.text.find('$') == std::string::npos;
                             });
}

/// The pods that run torchrun without those of roles that stay alone by their settings, such as
/// one that evaluates.
std::int64_t pods_that_meet(const Workload& workload) {
  std::int64_t pods = torchrun_pods(workload);
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    const bool is_alone = std::ranges::any_of(role.containers, [](View container) {
      return !torchrun_call(container) && explicit_node_count(container).number == 1;
    });
    if (is_alone) pods -= role.pods;
  }
  return pods;
}

/// Whether the role is one of several programs that a build made: their ranks never meet.
bool is_own_program(const WorkloadRole& role, const ExplicitNumber& nodes) {
  return get(get(role.pod.metadata, "labels"), "trainyard/role") && role.pods % nodes.number == 0;
}

void node_count(const Workload& workload, CheckContext& context) {
  const std::int64_t all = torchrun_pods(workload);
  const std::int64_t meeting = pods_that_meet(workload);
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    for (View container : role.containers) {
      machine_count(workload, role, container, context);
      const auto call = torchrun_call(container);
      const ExplicitNumber nodes = explicit_node_count(container);
      const std::int64_t pods = nodes.number == 1 ? all : meeting;
      if (!nodes || nodes.number < 1 || pods == 0 || is_own_program(role, nodes)) continue;
      if (!call && is_injected(workload, role, container, "PET_NNODES")) continue;
      if (!call && nodes.number == 1 && meeting > 0) continue;  // others meet without it
      const std::string wait = std::to_string(nodes.number) + " nodes are waited for";
      if (nodes.number > pods) {
        context
            .lint(nodes.at, wait + ", and there are only " + std::to_string(pods) +
                                (pods == 1 ? " pod" : " pods"))
            .also(context.place(role.count), "how many pods");
      } else if (nodes.number > 1 && nodes.number < role.pods && pods % nodes.number == 0 &&
                 has_one_address(container) && !joins_by_order(container)) {
        context
            .lint(nodes.at, wait + ", and " + pods_of(role) + " meet at one address",
                  Severity::Warning)
            .also(context.place(role.count), "how many pods");
      } else if (pods % nodes.number != 0 || is_training_kind(workload)) {
        if (call && call->option("nnodes").text.find(':') != std::string::npos) continue;
        if (nodes.number == pods) continue;
        const std::int64_t rest =
            is_training_kind(workload) ? pods - nodes.number : pods % nodes.number;
        context
            .lint(nodes.at,
                  nodes.number == 1
                      ? "with one node each of " + std::to_string(pods) + " pods trains alone"
                      : wait + ", and there are " + std::to_string(pods) +
                            " pods: " + std::to_string(rest) + " of them come too many",
                  Severity::Warning)
            .also(context.place(role.count), "how many pods");
      }
    }
  }
}

/// Why pods of this container belong together, while each would train alone: the kind, or
/// `sign`. A Job may as well be many trainings side by side; but its pods have names only to find
/// each other by them.
struct Together {
  bool by_kind = false;
  View sign;

  explicit operator bool() const { return by_kind || sign; }
};

Together together(const Workload& workload, const WorkloadRole& role, View container) {
  if (is_training_kind(workload)) return {.by_kind = true, .sign = {}};
  View sign = evidence_of_peers(workload, role, container);
  if (!sign && role.pods > 1) {
    if (workload.is("batch", "Job")) sign = get(role.pod.spec, "subdomain");
    if (workload.kind == "JobSet") sign = get(get(workload.spec, "network"), "subdomain");
    if (workload.kind == "LeaderWorkerSet") {
      sign = get(get(workload.spec, "leaderWorkerTemplate"), "size");
    }
    const View labels = get(role.pod.metadata, "labels");
    if (!sign) sign = get(labels, "scheduling.x-k8s.io/pod-group");
  }
  return {.by_kind = false, .sign = sign};
}

/// What makes a launcher find the other pods.
constexpr auto kCures = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"standalone", "leave it out: the variables of the pods then lead them together"},
     {"STANDALONE", "leave it out: the variables of the pods then lead them together"},
     {"tune run", "give it `--nnodes`, `--nproc_per_node` and `--rdzv_endpoint`"},
     {"accelerate", "give it `--num_machines`, `--machine_rank` and `--main_process_ip`"},
     {"axolotl",
      "give it `--launcher torchrun -- --nnodes=N --rdzv_backend=c10d --rdzv_endpoint=...`"},
     {"deepspeed", "give it `--hostfile`, or start the program by torchrun"}});

void tell_of_lone_pods(const Workload& workload, const WorkloadRole& role, const WordView& at,
                       const std::string& what, const Together& why, CheckContext& context) {
  Diagnostic& found = context.lint(
      at, what + " makes each of " + std::to_string(workload.working_pods()) + " pods train alone");
  found.also(context.place(role.count), "how many pods");
  if (why.sign) found.also(context.place(why.sign), "this shows that they belong together");
  for (const auto& [launcher, cure] : kCures) {
    if (what.find(launcher) != what.npos) return void(found.note(std::string(cure)));
  }
}

/// A launcher that is started in each pod and does not know the others.
void started_bare(const Workload& workload, const WorkloadRole& role, View container,
                  CheckContext& context) {
  if (!role.pod.spec || role.is_launcher) return;
  for (const BareLauncher& bare : bare_launchers(workload, role, container)) {
    const Together why = together(workload, role, container);
    if (!why || (!why.by_kind && !bare.is_sure)) continue;
    tell_of_lone_pods(workload, role, bare.at, bare.what, why, context);
  }
}

void launcher_in_launcher(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto nested = nested_launcher(container);
      if (!nested) continue;
      context.lint(nested->at, "each process of " + shown(nested->outer) +
                                   " starts a launcher of its own, " + shown(nested->inner));
    }
  }
}

/// The nodes that torchrun waits for with `--standalone`, as far as it is known that there are
/// several: it changes where they meet, and not how many there are.
std::int64_t nodes_of_standalone(const Workload& workload, View container) {
  if (const ExplicitNumber nodes = explicit_node_count(container)) return nodes.number;
  const auto call = torchrun_call(container);
  if (call->option("nnodes") || variable(container, "PET_NNODES")) return 1;
  // What Trainer sets depends on the runtime.
  const bool is_told = workload.kind == "PyTorchJob" && !get(workload.spec, "elasticPolicy");
  return is_told ? workload.working_pods() : 1;
}

void torchrun_alone(const Workload& workload, const WorkloadRole& role, View container,
                    CheckContext& context) {
  const auto call = torchrun_call(container);
  if (!call) return;
  const OptionValue& option = call->option("standalone");
  const View set = variable_value(container, "PET_STANDALONE");
  const WordView at = option ? option.at : WordView(set && set->text == "1" ? set : View());
  if (!at) return;
  const std::string what = option ? "`--standalone`" : "`PET_STANDALONE`";
  const std::int64_t nodes = nodes_of_standalone(workload, container);
  if (nodes > 1 && !script_sets(container, "PET_NNODES")) {
    context
        .lint(at,
              what + " makes each of " + std::to_string(workload.working_pods()) +
                  " pods wait for " + std::to_string(nodes) + " nodes at its own localhost",
              Severity::Error)
        .also(context.place(role.count), "how many pods")
        .note(std::string(kCures.front().second));
    return;
  }
  const Together why = together(workload, role, container);
  if (why) tell_of_lone_pods(workload, role, at, what, why, context);
}

void standalone(const Workload& workload, CheckContext& context) {
  if (workload.working_pods() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      started_bare(workload, role, container, context);
      torchrun_alone(workload, role, container, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "process-count",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Each pod starts one process for each of its GPUs.",
     .source = "pytorch/pytorch torch/distributed/run.py: nproc-per-node; "
               "kubeflow/training-operator pkg/apis/kubeflow.org/v1/pytorch_types.go",
     .workload = process_count,
     .because = "A process takes the GPU of its local rank: one beyond the last fails with an "
                "invalid device ordinal, or NCCL with a duplicate GPU; a GPU without a process is "
                "paid for and idle.",
     .fix = "set the number of processes to the GPU limit, or change the limit"},
    {.name = "parallel-sizes",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "The ranks of a job can be parted as its sizes of parallel groups and of batches "
                 "say.",
     .source = "NVIDIA/Megatron-LM megatron/training/arguments.py validate_args; "
               "deepspeedai/DeepSpeed deepspeed/runtime/config.py _batch_assertion; "
               "Lightning-AI/pytorch-lightning "
               "src/lightning/fabric/plugins/environments/torchelastic.py validate_settings",
     .workload = check_parallel_sizes,
     .severity = Severity::Warning,
     .because = "Megatron, DeepSpeed and Lightning end with an error once all pods have met.",
     .fix = "let the sizes of the model divide the number of ranks, the batch be what one rank "
            "takes times the ranks and the steps, and Lightning's devices times nodes the ranks"},
    {.name = "mpi-process-count",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "An MPIJob starts as many processes as its workers have slots, and no more slots "
                 "than GPUs.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go: hostfile with "
               "slotsPerWorker, default 1",
     .workload = mpi_processes,
     .because = "mpirun refuses to start more processes than there are slots, and a worker has one "
                "slot unless slotsPerWorker says otherwise.",
     .fix = "let `-np` be `slotsPerWorker` times the number of workers"},
    {.name = "node-count",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "torchrun and accelerate wait for as many nodes as there are pods.",
     .source = "pytorch/pytorch torch/distributed/elastic/rendezvous: all nodes must join",
     .workload = node_count,
     .because = "With more nodes than pods the rendezvous waits until its time-out; pods beyond "
                "the number of nodes find it closed.",
     .fix = "let `--nnodes` be the number of pods",
     .rule = "rendezvous-variables"},
    {.name = "standalone-in-a-gang",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "Pods of one job do not start torchrun with `--standalone`, nor another launcher "
                 "that does not know the other nodes.",
     .source = "pytorch/pytorch torch/distributed/run.py: standalone overrides backend, endpoint "
               "and id; deepspeedai/DeepSpeed deepspeed/launcher/runner.py; "
               "huggingface/accelerate src/accelerate/commands/launch.py",
     .workload = standalone,
     .severity = Severity::Warning,
     .because = "Such a launcher looks for no rank outside of its pod, so that each pod trains the "
                "whole model on its own and all write the same checkpoints.",
     .fix = "start the program by torchrun, or tell its launcher of the other pods",
     .rule = "rendezvous-variables"},
    {.name = "launcher-in-launcher",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "A launcher does not start another launcher in each of its processes.",
     .source = "pytorch/pytorch torch/distributed/run.py",
     .workload = launcher_in_launcher,
     .because = "Each process then starts as many processes as the pod has GPUs, and all of them "
                "take the same address and the same GPUs.",
     .fix = "start the program itself by the one launcher",
     .rule = "rendezvous-variables"},
};

}  // namespace

const std::span<const Check> process_lints = kChecks;

}  // namespace trainyard
