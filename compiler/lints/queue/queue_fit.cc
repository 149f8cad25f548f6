#include "lints/queue/queue_fit.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "admission/resource_amounts.h"
#include "diag/words.h"
#include "lints/node_taints.h"
#include "manifest/selectors.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {

Quantity taken(const Workload& workload, std::string_view resource) {
  Quantity all;
  for (const WorkloadRole& role : workload.roles) {
    const auto one = role.pod.spec ? requested(role.pod, resource) : std::nullopt;
    const auto pods = one ? multiply(*one, role.pods) : std::nullopt;
    const auto sum = pods ? add(all, *pods) : std::nullopt;
    if (sum) all = *sum;
  }
  return all;
}

namespace {

constexpr std::string_view kGroup = "kueue.x-k8s.io";

std::string named_object(View object) {
  return std::string(string_at(object, "kind")) + " " +
         shown(string_at(get(object, "metadata"), "name"));
}

/// kubernetes-sigs/kueue pkg/cache: a queue with a stop policy admits no job.
bool is_held(View named, View queue, CheckContext& context) {
  const View policy = get(get(queue, "spec"), "stopPolicy");
  if (string_of(policy).empty() || policy->text == "None") return false;
  context
      .lint(named, named_object(queue) +
                       " is stopped, and takes no job in until `stopPolicy` is "
                       "`None`")
      .also(context.place(policy), "stopped here");
  return true;
}

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

/// Of a namespace that is not among the inputs only the label with its name is known.
bool is_for_other_name(std::string_view own, View selector, View named, View queue,
                       CheckContext& context) {
  View against = get(get(selector, "matchLabels"), kNameLabel);
  if (against && against->text == own) against = {};
  for (View each : items_at(selector, "matchExpressions")) {
    if (against || string_at(each, "key") != kNameLabel) continue;
    const std::string_view op = string_at(each, "operator");
    const bool is_listed = std::ranges::any_of(items_at(each, "values"),
                                               [&](View value) { return string_of(value) == own; });
    if ((op == "In" && !is_listed) || (op == "NotIn" && is_listed)) against = each;
  }
  if (!against) return false;
  context.lint(named, named_object(queue) + " is not for jobs of namespace " + shown(own))
      .also(context.place(against), "what namespaces it is for");
  return true;
}

/// A queue without a selector is for no namespace.
/// kubernetes-sigs/kueue apis/kueue/v1beta1/clusterqueue_types.go: NamespaceSelector
bool is_for_others(View object, View named, View queue, CheckContext& context) {
  const View spec = get(queue, "spec");
  const View selector = get(spec, "namespaceSelector");
  if (!selector) {
    context
        .lint(named,
              named_object(queue) + " has no `namespaceSelector`, and so is for no namespace")
        .also(context.place(spec), "`namespaceSelector: {}` is for all");
    return true;
  }
  const std::string_view own = string_at(get(object, "metadata"), "namespace");
  const Inventory* inventory = own.empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return false;
  const View space = inventory->find("", "Namespace", "", own);
  if (!space) return is_for_other_name(own, selector, named, queue, context);
  const View labels = get(get(space, "metadata"), "labels");
  const bool is_in = selects(selector, [&](std::string_view key) -> std::optional<std::string> {
    if (key == kNameLabel) return std::string(own);
    const View label = get(labels, key);
    return label ? std::optional(std::string(label->text)) : std::nullopt;
  });
  if (is_in) return false;
  context
      .lint(named, named_object(queue) + " is not for jobs of namespace " + shown(own) +
                       ": its labels are others")
      .also(context.place(selector), "what namespaces it is for")
      .also(context.place(labels ? labels : get(space, "metadata")), "the namespace");
  return true;
}

/// A taint that neither the pods nor the flavor itself tolerate.
View untolerated(View flavor, View pod_spec) {
  const View spec = get(flavor, "spec");
  return barrier(items_at(spec, "nodeTaints"), pod_spec, spec);
}

/// A label that the pods want of their node, and that nodes of the flavor have otherwise. Labels
/// that no flavor of the group mentions are not compared.
View other_label(View flavor, const std::vector<View>& group, View pod_spec) {
  for (View wanted : entries_at(pod_spec, "nodeSelector")) {
    const bool spoken_of = std::ranges::any_of(group, [&](View each) {
      return static_cast<bool>(get(get(get(each, "spec"), "nodeLabels"), wanted.key()));
    });
    if (!spoken_of) continue;
    const View label = get(get(get(flavor, "spec"), "nodeLabels"), wanted.key());
    if (!label || label->text != wanted->text) return wanted;
  }
  return {};
}

bool covers_some(View group, const Pod& pod) {
  return std::ranges::any_of(items_at(group, "coveredResources"), [&](View resource) {
    const auto amount = requested(pod, string_of(resource));
    return amount && !amount->is_zero();
  });
}

/// The level of a topology that the pods are to be in together.
View topology_level(const Pod& pod) {
  const View all = get(pod.metadata, "annotations");
  const View required = get(all, "kueue.x-k8s.io/podset-required-topology");
  return required ? required : get(all, "kueue.x-k8s.io/podset-preferred-topology");
}

/// kubernetes-sigs/kueue pkg/scheduler/flavorassigner/tas_flavorassigner.go: a flavor must be of a
/// topology that has the level.
void topology_fits(const WorkloadRole& role, const std::vector<View>& flavors,
                   const Inventory& inventory, CheckContext& context) {
  const View level = topology_level(role.pod);
  if (string_of(level).empty()) return;
  View known;
  for (View flavor : flavors) {
    const View name = get(get(flavor, "spec"), "topologyName");
    if (string_of(name).empty()) continue;
    const View topology = inventory.find(kGroup, "Topology", "", name->text);
    if (!topology) return;
    known = known ? known : topology;
    const bool has_level =
        std::ranges::any_of(items_at(get(topology, "spec"), "levels"),
                            [&](View each) { return string_at(each, "nodeLabel") == level->text; });
    if (has_level) return;
  }
  if (known) {
    context
        .lint(level,
              named_object(known) + " of the queue's flavors has no level " + shown(level->text))
        .also(context.place(get(get(known, "spec"), "levels")), "its levels");
  } else {
    context
        .lint(level, "the pods are to be in one " + shown(level->text) +
                         ", and no flavor of their queue is of a topology")
        .also(context.place(get(flavors.front(), "metadata")), "a flavor without `topologyName`");
  }
}

/// kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go checkFlavorForPodSets: of
/// the flavors of a group one must be for nodes to which the pods may go.
void flavors_fit(const WorkloadRole& role, View group, const Inventory& inventory,
                 CheckContext& context) {
  std::vector<View> flavors;
  for (View each : items_at(group, "flavors")) {
    flavors.push_back(inventory.find(kGroup, "ResourceFlavor", "", string_at(each, "name")));
    if (!flavors.back()) return;
  }
  if (flavors.empty()) return;
  const std::size_t before = context.findings();
  topology_fits(role, flavors, inventory, context);
  if (context.findings() != before) return;
  View first;  // what is wrong with the first one
  bool is_taint = false;
  for (View flavor : flavors) {
    const View taint = untolerated(flavor, role.pod.spec);
    const View label = taint ? View() : other_label(flavor, flavors, role.pod.spec);
    if (!taint && !label) return;
    if (first) continue;
    first = taint ? taint : label;
    is_taint = static_cast<bool>(taint);
  }
  if (!first) return;
  const std::string which = flavors.size() == 1
                                ? named_object(flavors.front())
                                : "each of " + std::to_string(flavors.size()) + " flavors";
  if (is_taint) {
    context
        .lint(role.pod.spec, "the queue gives these pods nodes of " + which +
                                 " only, whose taint " + shown(string_at(first, "key")) +
                                 " they do not tolerate")
        .also(context.place(first), "the taint");
  } else {
    context
        .lint(first, "the queue gives these pods nodes of " + which + " only, which are not " +
                         shown(std::string(first.key()) + "=" + std::string(first->text)))
        .also(context.place(get(get(flavors.front(), "spec"), "nodeLabels")
                                ? get(get(flavors.front(), "spec"), "nodeLabels")
                                : get(flavors.front(), "metadata")),
              "labels of its nodes");
  }
}

void flavors_of_roles(const Workload& workload, View cluster_queue, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec) continue;
    for (View group : items_at(get(cluster_queue, "spec"), "resourceGroups")) {
      const std::size_t before = context.findings();
      if (covers_some(group, role.pod)) flavors_fit(role, group, *inventory, context);
      if (context.findings() != before) return;
    }
  }
}

/// The queue of a job and what it takes from, as far as they are among the inputs.
struct Queues {
  View named;  // where the job says it
  View local;
  View cluster;
};

bool several(const Inventory& inventory, std::string_view kind, std::string_view name) {
  return inventory.named(kGroup, kind, name).size() > 1;
}

/// Whether the inputs configure Kueue to count resources otherwise than pods ask for them.
/// kubernetes-sigs/kueue apis/config: excludeResourcePrefixes, transformations
bool counts_otherwise(CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return false;
  const View own = inventory->find("", "ConfigMap", "kueue-system", "kueue-manager-config");
  return std::ranges::any_of(entries_at(own, "data"), [](View file) {
    const std::string_view text = string_of(file);
    return text.find("excludeResourcePrefixes") != text.npos ||
           text.find("transformations") != text.npos;
  });
}

Queues queues_of(View job, CheckContext& context) {
  Queues found;
  const View metadata = get(job, "metadata");
  found.named = get(get(metadata, "labels"), "kueue.x-k8s.io/queue-name");
  const Inventory* inventory = string_of(found.named).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return found;
  found.local =
      inventory->find(kGroup, "LocalQueue", string_at(metadata, "namespace"), found.named->text);
  const std::string_view name = string_at(get(found.local, "spec"), "clusterQueue");
  // Layers of a kustomization may have one each.
  if (several(*inventory, "ClusterQueue", name)) return found;
  if (string_at(metadata, "namespace").empty() &&
      several(*inventory, "LocalQueue", found.named->text)) {
    return found;
  }
  if (!name.empty()) found.cluster = inventory->find(kGroup, "ClusterQueue", "", name);
  return found;
}

/// What the pods ask of topology by any of the annotations that Kueue reads; an empty view for
/// nothing. kubernetes-sigs/kueue pkg/workload IsExplicitlyRequestingTAS
View topology_request(const Pod& pod) {
  const View all = get(pod.metadata, "annotations");
  for (std::string_view name : {"required-topology", "preferred-topology", "unconstrained-topology",
                                "slice-required-topology", "slice-required-topology-constraints"}) {
    const View found = get(all, "kueue.x-k8s.io/podset-" + std::string(name));
    if (string_of(found).empty()) continue;
    if (name != "unconstrained-topology" || found->text == "true") return found;
  }
  return {};
}

bool has_topology(View flavor) {
  return !string_at(get(flavor, "spec"), "topologyName").empty();
}

/// All flavors of a queue; none when one of them is not among the inputs.
std::vector<View> all_flavors(View cluster_queue, const Inventory& inventory) {
  std::vector<View> flavors;
  for (View group : items_at(get(cluster_queue, "spec"), "resourceGroups")) {
    for (View each : items_at(group, "flavors")) {
      flavors.push_back(inventory.find(kGroup, "ResourceFlavor", "", string_at(each, "name")));
      if (!flavors.back()) return {};
    }
  }
  return flavors;
}

/// A flavor of the group whose nodes the pods may go to and that treats topology otherwise than the
/// pods ask; an empty view where one fits, or where none has such nodes at all.
View flavor_against(View group, const Pod& pod, bool asks, const Inventory& inventory) {
  std::vector<View> flavors;
  for (View each : items_at(group, "flavors")) {
    flavors.push_back(inventory.find(kGroup, "ResourceFlavor", "", string_at(each, "name")));
  }
  View against;
  for (View flavor : flavors) {
    if (untolerated(flavor, pod.spec) || other_label(flavor, flavors, pod.spec)) continue;
    if (has_topology(flavor) == asks) return {};
    if (!against) against = flavor;
  }
  return against;
}

/// The resources that the pods of a job ask for, each once.
std::vector<std::string_view> resources_of(const Workload& workload) {
  std::vector<std::string_view> names;
  for (const WorkloadRole& role : workload.roles) {
    for (const PodContainer& container : role.pod.containers) {
      for (std::string_view list : {"limits", "requests"}) {
        for (View amount : entries_at(get(container.node, "resources"), list)) {
          if (std::ranges::find(names, amount.key()) == names.end()) names.push_back(amount.key());
        }
      }
    }
  }
  return names;
}

struct Quota {
  Quantity most;           // over all flavors
  Quantity largest;        // of one flavor
  bool is_bounded = true;  // not where it may borrow whatever others have
};

/// What a queue has of a resource, and in a cohort what it may borrow besides; nothing when the
/// queue does not cover it.
std::optional<Quota> quota_in(View cluster_queue, std::string_view resource, bool may_borrow) {
  std::optional<Quota> quota;
  const auto amount_at = [](View amount) {
    const auto number =
        amount && amount->is_scalar() ? Quantity::parse(amount->text) : std::nullopt;
    return number.value_or(Quantity());
  };
  for (View group : items_at(get(cluster_queue, "spec"), "resourceGroups")) {
    for (View flavor : items_at(group, "flavors")) {
      for (View each : items_at(flavor, "resources")) {
        if (string_at(each, "name") != resource) continue;
        if (!quota) quota.emplace();
        Quantity own = amount_at(get(each, "nominalQuota"));
        if (may_borrow) {
          const View limit = get(each, "borrowingLimit");
          if (!limit || !limit->is_scalar()) quota->is_bounded = false;
          own = add(own, amount_at(limit)).value_or(own);
        }
        quota->most = add(quota->most, own).value_or(quota->most);
        if (own > quota->largest) quota->largest = own;
      }
    }
  }
  return quota;
}

/// A role whose pods take more than any one flavor has: those of a role are all of one flavor.
/// kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go assignFlavors
const WorkloadRole* beyond_each_flavor(const Workload& pods, std::string_view resource,
                                       const Quantity& largest) {
  for (const WorkloadRole& role : pods.roles) {
    const auto one = role.pod.spec ? requested(role.pod, resource) : std::nullopt;
    const auto all = one ? multiply(*one, role.pods) : std::nullopt;
    if (all && *all > largest) return &role;
  }
  return nullptr;
}

void amounts_fit(View job, const Workload& pods, const Queues& queues, CheckContext& context) {
  const View spec = get(queues.cluster, "spec");
  if (!has_items(get(spec, "resourceGroups")) || counts_otherwise(context)) return;
  // Kueue may admit it with fewer pods: kubernetes-sigs/kueue pkg/controller/jobs/job and
  // pkg/workloadslicing.
  const View annotations = get(get(job, "metadata"), "annotations");
  const bool may_shrink = get(annotations, "kueue.x-k8s.io/job-min-parallelism") ||
                          get(annotations, "kueue.x-k8s.io/elastic-job");
  const bool may_borrow =
      !string_at(spec, "cohort").empty() || !string_at(spec, "cohortName").empty();
  for (std::string_view device : resources_of(pods)) {
    // Kueue counts those that start later, too: kubernetes-sigs/kueue
    // pkg/controller/jobs/jobset/jobset_controller.go PodSets
    const Quantity all = taken(pods, device);
    if (all <= Quantity()) continue;
    const auto quota = quota_in(queues.cluster, device, may_borrow);
    const std::string name = shown(string_at(get(queues.cluster, "metadata"), "name"));
    if (!quota) {
      context
          .lint(queues.named, "ClusterQueue " + name + " has no " + shown(device) +
                                  "; the pods of this job take " + shown(all.text()))
          .also(context.place(get(spec, "resourceGroups")), "what it has");
      continue;
    }
    if (!quota->is_bounded || may_shrink) continue;
    if (all <= quota->most) {
      if (beyond_each_flavor(pods, device, quota->largest) == nullptr) continue;
      context
          .lint(queues.named, "no flavor of ClusterQueue " + name + " has more than " +
                                  shown(quota->largest.text()) + " of " + shown(device) +
                                  ", and pods of this job that go to one flavor take more")
          .also(context.place(get(spec, "resourceGroups")), "what it has");
      continue;
    }
    context
        .lint(queues.named, "ClusterQueue " + name + (may_borrow ? " has and borrows " : " has ") +
                                shown(quota->most.text()) + " of " + shown(device) +
                                (may_borrow ? " at most" : "") +
                                ", and the pods of this job take " + shown(all.text()) +
                                " together")
        .also(context.place(get(spec, "resourceGroups")), "what it has");
  }
}

}  // namespace

void check_fits_queue(const Workload& workload, CheckContext& context) {
  const Queues queues = queues_of(workload.object, context);
  if (!queues.cluster) return;
  const bool is_closed = is_held(queues.named, queues.local, context) ||
                         is_held(queues.named, queues.cluster, context) ||
                         is_for_others(workload.object, queues.named, queues.cluster, context);
  if (!is_closed) flavors_of_roles(workload, queues.cluster, context);
  amounts_fit(workload.object, workload, queues, context);
}

void check_topology_of_queue(const Workload& workload, CheckContext& context) {
  check_topology_of_queue(workload.object, workload, context);
}

void check_topology_of_queue(View job, const Workload& pods, CheckContext& context) {
  const Queues queues = queues_of(job, context);
  const Inventory* inventory = queues.cluster ? context.inventory() : nullptr;
  if (inventory == nullptr) return;
  const std::vector<View> flavors = all_flavors(queues.cluster, *inventory);
  if (flavors.empty()) return;
  const bool all = std::ranges::all_of(flavors, has_topology);
  for (const WorkloadRole& role : pods.roles) {
    if (!role.pod.spec) continue;
    const View request = topology_request(role.pod);
    // Kueue takes it as asked where every flavor has a topology. A level that no flavor has is
    // another check's.
    if (!request && all) continue;
    if (topology_level(role.pod) && std::ranges::none_of(flavors, has_topology)) continue;
    for (View group : items_at(get(queues.cluster, "spec"), "resourceGroups")) {
      if (!covers_some(group, role.pod)) continue;
      const View flavor = flavor_against(group, role.pod, static_cast<bool>(request), *inventory);
      if (!flavor) continue;
      const std::string message =
          request ? named_object(flavor) + " is of no topology, and the pods ask for one"
                  : named_object(flavor) +
                        " is of a topology and takes no pods that ask for none, and other flavors "
                        "of the queue are for other nodes";
      Diagnostic& report = context.lint(queues.named, message);
      if (request) report.also(context.place(request), "what the pods ask for");
      report.also(context.place(get(flavor, "metadata")), "the flavor of such nodes");
      return;
    }
  }
}

void check_queue_has(View job, const Workload& pods, CheckContext& context) {
  const Queues queues = queues_of(job, context);
  const Inventory* inventory = queues.cluster ? context.inventory() : nullptr;
  if (inventory == nullptr) return;
  const std::vector<View> flavors = all_flavors(queues.cluster, *inventory);
  for (const WorkloadRole& role : pods.roles) {
    if (role.pod.spec && !flavors.empty()) topology_fits(role, flavors, *inventory, context);
  }
  amounts_fit(job, pods, queues, context);
}

}  // namespace trainyard
