#include "live/discover/discovered_document.h"

#include <algorithm>

#include "driver/format/format_files.h"
#include "live/discover/document_lines.h"
#include "live/discover/pool_lines.h"
#include "live/discover/queue_lines.h"
#include "live/survey/real_operators.h"
#include "schema/pack.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kEnforce = "pod-security.kubernetes.io/enforce";
constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

std::string_view name_at(View object) {
  return string_at(get(object, "metadata"), "name");
}
std::string_view name_space_at(View object) {
  return string_at(get(object, "metadata"), "namespace");
}

/// The objects of a kind in the order of their names.
std::vector<View> sorted(const SurveyedKind& kind) {
  std::vector<View> items = kind.items;
  std::ranges::sort(items, {},
                    [](View each) { return std::pair(name_space_at(each), name_at(each)); });
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

/// As `trainyard fmt` lays it out.
std::string laid_out(const std::string& document) {
  MemoryFileSystem files;
  Env env{files, [&document](std::size_t) {
            FileRead read;
            read.text = document;
            return read;
          }};
  Session session(env);
  std::string text = format_files(session, {{"-"}, false}).stream;
  return session.sink.has_errors() ? document : text;
}

class DocumentMaker {
 public:
  DocumentMaker(const Survey& survey, const std::vector<KnownMachine>& machines,
                const DiscoveredFrom& from)
      : survey_(survey), machines_(machines), from_(from) {}

  std::string make() {
    head();
    operators();
    const std::vector<RealNode> nodes = real_nodes(survey_);
    pool_lines(nodes, discover_pools(nodes, machines_), lines_);
    queue_lines(survey_, lines_);
    priorities();
    runtimes();
    storage();
    claims();
    name_spaces();
    for (const std::string& note : survey_.notes) lines_.comment(1, note);
    return lines_.text();
  }

 private:
  void head() {
    lines_.comment(0,
                   "What `trainyard discover` found. Check what a comment calls guessed, then "
                   "`trainyard doctor` compares the file with the cluster at any time.");
    lines_.line(0, "apiVersion: trainyard/v1alpha1");
    lines_.line(0, "kind: Cluster");
    lines_.line(0, "metadata:");
    lines_.line(1, "name: " + yaml_text(from_.name));
    lines_.line(0, "spec:");
    if (!from_.context.empty()) {
      lines_.line(1, "api: " + flow_map({{"context", yaml_text(from_.context)},
                                         {"server", yaml_text(from_.server)}}));
    }
    const std::string release = release_in(survey_.kubernetes);
    if (!release.empty()) lines_.line(1, "kubernetes: " + yaml_text(minor_of(release)));
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
                  is_guess ? "guessed: nothing tells its release; this is the newest known" : "");
    }
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
    list.line(2, "- " + flow_map(fields));
  }

  /// Those of single jobs are in their namespaces; what all share is of the whole cluster.
  void runtimes() {
    DocumentLines list;
    for (const View each : sorted(survey_.kind("ClusterTrainingRuntime.trainer.kubeflow.org"))) {
      std::vector<std::pair<std::string, std::string>> fields = {
          {"name", yaml_text(name_at(each))}};
      const std::string framework = framework_of(each);
      if (!framework.empty()) fields.push_back({"framework", framework});
      list.line(2, "- " + flow_map(fields));
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
    for (const View each : sorted(survey_.kind("StorageClass.storage.k8s.io"))) {
      std::vector<std::pair<std::string, std::string>> fields = {
          {"name", yaml_text(name_at(each))}};
      if (string_at(get(get(each, "metadata"), "annotations"), kDefaultClass) == "true") {
        fields.push_back({"default", "true"});
      }
      list.line(2, "- " + flow_map(fields), string_at(each, "provisioner"));
    }
    if (!list.is_empty()) {
      lines_.comment(1, "Left to you: `accessModes` of each class; the API does not tell them.");
    }
    section("storageClasses", list);
    DocumentLines drivers;
    for (const View each : sorted(survey_.kind("CSIDriver.storage.k8s.io"))) driver(each, drivers);
    section("csiDrivers", drivers);
  }

  static void driver(View object, DocumentLines& list) {
    std::vector<std::string> modes;
    for (const View mode : items_at(get(object, "spec"), "volumeLifecycleModes")) {
      modes.emplace_back(string_of(mode));
    }
    if (modes.empty()) modes = {"Persistent"};  // the default of the API
    std::ranges::sort(modes);
    list.line(2, "- " + flow_map({{"name", yaml_text(name_at(object))},
                                  {"volumeLifecycleModes", flow_list(modes)}}));
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
      if (!is_shared || is_of_the_system(name_space_at(each))) continue;
      list.line(2, "- " + flow_map({{"name", yaml_text(name_at(each))},
                                    {"namespace", yaml_text(name_space_at(each))},
                                    {"accessModes", flow_list(modes)}}));
    }
    section("claims", list);
  }

  void name_spaces() {
    DocumentLines list;
    for (const View each : sorted(survey_.kind("Namespace"))) {
      const std::string_view name = name_at(each);
      if (is_of_the_system(name) || !has_jobs(name)) continue;
      std::vector<std::pair<std::string, std::string>> fields = {{"name", yaml_text(name)}};
      const std::string_view level = string_at(get(get(each, "metadata"), "labels"), kEnforce);
      if (!level.empty()) fields.push_back({"podSecurity", std::string(level)});
      list.line(2, "- " + flow_map(fields), quota_text(name));
    }
    section("namespaces", list);
  }

  static bool is_of_the_system(std::string_view name) {
    return name.starts_with("kube-") || name.ends_with("-system");
  }

  /// Queues, GPUs or quotas of GPUs show where jobs run.
  bool has_jobs(std::string_view name) const {
    const auto is_here = [name](View each) { return name_space_at(each) == name; };
    return std::ranges::any_of(survey_.kind("LocalQueue.kueue.x-k8s.io").items, is_here) ||
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
      if (name_space_at(quota) != name) continue;
      for (const View entry : entries_at(get(quota, "spec"), "hard")) {
        if (entry.key().find("gpu") == std::string_view::npos) continue;
        text += (text.empty() ? "ResourceQuota " + std::string(name_at(quota)) + ": " : ", ") +
                std::string(entry.key()) + "=" + std::string(entry.text());
      }
    }
    return text;
  }

  void section(std::string_view name, const DocumentLines& list) {
    if (list.is_empty()) return;
    lines_.line(1, std::string(name) + ":");
    lines_.append(list);
  }

  const Survey& survey_;
  const std::vector<KnownMachine>& machines_;
  const DiscoveredFrom& from_;
  DocumentLines lines_;
};

}  // namespace

std::string discovered_document(const Survey& survey, const std::vector<KnownMachine>& machines,
                                const DiscoveredFrom& from) {
  return laid_out(DocumentMaker(survey, machines, from).make());
}

std::string name_for_cluster(std::string_view context) {
  std::string name;
  for (char c : context) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
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
