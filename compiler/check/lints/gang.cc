// Whether all pods of a job start together.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/command_line.h"
#include "check/devices.h"
#include "check/gang.h"
#include "check/go_text.h"
#include "check/launch.h"
#include "check/operators/metadata.h"
#include "check/operators/train_job.h"
#include "check/read.h"
#include "check/slips.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

std::string counted_pods(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " pod" : " pods");
}

/// Whether a container is told where other processes are.
bool is_told_of_others(View container) {
  for (std::string_view name : {"MASTER_ADDR", "PET_MASTER_ADDR", "WORLD_SIZE",
                                "JAX_COORDINATOR_ADDRESS", "PET_NNODES", "NNODES"}) {
    if (variable(container, name)) return true;
  }
  return false;
}

/// Whether the program of a role waits for the pods of all its indexes.
bool waits_for_all(const WorkloadRole& role) {
  for (View container : role.containers) {
    const Stated nodes = stated_nodes(container);
    if ((nodes && nodes.number > 1) || is_told_of_others(container)) return true;
  }
  return false;
}

/// Kinds of which the pods meet; a Volcano Job is a gang by itself, of a TrainJob the runtime says
/// it, Ray and LeaderWorkerSet start their groups in an order of their own.
bool meets(const Workload& workload) {
  if (workload.group == "kubeflow.org" || workload.kind == "JobSet") return true;
  if (workload.group == "apps") return std::ranges::any_of(workload.roles, waits_for_all);
  return workload.is("batch", "Job") && string_at(workload.spec, "completionMode") == "Indexed";
}

/// Pods of an Indexed Job or JobSet that may as well be jobs side by side.
bool is_distributed(const Workload& workload) {
  if (is_training_kind(workload)) return true;
  for (const WorkloadRole& role : workload.roles) {
    if (role.pods > 1 && !string_at(role.pod.spec, "subdomain").empty()) return true;
    for (View container : role.containers) {
      if (torchrun_call(container) || is_told_of_others(container)) return true;
    }
  }
  return workload.kind == "JobSet";
}

/// A gang of `least` out of the pods of a workload; those that only start others need not wait.
void compare(View at, std::int64_t least, const Workload& workload, bool elastic,
             CheckContext& context) {
  const std::int64_t pods = workload.pods();
  if (least > pods) {
    context.lint(at, "a gang of " + counted_pods(least) + ", and the job has only " +
                         counted_pods(pods) + ": it never starts");
  } else if (least < workload.working_pods() && !elastic && workload.working_pods() > 1) {
    context.lint(at,
                 "a gang of " + counted_pods(least) + " out of " + counted_pods(pods) +
                     ": some may start without the others, and wait for them on their nodes",
                 Severity::Warning);
  }
}

bool has_task_minimum(const Workload& workload) {
  for (View task : items_at(workload.spec, "tasks")) {
    if (get(task, "minAvailable")) return true;
  }
  return false;
}

/// `--nnodes=2:4`, the fewest and the most: pytorch/pytorch torch/distributed/run.py
/// parse_min_max_nnodes.
bool torchrun_takes_fewer(View container, std::int64_t pods) {
  const auto call = torchrun_call(container);
  std::string_view nodes = call ? std::string_view(call->option("nnodes").text) : "";
  if (nodes.empty()) nodes = string_of(variable_value(container, "PET_NNODES"));
  const Stated fewest = stated_nodes(container);
  return nodes.find(':') != std::string_view::npos && fewest && fewest.number < pods;
}

/// `horovodrun --min-np 1`: horovod/horovod horovod/runner/launch.py. With fewer processes than
/// there are pods it can do without some of these.
bool horovod_takes_fewer(View container, std::int64_t pods) {
  constexpr auto options = std::to_array<std::string_view>({"--min-np", "--min-num-proc"});
  bool is_called = false;
  for (const std::vector<ShellWord> words = command_words(container);
       const ShellWord& word : words) {
    is_called = is_called || word.text == "horovodrun" || word.text.ends_with("/horovodrun");
    if (!is_called) continue;
    const std::string_view text = word.text;
    const std::size_t sign = text.find('=');
    if (std::ranges::find(options, text.substr(0, sign)) == options.end()) continue;
    const ShellWord* next = &word == &words.back() ? nullptr : &word + 1;
    const std::string_view value = sign != std::string_view::npos ? text.substr(sign + 1)
                                   : next != nullptr              ? std::string_view(next->text)
                                                                  : std::string_view();
    const auto fewest = plain_number(value);
    return fewest && *fewest < pods;
  }
  return false;
}

/// Whether the job may run with fewer pods than it has.
bool is_elastic(const Workload& workload) {
  const View cluster = get(workload.spec, "rayClusterSpec");
  if (get(workload.spec, "elasticPolicy") ||
      is_true(get(cluster ? cluster : workload.spec, "enableInTreeAutoscaling"))) {
    return true;
  }
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (torchrun_takes_fewer(container, role.pods)) return true;
      if (horovod_takes_fewer(container, workload.working_pods())) return true;
    }
  }
  return false;
}

/// Whether the pods of a gang of `least` wait for no more: they run side by side, or are told of a
/// range of pods.
bool is_enough(const Workload& workload, std::int64_t least) {
  if (is_elastic(workload)) return true;
  if (workload.group == "batch" && !is_distributed(workload)) return true;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const Stated nodes = stated_nodes(container);
      if (nodes && nodes.number <= least) return true;
    }
  }
  return false;
}

/// How pods name their PodGroup, and where that says how many it wants.
struct GroupMark {
  std::string_view field;  // of the metadata, or of the spec
  std::string_view key;
  std::string_view group;
};
constexpr auto kGroupMarks = std::to_array<GroupMark>({
    {"labels", "scheduling.x-k8s.io/pod-group", "scheduling.x-k8s.io"},
    {"annotations", "scheduling.k8s.io/group-name", "scheduling.volcano.sh"},
    {"annotations", "scheduling.volcano.sh/group-name", "scheduling.volcano.sh"},
    {"schedulingGroup", "podGroupName", "scheduling.k8s.io"},
});

std::optional<std::int64_t> size_of_group(View group) {
  const View spec = get(group, "spec");
  const View native = get(get(get(spec, "schedulingPolicy"), "gang"), "minCount");
  return integer_of(native ? native : get(spec, "minMember"));
}

/// The PodGroup that the pods name.
void named_pod_group(const Workload& workload, CheckContext& context) {
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  for (const WorkloadRole& role : workload.roles) {
    for (const GroupMark& mark : kGroupMarks) {
      const bool in_spec = mark.field == "schedulingGroup";
      const View name = get(get(in_spec ? role.pod.spec : role.pod.metadata, mark.field), mark.key);
      if (string_of(name).empty()) continue;
      const Inventory* inventory = context.inventory();
      if (inventory == nullptr) return;
      const View group = inventory->find(mark.group, "PodGroup", own, name->text);
      if (tell_of_other_namespace({mark.group, "PodGroup", "PodGroup", own, name}, context,
                                  Severity::Warning)) {
        return;
      }
      const auto least = group ? size_of_group(group) : std::nullopt;
      if (!least) return;
      if (workload.group == "batch" && *least > workload.pods()) {
        // Several Jobs may share a group.
        context.lint(name,
                     "a gang of " + counted_pods(*least) + ", and this job has only " +
                         counted_pods(workload.pods()) + ": it waits for others to join",
                     Severity::Warning);
        return;
      }
      compare(name, *least, workload, is_enough(workload, *least), context);
      return;
    }
  }
}

/// The annotation of a Job that makes a gang of its pods, which each Job of a JobSet has of its
/// own.
void annotated_size(const Workload& workload, const WorkloadRole& role, CheckContext& context) {
  const GangMinimum minimum = gang_minimum(workload, role);
  // KAI read it first behind 0.14.
  const bool is_kai = minimum.at && minimum.at->key.starts_with("kai.");
  const bool is_job = workload.is("batch", "Job");
  if (!minimum.number || !(is_job || workload.kind == "JobSet")) return;
  if (is_kai && !context.versions().within({.name = "kai", .since = "0.15"})) return;
  if (is_job) {
    compare(minimum.at, *minimum.number, workload, is_enough(workload, *minimum.number), context);
    return;
  }
  const View job = get(get(role.holder, "template"), "spec");
  PodCount pods;
  pods.multiply_by(get(job, "parallelism"), get(job, "completions"));
  if (*minimum.number <= pods) return;
  context.lint(minimum.at, "a gang of " + counted_pods(*minimum.number) + ", and each Job of " +
                               shown(role.name) + " has only " + counted_pods(pods) +
                               ": it never starts");
}

void gang_size(const Workload& workload, CheckContext& context) {
  if (workload.is("batch.volcano.sh", "Job")) {
    const View least = get(workload.spec, "minAvailable");
    const auto number = integer_of(least);
    // More than there are, its webhook refuses.
    const bool together = is_training_kind(workload) || workload.gpu_pods() > 1;
    if (!number || *number > workload.pods() || !together || has_task_minimum(workload)) return;
    std::int64_t needed = workload.working_pods();
    if (workload.roles.size() == 1 && !is_training_kind(workload)) needed = workload.gpu_pods();
    if (*number < needed) compare(least, *number, workload, false, context);
    return;
  }
  View policy = get(get(workload.spec, "runPolicy"), "schedulingPolicy");
  const View least = get(policy, "minAvailable");
  if (const auto number = integer_of(least)) {
    compare(least, *number, workload, is_elastic(workload), context);
    return;
  }
  named_pod_group(workload, context);
  for (const WorkloadRole& role : workload.roles) annotated_size(workload, role, context);
}

/// The gang wants the launcher, and the launcher is made when the workers run.
void gang_waits_for_launcher(const Workload& workload, CheckContext& context) {
  if (workload.kind != "MPIJob") return;
  const View when = get(workload.spec, "launcherCreationPolicy");
  if (string_of(when) != "WaitForWorkersReady") return;
  const View policy = get(get(workload.spec, "runPolicy"), "schedulingPolicy");
  const WorkloadRole* workers = workload.role("Worker");
  if (!policy || workers == nullptr) return;
  const auto least = integer_at(policy, "minAvailable");
  if (least && *least <= workers->pods) return;
  context
      .lint(when, "the launcher is made when all workers run, and the gang of " +
                      std::to_string(least.value_or(workers->pods + 1)) + " lets none of the " +
                      std::to_string(workers->pods) + " workers run before the launcher is there")
      .also(context.place(policy), least ? "the gang" : "a gang of all workers and the launcher");
}

/// The Job's spec that makes the pods of a role, whose pods have an index.
View indexed_spec(const Workload& workload, const WorkloadRole& role) {
  if (workload.kind == "JobSet") {
    const View spec = get(get(role.holder, "template"), "spec");
    return string_at(spec, "completionMode") == "NonIndexed" ? View() : spec;
  }
  const bool indexed =
      workload.is("batch", "Job") && string_at(workload.spec, "completionMode") == "Indexed";
  return indexed ? workload.spec : View();
}

void all_at_once(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    const View spec = indexed_spec(workload, role);
    if (!spec) continue;
    const View all = get(spec, "completions");
    const auto completions = integer_of(all);
    const View together = get(spec, "parallelism");
    const std::int64_t parallelism = integer_of(together).value_or(1);
    if (!completions || parallelism == 0 || parallelism >= *completions) continue;
    if (!waits_for_all(role)) continue;
    context.lint(together ? together : all,
                 counted_pods(parallelism) + " at once" +
                     (together ? "" : ", as `parallelism` is 1 by default,") + " of the " +
                     std::to_string(*completions) + " that wait for each other");
  }
}

/// A StatefulSet makes the next pod when the one before is ready, if not told otherwise.
void pods_in_order(const Workload& workload, CheckContext& context) {
  if (workload.kind != "StatefulSet") return;
  const View policy = get(workload.spec, "podManagementPolicy");
  if (string_of(policy) == "Parallel") return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.pods < 2 || !waits_for_all(role)) continue;
    for (View container : role.containers) {
      const View readiness = get(container, "readinessProbe");
      const View probe = readiness ? readiness : get(container, "startupProbe");
      if (!probe) continue;
      auto report = context.lint(policy ? policy : probe,
                                 "the second of " + counted_pods(role.pods) +
                                     " is made when the first is ready, and the first waits for "
                                     "all");
      if (policy) report.also(context.place(probe), "when a pod is ready");
    }
  }
}

/// What we make follows the Cluster: without one nothing is known of queues.
bool follows_no_queues(const CheckContext& context) {
  return context.is_ours() &&
         (context.cluster() == nullptr || context.cluster()->spec->queues->empty());
}

/// Kueue puts jobs without a queue into the LocalQueue `default` of their namespace:
/// kubernetes-sigs/kueue pkg/controller/jobframework/defaults.go. While it is not known what is
/// there, nothing is to be said.
bool has_default_queue(View object, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  return inventory == nullptr ||
         inventory->has("kueue.x-k8s.io", "LocalQueue", metadata_namespace(object), "default");
}

/// Pods of one role beside a gang of the others, which wait for it.
bool waits_outside(const Workload& workload, const WorkloadRole& role) {
  const bool beside = std::ranges::any_of(workload.roles, [&](const WorkloadRole& other) {
    return &other != &role && other.step == role.step && other.devices().all() > 0;
  });
  return beside && (is_training_kind(workload) || waits_for_all(role));
}

/// By what a scheduler knows that the pods of a Job are a group.
struct GroupSign {
  std::string_view scheduler;
  std::string_view sign;
};
constexpr auto kGroupSigns = std::to_array<GroupSign>({
    {"volcano", "annotation `scheduling.volcano.sh/group-min-member` on the Job"},
    {"kai-scheduler", "annotation `kai.scheduler/batch-min-member` on the Job"},
    {"scheduler-plugins-scheduler", "label `scheduling.x-k8s.io/pod-group` on them"},
});

void no_gang(const Workload& workload, CheckContext& context) {
  if (follows_no_queues(context)) return;
  if (!meets(workload) || workload.gpu_pods() < 2) return;
  if (!is_distributed(workload)) return;
  const GangGap gap = gang_gap(workload);
  if (!gap.any || is_elastic(workload) || has_default_queue(workload.object, context)) return;
  if (gap.role != nullptr) {
    if (!waits_outside(workload, *gap.role)) return;
    context.lint(gap.role->count ? gap.role->count : gap.role->holder,
                 pods_of(*gap.role) +
                     " with GPUs that need the others, and are in no gang with "
                     "them");
    return;
  }
  View at = get(workload.object, "spec");
  std::string_view scheduler;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.is_launcher && role.pods > 1 && role.devices().all() > 0) {
      at = role.count ? role.count : role.holder;
      scheduler = string_at(role.pod.spec, "schedulerName");
      break;
    }
  }
  auto& report =
      context.lint(at, counted_pods(workload.gpu_pods()) +
                           " with GPUs that need each other, and nothing that starts them "
                           "together");
  const auto* alone = std::ranges::find(kGroupSigns, scheduler, &GroupSign::scheduler);
  if (alone == kGroupSigns.end()) return;
  report.note("scheduler " + shown(scheduler) + " takes them one by one without the " +
              std::string(alone->sign));
}

/// Whether each node of a TrainJob has GPUs, as far as it is certain.
bool nodes_have_gpus(const TrainJob& job) {
  const View own = get(job.trainer, "resourcesPerNode");
  if (own) return devices_of(own).all() > 0;
  const View pod = pod_spec_of(step(job.template_spec, "trainer"));
  return devices_of(get(container_of(pod, "node"), "resources")).all() > 0;
}

/// Whether the processes of the nodes meet, and none may be left out.
bool nodes_meet(const TrainJob& job) {
  const View torch = get(get(get(job.runtime, "spec"), "mlPolicy"), "torch");
  return ml_policy(job).value_or(MlPolicy::None) != MlPolicy::None && !get(torch, "elasticPolicy");
}

/// By the TrainJob or by its runtime. A queue on the runtime is that of no job, but may be meant
/// for what is made with it.
bool train_job_has_gang(const TrainJob& job) {
  const View spec = get(job.object, "spec");
  if (names_gang(get(job.object, "metadata")) || is_true(get(spec, "suspend"))) return true;
  if (!string_at(spec, "managedBy").empty()) return true;
  for (std::string_view field : {"runtimePatches", "podTemplateOverrides", "podSpecOverrides"}) {
    if (may_name_gang(get(spec, field))) return true;
  }
  if (names_gang(spec)) return true;  // its labels, up to Trainer 2.1
  if (names_gang(get(get(get(job.runtime, "spec"), "template"), "metadata"))) return true;
  return has_gang(
      read_workload(job.runtime, "trainer.kubeflow.org", string_at(job.runtime, "kind")));
}

void no_gang_of_train_job(View object, CheckContext& context) {
  if (follows_no_queues(context)) return;
  const TrainJob job = train_job(object, context);
  if (!job) return;
  const View own = get(job.trainer, "numNodes");
  const View nodes = own ? own : get(get(get(job.runtime, "spec"), "mlPolicy"), "numNodes");
  const std::int64_t count = integer_of(nodes).value_or(1);
  if (count < 2 || !nodes_have_gpus(job) || !nodes_meet(job) || train_job_has_gang(job)) return;
  if (has_default_queue(object, context)) return;
  const View reference = get(get(get(object, "spec"), "runtimeRef"), "name");
  auto& report = context.lint(own ? own : reference,
                              counted_pods(count) +
                                  " with GPUs that need each other, and nothing that starts them "
                                  "together");
  if (const View name = metadata_name(job.runtime)) {
    report.also(context.place(name), "its runtime has no `podGroupPolicy`");
  }
}

/// The replicated jobs that are made only when others run or have ended.
struct LateJobs {
  std::int64_t at_once = 0;  // those that are made at the beginning
  std::int64_t all = 0;
  View why;  // what holds back the first of the others
  std::string_view name;
};

LateJobs late_jobs(View job_set_spec) {
  LateJobs jobs;
  const View order = get(get(job_set_spec, "startupPolicy"), "startupPolicyOrder");
  for (View each : items_at(job_set_spec, "replicatedJobs")) {
    ++jobs.all;
    const View waits = get(each, "dependsOn");
    const bool in_order = string_of(order) == "InOrder" && jobs.all > 1;
    if (!has_items(waits) && !in_order) {
      ++jobs.at_once;
    } else if (!jobs.why) {
      jobs.why = has_items(waits) ? waits : order;
      jobs.name = string_at(each, "name");
    }
  }
  return jobs;
}

bool goes_to(View job_set_spec, std::string_view scheduler) {
  const Items jobs = items_at(job_set_spec, "replicatedJobs");
  return std::any_of(jobs.begin(), jobs.end(), [&](View each) {
    return string_at(pod_spec_of(each), "schedulerName") == scheduler;
  });
}

/// kubeflow/trainer pkg/runtime/framework/plugins/coscheduling/coscheduling.go Build: the PodGroup
/// wants the pods of all replicated jobs.
void runtime_gang_waits(View runtime, CheckContext& context) {
  const View policy = get(get(runtime, "spec"), "podGroupPolicy");
  if (!get(policy, "coscheduling") && !get(policy, "volcano")) return;
  const View spec = get(get(get(runtime, "spec"), "template"), "spec");
  const LateJobs jobs = late_jobs(spec);
  if (!jobs.why) return;
  // Another scheduler may have the plugin as well, or know nothing of the PodGroup.
  const bool surely = goes_to(spec, "volcano") || goes_to(spec, "scheduler-plugins-scheduler");
  const std::string never = surely ? ": the job never starts" : "";
  context
      .lint(jobs.why,
            "the pods of " + shown(jobs.name) +
                " are made when those before them run or have ended, and the gang lets none run "
                "without them" +
                never,
            surely ? Severity::Error : Severity::Warning)
      .also(context.place(policy), "a gang of the pods of all replicated jobs");
}

/// kai-scheduler/KAI-Scheduler pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go
/// computePodGroupMinSubGroup: all replicated jobs, one where they start in order, or what an
/// annotation says.
void kai_gang_waits(View job_set_spec, View override, View reference, CheckContext& context) {
  if (!context.versions().within({.name = "kai", .since = "0.16"})) return;
  const LateJobs jobs = late_jobs(job_set_spec);
  if (!jobs.why || !goes_to(job_set_spec, "kai-scheduler")) return;
  std::int64_t needed = jobs.why->key == "dependsOn" ? jobs.all : 1;
  if (override) needed = std::min(go_integer(string_of(override)).value_or(0), jobs.all);
  if (needed <= jobs.at_once) return;
  const View at = reference ? reference : jobs.why;
  auto& report = context.lint(
      at, "the pods of " + shown(jobs.name) +
              " are made when those before them run or have ended, and KAI lets none run without " +
              (needed == jobs.all ? "them" : std::to_string(needed) + " replicated jobs") +
              ": the job never starts");
  if (reference) report.also(context.place(jobs.why), "what they wait for");
  report.note(
      "the annotation `kai.scheduler/batch-min-member: \"1\"` lets each replicated job be a "
      "gang of its own");
}

constexpr std::string_view kBatchMinimum = "kai.scheduler/batch-min-member";

void gang_waits_for_step(View object, CheckContext& context) {
  const std::string_view kind = string_at(object, "kind");
  if (kind.ends_with("TrainingRuntime")) return runtime_gang_waits(object, context);
  if (kind == "JobSet") {
    // The annotations of a TrainJob reach KAI past the JobSet that is made from it.
    if (context.is_ours()) return;
    return kai_gang_waits(get(object, "spec"), annotation(object, kBatchMinimum), {}, context);
  }
  const TrainJob job = train_job(object, context);
  if (!job) return;
  View override = annotation(object, kBatchMinimum);
  const View metadata = get(get(get(job.runtime, "spec"), "template"), "metadata");
  if (const View own = get(get(metadata, "annotations"), kBatchMinimum)) override = own;
  const View spec = get(object, "spec");
  if (get(spec, "runtimePatches") || get(get(spec, "annotations"), kBatchMinimum)) return;
  kai_gang_waits(job.template_spec, override, get(get(spec, "runtimeRef"), "name"), context);
}

/// Schedulers that know nothing of a Volcano Job; one with another name may be a Volcano of its
/// own.
constexpr auto kOtherSchedulers = std::to_array<std::string_view>(
    {"default-scheduler", "kai-scheduler", "runai-scheduler", "scheduler-plugins-scheduler",
     "yunikorn", "gke.io/optimize-utilization-scheduler"});

void volcano_scheduler(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch.volcano.sh", "Job")) return;
  const View common = get(workload.spec, "schedulerName");
  bool said_of_all = false;
  for (const WorkloadRole& role : workload.roles) {
    const View own = get(role.pod.spec, "schedulerName");
    const View name = string_of(own).empty() ? common : own;
    if (std::ranges::find(kOtherSchedulers, string_of(name)) == kOtherSchedulers.end()) continue;
    if (name.id() == common.id() && std::exchange(said_of_all, true)) continue;
    context.lint(name,
                 "the pods of this Volcano Job go to " + shown(name->text) + ", not to Volcano");
  }
}

/// What names a queue or a gang of one scheduler, and for nothing else.
struct QueueMark {
  std::string_view field;
  std::string_view key;
  std::string_view scheduler;
};
constexpr auto kQueueMarks = std::to_array<QueueMark>({
    {"labels", "kai.scheduler/queue", "kai-scheduler"},
    {"annotations", "scheduling.volcano.sh/queue-name", "volcano"},
    {"annotations", "scheduling.volcano.sh/group-name", "volcano"},
    {"annotations", "scheduling.k8s.io/group-name", "volcano"},
});

/// Kinds of which the operator may put the scheduler's name into the pods.
bool may_be_given_a_scheduler(std::string_view group) {
  return group == "ray.io" || group == "kubeflow.org" || group == "batch.volcano.sh" ||
         group == "flow.volcano.sh" || group == "run.ai";
}

void scheduler_of_queue(const Pod& pod, CheckContext& context) {
  const std::string_view scheduler = string_at(pod.spec, "schedulerName");
  const bool is_default = scheduler.empty() || scheduler == "default-scheduler";
  const bool is_patch = (pod.fills & kIsPatch) == kIsPatch;
  const View object = context.object();
  if (!is_default || is_patch ||
      may_be_given_a_scheduler(group_of(string_at(object, "apiVersion"))))
    return;
  const bool is_runtime = string_at(object, "kind").ends_with("TrainingRuntime");
  for (const QueueMark& mark : kQueueMarks) {
    View at = get(get(pod.metadata, mark.field), mark.key);
    if (!at && !is_runtime) at = get(get(get(object, "metadata"), mark.field), mark.key);
    if (string_of(at).empty()) continue;
    context.lint(at, shown(mark.key) + " is for pods of the scheduler " + shown(mark.scheduler) +
                         ", and these go to the default one: `schedulerName` is " +
                         (scheduler.empty() ? "not set" : shown(scheduler)));
  }
}

/// kai-scheduler/KAI-Scheduler pkg/scheduler/actions/utils/input_jobs.go: jobs of a queue that has
/// others below it are passed over, as are those of one that is not there.
void kai_queue(const Pod& pod, CheckContext& context) {
  constexpr std::string_view key = "kai.scheduler/queue";
  constexpr std::string_view group = "scheduling.run.ai";
  View name = get(get(pod.metadata, "labels"), key);
  if (!name) name = get(get(get(context.object(), "metadata"), "labels"), key);
  const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const std::vector<View> queues = inventory->all(group, "Queue");
  for (View each : queues) {
    const View parent = get(get(each, "spec"), "parentQueue");
    if (string_of(parent) != name->text) continue;
    context
        .lint(name, "queue " + shown(name->text) + " has others below it, such as " +
                        shown(string_at(get(each, "metadata"), "name")) +
                        "; jobs go to one without")
        .also(context.place(parent), "below it");
    return;
  }
  tell_of_near_name({group, "Queue", "queue", "", name}, context);
}

/// Schedulers by the names that they are installed with.
constexpr auto kSchedulers = std::to_array<std::string_view>(
    {"default-scheduler", "volcano", "kai-scheduler", "runai-scheduler",
     "scheduler-plugins-scheduler", "yunikorn", "koord-scheduler", "hami-scheduler"});

void scheduler_name(const Pod& pod, CheckContext& context) {
  const View name = get(pod.spec, "schedulerName");
  const std::string_view text = string_of(name);
  for (std::string_view known : kSchedulers) {
    // `volcano2` may be a second one.
    const bool may_be_own = text.starts_with(known) || !text.starts_with(known.substr(0, 1));
    const bool in_capitals = !text.empty() && text[0] >= 'A' && text[0] <= 'Z';
    if ((may_be_own && !in_capitals) || !is_slip_of(text, known)) continue;
    context.lint(name, "scheduler " + shown(text) + " looks like a slip of " + shown(known));
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "kai-job-queue",
     .on = "pod",
     .sentence = "Pods for KAI go to a queue that is there and has none below it.",
     .source = "kai-scheduler/KAI-Scheduler pkg/scheduler/actions/utils/input_jobs.go",
     .pod = kai_queue,
     .severity = Severity::Warning,
     .because = "KAI passes over jobs of other queues: the pods stay Pending.",
     .fix = "name a queue of the lowest level"},
    {.name = "scheduler-name",
     .on = "pod",
     .sentence = "The scheduler of pods is not one letter off from a known one.",
     .source = "kubernetes/kubernetes pkg/scheduler/scheduler.go: pods with another name are "
               "left alone",
     .pod = scheduler_name,
     .severity = Severity::Warning,
     .because = "No scheduler takes pods that name another one: they stay Pending without an "
                "event.",
     .fix = "write the name with which the scheduler runs"},
    {.name = "gang-size",
     .on = "workload",
     .sentence = "A gang is as large as the number of pods that need each other.",
     .source = "volcano-sh/volcano pkg/scheduler/plugins/gang; kubeflow/training-operator "
               "pkg/controller.v1/common/job.go: minAvailable",
     .workload = gang_size,
     .because = "A gang of more pods than there are is never complete; one of fewer lets a part of "
                "the job take its nodes and wait there for the rest.",
     .fix = "let it be the number of all pods, or leave it out: that is the default"},
    {.name = "gang-waits-for-launcher",
     .on = "workload",
     .sentence = "A gang does not count a launcher that waits for the gang.",
     .source =
         "kubeflow/mpi-operator pkg/controller/podgroup.go calculateMinAvailable: workers + 1; "
         "kubeflow/mpi-operator issue 608",
     .workload = gang_waits_for_launcher,
     .severity = Severity::Warning,
     .because = "The workers wait for the gang, the gang for the launcher, and the launcher for "
                "the workers.",
     .fix = "set `minAvailable` to the number of workers, or create the launcher `AtStartup`"},
    {.name = "volcano-scheduler",
     .on = "workload",
     .sentence = "The pods of a Volcano Job are scheduled by Volcano.",
     .source = "volcano-sh/volcano pkg/controllers/job/job_controller_util.go createJobPod: the "
               "scheduler of a template stays",
     .workload = volcano_scheduler,
     .severity = Severity::Warning,
     .because = "Another scheduler takes each pod alone: the queue, the gang and the priority of "
                "the job count for nothing, and what it takes Volcano believes to be free.",
     .fix = "leave `schedulerName` out, or set it to `volcano`"},
    {.name = "scheduler-of-queue",
     .on = "pod",
     .sentence = "Pods that name a queue or a gang of a scheduler go to that scheduler.",
     .source = "NVIDIA/KAI-Scheduler docs/quickstart/README.md; volcano-sh/volcano "
               "pkg/scheduler/cache/event_handlers.go",
     .pod = scheduler_of_queue,
     .severity = Severity::Warning,
     .because = "The default scheduler knows nothing of queues and gangs: the pods start one by "
                "one, past all quotas.",
     .fix = "set `schedulerName` in the pod template"},
    {.name = "all-at-once",
     .on = "workload",
     .sentence = "Pods of a Job that meet each other run at the same time.",
     .source = "kubernetes/kubernetes pkg/controller/job/job_controller.go: parallelism pods of "
               "the completions at a time",
     .workload = all_at_once,
     .severity = Severity::Warning,
     .because = "The next pods start when the first have ended, and these wait for the next.",
     .fix = "set `parallelism` to the number of `completions`"},
    {.name = "pods-in-order",
     .on = "workload",
     .sentence = "Pods of a StatefulSet that meet each other are made at the same time.",
     .source = "kubernetes/kubernetes pkg/controller/statefulset/stateful_set_control.go: "
               "OrderedReady, the default, waits for each pod to be ready",
     .workload = pods_in_order,
     .severity = Severity::Warning,
     .because = "A pod whose probe passes only once the training runs is never ready, and the "
                "others are never made.",
     .fix = "set `podManagementPolicy: Parallel`"},
    {.name = "no-gang",
     .on = "workload",
     .sentence = "Pods with GPUs that need each other are scheduled all at once.",
     .source = "kubernetes-sigs/kueue issue 2796; kubeflow/trainer issue 165",
     .workload = no_gang,
     .severity = Severity::Warning,
     .because = "The scheduler places one pod after the other: two jobs can each hold half of the "
                "nodes and wait for the other half.",
     .fix = "name a queue (label `kueue.x-k8s.io/queue-name`), a gang scheduler or a PodGroup; "
            "where the operator makes PodGroups for every job, turn this check off"},
    {.name = "no-gang-of-train-job",
     .on = "trainer.kubeflow.org TrainJob",
     .sentence = "The nodes of a TrainJob with GPUs are scheduled all at once.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/coscheduling/coscheduling.go and "
               "volcano/volcano.go: a PodGroup only with `podGroupPolicy` of the runtime",
     .object = no_gang_of_train_job,
     .severity = Severity::Warning,
     .because = "The scheduler places one pod after the other: two jobs can each hold half of the "
                "nodes and wait for the other half.",
     .fix = "give the TrainJob a queue (label `kueue.x-k8s.io/queue-name`), or its runtime a "
            "`podGroupPolicy` and the scheduler that reads it"},
    {.name = "gang-waits-for-step",
     .on = "trainer.kubeflow.org TrainingRuntime ClusterTrainingRuntime TrainJob; "
           "jobset.x-k8s.io JobSet",
     .sentence = "A gang does not want pods that are made only when others of it run.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/coscheduling/coscheduling.go Build; "
               "kai-scheduler/KAI-Scheduler "
               "pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go "
               "computePodGroupMinSubGroup; kubernetes-sigs/jobset pkg/controllers/depends_on.go",
     .object = gang_waits_for_step,
     .severity = Severity::Warning,
     .because = "The first step waits for a gang that is never complete, and the next for the "
                "first: the pods stay Pending.",
     .fix = "leave out the gang, or what the steps wait for"},
};

}  // namespace

const std::span<const Check> gang_lints = kChecks;

}  // namespace trainyard
