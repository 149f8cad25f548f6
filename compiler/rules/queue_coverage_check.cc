#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/offer.h"
#include "rules/added_containers.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

using Names = std::set<std::string, std::less<>>;

const Queue* find_queue(const ClusterSpec& cluster, std::string_view name) {
  for (const auto& queue : *cluster.queues) {
    if (*queue->name == name) return &*queue;
  }
  return nullptr;
}

bool is_pool_of(const Queue& queue, const Pool& pool) {
  if (!queue.pools) return true;
  return std::ranges::any_of(*queue.pools, [&](const Text& name) { return *name == *pool.name; });
}

/// The resources that the made queue counts: what its pools offer and what its quota names. Empty
/// when it is not known what a pool offers.
Names covered_by(RuleContext& context, const ClusterSpec& cluster, const Queue& queue) {
  Names covered;
  for (const auto& entry : *queue.quota) covered.emplace(entry.key);
  for (const auto& pool : *cluster.pools) {
    if (!is_pool_of(queue, *pool)) continue;
    const Machine* machine = pool->machine ? context.in.machines->find(*pool->machine) : nullptr;
    const PoolOffer offer = offer_of(cluster, *pool, machine, [&context](std::string computed) {
      return context.text(computed);
    });
    if (!offer.gaps.empty()) return {};
    for (const Offer& each : offer.offers) covered.emplace(each.resource);
  }
  return covered;
}

void refuse(RuleContext& context, const Queue& queue, std::string_view resource, Span asked) {
  Diagnostic& report =
      context.report(DiagnosticKind::QueueMismatch,
                     asked.known() ? asked : context.place(context.plan.queue.origin),
                     "the queue " + code(*queue.name) + " counts no " + code(resource) +
                         ", and Kueue admits no job that asks for what its queue does not count");
  report.also(queue.name.span, "the queue");
  report.note("name it in the queue's `quota`, or in `allocatable` of its pools");
}

/// The class behind a channel of a ComputeDomain (NVIDIA/k8s-dra-driver-gpu
/// deployments/helm templates of device classes).
constexpr std::string_view kChannelClass = "compute-domain-default-channel.nvidia.com";

/// Device classes that pods of the job claim and whose amounts the queue does not name.
std::vector<std::string> uncounted_classes(const RuleContext& context, const Queue* queue) {
  std::vector<std::string> classes;
  const auto add = [&](std::string_view name) {
    if (queue != nullptr && find(*queue->quota, name) != nullptr) return;
    const std::string shown = code(name);
    if (std::ranges::find(classes, shown) == classes.end()) classes.push_back(shown);
  };
  for (const DeviceClaimPlan& claim : context.plan.device_claims) add(claim.device_class);
  if (context.plan.nvlink.channel) add(kChannelClass);
  return classes;
}

/// Kueue counts claims by its own configuration, which no Cluster states.
void speak_of_claims(RuleContext& context, const Queue* queue) {
  const std::vector<std::string> classes = uncounted_classes(context, queue);
  if (classes.empty()) return;
  std::string names;
  for (const std::string& each : classes) {
    const bool last = &each == &classes.back();
    names += (names.empty() ? "" : last ? " and " : ", ") + each;
  }
  context
      .report(DiagnosticKind::LeftToDo, context.place(context.plan.queue.origin),
              "Kueue admits pods with claims only where its configuration maps their device " +
                  std::string(classes.size() == 1 ? "class " : "classes ") + names)
      .note(
          "from Kueue 0.18 and Kubernetes 1.34 on, under `resources.deviceClassMappings`, to "
          "resources that the queue counts");
}

/// A queue that is made here counts what its pools have; of an existing one only its
/// quota is known, which need not be all.
void run(RuleContext& context) {
  if (!context.plan.queue || !context.plan.system || *context.plan.system != "kueue") return;
  const Queue* queue = context.in.cluster == nullptr
                           ? nullptr
                           : find_queue(*context.in.cluster->spec, *context.plan.queue);
  speak_of_claims(context, queue);
  if (queue == nullptr || queue->existing.value_or(false)) return;
  const Names covered = covered_by(context, *context.in.cluster->spec, *queue);
  if (covered.empty()) return;
  Names told;
  for (const Role& role : context.plan.roles) {
    for (const NamedValue& request : role.requests) {
      if (covered.contains(request.name) || !told.emplace(request.name).second) continue;
      refuse(context, *queue, request.name, context.place(request.origin));
    }
    for (const AddedRequest& request :
         requests_of_added(context.spec, *context.in.job_tree, role.name,
                           role.container_name ? *role.container_name : kMainContainer)) {
      if (covered.contains(request.resource) || !told.emplace(request.resource).second) continue;
      refuse(context, *queue, request.resource, request.place);
    }
  }
}

}  // namespace

extern const Rule queue_coverage_check_rule{
    "queue-coverage-check",
    Rule::Phase::Check,
    "A queue of Kueue counts every resource that the job's pods request, and what they claim is "
    "spoken of.",
    "A workload with a resource that its ClusterQueue does not cover is inadmissible and waits for "
    "ever (kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go, pkg/dra).",
    "plan.queue plan.system plan.deviceClaims plan.nvlinkChannel role.requests role.name "
    "role.containerName spec.pod cluster.queues.name "
    "cluster.queues.pools "
    "cluster.queues.quota cluster.queues.existing cluster.pools cluster.gpu.resource "
    "cluster.gpu.migStrategy cluster.gpu.sharing cluster.gpu.allocation cluster.network.fabrics "
    "machine",
    "",
    run};

}  // namespace trainyard
