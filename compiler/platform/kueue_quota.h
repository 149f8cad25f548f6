#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/platform_context.h"
#include "platform/pools.h"

namespace trainyard {

/// What the queues in front of one ClusterQueue say of it together.
struct QueueGroup {
  Text name;  // of the ClusterQueue
  TextList pools;
  TextMap quota;
  TextMap limit;
  Text parent;
  Integer weight;
  Located<QueuePreemption> preemption;
  std::vector<const Queue*> queues;
  bool existing = true;  // none of them has to be made
};

/// Shares the pools out between ClusterQueues, in the order in which they come.
class QuotaSharer {
 public:
  QuotaSharer(PlatformContext& context, const std::vector<QueueGroup>& groups);

  /// The resources that a queue hands out, and how much of each it has of each pool. An
  /// unknown amount is an error.
  void share(const QueueGroup& group, ClusterQueuePlan& out);

  /// The pools that were asked for so far, in the order of the Cluster.
  std::vector<const PoolOffer*> used() const;

 private:
  using Amounts = std::vector<Quantity>;                      // one for each pool of the queue
  using StatedAmounts = std::map<std::string_view, Amounts>;  // by resource

  std::vector<PoolOffer*> pools_of(const QueueGroup& group);
  bool is_shared(const PoolOffer& pool) const;
  std::optional<Quantity> capacity(const PoolOffer& pool, std::string_view resource) const;
  Amounts filled(const std::vector<PoolOffer*>& pools, std::string_view resource,
                 const Quantity& wanted, const Text& place);
  /// Takes what the queue says that it has, from the pools in their order.
  StatedAmounts take_stated(const QueueGroup& group, const std::vector<PoolOffer*>& pools);
  std::optional<std::int64_t> nodes(const QueueGroup& group, const PoolOffer& pool,
                                    std::string_view resource);
  Field<std::string_view> derived(const QueueGroup& group, const PoolOffer& pool,
                                  const Offer& offer);
  void borrow(const QueueGroup& group, std::string_view resource,
              const std::vector<PoolOffer*>& pools, const Amounts& nominal, ClusterQueuePlan& out);
  void complain(const QueueGroup& group, const PoolOffer& pool, std::string_view resource,
                std::string_view because, std::string_view advice);

  PlatformContext& context_;
  const std::vector<QueueGroup>& groups_;
  std::vector<PoolOffer> offers_;  // of all pools, in the order of the Cluster
  std::vector<bool> used_;
  std::map<std::pair<const Pool*, std::string_view>, Quantity> taken_;
  std::map<std::pair<const Pool*, std::string_view>, Quantity> own_;  // by this queue
  bool complained_ = false;                                           // about this queue
};

}  // namespace trainyard
