// Traffic that objects beside a job, or in front of a service, do not let through.

#include <algorithm>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/selectors.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The direction of a policy: whom a pod hears, or whom it can reach.
struct Direction {
  std::string_view type;
  std::string_view rules;
  std::string_view peers;
};
constexpr Direction kDirections[] = {{"Ingress", "ingress", "from"}, {"Egress", "egress", "to"}};

/// Whether a policy is about this direction; without `policyTypes` it is about incoming traffic,
/// and about outgoing where it has rules for that.
bool is_about(View spec, const Direction& direction) {
  const View types = get(spec, "policyTypes");
  if (!has_items(types))
    return direction.type == "Ingress" || has_items(get(spec, direction.rules));
  const Items all(types);
  return std::any_of(all.begin(), all.end(),
                     [&](View type) { return string_of(type) == direction.type; });
}

/// Labels with a domain are given by controllers, so that what is not in the template may be there.
bool may_select(View selector, View labels) {
  const auto known = [&](std::string_view key) {
    return key.find('/') == key.npos && key != "job-name" && key != "controller-uid";
  };
  for (View label : entries_at(selector, "matchLabels")) {
    const View own = get(labels, label.key());
    if (own ? own->text != label->text : known(label.key())) return false;
  }
  for (View expression : items_at(selector, "matchExpressions")) {
    const std::string_view key = string_at(expression, "key");
    if (!known(key) && !get(labels, key)) return true;
  }
  const View expressions = get(selector, "matchExpressions");
  return !has_items(expressions) || selects(selector, labels);
}

/// Whether a policy surely selects pods with these labels.
bool surely_selects(View selector, View labels) {
  return selector && selector->is_map() && selects(selector, labels);
}

/// Whether a rule lets through ports with numbers that are not known beforehand. The system gives
/// such out from a range, which may be narrowed.
bool lets_through_any_port(View rule) {
  const View ports = get(rule, "ports");
  if (!has_items(ports)) return true;
  return std::ranges::any_of(Items(ports), [](View entry) {
    const std::string_view protocol = string_at(entry, "protocol");
    const bool is_tcp = protocol.empty() || protocol == "TCP";
    return is_tcp && (!get(entry, "port") || get(entry, "endPort"));
  });
}
bool lets_through_some_port(View) {
  return true;
}
using LetsThrough = bool (*)(View rule);

/// Whether one of the rules may let through what comes from, or goes to, pods with these labels.
bool may_let_through(View spec, const Direction& direction, View labels, LetsThrough lets_through) {
  for (View rule : items_at(spec, direction.rules)) {
    if (!lets_through(rule)) continue;
    const View peers = get(rule, direction.peers);
    if (!has_items(peers)) return true;
    for (View peer : Items(peers)) {
      if (get(peer, "ipBlock") || get(peer, "namespaceSelector")) return true;
      if (may_select(get(peer, "podSelector"), labels)) return true;
    }
  }
  return false;
}

/// Pods of a role, and the labels of those that they talk to.
struct Talk {
  View labels;
  std::vector<View> others;
};

/// The first policy that keeps pods apart, where none lets them through.
View fence(const std::vector<View>& policies, const Direction& direction, const Talk& talk,
           LetsThrough lets_through) {
  View first;
  for (View policy : policies) {
    const View spec = get(policy, "spec");
    if (!is_about(spec, direction)) continue;
    const bool may = std::ranges::any_of(talk.others, [&](View labels) {
      return may_let_through(spec, direction, labels, lets_through);
    });
    if (may && may_select(get(spec, "podSelector"), talk.labels)) return {};
    if (!first && surely_selects(get(spec, "podSelector"), talk.labels)) first = policy;
  }
  return first;
}

/// Pods that are one of a kind talk to those of other roles alone.
Talk talk_of(const Workload& workload, const WorkloadRole& role) {
  Talk talk{get(role.pod.metadata, "labels"), {}};
  for (const WorkloadRole& other : workload.roles) {
    if (&other == &role && role.pods < 2) continue;
    talk.others.push_back(get(other.pod.metadata, "labels"));
  }
  return talk;
}

std::vector<View> policies_of(const Workload& workload, const Inventory& inventory) {
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  std::vector<View> policies;
  for (View each : inventory.all("networking.k8s.io", "NetworkPolicy")) {
    if (string_at(get(each, "metadata"), "namespace") == own) policies.push_back(each);
  }
  return policies;
}

/// A policy that stands between the pods of a workload.
struct Barrier {
  View policy;
  View pods;
  std::string_view rules;
};

Barrier barrier(const Workload& workload, CheckContext& context, LetsThrough lets_through) {
  if (workload.pods() < 2) return {};
  if (workload.kind == "CronJob" || workload.kind.ends_with("TrainingRuntime")) return {};
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  const std::vector<View> policies = policies_of(workload, *inventory);
  if (policies.empty()) return {};
  for (const WorkloadRole& role : workload.roles) {
    const bool together = is_training_kind(workload) || role.pods > 1;
    if (!role.pod.spec || !together || is_true(get(role.pod.spec, "hostNetwork"))) continue;
    // Pods of one job side by side may have nothing to say to each other.
    const bool meets = is_training_kind(workload) ||
                       !string_at(role.pod.spec, "subdomain").empty() || workload.kind == "JobSet";
    if (!meets) continue;
    const Talk talk = talk_of(workload, role);
    for (const Direction& direction : kDirections) {
      if (const View policy = fence(policies, direction, talk, lets_through)) {
        return {policy, role.pod.holder, direction.rules};
      }
    }
  }
  return {};
}

void cut_off(const Workload& workload, CheckContext& context) {
  const Barrier found = barrier(workload, context, lets_through_some_port);
  if (!found.policy) return;
  const View name = get(get(found.policy, "metadata"), "name");
  context
      .lint(found.pods, "NetworkPolicy " + shown(string_of(name)) +
                            " keeps the pods of this job from each other: no rule of " +
                            shown(found.rules) + " lets them through")
      .also(context.place(name), "the policy");
}

/// Whether ranks surely listen at ports that the system picks: those of torch.distributed do, and
/// all that join their GPUs by NCCL. Servers of TensorFlow and Ray have ports of their own.
bool listens_anywhere(const Workload& workload) {
  if (workload.kind == "TFJob" || workload.group == "ray.io") return false;
  const bool narrowed = std::ranges::any_of(workload.roles, [](const WorkloadRole& role) {
    const auto settings = items_at(get(role.pod.spec, "securityContext"), "sysctls");
    return std::ranges::any_of(settings, [](View each) {
      return string_at(each, "name") == "net.ipv4.ip_local_port_range";
    });
  });
  if (narrowed) return false;
  return workload.is("kubeflow.org", "PyTorchJob") || workload.gpu_pods > 1;
}

void closed_ports(const Workload& workload, CheckContext& context) {
  if (!listens_anywhere(workload)) return;
  const Barrier found = barrier(workload, context, lets_through_any_port);
  if (!found.policy || barrier(workload, context, lets_through_some_port).policy) return;
  const View name = get(get(found.policy, "metadata"), "name");
  context
      .lint(found.pods, "NetworkPolicy " + shown(string_of(name)) +
                            " lets the pods of this job through at single ports only, and ranks "
                            "listen at ports that the system picks")
      .also(context.place(get(get(found.policy, "spec"), found.rules)), "its rules");
}

/// Whether a rule for outgoing traffic may let questions to the cluster's DNS through. Its servers
/// mostly listen at 53, those of OpenShift at 5353, and are asked over UDP first.
bool may_ask_dns(View rule, bool is_system) {
  const auto is_dns_port = [](View entry) {
    if (string_at(entry, "protocol") != "UDP") return false;
    const View port = get(entry, "port");
    const auto first = integer_of(port);
    if (!first) return true;  // all ports, or one by a name
    const std::int64_t last = integer_at(entry, "endPort").value_or(*first);
    return (*first <= 53 && 53 <= last) || (*first <= 5353 && 5353 <= last);
  };
  const View ports = get(rule, "ports");
  if (has_items(ports) && std::ranges::none_of(Items(ports), is_dns_port)) return false;
  const View peers = get(rule, "to");
  if (!has_items(peers) || is_system) return true;
  return std::ranges::any_of(Items(peers), [](View peer) {
    return get(peer, "ipBlock") || get(peer, "namespaceSelector");
  });
}

bool lets_ask_dns(View policy) {
  const View metadata = get(policy, "metadata");
  const bool is_system = string_at(metadata, "namespace") == "kube-system";
  return std::ranges::any_of(items_at(get(policy, "spec"), "egress"),
                             [&](View rule) { return may_ask_dns(rule, is_system); });
}

/// Whether two selectors of pods may be of the same pods: what one wants of a label is not what the
/// other wants of it.
bool may_be_of_the_same(View one, View other) {
  for (View label : entries_at(one, "matchLabels")) {
    const View same = get(get(other, "matchLabels"), label.key());
    if (same && same->text != label->text) return false;
  }
  return true;
}

/// Whether all rules lead to addresses: who is given these needs no names.
bool leads_to_addresses(View rules) {
  return std::ranges::all_of(Items(rules), [](View rule) {
    const Items peers = items_at(rule, "to");
    return has_items(get(rule, "to")) &&
           std::all_of(peers.begin(), peers.end(), [](View peer) { return get(peer, "ipBlock"); });
  });
}

void policy_without_dns(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View rules = get(spec, "egress");
  if (leads_to_addresses(rules)) return;
  if (!is_about(spec, kDirections[1]) || !has_items(rules) || lets_ask_dns(object)) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::string_view own = string_at(get(object, "metadata"), "namespace");
  for (View other : inventory->all("networking.k8s.io", "NetworkPolicy")) {
    const View its = get(other, "spec");
    if (string_at(get(other, "metadata"), "namespace") != own) continue;
    if (!is_about(its, kDirections[1]) || !lets_ask_dns(other)) continue;
    if (may_be_of_the_same(get(spec, "podSelector"), get(its, "podSelector"))) return;
  }
  context.lint(rules,
               "no rule lets these pods ask the cluster's DNS: UDP port 53 of the servers in "
               "`kube-system`");
}

constexpr Check kChecks[] = {
    {.name = "pods-cut-off",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "NetworkPolicies among the inputs let the pods of a job reach each other.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/"
               "network-policies.md: what no policy allows is denied to pods that one selects",
     .workload = cut_off,
     .severity = Severity::Warning,
     .because = "The ranks find each other's names and get no answer: all wait until their "
                "time-out.",
     .fix = "add a policy that allows traffic among the pods of the job, in both directions"},
    {.name = "closed-ports",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "NetworkPolicies among the inputs leave open the ports at which ranks listen.",
     .source = "NVIDIA/nccl src/misc/socket.cc ncclSocketListen: any port that is free; "
               "pytorch/gloo gloo/transport/tcp/listener.cc: the same",
     .workload = closed_ports,
     .severity = Severity::Warning,
     .because = "The ranks meet at the port of rank 0, and then wait for each other at the first "
                "collective until their time-out.",
     .fix = "leave `ports` out of the rule for the pods of the job, or allow the range "
            "`net.ipv4.ip_local_port_range`"},
    {.name = "policy-without-dns",
     .group = CheckGroup::Launch,
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .on = "networking.k8s.io NetworkPolicy",
     .sentence = "Pods that may go out to some places may ask for the addresses of these.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/"
               "network-policies.md: what no policy allows is denied to pods that one selects",
     .object = policy_without_dns,
     .severity = Severity::Note,
     .because = "No name resolves for them, neither those of other ranks nor those of what the "
                "rules allow; the programs wait until their time-out.",
     .fix = "add a rule `to` the namespace `kube-system` with ports 53 over UDP and TCP; where "
            "another policy of the cluster has one, turn this check off"},
};

}  // namespace

const std::span<const Check> traffic_lints = kChecks;

}  // namespace trainyard
