#include <array>
#include <map>
#include <optional>
#include <string>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/kueue_queued_jobs.h"
#include "operators/tables.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

// What Kueue's webhooks let change of pods that serve, once it has seen them.

namespace trainyard {
namespace {

using namespace kueue;

/// What the containers of a pod ask for; a limit is a request where there is none.
std::map<std::string_view, Quantity> requests_of(View container) {
  std::map<std::string_view, Quantity> amounts;
  const View resources = get(container, "resources");
  for (std::string_view list : {"requests", "limits"}) {
    for (View entry : entries_at(resources, list)) {
      const auto amount = entry->is_scalar() ? Quantity::parse(entry->text) : std::nullopt;
      if (amount) amounts.emplace(entry.key(), *amount);
    }
  }
  return amounts;
}

/// Whether a part of a pod says something else than before; what is gone is a change as well.
bool is_other(View now, View before) {
  constexpr auto filled = std::to_array<std::string_view>({"protocol"});
  const bool said = before && (before->is_scalar() || has_items(before));
  return now ? bool(changed(before, now, {{}, filled})) : said;
}

/// The first place at which two lists of containers are not of one shape.
View changed_containers(View now, View before) {
  if (!now || !before) return now ? now : before;
  if (now->size != before->size) return now;
  auto old = Items(before).begin();
  for (View container : Items(now)) {
    if (requests_of(container) != requests_of(*old)) return container;
    const View ports = get(container, "ports");
    if (is_other(ports, get(*old, "ports"))) return ports ? ports : container;
    ++old;
  }
  return {};
}

/// The first place at which the pods of two templates would need other nodes, so that the Workload
/// which was admitted is not theirs.
View changed_shape(View now, View before) {
  for (std::string_view key : {"initContainers", "containers"}) {
    if (const View at = changed_containers(get(now, key), get(before, key))) return at;
  }
  for (std::string_view key :
       {"nodeSelector", "affinity", "tolerations", "runtimeClassName", "priority",
        "topologySpreadConstraints", "overhead", "resourceClaims"}) {
    const View own = get(now, key);
    if (is_other(own, get(before, key))) return own ? own : now;
  }
  return {};
}

/// The requests of a pod as a whole, which count as of Kueue 0.19.
View changed_requests(View now, View before) {
  const View own = get(now, "resources");
  return requests_of(now) == requests_of(before) ? View() : own ? own : now;
}

void template_stays(View now, View before, CheckContext& context) {
  if (!now || !before) return;
  const View spec = get(now, "spec");
  View at = changed_shape(spec, get(before, "spec"));
  if (!at && context.versions().within({.name = "kueue", .since = "0.19"})) {
    at = changed_requests(spec, get(before, "spec"));
  }
  if (!at) return;
  if (&at.tree() != &now.tree()) at = now;  // it is gone
  context.refuse(at, "what the pods need of their nodes does not change while Kueue queues them");
}

/// Whether the groups of a LeaderWorkerSet have leaders of their own is settled.
void leaders_stay(View holder, View before, CheckContext& context) {
  const View now = get(holder, "leaderTemplate");
  if (static_cast<bool>(now) == static_cast<bool>(get(before, "leaderTemplate"))) return;
  context.refuse(now ? now : holder,
                 "`leaderTemplate` does not come or go while Kueue queues the groups");
}

void serving_stays(View object, CheckContext& context) {
  const View before = context.old();
  if (!before || is_passed_over(object)) return;
  constexpr std::string_view priority = "kueue.x-k8s.io/priority-class";
  const bool runs = integer_at(get(before, "status"), "readyReplicas").value_or(0) > 0;
  const View queue = label(object, kQueueName);
  const View old_queue = label(before, kQueueName);
  if (differs(queue, old_queue) && (runs || string_of(queue).empty())) {
    context.refuse(queue ? queue : get(object, "metadata"),
                   shown(kQueueName) + " was " + shown(string_of(old_queue)) +
                       (string_of(queue).empty() ? ", and cannot be taken away"
                                                 : ", and does not change while pods are ready"));
  }
  const View own = label(object, priority);
  if (string_of(own).empty() && !string_of(label(before, priority)).empty()) {
    context.refuse(own ? own : get(object, "metadata"), shown(priority) + " cannot be taken away");
  } else if (runs && !string_of(own).empty() && string_of(label(before, priority)).empty()) {
    context.refuse(own, shown(priority) + " cannot be added while pods are ready");
  }
  if (!is_queued(object)) return;
  const View spec = get(object, "spec");
  const View old_spec = get(before, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "StatefulSet") {
    const View replicas = get(spec, "replicas");
    const std::int64_t now = integer_of(replicas).value_or(1);
    const std::int64_t was = integer_at(old_spec, "replicas").value_or(1);
    if (now != was && now != 0 && was != 0) {
      context.refuse(replicas ? replicas : spec,
                     "`replicas` was " + std::to_string(was) +
                         ": while Kueue queues a StatefulSet it goes to 0 first");
    }
    template_stays(get(spec, "template"), get(old_spec, "template"), context);
  } else if (kind == "LeaderWorkerSet") {
    const View holder = get(spec, "leaderWorkerTemplate");
    const View old_holder = get(old_spec, "leaderWorkerTemplate");
    leaders_stay(holder, old_holder, context);
    for (std::string_view key : {"leaderTemplate", "workerTemplate"}) {
      template_stays(get(holder, key), get(old_holder, key), context);
    }
    const View size = get(holder, "size");
    const bool same = integer_of(size).value_or(1) == integer_at(old_holder, "size").value_or(1);
    if (!same && context.versions().within({.name = "kueue", .since = "0.19"})) {
      context.refuse(size ? size : holder, "`size` does not change while Kueue queues the groups");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-serving-stays",
     .group = CheckGroup::Queue,
     .on = "apps Deployment StatefulSet; leaderworkerset.x-k8s.io LeaderWorkerSet",
     .sentence =
         "What Kueue queues of pods that serve keeps its queue, its priority class and what "
         "its pods need.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/statefulset/statefulset_webhook.go, "
               "pkg/controller/jobs/leaderworkerset/leaderworkerset_webhook.go, "
               "pkg/controller/jobs/deployment/deployment_webhook.go ValidateUpdate",
     .object = serving_stays,
     .operators = {.name = "kueue", .since = "0.14"}},
};

}  // namespace

constinit const std::span<const Check> kueue_serving_change_checks = kChecks;

}  // namespace trainyard
