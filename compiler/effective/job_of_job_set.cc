#include "effective/job_of_job_set.h"

#include <algorithm>

#include "effective/job_pods.h"
#include "effective/pod_parts.h"
#include "effective/sha1.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
constexpr std::string_view kBySelector = "alpha.jobset.sigs.k8s.io/node-selector";
constexpr std::string_view kJobKey = "jobset.sigs.k8s.io/job-key";
constexpr std::string_view kPriority = "jobset.sigs.k8s.io/priority";

std::int64_t replicas_of(View replicated_job) {
  return integer_at(replicated_job, "replicas").value_or(1);
}

std::string group_of_jobs(View replicated_job) {
  const std::string_view name = string_at(replicated_job, "groupName");
  return name.empty() ? "default" : std::string(name);
}

/// Numbers of Jobs over the whole set, or over one group of it.
struct JobCount {
  std::int64_t all = 0;
  std::int64_t before = 0;  // those of the replicated jobs in front of this one
};

JobCount count_jobs(View job_set, View replicated_job, bool in_group) {
  JobCount count;
  bool passed = false;
  for (View each : items_at(get(job_set, "spec"), "replicatedJobs")) {
    passed = passed || each.id() == replicated_job.id();
    if (in_group && group_of_jobs(each) != group_of_jobs(replicated_job)) continue;
    count.all += replicas_of(each);
    if (!passed) count.before += replicas_of(each);
  }
  return count;
}

std::string job_name(View job_set, View replicated_job, std::int64_t index) {
  return std::string(name_of(job_set)) + "-" + std::string(string_at(replicated_job, "name")) +
         "-" + std::to_string(index);
}

std::string job_key(View job_set, const std::string& job) {
  const std::string_view space = string_at(get(job_set, "metadata"), "namespace");
  if (space.empty()) return "<hash of namespace and job>";
  return sha1_hex(std::string(space) + "/" + job);
}

std::string subdomain_of(View job_set) {
  const std::string_view given = string_at(get(get(job_set, "spec"), "network"), "subdomain");
  return std::string(given.empty() ? name_of(job_set) : given);
}

std::string coordinator(View job_set, View wanted) {
  const auto index = [&](std::string_view key) {
    return "-" + std::to_string(integer_at(wanted, key).value_or(0));
  };
  return std::string(name_of(job_set)) + "-" + std::string(string_at(wanted, "replicatedJob")) +
         index("jobIndex") + index("podIndex") + "." + subdomain_of(job_set);
}

/// The keys that Jobs and pods have both as labels and as annotations.
void add_keys(PodBuilder& maker, View job_set, View replicated_job, std::int64_t index,
              NodeId metadata) {
  const OriginId mark = maker.mark("place of this job in the set");
  const JobCount all = count_jobs(job_set, replicated_job, false);
  const JobCount group = count_jobs(job_set, replicated_job, true);
  for (std::string_view both : {"labels", "annotations"}) {
    const NodeId map = maker.map_at(metadata, both, mark);
    const auto put = [&](std::string_view key, std::string_view value) {
      maker.put(map, "jobset.sigs.k8s.io/" + std::string(key), value, mark);
    };
    put("jobset-name", name_of(job_set));
    put("jobset-uid", kUid);
    put("replicatedjob-name", string_at(replicated_job, "name"));
    put("replicatedjob-replicas", std::to_string(replicas_of(replicated_job)));
    put("restart-attempt", "0");
    put("global-replicas", std::to_string(all.all));
    put("job-index", std::to_string(index));
    put("job-global-index", std::to_string(all.before + index));
    put("job-key", job_key(job_set, job_name(job_set, replicated_job, index)));
    put("group-name", group_of_jobs(replicated_job));
    put("group-replicas", std::to_string(group.all));
    put("job-group-index", std::to_string(group.before + index));
    if (const View wanted = get(get(job_set, "spec"), "coordinator")) {
      put("coordinator", coordinator(job_set, wanted));
    }
  }
  const NodeId annotations = maker.map_at(metadata, "annotations", mark);
  for (View from : {job_set, get(replicated_job, "template")}) {
    const View given = get(get(from, "metadata"), "annotations");
    const View domain = get(given, kExclusive);
    if (!domain) continue;
    maker.put(annotations, domain->key, domain->text, mark);
    const View strategy = get(given, kBySelector);
    if (strategy) maker.put(annotations, strategy->key, strategy->text, mark);
  }
}

bool mounts(PodBuilder& maker, NodeId container, std::string_view volume) {
  for (View each : items_at(maker.view(container), "volumeMounts")) {
    if (string_at(each, "name") == volume) return true;
  }
  return false;
}

/// Claims that the set makes for itself are volumes of the pods that mount them.
void add_claims(PodBuilder& maker, View job_set, NodeId pod_spec) {
  for (View policy : items_at(get(job_set, "spec"), "volumeClaimPolicies")) {
    for (View each : items_at(policy, "templates")) {
      const View name = get(get(each, "metadata"), "name");
      bool mounted = false;
      for (NodeId container : containers(maker, pod_spec)) {
        mounted = mounted || mounts(maker, container, string_of(name));
      }
      for (NodeId container : init_containers(maker, pod_spec)) {
        mounted = mounted || mounts(maker, container, string_of(name));
      }
      if (!mounted) continue;
      const OriginId mark = maker.mark("claim of the set", name);
      const NodeId volume = maker.map(mark);
      maker.put(volume, "name", name->text, mark);
      const std::string claim = std::string(name->text) + "-" + std::string(name_of(job_set));
      maker.put(maker.map_at(volume, "persistentVolumeClaim", mark), "claimName", claim, mark);
      append_to(maker, pod_spec, "volumes", volume);
    }
  }
}

/// Where the nodes carry the names of their jobs, the job goes to those of its name.
void select_named_nodes(PodBuilder& maker, View job_set, View job, NodeId pod_spec) {
  const View annotations = get(get(job, "metadata"), "annotations");
  const View strategy = get(annotations, kBySelector);
  if (!get(annotations, kExclusive) || !strategy) return;
  const OriginId mark = maker.mark("nodes of this job alone", strategy);
  maker.put(maker.map_at(pod_spec, "nodeSelector", mark), "alpha.jobset.sigs.k8s.io/namespaced-job",
            std::string(namespace_of(job_set)) + "_" + std::string(name_of(job)), mark);
  const NodeId toleration = maker.map(mark);
  maker.put(toleration, "key", "alpha.jobset.sigs.k8s.io/no-schedule", mark);
  maker.put(toleration, "operator", "Exists", mark);
  maker.put(toleration, "effect", "NoSchedule", mark);
  append_to(maker, pod_spec, "tolerations", toleration);
}

/// What the webhook of pods does: a job's first pod takes a domain for the job, the others follow.
void place_pod(PodBuilder& maker, const EffectivePod& pod) {
  if (pod.root == kNoNode) return;
  maker.act_for("jobset");
  const View made = maker.view(pod.root);
  const View annotations = get(get(made, "metadata"), "annotations");
  if (get(annotations, kBySelector)) return;
  const NodeId pod_spec = get(made, "spec").id();
  const View priority_class = get(get(made, "spec"), "priorityClassName");
  const std::string_view priority =
      string_of(priority_class).empty() ? "0" : "<priority of the class>";
  const View labels = get(get(made, "metadata"), "labels");
  const std::string key(string_at(labels, kJobKey));
  maker.put(labels.id(), kPriority, priority, maker.mark("priority of the pod", priority_class));
  const View topology = get(annotations, kExclusive);
  if (!topology) return;
  const OriginId mark = maker.mark("one topology domain for each job", topology);
  if (string_at(annotations, "batch.kubernetes.io/job-completion-index") != "0") {
    const NodeId selector = maker.map_at(pod_spec, "nodeSelector", mark);
    maker.put(selector, topology->text, "<domain of the job's first pod>", mark);
    return;
  }
  const ExclusiveTerms terms =
      add_exclusive_terms(maker, pod_spec, kJobKey, key, topology->text, mark);
  add_expression(maker, terms.apart, kPriority, "In", priority, mark);
  for (NodeId term : {terms.together, terms.apart}) {
    maker.map_at(term, "namespaceSelector", mark);
  }
}

View replicated_job_named(View job_set, std::string_view name) {
  for (View each : items_at(get(job_set, "spec"), "replicatedJobs")) {
    if (string_at(each, "name") == name) return each;
  }
  return {};
}

std::vector<PodRole> roles(View job_set) {
  std::vector<PodRole> found;
  for (View each : items_at(get(job_set, "spec"), "replicatedJobs")) {
    const View job = get(each, "template");
    View spec = get(job, "spec");
    const auto parallelism = integer_at(spec, "parallelism").value_or(1);
    const bool indexed = string_at(spec, "completionMode") != "NonIndexed";
    const auto pods = indexed ? integer_at(spec, "completions").value_or(parallelism) : parallelism;
    found.push_back({std::string(string_at(each, "name")), replicas_of(each) * pods});
  }
  return found;
}

EffectivePod pod(PodBuilder& maker, View job_set, std::string_view role, std::int64_t index,
                 KubernetesVersion version) {
  const View replicated = replicated_job_named(job_set, role);
  const NodeId first = job_of_job_set(maker, job_set, replicated, 0);
  const std::int64_t pods = std::max<std::int64_t>(job_pod_count(maker.view(first)), 1);
  const NodeId job =
      index < pods ? first : job_of_job_set(maker, job_set, replicated, index / pods);
  EffectivePod made = job_pod(maker, maker.view(job), index % pods, version);
  place_pod(maker, made);
  return made;
}

}  // namespace

NodeId job_of_job_set(PodBuilder& maker, View job_set, View replicated_job, std::int64_t index) {
  maker.act_for("jobset");
  const View job_template = get(replicated_job, "template");
  const NodeId job = maker.map(kNoOrigin);
  maker.put(job, "apiVersion", "batch/v1", kNoOrigin);
  maker.put(job, "kind", "Job", kNoOrigin);
  const NodeId metadata = maker.map_at(job, "metadata", kNoOrigin);
  const View given = get(job_template, "metadata");
  maker.put_copy(metadata, "labels", get(given, "labels"));
  maker.put_copy(metadata, "annotations", get(given, "annotations"));
  maker.put(metadata, "name", job_name(job_set, replicated_job, index),
            maker.mark("names of the set and of its job, and the job's index"));
  maker.put_copy(metadata, "namespace", get(get(job_set, "metadata"), "namespace"));
  add_keys(maker, job_set, replicated_job, index, metadata);

  maker.put_copy(job, "spec", get(job_template, "spec"));
  const NodeId spec = maker.map_at(job, "spec", kNoOrigin);
  if (string_at(maker.view(spec), "completionMode").empty()) {
    maker.put(spec, "completionMode", "Indexed", maker.mark("default of a JobSet"));
  }
  const NodeId pod_template = maker.map_at(spec, "template", kNoOrigin);
  add_keys(maker, job_set, replicated_job, index,
           maker.map_at(pod_template, "metadata", kNoOrigin));
  const NodeId pod_spec = maker.map_at(pod_template, "spec", kNoOrigin);
  if (string_at(maker.view(pod_spec), "restartPolicy").empty()) {
    maker.put(pod_spec, "restartPolicy", "OnFailure", maker.mark("default of a JobSet"));
  }
  if (!is_false(get(get(get(job_set, "spec"), "network"), "enableDNSHostnames"))) {
    maker.put(pod_spec, "subdomain", subdomain_of(job_set), maker.mark("service of the set"));
  }
  select_named_nodes(maker, job_set, maker.view(job), pod_spec);
  add_claims(maker, job_set, pod_spec);
  return job;
}

constinit const PodKind kJobSetPods = {
    "jobset.x-k8s.io",
    "JobSet",
    "",
    "jobset",
    "kubernetes-sigs/jobset pkg/controllers/jobset_controller.go, pkg/webhooks/pod_webhook.go",
    roles,
    pod};

}  // namespace trainyard
