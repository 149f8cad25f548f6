#include "platform/pools.h"

#include <algorithm>

#include "rules/gpu_offer.h"

namespace trainyard {
PoolOffer offer_of(PlatformContext& context, const Pool& pool) {
  PoolOffer result =
      offer_of(context.cluster, pool, context.in.machines->find(*pool.machine),
               [&context](const std::string& computed) { return context.text(computed); });
  for (const OfferGap& gap : result.gaps) {
    context.report(DiagnosticKind::MissingFact, gap.place, gap.what).note(gap.advice);
  }
  std::erase_if(result.offers, &Offer::claimed);
  return result;
}

namespace {

/// Labels that the cloud has for the way in which the nodes are bought.
void add_marks(PlatformContext& context, const PoolOffer& offer, std::vector<NamedValue>& labels) {
  const Pool& pool = *offer.pool;
  const MachineCapacity* marks =
      marks_of(context.in.machines->catalogue(offer.machine->name.span.file), pool);
  if (marks == nullptr) return;
  for (const NamedValue& label : context.given(marks->labels)) labels.push_back(label);
  if (pool.reservation && marks->reservation_label) {
    labels.push_back(
        {*marks->reservation_label, *pool.reservation, context.from(pool.reservation.span)});
  }
}

}  // namespace

std::vector<NamedValue> labels_of(PlatformContext& context, const PoolOffer& offer) {
  const Pool& pool = *offer.pool;
  std::vector<NamedValue> result;
  if (pool.labels) {
    result = context.given(pool.labels);
  } else if (offer.machine != nullptr) {
    result = context.given(offer.machine->node_selector);
    for (NamedValue& label : result) {
      if (label.name != kProductLabel) continue;
      const std::string product = product_label(context.cluster, pool, label.value);
      if (!product.empty()) label.value = context.text(product);
    }
    add_marks(context, offer, result);
  }
  if (pool.zone) {
    constexpr std::string_view kZone = "topology.kubernetes.io/zone";
    const bool known = std::ranges::find(result, kZone, &NamedValue::name) != result.end();
    if (!known) result.push_back({kZone, *pool.zone, context.from(pool.zone.span)});
  }
  return result;
}

}  // namespace trainyard
