#include "driver/argocd/plugin.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "driver/build/build.h"
#include "driver/session/inputs.h"
#include "tree/typed_fields.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

constexpr std::string_view kPluginYaml = R"(apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata:
  name: trainyard
spec:
  discover:
    find:
      command: [trainyard, cmp, discover]
  generate:
    command: [trainyard, cmp, generate]
  parameters:
    dynamic:
      command: [trainyard, cmp, parameters]
)";

bool is_spec(const Document& document) {
  return document.kind == "TrainingJob" && document.api_version.starts_with("trainyard/");
}

/// An object of Kubernetes beside the specs, and not a file of another tool.
bool is_other_object(const Document& document) {
  if (document.kind.empty() || document.api_version.empty()) return false;
  for (std::string_view group : {"trainyard/", "kustomize.config.k8s.io/", "kpt.dev/"}) {
    if (document.api_version.starts_with(group)) return false;
  }
  const View annotations = get(get(document.root(), "metadata"), "annotations");
  return string_at(annotations, "config.kubernetes.io/local-config") != "true";
}

}  // namespace

std::string plugin_yaml() {
  return std::string(kPluginYaml);
}

std::string discover(Session& session, const Variables& variables) {
  // Argo CD 3 calls it in the folder of the application, and before at the top of the repository.
  std::string folder = variables("ARGOCD_APP_SOURCE_PATH").value_or("");
  if (folder.empty() || !session.env.files.is_directory(folder)) folder = ".";
  Sink passed_over;
  for (const std::string& path : expand_paths({folder}, session.env, passed_over)) {
    const FileRead file = session.env.files.read(path, session.limits.bytes);
    if (file.error || file.text.find("trainyard/v1") == std::string::npos) continue;
    bool found = false;
    for_each_document({path}, session.env, session.sources, passed_over, session.limits,
                      Ambiguity::Refuse, [&](Document& each) { found = found || is_spec(each); });
    if (found) return path;
  }
  return {};
}

std::string generate(Session& session, const PluginSettings& settings) {
  std::string others;
  bool has_spec = false;
  for_each_document({"."}, session.env, session.sources, session.sink, session.limits,
                    Ambiguity::Kubernetes, [&](Document& each) {
                      has_spec = has_spec || is_spec(each);
                      if (!is_other_object(each)) return;
                      others += "---\n";
                      write_yaml(each.tree, each.tree.root(), others);
                    });
  if (session.sink.has_errors()) return {};
  if (!has_spec && !others.empty()) return others;
  BuildRequest request;
  request.inputs = {"."};
  request.cluster = settings.cluster;
  request.target = settings.target;
  BuildResult result = build(session, request);
  if (session.sink.has_errors()) return {};
  return result.stream.whole() + others;
}

std::string version_warning(Session& session, const PluginSettings& settings) {
  const auto there = kubernetes_version(settings.kubernetes);
  if (!there || settings.cluster.empty()) return {};
  const auto own = session.fork();
  const auto cluster = read_cluster(*own, settings.cluster);
  if (cluster == nullptr) return {};
  const auto stated = kubernetes_version(*cluster->cluster.spec->kubernetes);
  if (!stated || *stated == *there) return {};
  return "the destination has Kubernetes " + text(*there) + ", and `" + settings.cluster +
         "` states " + text(*stated);
}

std::string generate_paths(const Session& session) {
  std::set<std::string> outside;
  for (FileId file = 0; file < session.sources.size(); ++file) {
    const std::string plain =
        std::filesystem::path(session.sources.name(file)).lexically_normal().string();
    if (!session.sources.is_builtin(file) && plain.starts_with("../")) outside.insert(plain);
  }
  std::string text = "argocd.argoproj.io/manifest-generate-paths: .";
  for (const std::string& each : outside) text += ";" + each;
  return text + "\n";
}

}  // namespace trainyard
