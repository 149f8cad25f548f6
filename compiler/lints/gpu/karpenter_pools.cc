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
                          " of NodePool " + shown(string_at(get(pool, "metadata"), "name")))
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

bool other_label(View selector, View pool, CheckContext& context) {
  const View labels = get(get(get(get(pool, "spec"), "template"), "metadata"), "labels");
  for (View each : Items(selector)) {
    if (each.key() == kPoolLabel || string_of(each).empty()) continue;
    const View own = get(labels, each.key());
    const View against =
        own && string_of(own) != each->text ? own : requirement_against(pool, each);
    if (!against) continue;
    context
        .lint(each, "no node of NodePool " + shown(string_at(get(pool, "metadata"), "name")) +
                        " has the label " +
                        shown(std::string(each.key()) + ": " + std::string(each->text)))
        .also(context.place(against), "what its nodes have");
    return true;
  }
  return false;
}

/// What the containers of a pod ask of a resource.
double asked_of(const WorkloadRole& role, std::string_view resource) {
  double all = 0;
  for (View container : role.containers) {
    const View resources = get(container, "resources");
    const View request = get(get(resources, "requests"), resource);
    const View value = request ? request : get(get(resources, "limits"), resource);
    const auto amount = value ? Quantity::parse(value->text) : std::nullopt;
    all += amount ? amount->approximate() : 0;
  }
  return all;
}

/// The pods that run together against `limits`, at which Karpenter makes no more nodes.
void limits(const Workload& workload, const WorkloadRole& role, View selected, View pool,
            CheckContext& context) {
  const bool meet = std::ranges::any_of(role.containers, [&](View container) {
    return bool(evidence_of_peers(workload, role, container));
  });
  if (role.devices.slices != 0 || (role.pods > 1 && !meet && !is_training_kind(workload))) return;
  for (View most : entries_at(get(pool, "spec"), "limits")) {
    const auto allowed = Quantity::parse(most->text);
    const double wanted = asked_of(role, most.key()) * static_cast<double>(role.pods);
    if (!allowed || wanted <= allowed->approximate()) continue;
    const bool is_gpu = most.key() == "nvidia.com/gpu";
    context
        .lint(selected, pods_of(role) + " take " +
                            (is_gpu ? gpus(role.devices.whole * role.pods)
                                    : "more " + shown(most.key()) + " together than " +
                                          std::string(most->text)) +
                            ", and NodePool " + shown(string_at(get(pool, "metadata"), "name")) +
                            " has a limit of " + std::string(most->text))
        .also(context.place(most), "the limit");
    return;
  }
}

/// The one NodePool whose nodes get a label that the pods select, and that no node has by itself.
struct Selected {
  View pool;
  View by;
};
Selected selected_pool(View selector, const Inventory& inventory) {
  if (const View by = get(selector, kPoolLabel); !string_of(by).empty()) {
    return {inventory.find("karpenter.sh", "NodePool", {}, by->text), by};
  }
  Selected found;
  for (View pool : inventory.all("karpenter.sh", "NodePool")) {
    const View labels = get(get(get(get(pool, "spec"), "template"), "metadata"), "labels");
    for (View each : Items(selector)) {
      if (!get(labels, each.key()) || string_at(labels, each.key()) != each->text) continue;
      if (found.pool) return {};
      found = {pool, each};
      break;
    }
  }
  return found;
}

}  // namespace

void check_karpenter_pool(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    const View selector = get(role.pod.spec, "nodeSelector");
    const Inventory* inventory = has_items(selector) ? context.inventory() : nullptr;
    if (inventory == nullptr || !inventory->has_any("karpenter.sh", "NodePool")) continue;
    const auto [pool, selected] = selected_pool(selector, *inventory);
    if (!selected) continue;
    if (!pool) {
      context.lint(selected, "no NodePool " + shown(selected->text) + " is among the inputs");
      continue;
    }
    if (barred(role.pod.spec, selected, pool, context)) continue;
    if (other_label(selector, pool, context)) continue;
    limits(workload, role, selected, pool, context);
  }
}

}  // namespace trainyard
