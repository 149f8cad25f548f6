#include "lints/launch/mpi_hosts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/launch/file_text.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {

bool may_oversubscribe(View container) {
  const auto says = [](std::string_view text) { return text.find("versubscribe") != text.npos; };
  const auto variables = items_at(container, "env");
  return std::ranges::any_of(variables,
                             [&](View each) {
                               const std::string_view name = string_at(each, "name");
                               return says(name) || name.find("MCA_rmaps") != name.npos;
                             }) ||
         std::ranges::any_of(command_words(container), [&](const ShellWord& word) {
           return says(word.text) || word.text.find("OVERSUBSCRIBE") != std::string::npos;
         });
}

void check_exported_variables(View container, CheckContext& context) {
  if (!mpirun_call(container)) return;
  const std::vector<View> words = arguments_of(container);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view value = string_of(words[i + 1]);
    if (string_of(words[i]) != "-x" || value.find(' ') == value.npos) continue;
    if (value.find_first_of("=$") != value.npos) continue;
    context.lint(words[i + 1],
                 "mpirun exports no variable " + shown(value) + ": write `NAME`, or `NAME=VALUE`",
                 Severity::Warning);
    return;
  }
}

namespace {

/// Why no pod is called so, for a host in the form of a worker's name; "" where one may be.
std::string why_no_worker(const Workload& workload, const WorkloadRole& workers,
                          std::string_view host) {
  constexpr std::string_view kWorker = "-worker-";
  const std::string_view job = string_at(get(workload.object, "metadata"), "name");
  host = host.substr(0, host.find('.'));
  const std::size_t at = host.rfind(kWorker);
  if (job.empty() || at == host.npos) return {};
  const auto index = plain_number(host.substr(at + kWorker.size()));
  if (!index) return {};
  if (is_typo_of_name(host.substr(0, at), job)) {
    return "no pod of this job is called " + shown(host) + ": they begin with " +
           shown(std::string(job) + "-");
  }
  if (host.substr(0, at) != job || *index < workers.pods) return {};
  return "there is no pod " + shown(host) + ": the job has " + pods_of(workers);
}

void report(const LaunchHosts& list, View at, std::string message, CheckContext& context) {
  Diagnostic& told = context.lint(at, std::move(message));
  if (list.text) told.also(context.place(list.text), "the file");
}

/// Open MPI starts no more processes than the hosts have slots.
void too_few_slots(const Launch& launch, CheckContext& context) {
  const LaunchHosts& list = launch.hosts.front();
  const auto number = launch.ranks.number();
  std::int64_t all = 0;
  for (const LaunchHost& host : list.each) {
    if (!host.slots || *host.slots < 0 || *host.slots > 1'000'000) return;
    all += *host.slots;
  }
  if (!number || list.each.empty() || *number <= all) return;
  report(list, launch.ranks.at,
         std::to_string(*number) + " processes, and the hosts that mpirun gets have only " +
             std::to_string(all) + (all == 1 ? " slot" : " slots"),
         context);
}

void mpi_hosts(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  const WorkloadRole* workers = workload.role("Worker");
  if (!is_mpi_job_over_ssh(workload) || launcher == nullptr || workers == nullptr) return;
  for (View container : launcher->containers) {
    const Launch launch = mpi_launch_in(container, file_text(*launcher, container, context));
    for (const LaunchHosts& list : launch.hosts) {
      for (const LaunchHost& host : list.each) {
        const std::string why = why_no_worker(workload, *workers, host.name);
        if (why.empty()) continue;
        report(list, list.told.at, why, context);
        break;
      }
    }
    const bool counts = launch.hosts.size() == 1 && mpi_of_operator(workload.spec) == Mpi::Open &&
                        !launch.call->option("map-by");
    if (counts && !may_oversubscribe(container)) too_few_slots(launch, context);
  }
}

/// `-g 8` of `all_reduce_perf`, behind the program.
OptionValue gpus_of_process(View container) {
  const ShellWords words = command_words(container);
  bool is_test = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    if (word == "\n") is_test = false;
    is_test = is_test || program_name(word).ends_with("_perf");
    const std::string_view option = word.substr(0, word.find('='));
    if (is_test && (option == "-g" || option == "--ngpus")) return value_at(words, i);
  }
  return {};
}

/// Processes of a node, as far as mpirun knows.
std::optional<std::int64_t> processes_of_node(const LauncherCall& call,
                                              const WorkloadRole& workers) {
  for (std::string_view name : {"npernode", "N", "ppn", "perhost"}) {
    if (const auto number = call.option(name).number()) return number;
  }
  OptionValue all = call.option("np");
  if (!all) all = call.option("n");
  const auto number = all.number();
  if (!number || workers.pods < 1 || *number % workers.pods != 0) return std::nullopt;
  return *number / workers.pods;
}

void gpus_of_tests(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  const WorkloadRole* workers = workload.role("Worker");
  if (workload.kind != "MPIJob" || launcher == nullptr || workers == nullptr) return;
  const Devices devices = workers->devices;
  if (devices.whole == 0 || devices.slices != 0) return;
  for (View container : launcher->containers) {
    const auto call = mpirun_call(container);
    const OptionValue gpus = call ? gpus_of_process(container) : OptionValue();
    const auto each = gpus.number();
    const auto processes = each ? processes_of_node(*call, *workers) : std::nullopt;
    constexpr std::int64_t kMost = 1000;
    if (!processes || *each > kMost || *processes > kMost) continue;
    if (*each * *processes <= devices.whole) continue;
    context
        .lint(gpus.at, std::to_string(*processes) + (*processes == 1 ? " process" : " processes") +
                           " of a pod with " + std::to_string(*each) +
                           " GPUs each, and the pod has " + std::to_string(devices.whole))
        .also(context.place(devices.at), "the GPUs of a pod");
  }
}

constexpr Check kChecks[] = {
    {.name = "mpi-hosts",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Hosts that mpirun gets are workers of the MPIJob, with a slot for each "
                 "process.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go workerName; "
               "open-mpi/ompi docs/launching-apps/scheduling.rst",
     .workload = mpi_hosts,
     .because = "mpirun reaches no host of that name, or ends with `not enough slots`.",
     .fix = "leave the hosts to the operator's `/etc/mpi/hostfile`, or name those that exist"},
    {.name = "nccl-tests-gpus",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Processes of nccl-tests take no more GPUs than their pod has.",
     .source = "NVIDIA/nccl-tests README.md: `-g` is the GPUs of each thread of each process",
     .workload = gpus_of_tests,
     .severity = Severity::Warning,
     .because = "The test ends with `invalid device ordinal`.",
     .fix = "write `-g 1` with a process for each GPU"},
};

}  // namespace

const std::span<const Check> mpi_host_lints = kChecks;

}  // namespace trainyard
