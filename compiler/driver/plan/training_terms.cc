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

/// The end of a path that a term is about.
struct Told {
  std::string_view end;
  std::string_view term;
};
constexpr Told kTold[] = {
    {".image", "image"},
    {".replicas", "nodes"},
    {".minReplicas", "nodes"},
    {".maxReplicas", "nodes"},
    {".parallelism", "nodes"},
    {".completions", "nodes"},
    {".numNodes", "nodes"},
    {".minAvailable", "nodes"},
    {".leaderWorkerTemplate.size", "nodes"},
    {"env[NNODES].value", "nodes"},
    {"env[PET_NNODES].value", "nodes"},
    {"env[WORLD_SIZE].value", "nodes"},
    {"[nvidia.com/gpu]", "GPUs"},
    {"[kueue.x-k8s.io/queue-name]", "queue"},
    {"[kai.scheduler/queue]", "queue"},
    {"[runai/queue]", "queue"},
    {"spec.queue", "queue"},
    {"[kueue.x-k8s.io/priority-class]", "priority"},
    {".priorityClassName", "priority"},
    {".claimName", "claims"},
    {".runtimeRef.name", "image"},
    {".runtimeRef.name", "nodes"},
    {".runtimeRef.name", "GPUs"},
};
constexpr auto kDerived = std::to_array<std::string_view>(
    {"[trainyard/digest]", "[trainyard/source-digest]", "[trainyard/run]"});

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

Workload workload_of(View object) {
  return read_workload(object, group_of(string_at(object, "apiVersion")),
                       string_at(object, "kind"));
}

void add_roles(const Workload& workload, TrainingTerms& terms, std::set<std::string_view>& images,
               std::set<std::string_view>& claims) {
  terms.nodes = workload.working_pods();
  for (const WorkloadRole& role : workload.roles) {
    terms.gpus += multiplied_counts(role.pods, role.devices.all());
    add(role, images, claims);
  }
}

/// What a TrainJob leaves to its runtime.
void add_runtime(View train_job, View runtime, TrainingTerms& terms,
                 std::set<std::string_view>& images, std::set<std::string_view>& claims) {
  const View trainer = get(get(train_job, "spec"), "trainer");
  TrainingTerms of_runtime;
  std::set<std::string_view> its_images;
  add_roles(workload_of(runtime), of_runtime, its_images, claims);
  if (images.empty()) images = std::move(its_images);
  const std::int64_t per_node = of_runtime.nodes == 0 ? 0 : of_runtime.gpus / of_runtime.nodes;
  const bool counts = static_cast<bool>(get(trainer, "numNodes"));
  if (!counts) terms.nodes = of_runtime.nodes;
  if (get(trainer, "resourcesPerNode")) return;
  terms.gpus = counts ? multiplied_counts(terms.nodes, per_node) : of_runtime.gpus;
}

std::string number(std::int64_t value) {
  return value == 0 ? std::string() : std::to_string(value);
}

}  // namespace

TrainingTerms terms_of(View object, View runtime) {
  TrainingTerms terms;
  const Workload workload = workload_of(object);
  const bool is_train_job = string_at(object, "kind") == "TrainJob";
  if (string_at(object, "kind").ends_with("TrainingRuntime")) return terms;
  if (workload.roles.empty() && !is_train_job) return terms;
  terms.is_workload = true;
  std::set<std::string_view> images;
  std::set<std::string_view> claims;
  add_roles(workload, terms, images, claims);
  if (is_train_job && runtime) add_runtime(object, runtime, terms, images, claims);
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

bool is_told_by(const std::vector<TermChange>& terms, std::string_view path) {
  return std::ranges::any_of(kTold, [&](const Told& told) {
    return path.ends_with(told.end) && std::ranges::any_of(terms, [&](const TermChange& each) {
             return each.term == told.term;
           });
  });
}

bool is_derived(std::string_view path) {
  return std::ranges::any_of(kDerived,
                             [path](std::string_view end) { return path.ends_with(end); });
}

}  // namespace trainyard
