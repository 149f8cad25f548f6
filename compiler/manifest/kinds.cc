#include "manifest/kinds.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "diag/suggest.h"
#include "manifest/pod_templates.h"

namespace trainyard {
namespace {

constexpr std::string_view kList = "List";

std::string api_version_of(const SchemaPack& pack, const SchemaKind& kind) {
  const std::string group(pack.text(kind.group));
  return (group.empty() ? "" : group + "/") + std::string(pack.text(kind.version));
}

/// The kind of the items of `ConfigMapList`; empty for another kind.
std::string_view item_kind(std::string_view kind) {
  if (kind.size() <= kList.size() || !kind.ends_with(kList)) return {};
  return kind.substr(0, kind.size() - kList.size());
}

using Names = std::set<std::string, std::less<>>;

/// What the schemas have that a kind could have been meant to be.
struct Known {
  Names kinds;              // of the same apiVersion
  Names versions_of_group;  // apiVersions of the same group that have the kind
  Names versions;           // all apiVersions that have the kind
};

Known known_near(std::string_view api_version, std::string_view kind, SchemaSources schemas) {
  Known known;
  for (const SchemaSource& source : schemas) {
    for (const SchemaKind& row : source.pack.kinds()) {
      if (row.before.size != 0) continue;
      std::string version = api_version_of(source.pack, row);
      const std::string_view name = source.pack.text(row.kind);
      if (version == api_version) known.kinds.insert(std::string(name));
      if (name != kind) continue;
      if (group_of(version) == group_of(api_version)) known.versions_of_group.insert(version);
      known.versions.insert(std::move(version));
    }
  }
  return known;
}

std::string listed(const Names& names) {
  std::string result;
  for (const std::string& each : names) result += (result.empty() ? "`" : ", `") + each + "`";
  return result;
}

std::optional<std::string_view> nearest(std::string_view typo, const Names& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return suggest(typo, views);
}

/// Groups without a dot in which all kinds are known, also those that are gone. The core group is
/// none: settings of OpenShift and others have its `v1`.
bool is_of_kubernetes(std::string_view group) {
  constexpr auto kGroups =
      std::to_array<std::string_view>({"apps", "autoscaling", "batch", "extensions", "policy"});
  return std::ranges::find(kGroups, group) != kGroups.end();
}

/// Whether two words are one but for capitals, a letter, or two that are swapped.
bool is_one_slip(std::string_view word, std::string_view known) {
  const std::string a = folded(word);
  const std::string b = folded(known);
  const auto [x, y] = std::ranges::mismatch(a, b);
  const std::string_view rest(x, a.end());
  const std::string_view other(y, b.end());
  if (rest.empty() || other.empty()) return rest.size() + other.size() < 2;
  const bool is_swapped = rest.size() > 1 && other.size() > 1 && rest[0] == other[1] &&
                          rest[1] == other[0] && rest.substr(2) == other.substr(2);
  return is_swapped || rest.substr(1) == other.substr(1) || rest.substr(1) == other ||
         rest == other.substr(1);
}

}  // namespace

FoundKind find_kind(SchemaSources schemas, std::string_view api_version, std::string_view kind) {
  for (const SchemaSource& source : schemas) {
    if (const SchemaKind* found = source.pack.find(api_version, kind)) return {found, &source};
  }
  return {};
}

FoundKind find_kind(SchemaSources schemas, std::string_view api_version, std::string_view kind,
                    const Versions& versions) {
  FoundKind found = find_kind(schemas, api_version, kind);
  if (found.kind == nullptr) return found;
  const SchemaPack& pack = found.source->pack;
  for (const SchemaKind& older : pack.older(*found.kind)) {
    const std::string_view before = pack.text(older.before);
    const std::size_t space = before.find(' ');
    const auto known = versions.of(before.substr(0, space));
    if (known && *known < release(before.substr(space + 1))) found.kind = &older;
  }
  return found;
}

bool is_list(View object) {
  const std::string_view kind = object["kind"].text();
  if (kind == kList) return object["apiVersion"].text() == "v1";
  const View items = object["items"];
  if (item_kind(kind).empty() || !items || !items->is_seq()) return false;
  // Named when it was read: see name_items.
  for (NodeId item : object.tree().children(items.id())) {
    const View named(object.tree(), item);
    if (named["kind"].text() != item_kind(kind)) return false;
  }
  return true;
}

void name_items(Tree& tree, NodeId object, SchemaSources schemas) {
  const View list(tree, object);
  const std::string_view api_version = list["apiVersion"].text();
  const std::string_view kind = item_kind(list["kind"].text());
  const View items = list["items"];
  if (kind.empty() || !items || !items->is_seq()) return;
  if (find_kind(schemas, api_version, list["kind"].text()).kind != nullptr) return;
  if (find_kind(schemas, api_version, kind).kind == nullptr) return;
  std::vector<NodeId> maps;
  for (NodeId item : tree.children(items.id())) {
    if (tree[item].is_map()) maps.push_back(item);
  }
  const auto add = [&](NodeId item, std::string_view key, std::string_view text) {
    if (tree.find(item, key) != kNoNode) return;
    const NodeId node = tree.add_string(text);
    tree[node].span = tree[item].span;
    tree.append(item, key, node);
  };
  for (NodeId item : maps) {
    add(item, "apiVersion", api_version);
    add(item, "kind", kind);
  }
}

bool is_of_unknown_kind(View object, SchemaSources schemas) {
  if (!object->is_map() || is_list(object)) return false;
  const std::string_view api_version = object["apiVersion"].text();
  const std::string_view kind = object["kind"].text();
  if (api_version.empty() || kind.empty()) return false;
  return find_kind(schemas, api_version, kind).kind == nullptr;
}

bool is_mistaken_kind(View object, SchemaSources schemas) {
  const std::string_view api_version = object["apiVersion"].text();
  const std::string_view kind = object["kind"].text();
  const std::string_view group = group_of(api_version);
  const Known known = known_near(api_version, kind, schemas);
  if (group.empty() && api_version != "v1") {
    // `v1alpha1` alone is that of some program's settings: the core group has `v1` and no other.
  } else if (group.find('.') == group.npos) {
    // Settings of programs have other groups without a dot, and may have `v1`. The API server takes
    // no CRD of such a group, so a kind that is known elsewhere has the wrong one.
    if (is_of_kubernetes(group) || !known.versions.empty()) return true;
  } else if (!known.versions_of_group.empty()) {
    return true;
  }
  // An older group of the same project may be nearly the same as well.
  const auto near_version = nearest(api_version, known.versions);
  if (near_version && is_one_slip(api_version, *near_version)) return true;
  // A guess may also be a longer name, or one of two programs that share a group, as
  // `KubeadmConfig` and `NodeadmConfig`: here only typing errors count.
  const auto near = nearest(kind, known.kinds);
  return near && is_one_slip(kind, *near);
}

std::string_view configured_program(std::string_view api_version, std::string_view kind) {
  struct Program {
    std::string_view group, name;
  };
  // Each has types of its own that it reads from a file: eksctl-io/eksctl pkg/apis/eksctl.io,
  // kubernetes-sigs/kind pkg/apis/config, istio/istio operator, k3d-io/k3d pkg/config,
  // kubernetes/kops pkg/apis/kops, kubernetes/kubernetes cmd/kubeadm/app/apis,
  // pkg/kubelet/apis/config, pkg/scheduler/apis/config, staging/src/k8s.io/apiserver/pkg/apis;
  // awslabs/amazon-eks-ami nodeadm/api.
  constexpr auto kPrograms = std::to_array<Program>({
      {"apiserver.config.k8s.io", "kube-apiserver"},
      {"audit.k8s.io", "kube-apiserver"},
      {"eksctl.io", "eksctl"},
      {"install.istio.io", "istioctl"},
      {"k3d.io", "k3d"},
      {"kind.x-k8s.io", "kind"},
      {"kops.k8s.io", "kops"},
      {"kubeadm.k8s.io", "kubeadm"},
      {"kubelet.config.k8s.io", "the kubelet"},
      {"kubeproxy.config.k8s.io", "kube-proxy"},
      {"kubescheduler.config.k8s.io", "kube-scheduler"},
      {"node.eks.aws", "nodeadm"},
      {"scorecard.operatorframework.io", "the scorecard of the Operator SDK"},
      {"skaffold", "Skaffold"},
  });
  if (api_version == "v1" && kind == "Config") return "kubectl";
  if (api_version == "v1" && kind == "Policy") return "kube-scheduler";  // before 1.23
  if (kind.starts_with("ksonnet.io/")) return "ksonnet";
  const auto found = std::ranges::find(kPrograms, group_of(api_version), &Program::group);
  return found == kPrograms.end() ? std::string_view() : found->name;
}

Diagnostic& report_unknown_kind(Span at_version, Span at_kind, std::string_view api_version,
                                std::string_view kind, SchemaSources schemas, Sink& sink) {
  const Known known = known_near(api_version, kind, schemas);
  const auto near_kind = nearest(kind, known.kinds);
  const auto near_version = nearest(api_version, known.versions);
  const bool other_version = !known.versions_of_group.empty();
  const bool wrong_version = other_version || (!near_kind && near_version);
  std::string message =
      "no schema describes `" + std::string(kind) + "` of `" + std::string(api_version) + "`";
  std::string_view meant;
  if (other_version) {
    message += ", of that group it is served in " + listed(known.versions_of_group);
    if (known.versions_of_group.size() == 1) meant = *known.versions_of_group.begin();
  } else if (near_kind) {
    meant = *near_kind;
    message += ": did you mean `" + std::string(meant) + "`?";
  } else if (near_version) {
    meant = *near_version;
    message += ": did you mean `" + std::string(meant) + "`?";
  }
  const Span where = wrong_version && at_version.known() ? at_version : at_kind;
  Diagnostic& report = sink.report(DiagnosticKind::UnknownKind, where, std::move(message));
  if (!meant.empty()) report.fix(where, std::string(meant), "write `" + std::string(meant) + "`");
  if (!known.versions.empty() && !other_version && !near_version) {
    report.note("this kind is known in " + listed(known.versions));
  }
  if (meant.empty() && !other_version) {
    report.note(
        "a kind of your own is known by its CustomResourceDefinition: among the inputs, or "
        "below the directory of `--schemas`");
  }
  return report;
}

}  // namespace trainyard
