#include <algorithm>
#include <optional>
#include <string>

#include "convert/convertible_kinds.h"
#include "convert/job_programs.h"
#include "convert/launcher.h"
#include "convert/lifetime.h"
#include "convert/numbered_tasks.h"
#include "convert/pod_template_reader.h"
#include "convert/read_job_set.h"
#include "convert/rendezvous.h"
#include "manifest/launch.h"
#include "manifest/workload.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::int64_t kDefaultRetries =
    3;  // volcano-sh/volcano pkg/webhooks/admission/jobs/mutate

struct Plugin {
  std::string_view name;
  std::string_view framework;  // "" for none
};
constexpr Plugin kPlugins[] = {
    {"svc", ""},   {"env", ""}, {"ssh", ""}, {"pytorch", "pytorch"}, {"tensorflow", "tensorflow"},
    {"mpi", "mpi"}};

class VolcanoReader {
 public:
  explicit VolcanoReader(Conversion& job)
      : job_(job),
        spec_(get(job.job, "spec")),
        workload_(read_workload(job.job, "batch.volcano.sh", "Job")) {}

  void read() {
    job_.pods = std::max<std::int64_t>(workload_.working_pods(), 1);
    job_.has_programs = has_programs(job_.job);
    scheduling();
    plugins();
    if (job_.has_programs) {
      programs();
    } else {
      count_ranks();
      roles();
    }
    job_.injects = [](std::string_view) { return false; };
    volumes();
    policies();
    read_seconds(job_, get(spec_, "ttlSecondsAfterFinished"), "ttl");
  }

 private:
  void scheduling() {
    job_.share({"scheduling", "system"}, job_.text("volcano"), {});
    job_.share_copy({"scheduling", "queue"}, get(spec_, "queue"));
    job_.share_copy({"scheduling", "priority"}, get(spec_, "priorityClassName"));
    const View scheduler = get(spec_, "schedulerName");
    if (scheduler && scheduler->text != "volcano") {
      job_.share_copy({"scheduling", "schedulerName"}, scheduler);
    }
    job_.ledger.derived(scheduler);
    const View least = get(spec_, "minAvailable");
    const bool working = job_.ours && integer_of(least) == workload_.working_pods();
    const bool first = job_.has_programs && integer_of(least) == pods_that_wait_for_none();
    if (working || first || integer_of(least) == workload_.pods()) job_.ledger.derived(least);
    if (least && job_.ledger.fate(least) == Fate::Open) {
      job_.ledger.lost(least,
                       "all pods of a Volcano Job that a build makes start together, and here " +
                           std::string(least->text) + " can start alone",
                       "set `minAvailable` in `patches`, or build for another target with "
                       "`scheduling.gang: false`");
    }
    tiers(get(spec_, "networkTopology"),
          "say the level in `placement.topology`, by its name in the Cluster");
    for (const WorkloadRole& each : workload_.roles) {
      tiers(get(each.holder, "partitionPolicy"),
            "say the level in `placement.topology.slice`, by its name in the Cluster");
    }
  }

  /// Tasks that wait for others are made later, and are not among the pods that start together.
  /// Nor are those that the job can do without.
  std::int64_t pods_that_wait_for_none() const {
    std::int64_t pods = 0;
    for (const WorkloadRole& each : workload_.roles) {
      const bool dispensable = integer_at(each.holder, "minAvailable") == 0;
      if (!get(each.holder, "dependsOn") && !dispensable) pods += each.pods;
    }
    return pods;
  }

  void tiers(View topology, std::string_view advice) {
    job_.ledger.lost(topology, "a tier of HyperNodes is no level that a spec could name",
                     std::string(advice));
  }

  void plugins() {
    for (View each : entries_at(spec_, "plugins")) {
      const auto* known = std::ranges::find(kPlugins, each->key, &Plugin::name);
      if (known == std::end(kPlugins)) continue;
      if (!known->framework.empty() && job_.has_programs) continue;  // ranks of one program
      if (!known->framework.empty()) {
        job_.framework = known->framework;
        job_.port = job_.ours ? 29500 : 23456;  // of a build, and of the plugin
      }
      if (!has_items(each)) job_.ledger.derived(each);
      for (View flag : Items(each)) plugin_flag(*known, flag);
    }
  }

  /// Flags that name tasks say what the roles say.
  void plugin_flag(const Plugin& plugin, View flag) {
    std::string_view text = flag->text;
    text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
    const std::string_view name = text.substr(0, text.find('='));
    const std::string_view value = text.substr(std::min(name.size() + 1, text.size()));
    if (plugin.name == "pytorch" && name == "port") {
      port_ = value;
    } else if (plugin.name == "svc" && name == "publish-not-ready-addresses") {
      if (value == "false") return;
    } else if (plugin.name == "svc" && name == "disable-network-policy") {
      if (value == "false") return;
    } else if (job_.ours && text.size() > name.size()) {
      // as a build writes them
    } else if (workload_.role(value) == nullptr) {
      return;
    }
    job_.ledger.derived(flag);
  }

  /// As templates/volcano/target.yaml has it, of a job of PyTorch that a build has made.
  bool is_ranked(std::string_view name) const {
    return !job_.ours || job_.framework != "pytorch" || name == "master" || name == "worker";
  }

  void count_ranks() {
    for (const WorkloadRole& each : workload_.roles) {
      if (!is_ranked(each.name)) job_.without_rank += each.pods;
    }
  }

  void programs() {
    std::vector<std::string_view> enders;
    for (const WorkloadRole& each : workload_.roles) {
      read_program(job_, each.name, each.pods,
                   [&](const ConvertedRole& role) { pods_of_task(each, role); });
      const View waits = get(each.holder, "dependsOn");
      const View names = get(waits, "name");
      const View how = get(waits, "iteration");
      // A role waits for all of them.
      if (!how || how->text != "any" || names->size < 2) {
        for (View other : Items(names)) {
          put_after(job_, other->text, "ready");
          job_.ledger.carried(other);
        }
        job_.ledger.carried(how);
      }
      if (task_policies(each, enders.empty())) enders.push_back(each.name);
    }
    put_ends(job_, enders);
  }

  static bool is_policy(View policy, std::string_view event, std::string_view action) {
    return policy->size == 2 && string_at(policy, "event") == event &&
           string_at(policy, "action") == action;
  }

  /// Takes those by which a task ends the job, or restarts its pods alone. Returns whether it ends
  /// the job.
  bool task_policies(const WorkloadRole& task, bool is_first) {
    const View policies = get(task.holder, "policies");
    bool ends = false;
    bool alone = false;
    bool goes_on = false;
    for (View each : Items(policies)) {
      const bool ignores = is_policy(each, "PodFailed", "ResumeJob");
      const bool restarts = is_policy(each, "PodFailed", "RestartPod");
      const bool completes = is_policy(each, "TaskCompleted", "CompleteJob");
      if (completes && !is_first) {
        job_.ledger.lost(each,
                         "the first of several tasks to end completes the job, and the roles of a "
                         "spec end it together",
                         "write `ends: job` in the role that decides");
        continue;
      }
      ends = ends || completes;
      alone = alone || restarts;
      goes_on = goes_on || ignores;
      const bool of_evicted =
          is_policy(each, "PodEvicted", "RestartPod") || is_policy(each, "PodEvicted", "ResumeJob");
      if (!completes && !restarts && !ignores && !of_evicted) continue;
      for (View part : Items(each)) job_.ledger.carried(part);
    }
    const NodeId fields = job_.roles.back().fields;
    if (alone) job_.maker.put(fields, "restart", job_.text("alone"));
    if (goes_on) job_.maker.put(fields, "critical", job_.truth(false));
    const View least = get(task.holder, "minAvailable");
    if (goes_on && integer_of(least) == 0) job_.ledger.derived(least);
    restarts_alone_ = restarts_alone_ || alone;
    return ends;
  }

  /// A launcher comes last: what it passes on is known then.
  void roles() {
    if (!job_.ours && are_numbered_tasks(spec_)) return numbered();
    const WorkloadRole* launcher = workload_.role("launcher");
    const WorkloadRole* worker = workload_.role("worker");
    if (job_.ours && job_.framework == "mpi" && launcher != nullptr && worker != nullptr) {
      prepare_join(job_, get(launcher->holder, "template"), get(worker->holder, "template"));
      settle_wait(get(launcher->holder, "dependsOn"));
    }
    if (!job_.ours) by_ssh();
    for (const WorkloadRole& each : workload_.roles) {
      if (&each != launcher && role_word(each.name) != "launcher") role(each);
    }
    for (const WorkloadRole& each : workload_.roles) {
      if (&each != launcher && role_word(each.name) == "launcher") role(each);
    }
    if (launcher != nullptr) role(*launcher);
    if (job_.ours && launcher != nullptr) implementation();
    job_.roles_are_named =
        job_.ours && job_.framework == "pytorch" && workload_.roles.front().name == "worker";
  }

  /// Each pod is a task: the first says what all are.
  void numbered() {
    const std::size_t pods = workload_.roles.size();
    for (std::size_t i = 1; i < pods; ++i) job_.ledger.derived(workload_.roles[i].holder);
    workload_.roles.resize(1);
    role(workload_.roles.front());
    job_.roles.front().pods = static_cast<std::int64_t>(pods);
  }

  static bool says(View container, std::string_view text) {
    for (std::string_view list : {"command", "args"}) {
      for (View each : items_at(container, list)) {
        if (each->text.find(text) != std::string_view::npos) return true;
      }
    }
    return false;
  }

  /// Workers that do nothing but wait for ssh are started by the mpirun of a launcher.
  void by_ssh() {
    bool launches = false;
    bool waits = false;
    for (const WorkloadRole& each : workload_.roles) {
      const std::string_view word = role_word(each.name);
      launches = launches || word == "launcher";
      waits = waits || (word == "worker" && !each.containers.empty() &&
                        says(each.containers.front(), "/usr/sbin/sshd"));
    }
    if (!launches || !waits || !job_.framework.empty()) return;
    job_.framework = "mpi";
    for (const WorkloadRole& each : workload_.roles) {
      if (role_word(each.name) == "launcher") job_.pods -= each.pods;
    }
    job_.pods = std::max<std::int64_t>(job_.pods, 1);
  }

  /// Volcano writes a file of hosts for each task, named after it.
  void host_files(const WorkloadRole& from) {
    constexpr std::string_view kFolder = "/etc/volcano/";
    if (job_.ours) return;
    for (View container : from.containers) {
      for (std::string_view list : {"command", "args"}) {
        for (View each : items_at(container, list)) {
          const std::size_t at = each->text.find(kFolder);
          if (at == std::string_view::npos) continue;
          const std::size_t end =
              std::min(each->text.find_first_of(" \t\n\"'`;)|", at), each->text.size());
          job_.ledger.lost(each,
                           "`" + std::string(each->text.substr(at, end - at)) +
                               "` is a file of Volcano's, named after a task, and the tasks that a "
                               "build makes have the names of roles",
                           "let a build write the line of mpirun: name the program alone, in "
                           "`run.script` or by `run.launcher: mpirun`");
        }
      }
    }
  }

  /// For the workers.
  void settle_wait(View waits) {
    const View names = get(waits, "name");
    const bool usual = names && names->size == 1 && (*Items(names).begin())->text == "worker";
    if (usual) job_.ledger.derived(names);
  }

  /// Which the names of the variables tell that say where the hosts are.
  void implementation() {
    const WorkloadRole* launcher = workload_.role("launcher");
    std::string_view name;
    for (View each : items_at(launcher->containers.front(), "env")) {
      const std::string_view variable = string_at(each, "name");
      const bool slots = variable.ends_with("_default_slots") || variable == "I_MPI_PERHOST";
      if (slots && !job_.by_mpirun) {
        job_.processes = std::strtoll(std::string(string_at(each, "value")).c_str(), nullptr, 10);
      }
      if (variable == "I_MPI_HYDRA_HOST_FILE") name = "Intel";
      if (variable == "HYDRA_HOST_FILE") name = "MPICH";
    }
    if (name.empty() || job_.roles.empty()) return;
    const NodeId run = job_.map_at(job_.roles.back().fields, "run");
    job_.maker.put(run, "mpiImplementation", job_.text(name));
  }

  void role(const WorkloadRole& from) {
    const bool named = workload_.roles.size() > 1;
    const std::string_view word = role_word(from.name);
    const auto same = [&](const ConvertedRole& other) { return other.name == word; };
    if (named && (word.empty() || std::ranges::any_of(job_.roles, same))) {
      job_.ledger.lost(
          from.holder,
          "a spec has no role for `" + std::string(from.name) +
              "`, or the job has that role already",
          "the roles are `master`, `worker`, `chief`, `ps`, `evaluator`, `launcher` and `head`");
      return;
    }
    ConvertedRole role;
    if (named || (job_.ours && from.name == "worker")) role.name = word;
    role.pods = from.pods;
    if (job_.by_mpirun && word != "launcher") role.processes = job_.processes;
    role.has_rank = is_ranked(from.name);
    pods_of_task(from, role);
    const bool by_mpirun = job_.by_mpirun || job_.framework == "mpi";
    if (by_mpirun && word == "launcher" && from.pods != 1) {
      job_.ledger.lost(get(from.holder, "replicas"), "there is one launcher",
                       "several that start ranks are several jobs");
    }
    const View policies = get(from.holder, "policies");
    const bool completes = policies && policies->size == 1 &&
                           is_policy(*Items(policies).begin(), "TaskCompleted", "CompleteJob");
    if (completes) job_.ledger.derived(policies);
    job_.roles_are_even = !job_.ours || job_.framework == "pytorch";
  }

  void pods_of_task(const WorkloadRole& from, ConvertedRole role) {
    job_.injects = [&](std::string_view variable) {
      return !from.containers.empty() &&
             is_injected(workload_, from, from.containers.front(), variable);
    };
    role.fields = job_.map();
    host_files(from);
    if (!port_.empty()) settle_rendezvous_option(job_, role, "master-port", port_);
    job_.roles.push_back(role);
    read_pod_template(job_, job_.roles.back(), get(from.holder, "template"));
    for (std::string_view key : {"name", "replicas"}) job_.ledger.carried(get(from.holder, key));
    const View least = get(from.holder, "minAvailable");
    if (integer_of(least) == from.pods) job_.ledger.derived(least);
    const View retries = get(from.holder, "maxRetry");  // what the webhook fills in
    if (integer_of(retries) == 3) job_.ledger.derived(retries);
  }

  /// Claims that are mounted into the pods of all tasks.
  void volumes() {
    std::size_t index = 0;
    for (View each : items_at(spec_, "volumes")) {
      const View claim = get(each, "volumeClaimName");
      const std::string name = "volume-" + std::to_string(index++);
      if (!claim || get(each, "volumeClaim")) continue;
      for (ConvertedRole& role : job_.roles) {
        const NodeId entry = job_.map_at(job_.map_at(role.fields, "storage"), name);
        job_.carry(entry, "claim", claim);
        job_.carry(entry, "mountPath", get(each, "mountPath"));
      }
    }
  }

  /// `RestartJob` starts the whole job again.
  void policies() {
    bool restarts = false;                 // on a failure of the program
    bool restarts_lost = restarts_alone_;  // on one that may be the machine's
    bool tells_apart = false;
    for (View each : items_at(spec_, "policies")) {
      const std::string_view event = string_at(each, "event");
      const std::string_view action = string_at(each, "action");
      const auto code = integer_at(each, "exitCode");
      if (each->size != 2) continue;
      const bool again = action == "RestartJob";
      const bool ends = action == "TerminateJob";
      if (again && event == "PodFailed") {
        restarts = true;
      } else if (again && (event == "PodEvicted" || is_of_machine(code))) {
        restarts_lost = true;
      } else if (ends && (event == "PodFailed" || cannot_run(code))) {
        tells_apart = true;
      } else if (event != "TaskCompleted" || action != "CompleteJob" || job_.has_programs) {
        continue;
      }
      for (View part : Items(each)) job_.ledger.derived(part);
    }
    retries(restarts || restarts_lost, restarts && !tells_apart);
  }

  // The codes by which a build tells failures of the machine from those of the program.
  static bool is_of_machine(std::optional<std::int64_t> code) {
    return code && (*code == 134 || *code == 137 || *code == 139 || *code == 143);
  }
  static bool cannot_run(std::optional<std::int64_t> code) {
    return code && (*code == 2 || *code == 126 || *code == 127);
  }

  /// The job has failed when it was started `maxRetry` times.
  void retries(bool any, bool all) {
    const View limit = get(spec_, "maxRetry");
    const std::int64_t count = integer_of(limit).value_or(kDefaultRetries) - 1;
    job_.ledger.carried(limit);
    if (!any) {
      job_.share({"lifecycle", "retryOn"}, job_.text("never"), {});
      return;
    }
    if (count > 0) job_.share({"lifecycle", "retries"}, job_.number(count), {});
    if (all) job_.share({"lifecycle", "retryOn"}, job_.text("any"), {});
  }

  Conversion& job_;
  View spec_;
  Workload workload_;
  bool restarts_alone_ = false;  // pods of a task
  std::string_view port_;        // in the arguments of a plugin; "" for its default
};

void read(Conversion& job) {
  VolcanoReader(job).read();
}

}  // namespace

constinit const ConvertedKind kConvertVolcanoJob = {"batch.volcano.sh", "Job", "", read};

}  // namespace trainyard
