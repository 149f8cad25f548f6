#include <algorithm>

#include "effective/volcano_plugins.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::vector<PodRole> roles(View job) {
  std::vector<PodRole> found;
  for (const VolcanoTask& each : volcano_tasks(job)) found.push_back({each.name, each.replicas});
  return found;
}

std::string_view or_default(std::string_view text, std::string_view standard) {
  return text.empty() ? standard : text;
}

/// Volumes of the job are those of all pods.
void add_volumes(PodBuilder& maker, View job, const PodDraft& draft) {
  std::vector<std::string_view> seen;
  for (View each : items_at(get(job, "spec"), "volumes")) {
    const View claim = get(each, "volumeClaimName");
    const std::string_view claim_name = string_of(claim);
    if (std::find(seen.begin(), seen.end(), claim_name) != seen.end()) continue;
    seen.push_back(claim_name);
    const OriginId mark = maker.mark("volume of the job", each);
    const std::string name = std::string(name_of(job)) + "-" + std::string(kRandom);
    const NodeId volume = maker.map(mark);
    maker.put(volume, "name", name, mark);
    maker.put(maker.map_at(volume, "persistentVolumeClaim", mark), "claimName",
              or_default(claim_name, "<claim made for the job>"), mark);
    append_to(maker, draft.spec, "volumes", volume);
    for (NodeId container : containers(maker, draft.spec)) {
      append_to(maker, container, "volumeMounts",
                mount(maker, name, string_at(each, "mountPath"), mark));
    }
  }
}

/// Annotations and labels of the job that its pods have, too.
constexpr std::string_view kHandedDown[] = {
    "volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone",
    "volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"};

void add_keys(PodBuilder& maker, View job, const VolcanoTask& task, std::int64_t index,
              const PodDraft& draft) {
  const View spec = get(job, "spec");
  const std::string name(name_of(job));
  const std::string_view queue = or_default(string_at(spec, "queue"), "default");
  const OriginId mark = maker.mark("job and task that the pod belongs to");
  const NodeId annotations = draft.annotations(maker, mark);
  const NodeId labels = draft.labels(maker, mark);
  const std::string text = std::to_string(index);
  for (NodeId map : {annotations, labels}) {
    maker.put(map, "volcano.sh/task-index", text, mark);
    maker.put(map, "volcano.sh/task-spec", task.name, mark);
    maker.put(map, "volcano.sh/job-name", name, mark);
    maker.put(map, "volcano.sh/queue-name", queue, mark);
  }
  maker.put(labels, "volcano.sh/job-namespace", namespace_of(job), mark);
  maker.put(annotations, "scheduling.k8s.io/group-name", name + "-" + std::string(kUid),
            maker.mark("pod group of the job"));
  maker.put(annotations, "volcano.sh/job-version", "0", mark);
  maker.put(annotations, "volcano.sh/template-uid", name + "-" + task.name, mark);
  maker.put(annotations, "volcano.sh/job-retry-count", "0", mark);
  if (const View policy = get(task.spec, "topologyPolicy"); !string_of(policy).empty()) {
    maker.put(annotations, "volcano.sh/numa-topology-policy", policy->text,
              maker.mark("topology policy of the task", policy));
  }
  if (const View policy = get(task.spec, "partitionPolicy")) {
    const std::int64_t size = integer_at(policy, "partitionSize").value_or(0);
    maker.put(labels, "volcano.sh/partition-id", std::to_string(size <= 0 ? 0 : index / size),
              maker.mark("partition of the task", policy));
  }
  const View given = get(get(job, "metadata"), "annotations");
  for (std::string_view key : kHandedDown) {
    const bool replaced =
        key.ends_with("max-unavailable") && get(given, "volcano.sh/jdb-min-available");
    const View value = get(given, key);
    if (value && !replaced) maker.put(annotations, key, maker.copy(value));
  }
  const View given_labels = get(get(job, "metadata"), "labels");
  for (std::string_view key : {"volcano.sh/preemptable", "volcano.sh/cooldown-time"}) {
    if (const View value = get(given_labels, key)) maker.put(labels, key, maker.copy(value));
  }
}

EffectivePod pod(PodBuilder& maker, View job, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  maker.act_for("volcano");
  const std::vector<VolcanoTask> tasks = volcano_tasks(job);
  const VolcanoTask& task = *std::ranges::find(tasks, role, &VolcanoTask::name);
  const View metadata = get(job, "metadata");
  const View spec = get(job, "spec");
  const PodDraft draft = draft_pod(maker, get(task.spec, "template"));
  EffectivePod result;
  result.root = draft.pod;
  result.name = std::string(name_of(job)) + "-" + task.name + "-" + std::to_string(index);
  name_pod(maker, draft, result.name, get(metadata, "namespace"),
           maker.mark("name of the job, task and index", get(metadata, "name")));

  const View own = maker.view(draft.spec);
  if (is_true(get(own, "hostNetwork")) && string_at(own, "dnsPolicy").empty()) {
    maker.put(draft.spec, "dnsPolicy", "ClusterFirstWithHostNet",
              maker.mark("so that names are found on the host's network", get(own, "hostNetwork")));
  }
  if (string_at(own, "schedulerName").empty()) {
    const View given = get(spec, "schedulerName");
    maker.put(draft.spec, "schedulerName", or_default(string_of(given), "volcano"),
              maker.mark("scheduler of the job", given));
  }
  const View priority = get(spec, "priorityClassName");
  if (string_at(own, "priorityClassName").empty() && !string_of(priority).empty()) {
    maker.put(draft.spec, "priorityClassName", priority->text,
              maker.mark("priority of the job", priority));
  }
  add_volumes(maker, job, draft);
  add_keys(maker, job, task, index, draft);
  run_volcano_plugins(maker, {job, tasks, task, index, draft, result.notes});

  const View done = maker.view(draft.spec);
  const std::string_view hostname = string_at(done, "hostname");
  const std::string_view subdomain = string_at(done, "subdomain");
  result.hostname = std::string(or_default(hostname, result.name));
  if (!hostname.empty() && !subdomain.empty()) {
    result.address = result.hostname + "." + std::string(subdomain);
  }
  return result;
}

}  // namespace

constinit const PodKind kVolcanoPods = {
    "batch.volcano.sh",
    "Job",
    "",
    "volcano",
    "volcano-sh/volcano pkg/controllers/job/job_controller_util.go",
    roles,
    pod};

}  // namespace trainyard
