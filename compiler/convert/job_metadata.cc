#include "convert/job_metadata.h"

#include <algorithm>
#include <array>
#include <string>

#include "diag/credentials.h"
#include "diag/secrets.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
constexpr std::string_view kInstance = "app.kubernetes.io/instance";
constexpr std::string_view kName = "app.kubernetes.io/name";
constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";

constexpr auto kControllerLabels =
    std::to_array<std::string_view>({"controller-uid", "batch.kubernetes.io/controller-uid",
                                     "job-name", "batch.kubernetes.io/job-name"});
constexpr auto kToolAnnotations = std::to_array<std::string_view>(
    {"trainyard/digest", "kubectl.kubernetes.io/last-applied-configuration",
     "batch.kubernetes.io/job-tracking"});
constexpr auto kServerFields = std::to_array<std::string_view>(
    {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"});

/// How the spec of a job of ours wants it to be changed, which a build writes as an annotation.
struct RerunMark {
  std::string_view key;
  std::string_view value;
  std::string_view word;
};
constexpr RerunMark kRerunMarks[] = {
    {"trainyard/rerun", "never", "never"},
    {"argocd.argoproj.io/sync-options", "Force=true,Replace=true", "in-place"},
    {"kustomize.toolkit.fluxcd.io/force", "Enabled", "in-place"},
};

bool read_rerun(Conversion& job, View annotation) {
  const auto* found = std::ranges::find_if(kRerunMarks, [annotation](const RerunMark& mark) {
    return mark.key == annotation->key && mark.value == annotation->text;
  });
  if (!job.ours || found == std::end(kRerunMarks)) return false;
  return job.share({"rerun"}, job.text(found->word), annotation);
}

bool contains(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

/// A label that names the queue or the priority, and the system that reads it.
struct QueueingLabel {
  std::string_view key;
  std::string_view system;
  std::string_view field;  // of `scheduling`; "" where a build makes it from the others
};
// kubernetes-sigs/kueue pkg/controller/constants; kai-scheduler/KAI-Scheduler pkg/common/constants;
// volcano-sh/apis pkg/apis/scheduling/v1beta1/labels.go; ray-project/kuberay
// ray-operator/controllers/ray/batchscheduler/volcano
constexpr QueueingLabel kQueueingLabels[] = {
    {"kueue.x-k8s.io/queue-name", "kueue", "queue"},
    {"kueue.x-k8s.io/priority-class", "kueue", "priority"},
    {"kai.scheduler/queue", "kai", "queue"},
    {"runai/queue", "runai", "queue"},
    {"scheduling.volcano.sh/queue-name", "volcano", "queue"},
    {"volcano.sh/queue-name", "volcano", "queue"},
    {"ray.io/priority-class-name", "volcano", "priority"},
    {"scheduling.volcano.sh/group-min-member", "volcano", ""},
};

/// Read by KAI, and by the scheduler of Run:ai, which has grown out of the same code.
constexpr std::string_view kBatchMinMember = "kai.scheduler/batch-min-member";

void labels(Conversion& job, View list) {
  for (View each : Items(list)) {
    const bool workload = group_of(string_at(job.job, "apiVersion")) == "run.ai";
    if (is_own_label(job, each)) {
      job.ledger.derived(each);
    } else if (each->key.starts_with("volcano.sh/network-topology-")) {
      job.ledger.lost(each, "a tier of HyperNodes is no level that a spec could name",
                      "say the level in `placement.topology`, by its name in the Cluster");
    } else if (workload && each->key == "project") {
      job.share({"scheduling", "system"}, job.text("runai"), {});
      job.share_copy({"scheduling", "queue"}, each);
    } else if (each->key == kManagedBy || each->key == kInstance) {
      job.ledger.lost(each, "a build sets this label itself, and finds the job's pods by it",
                      "use another label where something selects by it");
    } else if (!read_queueing_label(job, each) && !read_preemption(job, each) &&
               !is_label_of_controller(each->key)) {
      job.labels[each->key] = each->text;
      job.carry(job.map_at(job.metadata, "labels"), each);
    }
  }
}

/// A spec has one name, and so has each object that a build makes of it.
void name_by_prefix(Conversion& job, View prefix) {
  std::string_view name = string_of(prefix);
  while (name.ends_with('-') || name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) return;
  job.name = name;
  job.maker.put(job.metadata, "name", job.text(name));
  job.ledger.lost(prefix, "a spec has one name; `" + job.name + "` stands in its place",
                  "give each run a name of its own in `metadata.name`");
}

}  // namespace

bool is_own_label(const Conversion& job, View label) {
  if (label->key == "trainyard/role") return job.ours;
  if (label->key == kManagedBy) return label->text == "trainyard";
  if (label->key == kName) return label->text == "training-job";
  return (label->key == kInstance || label->key == kPartOf) && label->text == job.name;
}

bool is_label_of_build(std::string_view key) {
  return key == kManagedBy || key == kInstance || key == kName || key == kPartOf;
}

bool is_label_of_controller(std::string_view key) {
  return contains(kControllerLabels, key);
}

bool is_annotation_of_tool(std::string_view key) {
  return contains(kToolAnnotations, key);
}

bool looks_like_credential(std::string_view name, std::string_view value) {
  return find_credential(value) || find_named_secret(value) ||
         (is_named_credential(name, value) && could_be_credential_value(value));
}

void put_secret_to_name(Conversion& job, NodeId fields, std::string_view variable) {
  const NodeId entry = job.map_at(job.map_at(fields, "secretEnv"), variable);
  job.maker.put(entry, "name", job.text(kSecretToName));
}

void carry_annotation(Conversion& job, NodeId metadata, View annotation) {
  if (looks_like_credential(annotation->key, annotation->text)) {
    return job.ledger.withheld(
        annotation, "put the value into a Secret; everybody who sees the job sees this one");
  }
  job.carry(job.map_at(metadata, "annotations"), annotation);
}

void settle_set_by_server(Conversion& job, View metadata) {
  for (std::string_view key : kServerFields) job.ledger.derived(get(metadata, key));
}

void settle_gang_size(Conversion& job, View size) {
  const std::int64_t pods = job.fewest_pods();
  // The launcher of mpirun is one pod more.
  const bool launched = job.framework == "mpi" || job.by_mpirun;
  if (size->text == std::to_string(pods) || (launched && size->text == std::to_string(pods + 1))) {
    return job.ledger.derived(size);
  }
  job.ledger.lost(size, "a gang is all pods of the job, and there are " + std::to_string(pods),
                  "`scheduling.gang: false` lets each pod start by itself");
}

void settle_gang_size_of_role(Conversion& job, View size) {
  const std::int64_t pods = job.roles.back().pods;  // of each of its groups
  if (!size || integer_of(size).value_or(1) % pods == 0) return job.ledger.derived(size);
  job.ledger.lost(size,
                  "a gang of a role is all of its pods, and there are " + std::to_string(pods),
                  "`scheduling.gang: false` lets each pod start by itself");
}

void settle_least_pods(Conversion& job) {
  const auto starts_first = [&](const ConvertedRole& role) {
    return job.maker.tree.find(role.fields, "after") == kNoNode;
  };
  const auto first = std::ranges::count_if(job.roles, starts_first);
  for (View each : job.least_pods) {
    // KAI counts roles where one object has several.
    const bool all_that_wait_for_none =
        each->key == kBatchMinMember && job.has_programs && each->text == std::to_string(first);
    if (all_that_wait_for_none) {
      job.ledger.derived(each);
    } else {
      settle_gang_size(job, each);
    }
  }
}

/// Whether the pods may be stopped for others, as labels say to Volcano, KAI and Run:ai.
bool read_preemption(Conversion& job, View label) {
  const bool volcano = label->key == "volcano.sh/preemptable";
  if (!volcano && label->key != "kai.scheduler/preemptibility") return false;
  const bool yes = label->text == (volcano ? "true" : "preemptible");
  if (!yes && label->text != (volcano ? "false" : "non-preemptible")) return false;
  job.share({"scheduling", "preemptible"}, job.truth(yes), label);
  return true;
}

bool read_queueing_label(Conversion& job, View label) {
  if (label->key == kBatchMinMember) {
    const View system = job.shared_at({"scheduling", "system"});
    if (!system || system.text() != "runai") {
      if (!job.share({"scheduling", "system"}, job.text("kai"), label)) return true;
    }
    job.has_gang = true;
    job.least_pods.push_back(label);
    return true;
  }
  const auto* found = std::ranges::find(kQueueingLabels, label->key, &QueueingLabel::key);
  if (found == std::end(kQueueingLabels)) return false;
  // What a job is queued by stands on the job, and again on its pods.
  if (!job.share({"scheduling", "system"}, job.text(found->system), label)) return true;
  if (!found->field.empty()) {
    job.share_copy({"scheduling", found->field}, label);
  } else {
    job.has_gang = true;
    job.least_pods.push_back(label);
  }
  return true;
}

void read_metadata(Conversion& job) {
  const View metadata = get(job.job, "metadata");
  for (std::string_view key : {"apiVersion", "kind"}) job.ledger.derived(get(job.job, key));
  job.ledger.derived(get(job.job, "status"));
  job.carry(job.metadata, "name", get(metadata, "name"));
  if (job.name.empty()) name_by_prefix(job, get(metadata, "generateName"));
  job.carry(job.metadata, "namespace", get(metadata, "namespace"));
  labels(job, get(metadata, "labels"));
  for (View each : entries_at(metadata, "annotations")) {
    const bool of_elastic = job.ours && each->key == "kueue.x-k8s.io/elastic-job";
    if (is_annotation_of_tool(each->key) || of_elastic) {
      job.ledger.derived(each);
    } else if (!read_queueing_label(job, each) && !read_preemption(job, each) &&
               !read_rerun(job, each)) {
      carry_annotation(job, job.metadata, each);
    }
  }
  settle_set_by_server(job, metadata);
}

void settle_metadata_of_part(Conversion& job, View object) {
  job.ledger.watch(object);
  const View metadata = get(object, "metadata");
  for (std::string_view key : {"apiVersion", "kind", "status"}) {
    job.ledger.derived(get(object, key));
  }
  for (std::string_view key : {"name", "namespace"}) job.ledger.derived(get(metadata, key));
  const View queue = job.shared_at({"scheduling", "queue"});
  for (View each : entries_at(metadata, "labels")) {
    const auto known = job.labels.find(each->key);
    const bool of_job = known != job.labels.end() && known->second == each->text;
    const auto* queueing = std::ranges::find(kQueueingLabels, each->key, &QueueingLabel::key);
    const bool same_queue = queueing != std::end(kQueueingLabels) && queueing->field == "queue" &&
                            queue && queue->text == each->text;
    if (of_job || same_queue || is_own_label(job, each)) job.ledger.derived(each);
  }
  const View annotations = job.maker.view(job.metadata)["annotations"];
  for (View each : entries_at(metadata, "annotations")) {
    const View of_job = annotations ? annotations[each->key] : View();
    if (is_annotation_of_tool(each->key) || (of_job && of_job->text == each->text)) {
      job.ledger.derived(each);
    }
  }
  settle_set_by_server(job, metadata);
}

}  // namespace trainyard
