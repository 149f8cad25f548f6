#include "platform/kueue_quota.h"

#include <algorithm>

namespace trainyard {
namespace {

std::optional<Quantity> minus(const Quantity& a, const Quantity& b) {
  const auto negative = multiply(b, -1);
  return negative ? add(a, *negative) : std::nullopt;
}

/// How many nodes have that much, the last one not in full.
std::int64_t nodes_for(const Quantity& amount, const Quantity& per_node) {
  const std::int64_t wanted = amount.whole_units().value_or(0);
  const std::int64_t each = std::max<std::int64_t>(per_node.whole_units().value_or(1), 1);
  return wanted / each + (wanted % each == 0 ? 0 : 1);
}

/// The resources of a queue in the order of its pools' offers, then those that only its quota
/// names.
std::vector<ListedText> resources_of(const PlatformContext& context,
                                     const std::vector<PoolOffer*>& pools, const TextMap& quota) {
  std::vector<ListedText> result;
  const auto add = [&](std::string_view name, Span place) {
    if (std::ranges::find(result, name, &ListedText::text) != result.end()) return;
    result.push_back({name, context.from(place)});
  };
  const auto pass = [&](auto wanted) {
    for (const PoolOffer* pool : pools) {
      for (const Offer& offer : pool->offers) {
        if (wanted(offer)) add(offer.resource, offer.place);
      }
    }
  };
  const auto is_native = [](const Offer& offer) {
    return offer.resource.find('/') == std::string_view::npos;
  };
  for (std::string_view first : {"cpu", "memory", "ephemeral-storage"}) {
    if (const Text* said = find(*quota, first)) add(first, said->span);
    pass([&](const Offer& offer) { return offer.resource == first; });
  }
  pass([&](const Offer& offer) { return offer.gpu; });
  pass([&](const Offer& offer) { return !is_native(offer); });
  pass(is_native);
  for (const auto& entry : *quota) add(entry.key, entry.value.span);
  return result;
}

}  // namespace

QuotaSharer::QuotaSharer(PlatformContext& context, const std::vector<QueueGroup>& groups)
    : context_(context), groups_(groups) {
  for (const auto& pool : *context.cluster.pools) offers_.push_back(offer_of(context, *pool));
  used_.resize(offers_.size());
}

std::vector<const PoolOffer*> QuotaSharer::used() const {
  std::vector<const PoolOffer*> result;
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    if (used_[i]) result.push_back(&offers_[i]);
  }
  return result;
}

std::vector<PoolOffer*> QuotaSharer::pools_of(const QueueGroup& group) {
  std::vector<PoolOffer*> result;
  const auto take = [&](std::size_t i) {
    used_[i] = true;
    result.push_back(&offers_[i]);
  };
  for (const Text& name : *group.pools) {
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      if (*offers_[i].pool->name == *name) take(i);
    }
  }
  if (group.pools) return result;
  for (std::size_t i = 0; i < offers_.size(); ++i) take(i);
  return result;
}

bool QuotaSharer::is_shared(const PoolOffer& pool) const {
  const auto takes = [&](const QueueGroup& group) {
    if (!group.pools) return true;
    return std::ranges::any_of(*group.pools,
                               [&](const Text& name) { return *name == *pool.pool->name; });
  };
  return std::ranges::count_if(groups_, takes) > 1;
}

/// What the pool has of a resource, and no queue before has taken; nothing when that is not known.
std::optional<Quantity> QuotaSharer::capacity(const PoolOffer& pool,
                                              std::string_view resource) const {
  const Offer* offer = pool.find(resource);
  if (offer == nullptr || !pool.pool->count) return std::nullopt;
  const auto all = multiply(offer->amount, *pool.pool->count);
  const auto taken = taken_.find({pool.pool, resource});
  if (!all || taken == taken_.end()) return all;
  const auto left = minus(*all, taken->second);
  return left && left->is_negative() ? Quantity() : left;
}

/// A stated amount, poured into the pools one after the other.
QuotaSharer::Amounts QuotaSharer::filled(const std::vector<PoolOffer*>& pools,
                                         std::string_view resource, const Quantity& wanted,
                                         const Text& place) {
  Amounts result(pools.size());
  Quantity left = wanted;
  bool offered = false;
  bool bounded = true;
  std::size_t last = 0;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (pools[i]->find(resource) == nullptr) continue;
    offered = true;
    last = i;
    const auto room = capacity(*pools[i], resource);
    bounded = bounded && room;
    result[i] = room && *room < left ? *room : left;
    left = minus(left, result[i]).value_or(Quantity());
  }
  // Amounts of the quota alone, such as a number of pods, are those of the first pool.
  if (!offered && resource.find('/') != std::string_view::npos) {
    context_.report(DiagnosticKind::NoEffect, place.span,
                    "no node of the queue's pools is known to offer " + code(resource));
  } else if (offered && bounded && !left.is_zero()) {
    Quantity all;
    for (const Quantity& amount : result) all = add(all, amount).value_or(all);
    context_.report(DiagnosticKind::ExceedsPool, place.span,
                    code(*place) + " of " + code(resource) +
                        " are guaranteed, and the pools have " + code(all.text()) +
                        " that no queue before has taken");
  }
  if (!left.is_zero()) result[last] = add(result[last], left).value_or(wanted);
  return result;
}

void QuotaSharer::complain(const QueueGroup& group, const PoolOffer& pool,
                           std::string_view resource, std::string_view because,
                           std::string_view advice) {
  if (std::exchange(complained_, true)) return;
  context_
      .report(DiagnosticKind::MissingFact, group.queues.front()->name.span,
              "the Cluster does not say how much " + code(resource) + " of the pool " +
                  code(*pool.pool->name) + " is for the queue " +
                  code(*group.queues.front()->name) + ": " + std::string(because))
      .note(std::string(advice));
}

/// How many nodes of the pool are the queue's: as many as have the GPUs that it is guaranteed, or
/// all where it has the pool for itself. Nothing, with an error, when that is unknown.
std::optional<std::int64_t> QuotaSharer::nodes(const QueueGroup& group, const PoolOffer& pool,
                                               std::string_view resource) {
  std::optional<std::int64_t> result;
  for (const Offer& offer : pool.offers) {
    if (!offer.gpu || find(*group.quota, offer.resource) == nullptr) continue;
    const auto share = own_.find({pool.pool, offer.resource});
    const Quantity amount = share == own_.end() ? Quantity() : share->second;
    result = std::max(result.value_or(0), nodes_for(amount, offer.amount));
  }
  if (result) return result;
  if (is_shared(pool)) {
    complain(group, pool, resource, "other queues use the pool as well",
             "state it in the queue's `quota`");
  } else if (!pool.pool->count) {
    complain(group, pool, resource, "its number of nodes is not known",
             "state the pool's `count`, or the queue's `quota`");
  } else {
    return *pool.pool->count;
  }
  return std::nullopt;
}

/// A resource that the quota does not name: it comes with the nodes.
Field<std::string_view> QuotaSharer::derived(const QueueGroup& group, const PoolOffer& pool,
                                             const Offer& offer) {
  const auto count = nodes(group, pool, offer.resource);
  if (!count) return {};
  const auto amount = multiply(offer.amount, *count);
  return context_.computed(
      context_.text(amount.value_or(offer.amount).text()),
      {offer.place, pool.pool->count.span, group.quota ? group.quota.span : Span()});
}

void QuotaSharer::borrow(const QueueGroup& group, std::string_view resource,
                         const std::vector<PoolOffer*>& pools, const Amounts& nominal,
                         ClusterQueuePlan& out) {
  const Text* limit = find(*group.limit, resource);
  if (limit == nullptr || !group.parent) return;
  const auto most = Quantity::parse(**limit);
  Quantity all;
  for (const Quantity& amount : nominal) all = add(all, amount).value_or(all);
  if (!most) return;
  if (*most < all) {
    context_.report(DiagnosticKind::LimitBelowRequest, limit->span,
                    "the limit " + code(**limit) + " of " + code(resource) +
                        " is below what is guaranteed, " + code(all.text()));
    return;
  }
  Quantity left = minus(*most, all).value_or(Quantity());
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const Offer* offer = pools[i]->find(resource);
    Quantity share = left;
    if (i + 1 < pools.size() && offer != nullptr && pools[i]->pool->count) {
      const auto room = multiply(offer->amount, *pools[i]->pool->count);
      const auto rest = room ? minus(*room, nominal[i]) : std::nullopt;
      if (rest && *rest < share) share = rest->is_negative() ? Quantity() : *rest;
    }
    left = minus(left, share).value_or(Quantity());
    out.flavors[i].shares.back().borrowing =
        context_.computed(context_.text(share.text()), {limit->span});
  }
}

QuotaSharer::StatedAmounts QuotaSharer::take_stated(const QueueGroup& group,
                                                    const std::vector<PoolOffer*>& pools) {
  StatedAmounts stated;
  for (const auto& entry : *group.quota) {
    const auto wanted = Quantity::parse(*entry.value);
    if (!wanted) continue;
    const Amounts& amounts = stated[entry.key] = filled(pools, entry.key, *wanted, entry.value);
    for (std::size_t i = 0; i < pools.size(); ++i) {
      own_[{pools[i]->pool, entry.key}] = amounts[i];
    }
  }
  for (auto& [key, amount] : own_) {
    Quantity& taken = taken_[key];
    taken = add(taken, amount).value_or(taken);
  }
  return stated;
}

void QuotaSharer::share(const QueueGroup& group, ClusterQueuePlan& out) {
  const std::vector<PoolOffer*> pools = pools_of(group);
  complained_ = false;
  own_.clear();
  if (pools.empty()) {
    context_
        .report(DiagnosticKind::MissingFact, group.queues.front()->name.span,
                "the queue " + code(*group.queues.front()->name) +
                    " has no nodes to hand out: the Cluster lists no `pools`")
        .note("say with `existing: true` that the queue is made elsewhere");
    return;
  }
  for (const PoolOffer* pool : pools) {
    out.flavors.push_back({context_.given(pool->pool->name), {}});
  }
  // ExplicitNumber amounts first: how many nodes a queue has depends on its GPUs.
  const StatedAmounts stated = take_stated(group, pools);
  for (std::string_view needed : {"cpu", "memory"}) {
    const auto offers = [&](const PoolOffer* pool) { return pool->find(needed) != nullptr; };
    if (stated.contains(needed) || std::ranges::any_of(pools, offers)) continue;
    complain(group, *pools.front(), needed, "what its nodes have is not known",
             "state the pool's `allocatable`, or the queue's `quota`: jobs request it");
  }
  out.covered = resources_of(context_, pools, group.quota);
  for (const ListedText& resource : out.covered) {
    const auto known = stated.find(resource.text);
    Amounts nominal(pools.size());
    for (std::size_t i = 0; i < pools.size(); ++i) {
      SharePlan share;
      share.resource = {resource.text, resource.origin, true};
      const Offer* offer = pools[i]->find(resource.text);
      if (known != stated.end()) {
        const Text& said = *find(*group.quota, resource.text);
        share.nominal = pools.size() == 1
                            ? context_.given(said)
                            : context_.computed(context_.text(known->second[i].text()),
                                                {said.span, pools[i]->pool->count.span});
      } else if (offer != nullptr) {
        share.nominal = derived(group, *pools[i], *offer);
      } else {
        share.nominal = context_.computed<std::string_view>("0", {pools[i]->pool->name.span});
      }
      if (share.nominal) {
        nominal[i] = Quantity::parse(*share.nominal).value_or(Quantity());
      }
      out.flavors[i].shares.push_back(share);
    }
    borrow(group, resource.text, pools, nominal, out);
  }
}

}  // namespace trainyard
