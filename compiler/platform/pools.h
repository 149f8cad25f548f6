#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "platform/context.h"
#include "tree/quantity.h"

namespace trainyard {

/// How much of a resource one node offers to pods.
struct Offer {
  std::string_view resource;
  Quantity amount;
  bool gpu = false;  // GPUs or parts of them
  Span place;        // of what says so
};

/// A pool and what each of its nodes offers: CPU and memory first, then GPUs, then the rest.
struct PoolOffer {
  const Pool* pool = nullptr;
  const Machine* machine = nullptr;  // null when it is not known
  std::vector<Offer> offers;

  const Offer* find(std::string_view resource) const;
  bool has_gpus() const;
};

/// What the pods of jobs can request on the nodes of a pool, under the names that the rules for
/// jobs give to it.
PoolOffer offer_of(PlatformContext& context, const Pool& pool);

/// Labels that all nodes of the pool have: its own, else those of its machine.
std::vector<NamedValue> labels_of(PlatformContext& context, const PoolOffer& offer);

/// How the pool's GPUs are cut, and by whom they are shared; null when they are not.
MigStrategy mig_strategy_of(const ClusterSpec& cluster, const Pool& pool);
const Located<Sharing>* sharing_of(const ClusterSpec& cluster, const Pool& pool);

}  // namespace trainyard
