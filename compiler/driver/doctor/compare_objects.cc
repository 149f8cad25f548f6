#include "driver/doctor/compare_objects.h"

#include <algorithm>

#include "diag/suggest.h"
#include "diag/words.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kEnforce = "pod-security.kubernetes.io/enforce";
constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

class ObjectComparison {
 public:
  ObjectComparison(const Cluster& cluster, const Survey& survey, Deviations& deviations)
      : spec_(*cluster.spec), survey_(survey), deviations_(deviations) {}

  void compare() {
    defaults();
    namespaces();
    classes();
    for (const auto& each : *spec_.csi_drivers) need("CSIDriver.storage.k8s.io", each->name);
    for (const auto& each : *spec_.claims) claim(*each);
    for (const auto& each : *spec_.priority_classes) priority(*each);
    for (const auto& each : *spec_.runtimes) runtime(*each);
    for (const auto& each : *spec_.queues) queue(*each);
    networks();
  }

 private:
  /// The object, or a finding that it is missing. Nothing where the kind was not read.
  View need(std::string_view kind, const Text& name, std::string_view name_space = "",
            bool is_ours = false) {
    const SurveyedKind& known = survey_.kind(kind);
    if (!name || !known.is_read) return {};
    const View found = known.find(*name, name_space);
    if (!found) missing(kind, known, name, name_space, is_ours);
    return found;
  }

  void missing(std::string_view kind, const SurveyedKind& known, const Text& name,
               std::string_view name_space, bool is_ours) {
    const std::string_view plain = kind.substr(0, kind.find('.'));
    std::vector<std::string_view> names;
    for (const View each : known.items) {
      const View metadata = get(each, "metadata");
      if (string_at(metadata, "namespace") == name_space)
        names.push_back(string_at(metadata, "name"));
    }
    std::string message =
        name_space.empty() ? "the cluster has no " : "namespace " + shown(name_space) + " has no ";
    message += std::string(plain) + " " + shown(*name);
    if (const auto near = suggest(*name, names)) message += ": did you mean " + shown(*near) + "?";
    Diagnostic& made = deviations_.add(kObjectMissing, name.span, std::move(message));
    if (is_ours) made.note("`trainyard apply` of this document makes it");
  }

  void differs(Span place, std::string message) {
    deviations_.add(kObjectDiffers, place, std::move(message));
  }

  void defaults() {
    const auto& defaults = spec_.defaults;
    need("Namespace", defaults->ns, "", is_made(*defaults->ns));
    need("StorageClass.storage.k8s.io", defaults->storage_class_name);
    if (defaults->ns) need("ServiceAccount", defaults->service_account, *defaults->ns);
    need("RuntimeClass.node.k8s.io", spec_.gpu->runtime_class);
  }

  bool is_made(std::string_view name) const {
    return std::ranges::any_of(*spec_.namespaces, [name](const auto& each) {
      return *each->name == name && !each->existing.value_or(true);
    });
  }

  void namespaces() {
    for (const auto& stated : *spec_.namespaces) {
      const bool is_ours = !stated->existing.value_or(true);
      const View found = need("Namespace", stated->name, "", is_ours);
      if (!found) continue;
      pod_security(*stated, found);
      quota(*stated);
    }
  }

  void pod_security(const NamespaceInfo& stated, View found) {
    if (!stated.pod_security) return;
    const std::string_view level =
        words(SecurityLevel{})[static_cast<std::size_t>(*stated.pod_security)];
    const std::string_view real = string_at(get(get(found, "metadata"), "labels"), kEnforce);
    // Without the label nothing is enforced.
    const std::string_view enforced = real.empty() ? "privileged" : real;
    if (enforced == level) return;
    differs(stated.pod_security.span, "namespace " + shown(*stated.name) + " enforces level " +
                                          shown(enforced) + ", and the Cluster states " +
                                          shown(level));
  }

  void quota(const NamespaceInfo& stated) {
    const SurveyedKind& quotas = survey_.kind("ResourceQuota");
    if (!quotas.is_read) return;
    for (const auto& entry : *stated.quota) {
      const auto wanted = Quantity::parse(*entry.value);
      const auto real = least_quota(quotas, *stated.name, entry.key);
      if (!wanted || (real && *real == *wanted)) continue;
      deviations_.add(kQuotaDiffers, entry.value.span,
                      "namespace " + shown(*stated.name) +
                          (real ? " may use " + real->text() : " has no quota") + " of " +
                          shown(entry.key) + ", and the Cluster states " + wanted->text());
    }
  }

  /// Every quota of a namespace counts.
  static std::optional<Quantity> least_quota(const SurveyedKind& quotas,
                                             std::string_view name_space,
                                             std::string_view resource) {
    std::optional<Quantity> least;
    for (const View each : quotas.items) {
      if (string_at(get(each, "metadata"), "namespace") != name_space) continue;
      const View hard = get(get(get(each, "spec"), "hard"), resource);
      const auto amount = hard ? Quantity::parse(hard.text()) : std::nullopt;
      if (amount && (!least || *amount < *least)) least = amount;
    }
    return least;
  }

  void classes() {
    for (const auto& stated : *spec_.storage_classes) {
      const View found = need("StorageClass.storage.k8s.io", stated->name);
      if (!found || !stated->is_default) continue;
      const bool real =
          string_at(get(get(found, "metadata"), "annotations"), kDefaultClass) == "true";
      if (real == *stated->is_default) continue;
      differs(stated->is_default.span, "StorageClass " + shown(*stated->name) +
                                           (real ? " is the default" : " is not the default") +
                                           " of the cluster");
    }
  }

  void claim(const Claim& stated) {
    const View found = need("PersistentVolumeClaim", stated.name, *stated.ns);
    if (!found || !stated.access_modes) return;
    for (const auto& mode : *stated.access_modes) {
      const std::string_view word = words(AccessMode{})[static_cast<std::size_t>(*mode)];
      const auto modes = items_at(get(found, "spec"), "accessModes");
      const bool has = std::any_of(modes.begin(), modes.end(),
                                   [word](View each) { return string_of(each) == word; });
      if (has) continue;
      differs(mode.span, "claim " + shown(*stated.name) + " has no access mode " + shown(word));
    }
  }

  void priority(const PriorityClass& stated) {
    const bool is_ours = !stated.existing.value_or(false);
    const PriorityScope scope = stated.applies_to.value_or(PriorityScope::Both);
    View found;
    if (scope != PriorityScope::Workloads) {
      found = need("PriorityClass.scheduling.k8s.io", stated.name, "", is_ours);
      if (found) value_of(stated, integer_at(found, "value"));
    }
    // Without jobs in a queue, there are none.
    const bool has_kueue = find(*spec_.operators, "kueue") != nullptr;
    if (scope == PriorityScope::Workloads || (scope == PriorityScope::Both && has_kueue)) {
      found = need("WorkloadPriorityClass.kueue.x-k8s.io", stated.name, "", is_ours);
      if (found) value_of(stated, integer_at(found, "value"));
    }
  }

  void value_of(const PriorityClass& stated, std::optional<std::int64_t> real) {
    if (!real || *real == *stated.value) return;
    differs(stated.value.span, "priority class " + shown(*stated.name) + " has the value " +
                                   std::to_string(*real) + ", and the Cluster states " +
                                   std::to_string(*stated.value));
  }

  void runtime(const Runtime& stated) {
    const bool is_ours = !stated.existing.value_or(true);
    const bool is_wide = stated.kind.value_or(RuntimeKind::ClusterTrainingRuntime) ==
                         RuntimeKind::ClusterTrainingRuntime;
    if (is_wide) {
      need("ClusterTrainingRuntime.trainer.kubeflow.org", stated.name, "", is_ours);
    } else {
      need("TrainingRuntime.trainer.kubeflow.org", stated.name,
           stated.ns ? *stated.ns : *spec_.defaults->ns, is_ours);
    }
  }

  void queue(const Queue& stated) {
    const bool is_ours = !stated.existing.value_or(false);
    switch (system_of(stated)) {
      case SchedulingSystem::Kueue:
        kueue(stated, is_ours);
        break;
      case SchedulingSystem::Volcano:
        need("Queue.scheduling.volcano.sh", stated.name, "", is_ours);
        break;
      case SchedulingSystem::Kai:
      case SchedulingSystem::Runai:
        need("Queue.scheduling.run.ai", stated.name, "", is_ours);
        break;
      default:
        break;
    }
  }

  SchedulingSystem system_of(const Queue& stated) const {
    if (!stated.system) return spec_.defaults->scheduling->system.value_or(SchedulingSystem::None);
    switch (*stated.system) {
      case QueueSystem::Kueue:
        return SchedulingSystem::Kueue;
      case QueueSystem::Volcano:
        return SchedulingSystem::Volcano;
      case QueueSystem::Kai:
        return SchedulingSystem::Kai;
      case QueueSystem::Runai:
        return SchedulingSystem::Runai;
    }
    return SchedulingSystem::None;
  }

  void kueue(const Queue& stated, bool is_ours) {
    need("ClusterQueue.kueue.x-k8s.io", stated.cluster_queue ? stated.cluster_queue : stated.name,
         "", is_ours);
    for (const auto& each : *stated.namespaces) local_queue(stated, *each, is_ours);
    const Text& usual = spec_.defaults->ns;
    if (!stated.namespaces && usual) local_queue(stated, *usual, is_ours);
  }

  void local_queue(const Queue& stated, std::string_view name_space, bool is_ours) {
    need("LocalQueue.kueue.x-k8s.io", stated.name, name_space, is_ours);
  }

  void networks() {
    for (const auto& each : *spec_.network->gke_networks) {
      need("Network.networking.gke.io", each->name, "", !each->existing.value_or(false));
    }
    for (const auto& fabric : *spec_.network->fabrics) {
      for (const Text& network : *fabric.value->networks) {
        // Multus has `namespace/name`; networks of GKE have no namespace.
        const std::size_t slash = network->find('/');
        if (slash == std::string_view::npos) continue;
        Text name = network;
        name.value = network->substr(slash + 1);
        need("NetworkAttachmentDefinition.k8s.cni.cncf.io", name, network->substr(0, slash));
      }
    }
  }

  const ClusterSpec& spec_;
  const Survey& survey_;
  Deviations& deviations_;
};

}  // namespace

std::vector<NamedSecret> pull_secrets(const Cluster& cluster, const Tree& tree) {
  std::vector<std::string_view> name_spaces;
  const auto add = [&name_spaces](const Text& name) {
    if (name && std::ranges::find(name_spaces, *name) == name_spaces.end())
      name_spaces.push_back(*name);
  };
  add(cluster.spec->defaults->ns);
  for (const auto& each : *cluster.spec->namespaces) add(each->name);
  std::vector<NamedSecret> secrets;
  const Shape& list = cluster.spec->defaults->image_pull_secrets;
  if (!list) return secrets;
  for (const NodeId id : tree.children(list.node)) {
    const View name = View(tree, id)["name"];
    if (!name) continue;
    for (const std::string_view each : name_spaces) {
      secrets.push_back({{each, name.text()}, name->span});
    }
  }
  return secrets;
}

void compare_objects(const Cluster& cluster, const Survey& survey, Deviations& deviations) {
  ObjectComparison(cluster, survey, deviations).compare();
}

void compare_secrets(const std::vector<NamedSecret>& secrets, const std::vector<Presence>& found,
                     Deviations& deviations) {
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    if (found[i] != Presence::Missing) continue;
    const NamedObject& secret = secrets[i].object;
    deviations
        .add(kObjectMissing, secrets[i].place,
             "namespace " + shown(secret.name_space) + " has no Secret " + shown(secret.name))
        .note("the kubelet cannot fetch private images without it");
  }
}

}  // namespace trainyard
