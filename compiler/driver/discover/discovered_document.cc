#include "driver/discover/discovered_document.h"

#include <algorithm>
#include <set>

#include "diag/words.h"
#include "driver/discover/document_lines.h"
#include "driver/discover/pool_lines.h"
#include "driver/discover/queue_lines.h"
#include "driver/survey/real_operators.h"
#include "manifest/metadata.h"
#include "schema/pack.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kEnforce = "pod-security.kubernetes.io/enforce";
constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

std::string_view name_at(View object) {
  return string_at(get(object, "metadata"), "name");
}
/// The objects of a kind in the order of their names.
std::vector<View> sorted(const SurveyedKind& kind) {
  std::vector<View> items = kind.items;
  std::ranges::sort(items, {},
                    [](View each) { return std::pair(metadata_namespace(each), name_at(each)); });
  return items;
}

/// The release of the schema that the program has of `Kind.group` or `Kind.group/version`; beyond
/// all where it has none.
std::string newest_known(std::string_view name) {
  const SchemaPack& pack = SchemaPack::builtin();
  for (const SchemaKind& each : pack.kinds()) {
    std::string kind = std::string(pack.text(each.kind)) + "." + std::string(pack.text(each.group));
    if (name.find('/') != std::string_view::npos)
      kind += "/" + std::string(pack.text(each.version));
    if (kind != name) continue;
    const std::string_view source = pack.text(each.source);
    const std::size_t space = std::min(source.find(' '), source.size());
    const std::string release = release_in(source.substr(std::min(space + 1, source.size())));
    if (!release.empty()) return release;
  }
  return "999";
}

class DocumentMaker {
 public:
  DocumentMaker(const Survey& survey, const std::vector<KnownMachine>& machines,
                const DiscoveredFrom& from)
      : survey_(survey), machines_(machines), from_(from), nodes_(real_nodes(survey)) {}

  std::string make() {
    head();
    operators();
    const std::vector<DiscoveredPool> pools = discover_pools(nodes_, machines_);
    defaults();
    pool_lines(survey_, nodes_, pools, lines_);
    queue_lines(survey_, pools, lines_);
    priorities();
    runtimes();
    storage();
    claims();
    name_spaces();
    gitops();
    for (const std::string& note : survey_.notes) lines_.comment(1, note);
    return lines_.text();
  }

 private:
  void head() {
    lines_.comment(0,
                   "What `trainyard discover` found. A comment says where a line comes from. Check "
                   "what is guessed, and add what is left to you.");
    lines_.line(0, "apiVersion: trainyard/v1alpha1");
    lines_.line(0, "kind: Cluster");
    lines_.line(0, "metadata:");
    name();
    lines_.line(0, "spec:");
    if (!from_.context.empty()) {
      lines_.line(1,
                  "api: " + flow_map({{"context", yaml_text(from_.context)},
                                      {"server", yaml_text(from_.server)}}),
                  "the kubeconfig");
    }
    const std::string release = release_in(survey_.kubernetes);
    if (!release.empty()) {
      lines_.line(1, "kubernetes: " + yaml_text(minor_of(release)), survey_.kubernetes_by);
    }
  }

  void name() {
    std::string name = from_.name;
    std::string by = "`--name`";
    for (const std::string_view key : discovery_signs().cluster_names) {
      for (const RealNode& node : nodes_) {
        if (!name.empty() || node.label(key).empty()) continue;
        name = name_for_cluster(node.label(key));
        by = "label " + std::string(key);
      }
    }
    if (name.empty()) {
      name = name_for_cluster(from_.context);
      by = from_.context.empty() ? "choose a name" : "the context of the kubeconfig";
    }
    lines_.line(1, "name: " + yaml_text(name), by);
  }

  /// A patch release changes nothing that a document says.
  static std::string minor_of(const std::string& release) {
    const std::size_t dot = release.find('.');
    return release.substr(0, dot == std::string::npos ? dot : release.find('.', dot + 1));
  }

  void operators() {
    const std::vector<RealOperator> found = real_operators(survey_);
    if (found.empty()) return;
    lines_.line(1, "operators:");
    for (const RealOperator& each : found) {
      const std::string name(words(Operator{})[static_cast<std::size_t>(each.which)]);
      const bool is_guess = each.version.empty();
      // Without a release the operator would count as absent.
      lines_.line(2, name + ": " + yaml_text(is_guess ? newest_known(each.kind) : each.version),
                  is_guess         ? "guessed: nothing shows its release; this is the newest known"
                  : each.is_tagged ? "image of " + each.told_by
                                   : "label of " + each.told_by);
    }
  }

  /// What jobs get that say nothing is a choice of the platform team.
  void defaults() {
    const bool has_trainer = survey_.serves("ClusterTrainingRuntime.trainer.kubeflow.org");
    lines_.comment(1, "Left to you: `defaults`, for example " +
                          std::string(has_trainer ? "{target: trainjob, namespace: research}"
                                                  : "{target: job, namespace: research}") +
                          "; see `trainyard explain Cluster.spec.defaults`.");
  }

  /// Names of Kubernetes' own classes are reserved.
  void priorities() {
    DocumentLines list;
    const SurveyedKind& workloads = survey_.kind("WorkloadPriorityClass.kueue.x-k8s.io");
    for (const View each : sorted(survey_.kind("PriorityClass.scheduling.k8s.io"))) {
      const auto value = integer_at(each, "value");
      if (name_at(each).starts_with("system-") || !value) continue;
      const View twin = workloads.find(name_at(each));
      const bool is_both = twin && integer_at(twin, "value") == value;
      priority(each, *value, is_both ? "both" : "pods", list);
      if (twin && !is_both) {
        list.comment(2, "the WorkloadPriorityClass of this name has another value");
      }
    }
    for (const View each : sorted(workloads)) {
      const auto value = integer_at(each, "value");
      const bool is_told =
          static_cast<bool>(survey_.kind("PriorityClass.scheduling.k8s.io").find(name_at(each)));
      if (value && !is_told) priority(each, *value, "workloads", list);
    }
    section("priorityClasses", list);
  }

  static void priority(View object, std::int64_t value, const std::string& scope,
                       DocumentLines& list) {
    std::vector<std::pair<std::string, std::string>> fields = {{"name", yaml_text(name_at(object))},
                                                               {"value", std::to_string(value)}};
    if (string_at(object, "preemptionPolicy") == "Never")
      fields.push_back({"preemptionPolicy", "Never"});
    if (is_true(get(object, "globalDefault"))) fields.push_back({"globalDefault", "true"});
    fields.push_back({"appliesTo", scope});
    fields.push_back({"existing", "true"});
    const std::string kind = scope == "workloads" ? "WorkloadPriorityClass" : "PriorityClass";
    list.entry(2, fields, kind + " " + std::string(name_at(object)));
  }

  /// Those of single jobs are in their namespaces; what all share is of the whole cluster.
  void runtimes() {
    DocumentLines list;
    for (const View each : sorted(survey_.kind("ClusterTrainingRuntime.trainer.kubeflow.org"))) {
      std::vector<std::pair<std::string, std::string>> fields = {
          {"name", yaml_text(name_at(each))}};
      const std::string framework = framework_of(each);
      if (!framework.empty()) fields.push_back({"framework", framework});
      list.entry(2, fields, "ClusterTrainingRuntime " + std::string(name_at(each)));
    }
    section("runtimes", list);
  }

  static std::string framework_of(View runtime) {
    const std::string_view label =
        string_at(get(get(runtime, "metadata"), "labels"), "trainer.kubeflow.org/framework");
    if (label == "torch") return "pytorch";
    for (const std::string_view known : words(RuntimeFramework{})) {
      if (label == known) return std::string(known);
    }
    return {};
  }

  void storage() {
    DocumentLines list;
    bool is_open = false;
    for (const View each : sorted(survey_.kind("StorageClass.storage.k8s.io"))) {
      std::vector<std::pair<std::string, std::string>> fields = {
          {"name", yaml_text(name_at(each))}};
      std::string by = "provisioner " + std::string(string_at(each, "provisioner"));
      const std::vector<std::string> modes = access_modes(each, by);
      if (!modes.empty()) fields.push_back({"accessModes", flow_list(modes)});
      is_open = is_open || modes.empty();
      if (string_at(get(get(each, "metadata"), "annotations"), kDefaultClass) == "true") {
        fields.push_back({"default", "true"});
      }
      list.entry(2, fields, by);
    }
    if (is_open) {
      lines_.comment(1,
                     "Left to you: `accessModes` of classes without; the API does not show them.");
    }
    section("storageClasses", list);
    DocumentLines drivers;
    for (const View each : sorted(survey_.kind("CSIDriver.storage.k8s.io"))) driver(each, drivers);
    section("csiDrivers", drivers);
  }

  /// What is known of the provisioner; else what claims of the class have.
  std::vector<std::string> access_modes(View storage_class, std::string& by) const {
    const std::string_view provisioner = string_at(storage_class, "provisioner");
    for (const ProvisionerSign& sign : discovery_signs().provisioners) {
      const bool is_known = std::ranges::any_of(
          sign.names, [provisioner](std::string_view end) { return provisioner.ends_with(end); });
      if (is_known) return {sign.access_modes.begin(), sign.access_modes.end()};
    }
    std::set<std::string> modes;
    for (const View claim : survey_.kind("PersistentVolumeClaim").items) {
      if (string_at(get(claim, "spec"), "storageClassName") != name_at(storage_class)) continue;
      if (string_at(get(claim, "status"), "phase") != "Bound") continue;
      for (const View mode : items_at(get(claim, "status"), "accessModes")) {
        modes.emplace(string_of(mode));
      }
    }
    if (!modes.empty()) by += "; modes of its bound claims";
    return {modes.begin(), modes.end()};
  }

  static void driver(View object, DocumentLines& list) {
    std::vector<std::string> modes;
    for (const View mode : items_at(get(object, "spec"), "volumeLifecycleModes")) {
      modes.emplace_back(string_of(mode));
    }
    if (modes.empty()) modes = {"Persistent"};  // the default of the API
    std::ranges::sort(modes);
    list.entry(2,
               {{"name", yaml_text(name_at(object))}, {"volumeLifecycleModes", flow_list(modes)}},
               "CSIDriver " + std::string(name_at(object)));
  }

  /// Claims that pods of several nodes can mount: data that jobs share.
  void claims() {
    DocumentLines list;
    for (const View each : sorted(survey_.kind("PersistentVolumeClaim"))) {
      std::vector<std::string> modes;
      for (const View mode : items_at(get(each, "spec"), "accessModes")) {
        modes.emplace_back(string_of(mode));
      }
      std::ranges::sort(modes);
      const bool is_shared = std::ranges::any_of(modes, [](const std::string& mode) {
        return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
      });
      if (!is_shared || is_of_the_system(metadata_namespace(each))) continue;
      list.entry(2,
                 {{"name", yaml_text(name_at(each))},
                  {"namespace", yaml_text(metadata_namespace(each))},
                  {"accessModes", flow_list(modes)}},
                 "PersistentVolumeClaim, which several nodes can mount");
    }
    section("claims", list);
  }

  void name_spaces() {
    DocumentLines list;
    for (const View each : sorted(survey_.kind("Namespace"))) {
      const std::string_view name = name_at(each);
      if (is_of_the_system(name) || !(has_jobs(name) || !level_of(each).empty())) continue;
      std::vector<std::pair<std::string, std::string>> fields = {{"name", yaml_text(name)}};
      const std::string_view level = level_of(each);
      if (!level.empty()) fields.push_back({"podSecurity", std::string(level)});
      std::string by = level.empty() ? "no level is enforced" : "label " + std::string(kEnforce);
      const std::string quota = quota_text(name);
      if (!quota.empty()) by += "; " + quota;
      list.entry(2, fields, by);
    }
    section("namespaces", list);
  }

  static std::string_view level_of(View name_space) {
    return string_at(get(get(name_space, "metadata"), "labels"), kEnforce);
  }

  static bool is_of_the_system(std::string_view name) {
    return name.starts_with("kube-") || name.starts_with("gke-") || name.ends_with("-system") ||
           name.ends_with("-operator");
  }

  /// Queues, claims, GPUs or quotas of GPUs show where jobs run.
  bool has_jobs(std::string_view name) const {
    const auto is_here = [name](View each) { return metadata_namespace(each) == name; };
    return std::ranges::any_of(survey_.kind("LocalQueue.kueue.x-k8s.io").items, is_here) ||
           std::ranges::any_of(survey_.kind("PersistentVolumeClaim").items, is_here) ||
           !quota_text(name).empty() ||
           std::ranges::any_of(survey_.kind("Pod").items, [&](View pod) {
             return is_here(pod) && std::ranges::any_of(requests_of(pod), [](const auto& each) {
                      return each.first.find("gpu") != std::string::npos;
                    });
           });
  }

  /// A `quota` of ours would be made a second time.
  std::string quota_text(std::string_view name) const {
    std::string text;
    for (const View quota : sorted(survey_.kind("ResourceQuota"))) {
      if (metadata_namespace(quota) != name) continue;
      for (const View entry : entries_at(get(quota, "spec"), "hard")) {
        if (entry.key().find("gpu") == std::string_view::npos) continue;
        text += (text.empty() ? "ResourceQuota " + std::string(name_at(quota)) + ": " : ", ") +
                std::string(entry.key()) + "=" + std::string(entry.text());
      }
    }
    return text;
  }

  void gitops() {
    std::vector<std::string> tools;
    std::string by;
    for (const GitOpsSign& sign : discovery_signs().gitops) {
      if (!survey_.serves(sign.kind)) continue;
      tools.emplace_back(sign.tool);
      by = "the cluster has kind " + std::string(sign.kind);
    }
    if (tools.size() == 1) {
      lines_.line(1, "gitops: {tool: " + tools.front() + "}", by);
    } else if (!tools.empty()) {
      lines_.comment(1,
                     "Left to you: `gitops.tool`; the cluster has " + listed(tools, "and") + ".");
    }
  }

  void section(std::string_view name, const DocumentLines& list) {
    if (list.is_empty()) return;
    lines_.line(1, std::string(name) + ":");
    lines_.append(list);
  }

  const Survey& survey_;
  const std::vector<KnownMachine>& machines_;
  const DiscoveredFrom& from_;
  std::vector<RealNode> nodes_;
  DocumentLines lines_;
};

}  // namespace

std::string discovered_document(const Survey& survey, const std::vector<KnownMachine>& machines,
                                const DiscoveredFrom& from) {
  return laid_out(DocumentMaker(survey, machines, from).make());
}

std::vector<KnownMachine> known_machines(Session& session) {
  std::vector<KnownMachine> machines;
  for (const auto& catalogue : session.machines.all()) {
    for (const auto& machine : *catalogue->spec->machines) {
      machines.push_back({&*machine, &*catalogue->spec});
    }
  }
  return machines;
}

std::string name_for_cluster(std::string_view context) {
  std::string name;
  for (char c : context) {
    c = to_lower(c);
    const bool is_plain = is_lower(c) || is_digit(c);
    if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name = name.substr(0, 63);
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "cluster" : name;
}

}  // namespace trainyard
