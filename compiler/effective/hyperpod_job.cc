#include <algorithm>
#include <string>

#include "effective/pod_parts.h"
#include "effective/pods.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

View groups(View job) {
  return get(get(job, "spec"), "replicaSpecs");
}

std::int64_t size_of(View group) {
  return integer_at(group, "replicas").value_or(1);
}

std::vector<PodRole> roles(View job) {
  std::vector<PodRole> found;
  for (View group : items_at(get(job, "spec"), "replicaSpecs")) {
    found.push_back({std::string(string_at(group, "name")), size_of(group)});
  }
  return found;
}

/// The label is the one by which `hyp` lists pods; the names are inferred.
EffectivePod pod(PodBuilder& maker, View job, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  maker.act_for("hyperpod");
  View own;
  std::int64_t all = 0;
  for (View group : items_at(get(job, "spec"), "replicaSpecs")) {
    all += size_of(group);
    if (string_at(group, "name") == role) own = group;
  }
  EffectivePod result;
  const PodDraft draft = draft_pod(maker, get(own, "template"));
  const View metadata = get(job, "metadata");
  const std::string name(name_of(job));
  result.root = draft.pod;
  result.name = name + "-" + std::string(role) + "-" + std::to_string(index);
  result.hostname = result.name;
  const OriginId named = maker.mark("name of the job, group and index", get(metadata, "name"));
  name_pod(maker, draft, result.name, get(metadata, "namespace"), named);
  const OriginId owner = maker.mark("job that the pod belongs to");
  maker.put(draft.labels(maker, owner), "HPJob", name, owner);
  const OriginId counted = maker.mark("pods of the job, which the agent counts", groups(job));
  for (NodeId container : containers(maker, draft.spec)) {
    append_env(maker, container, "NNODES", std::to_string(all), counted);
  }
  return result;
}

}  // namespace

constinit const PodKind kHyperPodPods = {
    "sagemaker.amazonaws.com",
    "HyperPodPyTorchJob",
    "v1",
    "hyperpod",
    "aws/sagemaker-hyperpod-cli src/sagemaker/hyperpod/training/hyperpod_pytorch_job.py; "
    "hyperpod-elastic-agent 1.1.3 src/hyperpod_elastic_agent/rendezvous",
    roles,
    pod};

}  // namespace trainyard
