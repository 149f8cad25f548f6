#include "driver/plan/training_terms.h"

#include <algorithm>
#include <array>
#include <set>

#include "diag/foreign_text.h"
#include "manifest/metadata.h"
#include "manifest/pod_templates.h"
#include "manifest/workload.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Labels that name a queue, or a priority in one.
constexpr auto kQueueLabels = std::to_array<std::string_view>(
    {"kueue.x-k8s.io/queue-name", "kai.scheduler/queue", "runai/queue"});
constexpr std::string_view kPriorityLabel = "kueue.x-k8s.io/priority-class";

/// Ends of paths that a term tells of.
constexpr auto kTold = std::to_array<std::string_view>(
    {".image", ".replicas", ".parallelism", ".completions", ".numNodes", ".minAvailable", ".queue",
     ".priorityClassName", ".claimName", "[nvidia.com/gpu]", "[kueue.x-k8s.io/queue-name]",
     "[kai.scheduler/queue]", "[runai/queue]", "[kueue.x-k8s.io/priority-class]"});
constexpr auto kDerived = std::to_array<std::string_view>(
    {"[trainyard/digest]", "[trainyard/source-digest]", "[trainyard/run]"});

bool ends_with_any(std::string_view path, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends, [path](std::string_view end) { return path.ends_with(end); });
}

std::string joined(const std::set<std::string_view>& names) {
  std::string text;
  for (const std::string_view each : names) text += (text.empty() ? "" : ", ") + std::string(each);
  return foreign_text(text);
}

std::string_view queue_of(View object) {
  for (const std::string_view key : kQueueLabels) {
    if (const View own = label(object, key)) return own.text();
  }
  return string_at(get(object, "spec"), "queue");
}

std::string_view priority_of(View object, const Workload& workload) {
  if (const View own = label(object, kPriorityLabel)) return own.text();
  if (const std::string_view own = string_at(workload.spec, "priorityClassName"); !own.empty()) {
    return own;
  }
  for (const WorkloadRole& role : workload.roles) {
    const std::string_view of_pod = string_at(role.pod.spec, "priorityClassName");
    if (!of_pod.empty()) return of_pod;
  }
  return {};
}

void add(const WorkloadRole& role, std::set<std::string_view>& images,
         std::set<std::string_view>& claims) {
  for (const View container : role.containers) {
    const std::string_view image = string_at(container, "image");
    if (!image.empty()) images.insert(image);
  }
  for (const View volume : items_at(role.pod.spec, "volumes")) {
    const std::string_view claim = string_at(get(volume, "persistentVolumeClaim"), "claimName");
    if (!claim.empty()) claims.insert(claim);
  }
}

std::string number(std::int64_t value) {
  return value == 0 ? std::string() : std::to_string(value);
}

}  // namespace

TrainingTerms terms_of(View object) {
  TrainingTerms terms;
  const Workload workload =
      read_workload(object, group_of(string_at(object, "apiVersion")), string_at(object, "kind"));
  if (workload.roles.empty() || string_at(object, "kind").ends_with("TrainingRuntime"))
    return terms;
  terms.is_workload = true;
  terms.nodes = workload.working_pods();
  std::set<std::string_view> images;
  std::set<std::string_view> claims;
  for (const WorkloadRole& role : workload.roles) {
    terms.gpus += multiplied_counts(role.pods, role.devices().all());
    add(role, images, claims);
  }
  terms.images = joined(images);
  terms.claims = joined(claims);
  terms.queue = foreign_text(queue_of(object));
  terms.priority = foreign_text(priority_of(object, workload));
  return terms;
}

std::vector<TermChange> changed_terms(const TrainingTerms& before, const TrainingTerms& after) {
  std::vector<TermChange> changes;
  const auto compare = [&](std::string_view term, std::string old, std::string next) {
    if (old != next) changes.push_back({term, std::move(old), std::move(next)});
  };
  compare("image", before.images, after.images);
  compare("nodes", number(before.nodes), number(after.nodes));
  compare("GPUs", number(before.gpus), number(after.gpus));
  compare("queue", before.queue, after.queue);
  compare("priority", before.priority, after.priority);
  compare("claims", before.claims, after.claims);
  return changes;
}

bool is_told_by_terms(std::string_view path) {
  return ends_with_any(path, kTold);
}

bool is_derived(std::string_view path) {
  return ends_with_any(path, kDerived);
}

}  // namespace trainyard
