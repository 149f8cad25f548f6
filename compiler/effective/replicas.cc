#include "effective/replicas.h"

#include <algorithm>

#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kTypes[] = {"Master", "Worker", "PS", "Chief", "Evaluator", "Launcher"};

std::string type_of(std::string_view key) {
  for (std::string_view type : kTypes) {
    if (lower_case(type) == lower_case(key)) return std::string(type);
  }
  return std::string(key);
}

bool has_port(View container, std::string_view name) {
  for (View each : items_at(container, "ports")) {
    if (string_at(each, "name") == name) return true;
  }
  return false;
}

/// The container that gets the port: the one of the kind's name, else the first.
NodeId main_container(PodBuilder& maker, NodeId pod_spec, std::string_view name) {
  const NodeId named = container_named(maker, pod_spec, name);
  if (named != kNoNode) return named;
  const std::vector<NodeId> all = containers(maker, pod_spec);
  return all.empty() ? kNoNode : all.front();
}

}  // namespace

std::string Replica::lower() const {
  return lower_case(type);
}

ReplicaJob::ReplicaJob(View job, const ReplicaKind& kind) : job_(job), kind_(kind) {
  for (View each : entries_at(spec(), kind.specs)) {
    if (!each->is_map()) continue;
    replicas_.push_back({type_of(each->key), each, integer_at(each, "replicas").value_or(1)});
  }
}

View ReplicaJob::spec() const {
  return get(job_, "spec");
}

const Replica* ReplicaJob::find(std::string_view type) const {
  for (const Replica& each : replicas_) {
    if (lower_case(each.type) == lower_case(type)) return &each;
  }
  return nullptr;
}

std::int64_t ReplicaJob::total() const {
  std::int64_t sum = 0;
  for (const Replica& each : replicas_) sum += each.count;
  return sum;
}

std::string ReplicaJob::pod_name(std::string_view type, std::int64_t index) const {
  return std::string(name_of(job_)) + "-" + lower_case(type) + "-" + std::to_string(index);
}

std::int64_t ReplicaJob::port_of(const Replica& replica) const {
  const View pod_spec = get(get(replica.spec, "template"), "spec");
  for (View container : items_at(pod_spec, "containers")) {
    if (string_at(container, "name") != kind_.container) continue;
    for (View port : items_at(container, "ports")) {
      if (string_at(port, "name") == kind_.port_name) {
        return integer_at(port, "containerPort").value_or(kind_.port);
      }
    }
  }
  return kind_.port;
}

std::vector<PodRole> replica_roles(View job, const ReplicaKind& kind) {
  const ReplicaJob read(job, kind);
  std::vector<PodRole> roles;
  for (const Replica& each : read.replicas()) {
    roles.push_back({each.type, each.count});
  }
  return roles;
}

PodDraft draft_replica(PodBuilder& maker, const ReplicaJob& job, const Replica& replica,
                       std::int64_t index, bool master, EffectivePod& out) {
  maker.act_for("training-operator");
  const ReplicaKind& kind = job.kind();
  const View metadata = get(job.object(), "metadata");
  const PodDraft draft = draft_pod(maker, get(replica.spec, "template"));
  out.root = draft.pod;
  out.name = out.hostname = out.address = job.pod_name(replica.type, index);
  name_pod(maker, draft, out.name, get(metadata, "namespace"),
           maker.mark("name of the job, role and index", get(metadata, "name")));

  const OriginId owner = maker.mark("job and replica that the pod belongs to");
  const NodeId labels = draft.labels(maker, owner);
  const auto label = [&](std::string_view key, std::string_view value) {
    maker.put(labels, "training.kubeflow.org/" + std::string(key), value, owner);
  };
  label("operator-name", kind.operator_name);
  label("job-name", name_of(job.object()));
  label("replica-type", replica.lower());
  label("replica-index", std::to_string(index));
  if (master) label("job-role", "master");

  const NodeId main = main_container(maker, draft.spec, kind.container);
  if (main != kNoNode && !has_port(maker.view(main), kind.port_name)) {
    const OriginId mark = maker.mark("default port of the job");
    append_to(maker, main, "ports", port(maker, kind.port_name, kind.port, mark));
  }
  const View given = get(replica.spec, "restartPolicy");
  std::string_view policy = string_of(given).empty() ? kind.restart_policy : string_of(given);
  if (policy == "ExitCode") policy = "Never";
  maker.put(draft.spec, "restartPolicy", policy,
            maker.mark(string_of(given).empty() ? "default restart policy of the replica"
                                                : "restart policy of the replica",
                       given));
  return draft;
}

}  // namespace trainyard
