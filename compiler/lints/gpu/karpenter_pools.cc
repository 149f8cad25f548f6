#include "lints/gpu/karpenter_pools.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gpu_words.h"
#include "lints/node_taints.h"
#include "manifest/inventory.h"
#include "manifest/launch.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kPoolLabel = "karpenter.sh/nodepool";

/// Karpenter makes no node for a pod that would not go to it.
bool barred(View spec, View selected, View pool, CheckContext& context) {
  const View taint =
      barrier(items_at(get(get(get(pool, "spec"), "template"), "spec"), "taints"), spec);
  if (!taint) return false;
  context
      .lint(selected, "pods that do not tolerate the taint " + shown(taint_name(taint)) +
                          " of NodePool " + shown(selected->text))
      .also(context.place(taint), "the taint");
  return true;
}

/// What a requirement of the NodePool allows of a label; nothing where it leaves it open.
View requirement_against(View pool, View label) {
  const View spec = get(get(get(pool, "spec"), "template"), "spec");
  for (View each : items_at(spec, "requirements")) {
    if (string_at(each, "key") != label.key()) continue;
    const bool is_listed = std::ranges::any_of(
        items_at(each, "values"), [&](View value) { return string_of(value) == label->text; });
    const std::string_view mark = string_at(each, "operator");
    if ((mark == "In" && !is_listed) || (mark == "NotIn" && is_listed)) return each;
  }
  return {};
}

bool other_label(View selector, View selected, View pool, CheckContext& context) {
  const View labels = get(get(get(get(pool, "spec"), "template"), "metadata"), "labels");
  for (View each : Items(selector)) {
    if (each.key() == kPoolLabel || string_of(each).empty()) continue;
    const View own = get(labels, each.key());
    const View against =
        own && string_of(own) != each->text ? own : requirement_against(pool, each);
    if (!against) continue;
    context
        .lint(each, "no node of NodePool " + shown(selected->text) + " has the label " +
                        shown(std::string(each.key()) + ": " + std::string(each->text)))
        .also(context.place(against), "what its nodes have");
    return true;
  }
  return false;
}

/// The pods that run together against `limits`, at which Karpenter makes no more nodes.
void limits(const Workload& workload, const WorkloadRole& role, View selected, View pool,
            CheckContext& context) {
  const View all = get(get(pool, "spec"), "limits");
  const View most = get(all, "nvidia.com/gpu");
  const auto allowed = most ? Quantity::parse(most->text) : std::nullopt;
  const bool meet = std::ranges::any_of(role.containers, [&](View container) {
    return bool(evidence_of_peers(workload, role, container));
  });
  const Devices devices = role.devices;
  if (!allowed || devices.slices != 0 || (role.pods > 1 && !meet)) return;
  const std::int64_t wanted = devices.whole * role.pods;
  if (Quantity::of(wanted) <= *allowed) return;
  context
      .lint(selected, pods_of(role) + " take " + gpus(wanted) + ", and NodePool " +
                          shown(selected->text) + " has a limit of " + std::string(most->text))
      .also(context.place(most), "the limit");
}

}  // namespace

void check_karpenter_pool(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    const View selector = get(role.pod.spec, "nodeSelector");
    const View selected = get(selector, kPoolLabel);
    if (string_of(selected).empty()) continue;
    const Inventory* inventory = context.inventory();
    if (inventory == nullptr || !inventory->has_any("karpenter.sh", "NodePool")) return;
    const View pool = inventory->find("karpenter.sh", "NodePool", {}, selected->text);
    if (!pool) {
      context.lint(selected, "no NodePool " + shown(selected->text) + " is among the inputs");
      continue;
    }
    if (barred(role.pod.spec, selected, pool, context)) continue;
    if (other_label(selector, selected, pool, context)) continue;
    limits(workload, role, selected, pool, context);
  }
}

}  // namespace trainyard
