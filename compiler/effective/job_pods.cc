#include "effective/job_pods.h"

#include "effective/pod_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";

bool is_indexed(View job) {
  return string_at(get(job, "spec"), "completionMode") == "Indexed";
}

/// Unless the user has one of this name, wherever it stands.
void add_index_variable(PodBuilder& maker, NodeId container, bool from_label, OriginId mark) {
  for (View each : items_at(maker.view(container), "env")) {
    if (string_at(each, "name") == kIndexVariable) return;
  }
  const std::string field = std::string("metadata.") + (from_label ? "labels" : "annotations") +
                            "['" + std::string(kIndexKey) + "']";
  append_env(maker, container, field_variable(maker, kIndexVariable, field, mark));
}

void add_index(PodBuilder& maker, const PodDraft& draft, std::int64_t index,
               KubernetesVersion version) {
  const OriginId mark = maker.mark("index of this pod");
  // PodIndexLabel, on since 1.28
  const bool has_label = version >= KubernetesVersion{1, 28};
  const std::string text = std::to_string(index);
  if (has_label) maker.put(draft.labels(maker, mark), kIndexKey, text, mark);
  maker.put(draft.annotations(maker, mark), kIndexKey, text, mark);
  for (NodeId each : init_containers(maker, draft.spec)) {
    add_index_variable(maker, each, has_label, mark);
  }
  for (NodeId each : containers(maker, draft.spec)) {
    add_index_variable(maker, each, has_label, mark);
  }
}

std::vector<PodRole> roles(View job) {
  return {{"pod", job_pod_count(job)}};
}

EffectivePod pod(PodBuilder& maker, View job, std::string_view, std::int64_t index,
                 KubernetesVersion version) {
  return job_pod(maker, job, index, version);
}

}  // namespace

std::int64_t job_pod_count(View job) {
  const View spec = get(job, "spec");
  const auto parallelism = integer_at(spec, "parallelism");
  const auto completions = integer_at(spec, "completions");
  if (is_indexed(job)) return completions.value_or(parallelism.value_or(1));
  return parallelism.value_or(1);
}

EffectivePod job_pod(PodBuilder& maker, View job, std::int64_t index, KubernetesVersion version) {
  maker.act_for("job-controller");
  const std::string name(name_of(job));
  const bool indexed = is_indexed(job);
  const View metadata = get(job, "metadata");
  const std::string base = indexed ? name + "-" + std::to_string(index) : name;

  EffectivePod result;
  const PodDraft draft = draft_pod(maker, get(get(job, "spec"), "template"));
  result.root = draft.pod;
  result.name = base + "-" + std::string(kRandom);
  const OriginId named =
      maker.mark("name of the job, index and a random end", get(metadata, "name"));
  name_pod(maker, draft, result.name, get(metadata, "namespace"),
           indexed ? named : maker.mark("name of the job and a random end", get(metadata, "name")));

  const OriginId owner = maker.mark("job that the pod belongs to");
  const NodeId labels = draft.labels(maker, owner);
  for (std::string_view prefix : {"batch.kubernetes.io/", ""}) {
    maker.put(labels, std::string(prefix) + "controller-uid", kUid, owner);
    maker.put(labels, std::string(prefix) + "job-name", name, owner);
  }
  const OriginId tracking = maker.mark("until the job has counted the pod");
  const View own = get(get(get(get(job, "spec"), "template"), "metadata"), "finalizers");
  maker.put_copy(draft.metadata, "finalizers", own);
  const NodeId finalizers = maker.list_at(draft.metadata, "finalizers", tracking);
  maker.tree.append(finalizers, maker.text("batch.kubernetes.io/job-tracking", tracking));

  if (indexed) {
    add_index(maker, draft, index, version);
    maker.put(draft.spec, "hostname", base, maker.mark("name of the job and index"));
    const View limit = get(get(job, "spec"), "backoffLimitPerIndex");
    if (limit && version >= KubernetesVersion{1, 29}) {  // JobBackoffLimitPerIndex
      const OriginId mark = maker.mark("failures of this index so far", limit);
      maker.put(draft.annotations(maker, mark), "batch.kubernetes.io/job-index-failure-count", "0",
                mark);
    }
  }
  const View spec = maker.view(draft.spec);
  const std::string_view hostname = string_at(spec, "hostname");
  const std::string_view subdomain = string_at(spec, "subdomain");
  result.hostname = hostname.empty() ? result.name : std::string(hostname);
  if (!hostname.empty() && !subdomain.empty()) {
    result.address = result.hostname + "." + std::string(subdomain);
  }
  return result;
}

constinit const PodKind kJobPods = {"batch",
                                    "Job",
                                    "",
                                    "job-controller",
                                    "kubernetes/kubernetes pkg/controller/job/indexed_job_utils.go",
                                    roles,
                                    pod};

}  // namespace trainyard
