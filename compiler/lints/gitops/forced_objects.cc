// What Argo CD and Flux delete to make it again, or cannot apply at all.

#include "lints/gitops/forced_objects.h"

#include <string_view>

#include "check/check.h"
#include "check/severity_list.h"
#include "manifest/metadata.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSyncOptions = "argocd.argoproj.io/sync-options";

bool has_sync_option(View object, std::string_view name, std::string_view wanted) {
  bool found = false;
  each_severity_override(string_of(annotation(object, kSyncOptions)),
                         [&](std::string_view option, std::string_view value) {
                           found = found || (option == name && value == wanted);
                         });
  return found;
}

bool waits_in_kueue(View object) {
  return !string_of(label(object, "kueue.x-k8s.io/queue-name")).empty();
}

View any_mark(View object) {
  for (const std::string_view map : {"annotations", "labels"}) {
    for (const View entry : entries_at(get(object, "metadata"), map)) {
      const bool is_mark = entry.key().starts_with("argocd.argoproj.io/") ||
                           entry.key().starts_with("kustomize.toolkit.fluxcd.io/");
      if (is_mark) return entry;
    }
  }
  return {};
}

}  // namespace

void force_on_server_side(View object, CheckContext& context) {
  const bool is_both = has_sync_option(object, "Force", "true") &&
                       has_sync_option(object, "ServerSideApply", "true");
  if (!is_both || has_sync_option(object, "Replace", "true")) return;
  context.lint(
      annotation(object, kSyncOptions),
      "`Force=true` and `ServerSideApply=true` exclude each other: each sync of this object "
      "fails");
}

void prune_last_of_job(const Workload& workload, CheckContext& context) {
  const View object = workload.object;
  if (!has_sync_option(object, "PruneLast", "true") || !waits_in_kueue(object)) return;
  context.lint(annotation(object, kSyncOptions),
               "Argo CD deletes this job only when all others are healthy, and a job that waits in "
               "the queue for its quota never is");
}

/// A hook gets its name from Argo CD.
void generate_name_in_git(View object, CheckContext& context) {
  const View metadata = get(object, "metadata");
  const View prefix = get(metadata, "generateName");
  if (string_of(prefix).empty() || !string_at(metadata, "name").empty()) return;
  if (annotation(object, "argocd.argoproj.io/hook") || annotation(object, "helm.sh/hook")) return;
  const Cluster* cluster = context.cluster();
  const bool is_stated = cluster != nullptr && cluster->spec->gitops.given();
  const View mark = any_mark(object);
  if (!mark && !is_stated) return;
  context.lint(prefix, "Argo CD and Flux apply objects by name, and this one has none")
      .also(mark ? context.place(mark) : cluster->spec->gitops.span,
            mark ? "synced from Git" : "objects of this Cluster are synced from Git");
}

}  // namespace trainyard
