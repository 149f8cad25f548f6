#include <algorithm>

#include "platform/kueue_quota.h"
#include "platform/platform.h"
#include "platform/queues.h"
#include "platform/topologies.h"
#include "spec/enum_words.h"

namespace trainyard {
namespace {

/// Takes over what a queue says of its ClusterQueue. Two that say different things are in conflict.
template <class T>
void take(PlatformContext& context, const QueueGroup& group, Located<T>& known,
          const Located<T>& own, std::string_view field) {
  if (!own) return;
  if (!known) {
    known = own;
    return;
  }
  context
      .report(
          DiagnosticKind::ConflictingValues, own.span,
          "two queues in front of the ClusterQueue " + code(*group.name) + " state " + code(field))
      .also(known.span, "the first one");
}

std::vector<QueueGroup> grouped(PlatformContext& context) {
  std::vector<QueueGroup> groups;
  for (const auto& queue : *context.cluster.queues) {
    if (system_of(context.cluster, *queue) != QueueSystem::Kueue) continue;
    const Text& name = queue->cluster_queue ? queue->cluster_queue : queue->name;
    auto group =
        std::ranges::find_if(groups, [&](const QueueGroup& known) { return *known.name == *name; });
    if (group == groups.end()) {
      groups.emplace_back().name = name;
      group = groups.end() - 1;
    }
    take(context, *group, group->pools, queue->pools, "pools");
    take(context, *group, group->quota, queue->quota, "quota");
    take(context, *group, group->limit, queue->limit, "limit");
    take(context, *group, group->parent, queue->parent, "parent");
    take(context, *group, group->weight, queue->weight, "weight");
    take(context, *group, group->preemption, queue->preemption, "preemption");
    group->queues.push_back(&*queue);
    group->existing = group->existing && queue->existing.value_or(false);
  }
  return groups;
}

void add_queues(PlatformContext& context, const QueueGroup& group, ClusterQueuePlan& made) {
  for (const Queue* queue : group.queues) {
    const bool existing = queue->existing.value_or(false);
    const std::vector<Text> namespaces =
        existing ? *queue->namespaces : namespaces_of(context, *queue);
    for (const Text& ns : namespaces) {
      const bool known =
          std::ranges::find(made.namespaces, *ns, &ListedText::text) != made.namespaces.end();
      if (!known) made.namespaces.push_back({*ns, context.from(ns.span)});
      if (existing) continue;
      context.plan.local_queues.push_back(
          {context.given(queue->name), context.given(ns), context.given(group.name)});
    }
  }
}

void check_limit(PlatformContext& context, const QueueGroup& group) {
  if (!group.limit || group.parent) return;
  context
      .report(DiagnosticKind::NoEffect, group.limit.span,
              "the queue " + code(*group.queues.front()->name) +
                  " has no other queue to borrow from, so its `limit` has no effect")
      .note("name the cohort that it shares with other queues in `parent`");
}

template <Word E>
Field<std::string_view> word(const PlatformContext& context, const Located<E>& field) {
  if (!field) return {};
  return {spelling(*field), context.from(field.span), true};
}

void preempt(PlatformContext& context, const QueueGroup& group, ClusterQueuePlan& made) {
  const QueuePreemption& wanted = *group.preemption;
  made.preempts_within = word(context, wanted.within_queue);
  made.reclaims = word(context, wanted.reclaim);
  if (!wanted.reclaim || group.parent) return;
  context
      .report(DiagnosticKind::NoEffect, wanted.reclaim.span,
              "the queue " + code(*group.queues.front()->name) +
                  " lends nothing to others, so its `reclaim` has no effect")
      .note("name the cohort that it shares with other queues in `parent`");
}

void make_queue(PlatformContext& context, const QueueGroup& group, QuotaSharer& quotas) {
  ClusterQueuePlan made;
  made.name = context.given(group.name);
  made.cohort = context.given(group.parent);
  made.weight = context.given(group.weight);
  preempt(context, group, made);
  check_limit(context, group);
  add_queues(context, group, made);
  quotas.share(group, made);
  context.plan.cluster_queues.push_back(std::move(made));
}

FlavorPlan flavor_of(PlatformContext& context, const PoolOffer& offer, bool alone) {
  const Pool& pool = *offer.pool;
  FlavorPlan made;
  made.name = context.given(pool.name);
  made.labels = labels_of(context, offer);
  made.taints = taints_of(context, offer);
  if (auto topology = topology_of(context, pool)) {
    made.topology = context.given(pool.name);
    context.plan.kueue_topologies.push_back(std::move(*topology));
  }
  if (!made.labels.empty() || (alone && !made.topology)) return made;
  context
      .report(DiagnosticKind::MissingFact, pool.name.span,
              "nothing tells the nodes of the pool " + code(*pool.name) + " from others")
      .note("name their labels in the pool's `labels`");
  return made;
}

void run(PlatformContext& context) {
  const std::vector<const Queue*> wanted =
      queues_to_make(context, QueueSystem::Kueue, Operator::Kueue);
  if (wanted.empty()) return;
  context.plan.kueue_api = context.api(Operator::Kueue, wanted.front()->name.span);
  const std::vector<QueueGroup> groups = grouped(context);
  QuotaSharer quotas(context, groups);
  for (const QueueGroup& group : groups) {
    if (!group.existing) make_queue(context, group, quotas);
  }
  const std::vector<const PoolOffer*> used = quotas.used();
  for (const PoolOffer* pool : used) {
    context.plan.flavors.push_back(flavor_of(context, *pool, used.size() == 1));
  }
}

}  // namespace

extern const PlatformStep kueue_step{
    "platform-kueue",
    "Each pool is a flavor with the labels and taints of its nodes; each queue covers every "
    "resource "
    "that jobs on its pools request, with the quota that is stated, else with that of its nodes.",
    run};

}  // namespace trainyard
