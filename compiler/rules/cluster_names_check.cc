#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "diag/suggest.h"
#include "rules/claims.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// The entry of this name in a list of the Cluster. A list that is there is taken to be complete; a
/// name that it lacks is an error.
template <class T>
const T* listed(RuleContext& context, const Located<std::vector<Located<T>>>& list,
                std::string_view name, Span asked, std::string_view what) {
  if (!list || name.empty()) return nullptr;
  std::vector<std::string_view> names;
  for (const auto& entry : *list) {
    if (*entry->name == name) return &*entry;
    names.push_back(*entry->name);
  }
  Diagnostic& report = context.report(DiagnosticKind::UnknownReference, asked,
                                      "the Cluster has no " + std::string(what) + " " + code(name));
  report.also(list.span, "all that it has");
  if (const auto near = suggest(name, names)) {
    report.fix(asked, std::string(*near), "did you mean " + code(*near) + "?");
  }
  return nullptr;
}

void check_queue(RuleContext& context, const ClusterSpec& cluster) {
  const auto& name = context.plan.queue;
  if (!name.is_set) return;
  const Span asked = context.place(name.origin);
  const Queue* queue = listed(context, cluster.queues, *name, asked, "queue");
  if (queue == nullptr || !queue->namespaces || !context.plan.ns.is_set) return;
  const auto& allowed = *queue->namespaces;
  const bool may = std::any_of(allowed.begin(), allowed.end(),
                               [&](const Text& ns) { return *ns == *context.plan.ns; });
  if (may) return;
  context
      .report(DiagnosticKind::QueueMismatch, asked,
              "the queue " + code(*name) + " does not take jobs of the namespace " +
                  code(*context.plan.ns))
      .also(queue->namespaces.span, "its namespaces");
}

/// Kueue has classes of its own for workloads.
void check_priority(RuleContext& context, const ClusterSpec& cluster) {
  const Text& own = context.spec.scheduling->priority;
  const Text& name = own ? own : cluster.defaults->scheduling->priority;
  if (!name || name->starts_with("system-")) return;
  const PriorityClass* found =
      listed(context, cluster.priority_classes, *name, name.span, "priority class");
  if (found == nullptr) return;
  const bool queued = context.plan.system && *context.plan.system == "kueue";
  const PriorityScope wrong = queued ? PriorityScope::Pods : PriorityScope::Workloads;
  if (found->applies_to.value_or(PriorityScope::Both) != wrong) return;
  context
      .report(DiagnosticKind::QueueMismatch, name.span,
              "the priority class " + code(*name) +
                  (queued ? " is one of pods, but Kueue takes one "
                            "of workloads"
                          : " is one of queued workloads, but "
                            "this job is in no queue of Kueue"))
      .also(found->applies_to.span, "what it is for");
}

/// The storage class that a claim gets, where that is known. `name` is that of the claim.
const StorageClass* class_of(RuleContext& context, const ClusterSpec& cluster,
                             std::string_view name, Span where) {
  if (!name.empty()) return listed(context, cluster.storage_classes, name, where, "storage class");
  for (const auto& known : *cluster.storage_classes) {
    if (known->is_default.value_or(false)) return &*known;
  }
  return nullptr;
}

void check_mode(RuleContext& context, const StorageClass& found, AccessMode wanted, Span asked) {
  const bool can =
      std::ranges::any_of(*found.access_modes, [&](const auto& mode) { return *mode == wanted; });
  if (can) return;
  context
      .report(DiagnosticKind::ClaimAccess, asked,
              "volumes of the storage class " + code(*found.name) + " cannot be " +
                  code(spelling(wanted)))
      .also(found.access_modes.span, "its access modes");
}

void check_created(RuleContext& context, const ClusterSpec& cluster, const StorageMount& mount) {
  const CreatedClaim& claim = *mount.create;
  const Text& name = storage_class_of(context, claim.storage_class_name);
  const StorageClass* found = class_of(context, cluster, name.value_or(""), name.span);
  if (found == nullptr || !found->access_modes) return;
  for (const auto& mode : *claim.access_modes) check_mode(context, *found, *mode, mode.span);
  if (claim.access_modes) return;
  check_mode(context, *found, usual_access_mode(context), mount.create.span);
}

/// A claim of each pod's own, in the shape of Kubernetes; defaults of the Cluster are not for it.
void check_ephemeral(RuleContext& context, const ClusterSpec& cluster, const Shape& volume) {
  const Tree& tree = context.tree_of(volume.span);
  const View claim = View(tree, volume.node)["volumeClaimTemplate"]["spec"];
  if (!claim) return;
  const View name = claim["storageClassName"];
  const StorageClass* found =
      class_of(context, cluster, name ? name.text() : "", name ? name->span : volume.span);
  const View modes = claim["accessModes"];
  if (found == nullptr || !found->access_modes || !modes) return;
  const auto known = words(AccessMode{});
  for (const NodeId mode : tree.children(modes.id())) {
    const auto at = std::ranges::find(known, tree[mode].text);
    if (at == known.end()) continue;  // the schema says so
    check_mode(context, *found, static_cast<AccessMode>(at - known.begin()), tree[mode].span);
  }
}

/// A volume that the pod describes itself.
void check_driver(RuleContext& context, const ClusterSpec& cluster, const Shape& volume) {
  const View driver = View(context.tree_of(volume.span), volume.node)["driver"];
  if (!driver) return;
  const CsiDriver* found =
      listed(context, cluster.csi_drivers, driver.text(), driver->span, "storage driver");
  if (found == nullptr || !found->volume_lifecycle_modes) return;
  const bool serves_pods =
      std::ranges::any_of(*found->volume_lifecycle_modes,
                          [](const auto& mode) { return *mode == VolumeLifecycleMode::Ephemeral; });
  if (serves_pods) return;
  context
      .report(DiagnosticKind::ClaimAccess, driver->span,
              "the storage driver " + code(*found->name) +
                  " serves claims only, not volumes that a pod describes")
      .also(found->volume_lifecycle_modes.span, "what it serves")
      .note("name a claim of this driver in `claim`");
}

/// Whether a letter is missing, too many, or two have changed places. Names of equal length with
/// another letter or number may well be those of two claims.
bool is_typo(std::string_view name, std::string_view known) {
  if (name.size() == known.size()) return name != known && std::ranges::is_permutation(name, known);
  const std::string_view longer = name.size() > known.size() ? name : known;
  const std::string_view shorter = name.size() > known.size() ? known : name;
  if (longer.size() != shorter.size() + 1 || shorter.size() < 3) return false;
  const auto [in_longer, in_shorter] = std::ranges::mismatch(longer, shorter);
  const bool is_number = in_longer != longer.end() && *in_longer >= '0' && *in_longer <= '9';
  return !is_number &&
         std::ranges::equal(std::next(in_longer), longer.end(), in_shorter, shorter.end());
}

/// The Cluster need not list all claims: only a typo counts.
void check_existing(RuleContext& context, const ClusterSpec& cluster, const Text& name) {
  std::string_view near;
  for (const auto& known : *cluster.claims) {
    if (context.plan.ns.is_set && *known->ns != *context.plan.ns) continue;
    if (*known->name == *name) return;
    if (is_typo(*name, *known->name)) near = *known->name;
  }
  if (near.empty()) return;
  Diagnostic report(DiagnosticKind::UnknownReference, name.span,
                    "the Cluster lists no claim " + code(*name) + " in this namespace");
  report.severity = Severity::Warning;
  context.sink.report(std::move(report))
      .also(cluster.claims.span, "its claims")
      .fix(name.span, std::string(near), "did you mean " + code(near) + "?");
}

void check_claim(RuleContext& context, const ClusterSpec& cluster, const StorageMount& mount) {
  if (mount.claim) check_existing(context, cluster, mount.claim);
  if (mount.csi) check_driver(context, cluster, mount.csi);
  if (mount.create) check_created(context, cluster, mount);
  if (mount.ephemeral) check_ephemeral(context, cluster, mount.ephemeral);
}

void run(RuleContext& context) {
  if (context.in.cluster == nullptr) return;
  const ClusterSpec& cluster = *context.in.cluster->spec;
  check_queue(context, cluster);
  check_priority(context, cluster);
  for (const RoleInput& input : context.roles) {
    for (const auto& entry : *context.of(input, &RoleFields::storage)) {
      check_claim(context, cluster, *entry.value);
    }
  }
}

}  // namespace

extern const Rule cluster_names_check_rule{
    "cluster-names-check",
    Rule::Phase::Check,
    "Queues, priority classes, storage classes and drivers are those that the Cluster lists, for "
    "what they can do.",
    "A job in a queue that is not there waits for ever, and a pod of an unknown priority class is "
    "never made (kubernetes/kubernetes plugin/pkg/admission/priority/admission.go).",
    "spec.scheduling.priority spec.storage cluster.queues.name cluster.queues.namespaces "
    "cluster.priorityClasses.name cluster.priorityClasses.appliesTo cluster.storageClasses "
    "cluster.csiDrivers cluster.claims plan.system "
    "cluster.defaults.scheduling cluster.defaults.storageClassName plan.queue plan.namespace "
    "plan.multiNode role.trains target.mpirun target.roles",
    "",
    run};

}  // namespace trainyard
