#include "driver/session/surroundings.h"

#include "driver/session/all_checks.h"
#include "platform/queues.h"

namespace trainyard {
namespace {

void state_runtimes(const ClusterSpec& spec, Inventory& inventory) {
  for (const Located<Runtime>& each : *spec.runtimes) {
    const bool everywhere = *each->kind == RuntimeKind::ClusterTrainingRuntime;
    inventory.state("trainer.kubeflow.org",
                    everywhere ? "ClusterTrainingRuntime" : "TrainingRuntime", *each->name);
  }
}

void state_queues(const ClusterSpec& spec, Inventory& inventory) {
  for (const Located<Queue>& each : *spec.queues) {
    switch (system_of(spec, *each).value_or(QueueSystem::Kueue)) {
      case QueueSystem::Kueue:
        inventory.state("kueue.x-k8s.io", "LocalQueue", *each->name);
        if (each->cluster_queue) {
          inventory.state("kueue.x-k8s.io", "ClusterQueue", *each->cluster_queue);
        }
        break;
      case QueueSystem::Volcano:
        inventory.state("scheduling.volcano.sh", "Queue", *each->name);
        break;
      case QueueSystem::Kai:
      case QueueSystem::Runai:
        inventory.state("scheduling.run.ai", "Queue", *each->name);
        break;
    }
  }
}

}  // namespace

Versions versions_for(const Session& session, const ClusterDocument* cluster) {
  Versions versions;
  versions.kubernetes = target_kubernetes(session, cluster);
  if (cluster == nullptr) return versions;
  for (const Entry<std::string_view>& each : *cluster->cluster.spec->operators) {
    versions.add(each.key, *each.value);
  }
  return versions;
}

CheckInputs surroundings_of(Session& session, const ClusterDocument* cluster,
                            const Inventory* inventory) {
  if (!session.checks)
    session.checks.emplace(versions_for(session, cluster), session.policies.checks(),
                           &session.severities);
  CheckInputs surroundings{session.checks->versions(), inventory, &*session.checks};
  surroundings.sources = &session.sources;
  surroundings.severities = &session.severities;
  if (cluster != nullptr) {
    surroundings.cluster = &cluster->cluster;
    surroundings.cluster_tree = &cluster->tree;
  }
  return surroundings;
}

const Check* wanted_check(std::string_view name, const CheckInputs& surroundings) {
  const bool is_off = surroundings.severities != nullptr && surroundings.severities->is_off(name);
  return is_off ? nullptr : find_check(name);
}

void state_cluster(const Cluster& cluster, Inventory& inventory) {
  const ClusterSpec& spec = *cluster.spec;
  state_runtimes(spec, inventory);
  state_queues(spec, inventory);
  for (const Located<StorageClass>& each : *spec.storage_classes) {
    inventory.state("storage.k8s.io", "StorageClass", *each->name);
  }
  for (const Located<Claim>& each : *spec.claims) {
    inventory.state("", "PersistentVolumeClaim", *each->name);
  }
}

}  // namespace trainyard
