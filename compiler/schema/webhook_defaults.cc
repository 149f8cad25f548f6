#include "schema/webhook_defaults.h"

#include <array>
#include <nlohmann/json.hpp>

#include "schema/json_node.h"

namespace trainyard {
namespace {

/// A field that a webhook fills in when it is left out.
struct FilledField {
  std::string_view group;
  std::string_view kind;
  std::string_view path;   // `spec.list[].field`
  std::string_view value;  // JSON; "" for a name that is made up
  bool for_empty = false;  // an empty text is replaced as well
};

// Only what a schema requires, what its rules read or what it compares by; webhooks fill in more.
// What was looked through and has no row: Kueue (pkg/webhooks, v0.19.2: finalizers alone), Trainer
// (pkg/webhooks/trainjob_webhook.go, v2.3.0: the time of a runtime patch), Volcano
// (pkg/webhooks/admission/*/mutate, v1.15.1: fields that its schemas do not require); KubeRay, MPI
// Operator and training-operator have no mutating webhook of their kinds.
constexpr auto kFilledFields = std::to_array<FilledField>({
    // kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go
    {"jobset.x-k8s.io", "JobSet", "spec.successPolicy", R"({"operator":"All"})"},
    {"jobset.x-k8s.io", "JobSet", "spec.startupPolicy", R"({"startupPolicyOrder":"AnyOrder"})"},
    {"jobset.x-k8s.io", "JobSet", "spec.network",
     R"({"enableDNSHostnames":true,"publishNotReadyAddresses":true})"},
    {"jobset.x-k8s.io", "JobSet", "spec.network.enableDNSHostnames", "true"},
    {"jobset.x-k8s.io", "JobSet", "spec.network.publishNotReadyAddresses", "true"},
    {"jobset.x-k8s.io", "JobSet", "spec.failurePolicy.rules[].name", ""},
    {"jobset.x-k8s.io", "JobSet", "spec.volumeClaimPolicies[].retentionPolicy",
     R"({"whenDeleted":"Delete"})"},
    // kubernetes-sigs/lws pkg/webhooks/leaderworkerset_webhook.go
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "spec.networkConfig",
     R"({"subdomainPolicy":"Shared"})"},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "spec.networkConfig.subdomainPolicy",
     R"("Shared")"},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "spec.rolloutStrategy.type",
     R"("RollingUpdate")", true},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "spec.leaderWorkerTemplate.restartPolicy",
     R"("RecreateGroupOnPodRestart")", true},
});

void not_required(NodeId schema, std::string_view name, Tree& tree) {
  const NodeId required = tree.find(schema, "required");
  if (required == kNoNode) return;
  for (NodeId each : tree.children(required)) {
    if (tree[each].text != name) continue;
    if (tree[required].size == 1) {
      tree.remove(schema, required);
    } else {
      tree.remove(required, each);
    }
    return;
  }
}

/// A client in Go writes such a field as "" where it is not set.
void allow_empty(NodeId property, Tree& tree) {
  const NodeId words = tree.find(property, "enum");
  if (words != kNoNode) tree.append(words, tree.add_string(""));
}

void add(const FilledField& field, NodeId schema, Tree& tree) {
  std::string_view rest = field.path;
  while (schema != kNoNode) {
    const std::string_view step = rest.substr(0, rest.find('.'));
    const bool list = step.ends_with("[]");
    const std::string_view name = step.substr(0, step.size() - (list ? 2 : 0));
    const NodeId property = tree.find(tree.find(schema, "properties"), name);
    if (property == kNoNode) return;  // another version of the CRD
    if (step.size() < rest.size()) {
      schema = list ? tree.find(property, "items") : property;
      rest.remove_prefix(step.size() + 1);
      continue;
    }
    if (field.value.empty()) {
      tree.append(property, "x-trainyard-generated", tree.add_bool(true));
      return not_required(schema, name, tree);
    }
    if (field.for_empty) allow_empty(property, tree);
    if (tree.find(property, "default") != kNoNode) return;
    tree.append(property, "default", add_json(tree, nlohmann::json::parse(field.value)));
    return;
  }
}

}  // namespace

void add_filled_fields(std::string_view group, std::string_view kind, NodeId schema, Tree& tree) {
  for (const FilledField& each : kFilledFields) {
    if (each.group == group && each.kind == kind) add(each, schema, tree);
  }
}

}  // namespace trainyard
