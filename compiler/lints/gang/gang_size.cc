// Whether a gang is as large as the pods that need each other.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/gang/collective_start.h"
#include "lints/tables.h"
#include "manifest/gang.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

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

/// Whether the pods of a gang of `least` wait for no more: they run side by side, or know of a
/// range of pods.
bool is_enough(const Workload& workload, std::int64_t least) {
  if (is_elastic(workload)) return true;
  if (workload.group == "batch" && !is_distributed(workload)) return true;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const ExplicitNumber nodes = explicit_node_count(container);
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

/// Several of one name are perhaps of as many examples: then only one in the job's own file counts.
View group_of_job(const Inventory& inventory, std::string_view group, std::string_view name_space,
                  View name) {
  std::vector<View> all = inventory.named(group, "PodGroup", name->text);
  if (all.size() < 2) return inventory.find(group, "PodGroup", name_space, name->text);
  std::erase_if(all, [&](View each) { return each->span.file != name->span.file; });
  return all.empty() ? View() : all.front();
}

/// Jobs that share a group have its name in front of theirs.
bool shares_group(const Workload& workload, std::string_view group) {
  const std::string_view name = string_at(get(workload.object, "metadata"), "name");
  return name.starts_with(group) && name.substr(group.size()).starts_with('-');
}

View name_of_group(const WorkloadRole& role, const GroupMark& mark) {
  const bool in_spec = mark.field == "schedulingGroup";
  return get(get(in_spec ? role.pod.spec : role.pod.metadata, mark.field), mark.key);
}

/// The PodGroup of all pods of `workload`.
void compare_with_group(const Workload& workload, const GroupMark& mark, View name,
                        CheckContext& context) {
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View group = group_of_job(*inventory, mark.group, own, name);
  const NamedObject named{mark.group, "PodGroup", "PodGroup", own, name};
  if (report_wrong_namespace(named, context, Severity::Warning) ||
      report_similar_name(named, context, Severity::Warning)) {
    return;
  }
  const auto least = group ? size_of_group(group) : std::nullopt;
  if (!least) return;
  if (workload.group == "batch" && *least > workload.pods()) {
    if (shares_group(workload, name->text)) return;
    context.lint(name,
                 "a gang of " + counted_pods(*least) + ", and this job has only " +
                     counted_pods(workload.pods()) + ": it waits for others to join",
                 Severity::Warning);
    return;
  }
  compare(name, *least, workload, is_enough(workload, *least), context);
}

/// The PodGroups that the pods name. Roles that name several are programs, each a gang.
void named_pod_groups(const Workload& workload, CheckContext& context) {
  const auto text_of = [](const GroupMark& mark) {
    return [&mark](const WorkloadRole& role) { return string_of(name_of_group(role, mark)); };
  };
  for (const GroupMark& mark : kGroupMarks) {
    std::set<std::string_view> names;
    for (const WorkloadRole& role : workload.roles) names.insert(text_of(mark)(role));
    names.erase("");
    for (const std::string_view name : names) {
      Workload part = workload;
      if (names.size() > 1) {
        std::erase_if(part.roles, [&](const auto& role) { return text_of(mark)(role) != name; });
      }
      const auto first = std::ranges::find(part.roles, name, text_of(mark));
      compare_with_group(part, mark, name_of_group(*first, mark), context);
    }
    if (!names.empty()) return;
  }
}

/// The annotation of a Job that makes a gang of its pods, which each Job of a JobSet has of its
/// own.
void annotated_size(const Workload& workload, const WorkloadRole& role, CheckContext& context) {
  const GangMinimum minimum = gang_minimum(workload, role);
  // KAI read it first behind 0.14.
  const bool is_kai = minimum.at && minimum.at.key().starts_with("kai.");
  const bool is_job = workload.is("batch", "Job");
  if (!minimum.number || !(is_job || workload.kind == "JobSet")) return;
  if (is_kai && !context.versions().within({.name = "kai", .since = "0.15"})) return;
  if (is_job) {
    compare(minimum.at, *minimum.number, workload, is_enough(workload, *minimum.number), context);
    return;
  }
  const View job = get(get(role.holder, "template"), "spec");
  const std::int64_t pods = count_of(get(job, "parallelism"), get(job, "completions"));
  if (*minimum.number <= pods) return;
  context.lint(minimum.at, "a gang of " + counted_pods(*minimum.number) + ", and each Job of " +
                               shown(role.name) + " has only " + counted_pods(pods) +
                               ": it never starts");
}

/// Whether mpirun in one task goes to the pods of others: it waits for them all.
bool runs_mpi(const Workload& workload) {
  return workload.roles.size() > 1 &&
         std::ranges::any_of(workload.roles, [](const WorkloadRole& role) {
           return std::ranges::any_of(role.containers, [](View container) {
             const auto call = mpirun_call(container);
             return call && (call->option("host") || call->option("H") ||
                             call->option("hostfile") || call->option("machinefile"));
           });
         });
}

void gang_size(const Workload& workload, CheckContext& context) {
  if (workload.is("batch.volcano.sh", "Job")) {
    const View least = get(workload.spec, "minAvailable");
    const auto number = integer_of(least);
    // More than there are, its webhook refuses.
    const bool together = is_training_kind(workload) || workload.gpu_pods > 1 || runs_mpi(workload);
    if (!number || *number > workload.pods() || !together || has_task_minimum(workload)) return;
    std::int64_t needed = workload.working_pods();
    if (workload.roles.size() == 1 && !is_training_kind(workload)) needed = workload.gpu_pods;
    if (*number < needed) compare(least, *number, workload, false, context);
    return;
  }
  View policy = get(get(workload.spec, "runPolicy"), "schedulingPolicy");
  const View least = get(policy, "minAvailable");
  if (const auto number = integer_of(least)) {
    compare(least, *number, workload, is_elastic(workload), context);
    return;
  }
  named_pod_groups(workload, context);
  for (const WorkloadRole& role : workload.roles) annotated_size(workload, role, context);
}

constexpr Check kChecks[] = {
    {.name = "gang-size",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .sentence = "A gang is as large as the number of pods that need each other.",
     .source = "volcano-sh/volcano pkg/scheduler/plugins/gang; kubeflow/training-operator "
               "pkg/controller.v1/common/job.go: minAvailable",
     .workload = gang_size,
     .because = "A gang of more pods than there are is never complete; one of fewer lets a part of "
                "the job take its nodes and wait there for the rest.",
     .fix = "let it be the number of all pods, or leave it out: that is the default"},
};

}  // namespace

const std::span<const Check> gang_size_lints = kChecks;

}  // namespace trainyard
