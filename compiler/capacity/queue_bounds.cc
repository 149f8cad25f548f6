#include "capacity/queue_bounds.h"
#include "source/text_parts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace trainyard {
namespace {

/// All that the pods of the job ask for together.
std::map<std::string, Quantity, std::less<>> total_of(const Plan& plan,
                                                      const std::vector<Beside>& beside) {
  std::map<std::string, Quantity, std::less<>> total;
  const auto count = [&](std::string_view resource, const std::optional<Quantity>& amount,
                         const Role& role) {
    const auto all = amount ? multiply(*amount, *role.replicas) : std::nullopt;
    if (!all) return;
    Quantity& sum = total[std::string(resource)];
    sum = add(sum, *all).value_or(sum);
  };
  for (const Role& role : plan.roles) {
    for (const NamedValue& request : role.requests) {
      count(request.name, Quantity::parse(request.value), role);
    }
    for (const Beside& each : beside) {
      if (each.role == role.name) count(each.resource, each.amount, role);
    }
  }
  return total;
}

std::string_view behind(const Queue& queue) {
  return queue.cluster_queue ? *queue.cluster_queue : *queue.name;
}

const Queue* find_queue(const Cluster& cluster, std::string_view name) {
  const Queue* found = nullptr;
  for (const auto& each : *cluster.spec->queues) {
    if (*each->name == name) found = &*each;
  }
  return found;
}

/// What a job may use of a resource, and who shares it.
struct Bound {
  Quantity amount;
  Quantity used;      // by others
  std::string whose;  // "the queue `research` has"
  Span place;
  std::string_view why = "what the queue may use";
};

/// The least priority whose jobs KAI does not stop for others
/// (kai-scheduler/KAI-Scheduler docs/priority/README.md).
constexpr std::int64_t kStays = 100;
/// Those of the classes that come with KAI and Run:ai whose jobs are not stopped for others.
constexpr std::string_view kClassesThatStay[] = {"build", "inference", "high", "very-high"};

bool stays_by_priority(const Cluster& cluster, std::string_view name) {
  for (const auto& known : *cluster.spec->priority_classes) {
    if (*known->name == name) return *known->value >= kStays;
  }
  return std::ranges::find(kClassesThatStay, name) != std::end(kClassesThatStay);
}

/// Whether the job is never stopped for others, by its label or its priority: KAI and Run:ai give
/// such a job nothing beyond the quota (kai-scheduler/KAI-Scheduler
/// pkg/scheduler/plugins/proportion/capacity_policy).
bool stays(const Plan& plan, const Cluster& cluster) {
  if (!plan.system || (*plan.system != "kai" && *plan.system != "runai")) return false;
  for (const Role& role : plan.roles) {
    for (const NamedValue& label : role.pod_labels) {
      if (label.name == "kai.scheduler/preemptibility") return label.value == "non-preemptible";
    }
  }
  return std::ranges::any_of(plan.roles, [&](const Role& role) {
    return role.priority_class && stays_by_priority(cluster, *role.priority_class);
  });
}

/// Finds what bounds a job of a queue.
class QueueBounds {
 public:
  QueueBounds(const Cluster& cluster, const Usage& used, const Queue& queue, const Plan& plan)
      : cluster_(cluster),
        used_(used),
        queue_(queue),
        of_kueue_(plan.system && *plan.system == "kueue"),
        stays_(stays(plan, cluster)) {}

  std::vector<Bound> of(std::string_view resource) const {
    std::vector<Bound> result;
    limits(resource, result);
    if (of_kueue_) quotas(resource, result);
    if (stays_) guaranteed(resource, result);
    return result;
  }

 private:
  static std::string has(const Queue& queue) {
    return "the queue " + in_backticks(*queue.name) + " has";
  }

  Quantity used_of(const Queue& queue, std::string_view resource) const {
    const auto taken = used_.queues.find(*queue.name);
    if (taken == used_.queues.end()) return {};
    const auto known = taken->second.find(resource);
    return known == taken->second.end() ? Quantity{} : known->second;
  }

  void limits(std::string_view resource, std::vector<Bound>& result) const {
    const Queue* queue = &queue_;
    // Loops are an error of the Cluster; here they only have to end.
    for (std::size_t up = 0; queue != nullptr && up <= cluster_.spec->queues->size(); ++up) {
      const Text* most = find(*queue->limit, resource);
      const auto amount = most == nullptr ? std::nullopt : Quantity::parse(**most);
      if (amount) result.push_back({*amount, used_of(*queue, resource), has(*queue), most->span});
      queue = of_kueue_ || !queue->parent ? nullptr : find_queue(cluster_, *queue->parent);
    }
  }

  /// What a queue and those above it have for jobs that are not stopped for others.
  void guaranteed(std::string_view resource, std::vector<Bound>& result) const {
    constexpr std::string_view kWhy =
        "its quota: a job that does not give way to others gets nothing beyond it";
    const Queue* queue = &queue_;
    for (std::size_t up = 0; queue != nullptr && up <= cluster_.spec->queues->size(); ++up) {
      const Text* stated = find(*queue->quota, resource);
      const auto amount = stated == nullptr ? std::nullopt : Quantity::parse(**stated);
      if (amount) result.push_back({*amount, {}, has(*queue), stated->span, kWhy});
      queue = queue->parent ? find_queue(cluster_, *queue->parent) : nullptr;
    }
  }

  /// Queues before one ClusterQueue share its quota, which one of them states.
  const Text* quota(const Queue& queue, std::string_view resource) const {
    for (const auto& each : *cluster_.spec->queues) {
      if (behind(*each) != behind(queue)) continue;
      if (const Text* found = find(*each->quota, resource)) return found;
    }
    return nullptr;
  }

  void quotas(std::string_view resource, std::vector<Bound>& result) const {
    const Text* own = quota(queue_, resource);
    if (own == nullptr) return;
    if (!queue_.parent) {
      // A limit of one that cannot borrow is the same.
      const auto amount = Quantity::parse(**own);
      if (amount && find(*queue_.limit, resource) == nullptr) {
        result.push_back({*amount, used_of(queue_, resource), has(queue_), own->span});
      }
      return;
    }
    Bound all{
        {}, {}, "the queues below " + in_backticks(*queue_.parent) + " have together", own->span};
    std::vector<std::string_view> counted_already;
    for (const auto& each : *cluster_.spec->queues) {
      if (!each->parent || *each->parent != *queue_.parent) continue;
      all.used = add(all.used, used_of(*each, resource)).value_or(all.used);
      if (std::ranges::find(counted_already, behind(*each)) != counted_already.end()) continue;
      const Text* stated = quota(*each, resource);
      const auto amount = stated == nullptr ? std::nullopt : Quantity::parse(**stated);
      // Quotas below a parent that the Cluster did not create are unknown: other queues may lend or
      // borrow.
      if (!amount || each->existing.value_or(false)) return;
      counted_already.push_back(behind(*each));
      all.amount = add(all.amount, *amount).value_or(all.amount);
    }
    result.push_back(std::move(all));
  }

  const Cluster& cluster_;
  const Usage& used_;
  const Queue& queue_;
  bool of_kueue_;
  bool stays_;
};

/// kubernetes-sigs/kueue pkg/scheduler/flavorassigner/tas_flavorassigner.go: pods need not ask for
/// a topology where every flavor of the queue has one.
void hold_against_topology(std::vector<NodeGroup>& nodes) {
  using ByTopology = NodeGroup::ByTopology;
  const bool all = std::ranges::all_of(
      nodes, [](const NodeGroup& group) { return !group.closed.empty() || !group.levels.empty(); });
  for (NodeGroup& group : nodes) {
    const bool must_ask = !all && !group.levels.empty();
    group.by_topology = must_ask ? ByTopology::LevelsAndRequest : ByTopology::Levels;
  }
}

}  // namespace

void close_pools(std::vector<NodeGroup>& nodes, const Plan& plan, const Cluster& cluster) {
  if (!plan.queue || !plan.system || *plan.system != "kueue") return;
  const Queue* queue = find_queue(cluster, *plan.queue);
  if (queue == nullptr) return;
  std::vector<std::string_view> pools;
  bool is_made = false;
  for (const auto& each : *cluster.spec->queues) {
    if (behind(*each) != behind(*queue)) continue;
    is_made = is_made || !each->existing.value_or(false);
    for (const Text& pool : *each->pools) pools.push_back(*pool);
  }
  for (NodeGroup& group : nodes) {
    if (pools.empty() || std::ranges::find(pools, *group.pool->name) != pools.end()) continue;
    group.closed = "the queue " + in_backticks(*queue->name) + " does not use it";
  }
  if (is_made) hold_against_topology(nodes);
}

Fit fits_queue(const Plan& plan, const Cluster& cluster, const Usage& used,
               const std::vector<Beside>& beside) {
  Fit fit;
  const Queue* queue = plan.queue ? find_queue(cluster, *plan.queue) : nullptr;
  if (queue == nullptr) return fit;
  const QueueBounds bounds(cluster, used, *queue, plan);
  for (const auto& [resource, wanted] : total_of(plan, beside)) {
    for (const Bound& bound : bounds.of(resource)) {
      if (add(wanted, bound.used).value_or(wanted) <= bound.amount) continue;
      fit.fits = false;
      fit.obstacle = bound.whose + " " + bound.amount.text() + " of " + in_backticks(resource) +
                     ", the job asks for " + wanted.text();
      if (!bound.used.is_zero()) fit.obstacle += " and others use " + bound.used.text();
      fit.pools.push_back({*queue->name, bound.place, std::string(bound.why), false});
      return fit;
    }
  }
  return fit;
}

}  // namespace trainyard
