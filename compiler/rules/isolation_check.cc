#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void no_effect(RuleContext& context, const NetworkRequest& network) {
  if (!network.allow) return;
  context.report(DiagnosticKind::NoEffect, network.allow.span, "`allow` has no effect here")
      .note("without `isolate: true` the pods may talk to anything");
}

/// A policy selects pods by their own addresses, and such a pod has none.
void on_node_network(RuleContext& context, const Role& role, const NetworkRequest& network) {
  if (!role.host_network || !*role.host_network) return;
  context
      .report(DiagnosticKind::ConflictingValues, network.isolate.span,
              "no NetworkPolicy holds for pods on the network of their node")
      .also(context.place(role.host_network.origin), "they are put there")
      .note("leave `isolate` out, and have the network keep jobs apart");
}

/// What pods fetch from outside of the cluster before or while they train.
class Fetching {
 public:
  Fetching(RuleContext& context, const NetworkRequest& network)
      : context_(context), network_(network) {}

  template <class T>
  void check(const Located<T>& field, const std::string& what) {
    if (!field || network_.allow->egress) return;
    context_
        .report(DiagnosticKind::ConflictingValues, field.span,
                "isolated pods reach DNS only, and cannot " + what)
        .also(network_.isolate.span, "isolated here")
        .note("allow where it comes from, by `network.allow.egress`");
  }

 private:
  RuleContext& context_;
  const NetworkRequest& network_;
};

/// Whether a container in the pod fetches what is mounted.
bool mounts_buckets(const StorageMount& mount, const RuleContext& context) {
  if (!mount.csi) return false;
  const View csi(context.tree_of(mount.csi.span), mount.csi.node);
  return csi["driver"].text() == "gcsfuse.csi.storage.gke.io";
}

void check(RuleContext& context, const RoleInput& input) {
  const NetworkRequest& network = *context.of(input, &RoleFields::network);
  if (!network.isolate.value_or(false)) return no_effect(context, network);
  on_node_network(context, *input.role, network);
  Fetching fetching(context, network);
  fetching.check(context.of(input, &RoleFields::run)->packages, "fetch packages");
  for (const auto& mount : *context.of(input, &RoleFields::storage)) {
    if (mounts_buckets(*mount.value, context)) fetching.check(mount.value, "reach buckets");
  }
  fetching.check(context.spec.data->inputs, "fetch data");
  fetching.check(context.spec.data->outputs, "store data");
  if (framework_of(context) == Framework::Ray) {
    fetching.check(context.spec.elastic, "ask the API server for more workers");
  }
  fetching.check(context.spec.runai->git_sync, "clone repositories");
  fetching.check(context.spec.runai->buckets, "reach buckets");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) check(context, input);
}

}  // namespace

extern const Rule isolation_check_rule{
    "isolation-check",
    Rule::Phase::Check,
    "Isolated pods are held by the policy, and need nothing that it keeps from them.",
    "A policy cannot distinguish pods on the network of their node from the node "
    "(kubernetes/website "
    "content/en/docs/concepts/services-networking/network-policies.md); pip and downloads wait for "
    "minutes before they fail.",
    "spec.network spec.run spec.roles spec.storage spec.data spec.runai spec.elastic "
    "spec.framework "
    "role.hostNetwork",
    "",
    run};

}  // namespace trainyard
