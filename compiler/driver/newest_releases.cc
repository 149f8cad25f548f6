#include "driver/newest_releases.h"

#include <algorithm>
#include <string_view>

#include "check/kubernetes_version.h"
#include "plan/release.h"

namespace trainyard {
namespace {

/// "kubeflow/trainer v2.3.0 manifests/base/..." is of `kubeflow/trainer 2.3`; "" when it names no
/// release.
std::string release_of(std::string_view source) {
  const std::size_t end = source.find(' ');
  if (end == std::string_view::npos) return {};
  std::string_view project = source.substr(0, end);
  std::string_view version = source.substr(end + 1);
  version = version.substr(0, version.find(' '));
  if (version.starts_with('v')) version.remove_prefix(1);
  const auto parsed = release(version);
  if (!parsed) return {};
  if (project == "kubernetes") project = "Kubernetes";
  return std::string(project) + " " + std::to_string(parsed->major) + "." +
         std::to_string(parsed->minor);
}

}  // namespace

void NewestReleases::note(const ObjectSet& objects, const SchemaPack& schemas) {
  if (!objects.pods.empty() && !has_pods_) {
    has_pods_ = true;
    releases_.insert("Kubernetes " + text(KubernetesVersion{}));
  }
  for (const Object& object : objects.objects) {
    const SchemaKind* kind = schemas.find(object.api_version, object.kind);
    if (kind == nullptr || std::ranges::find(seen_, kind) != seen_.end()) continue;
    seen_.push_back(kind);
    std::string name = release_of(schemas.text(kind->source));
    if (!name.empty()) releases_.insert(std::move(name));
  }
}

std::string NewestReleases::line() const {
  std::string list;
  for (const std::string& each : releases_) list += (list.empty() ? "" : ", ") + each;
  if (list.empty()) return {};
  return "# For " + list + ": the newest that trainyard knows, as no Cluster was named.\n";
}

}  // namespace trainyard
