#include "convert/isolation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "convert/job_metadata.h"
#include "convert/same_value.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// As templates/network/policy.yaml writes it.
class PolicyReader {
 public:
  /// Of the job, or of `role` alone.
  PolicyReader(Conversion& job, View policy, const ConvertedRole* role)
      : job_(job), policy_(get(policy, "spec")), role_(role), own_(pods({})) {}

  /// Whether it lets the pods talk to each other and to DNS, whatever else it allows.
  bool is_ours() const {
    const View types = get(policy_, "policyTypes");
    const View held = job_.maker.view(role_ == nullptr ? own_ : pods(role_->name));
    const View selector = get(policy_, "podSelector");
    return types && types->size == 2 && selector && same_value(selector, held["podSelector"]) &&
           is_own(first("ingress"), "from") && is_own(first("egress"), "to") && is_dns(dns());
  }

  void read() {
    job_.ledger.derived(get(policy_, "podSelector"));
    job_.ledger.derived(get(policy_, "policyTypes"));
    job_.ledger.derived(first("ingress"));
    job_.ledger.derived(first("egress"));
    addresses();
    job_.ledger.derived(dns());
    job_.maker.put(network(), "isolate", job_.truth(true));
    rest("ingress", 1);
    rest("egress", 2);
  }

 private:
  /// A peer: the pods of the job, or of a role of it.
  NodeId pods(std::string_view role) const {
    const NodeId peer = job_.map();
    const NodeId labels = job_.map_at(job_.map_at(peer, "podSelector"), "matchLabels");
    job_.maker.put(labels, "app.kubernetes.io/instance", job_.text(job_.name));
    job_.maker.put(labels, "app.kubernetes.io/managed-by", job_.text("trainyard"));
    if (!role.empty()) job_.maker.put(labels, "trainyard/role", job_.text(role));
    return peer;
  }

  NodeId network() const {
    return job_.map_at(role_ == nullptr ? job_.shared : role_->fields, "network");
  }

  View item(std::string_view list, std::size_t number) const {
    for (View each : items_at(policy_, list)) {
      if (number-- == 0) return each;
    }
    return {};
  }
  View first(std::string_view list) const { return item(list, 0); }
  View dns() const { return item("egress", 1); }

  bool is_own(View rule, std::string_view side) const {
    const View peers = get(rule, side);
    return rule && rule->size == 1 && peers && peers->size == 1 &&
           same_value(*Items(peers).begin(), job_.maker.view(own_));
  }

  static bool is_dns(View rule) {
    const View peers = get(rule, "to");
    const View ports = get(rule, "ports");
    if (!rule || !has_items(peers) || !has_items(ports) || ports->size != 2) return false;
    const View labels = get(get(*Items(peers).begin(), "podSelector"), "matchLabels");
    return string_at(labels, "k8s-app") == "kube-dns" &&
           std::ranges::all_of(Items(ports),
                               [](View each) { return integer_at(each, "port") == 53; });
  }

  /// Which addresses DNS has beside its pods, the Cluster says.
  void addresses() {
    for (View each : items_at(dns(), "to")) {
      const View block = get(get(each, "ipBlock"), "cidr");
      if (!block) continue;
      const bool known = std::ranges::any_of(job_.input.dns_addresses, [&](const auto& address) {
        return block->text == address + "/32";
      });
      if (known) continue;
      job_.ledger.lost(block, "the addresses of DNS are the Cluster's",
                       "name it in `network.dnsAddresses` of the Cluster, and that by `--cluster`");
    }
  }

  /// KubeRay's way to the head, which a build opens.
  bool is_for_operator(View rule) const {
    if (string_at(job_.job, "kind") != "RayJob") return false;
    const View peers = get(rule, "from");
    if (!has_items(peers) || peers->size != 1) return false;
    const View labels = get(get(*Items(peers).begin(), "podSelector"), "matchLabels");
    return string_at(labels, "app.kubernetes.io/component") == "kuberay-operator";
  }

  void rest(std::string_view list, std::size_t usual) {
    for (View each : items_at(policy_, list)) {
      if (usual != 0) {
        --usual;
      } else if (is_for_operator(each)) {
        job_.ledger.derived(each);
      } else {
        const NodeId allowed = job_.list_at(job_.map_at(network(), "allow"), list);
        job_.maker.tree.append(allowed, job_.maker.copy(each));
        job_.ledger.carried(each);
      }
    }
  }

  Conversion& job_;
  View policy_;
  const ConvertedRole* role_;
  NodeId own_;
};

void read_policy(Conversion& job, const std::string& of, const ConvertedRole* role) {
  const View policy = job.find("networking.k8s.io", "NetworkPolicy", of + "-isolation");
  if (!policy) return;
  PolicyReader reader(job, policy, role);
  if (!reader.is_ours()) return;
  settle_metadata_of_part(job, policy);
  reader.read();
}

}  // namespace

void read_isolation(Conversion& job) {
  read_policy(job, job.name, nullptr);
  if (!job.has_programs) return;
  for (const ConvertedRole& role : job.roles) {
    read_policy(job, job.name + "-" + std::string(role.name), &role);
  }
}

}  // namespace trainyard
