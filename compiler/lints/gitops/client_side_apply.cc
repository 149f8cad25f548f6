// Objects that are legal, and that tools cannot apply: too large, without a name, or deleted first.

#include <cstddef>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/severity_list.h"
#include "lints/gitops/flux_unit.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "schema/names.h"
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

/// An object with options that exclude each other.
void force_on_server_side(View object, CheckContext& context) {
  const bool is_both = has_sync_option(object, "Force", "true") &&
                       has_sync_option(object, "ServerSideApply", "true");
  if (!is_both || has_sync_option(object, "Replace", "true")) return;
  context.lint(
      annotation(object, kSyncOptions),
      "`Force=true` and `ServerSideApply=true` exclude each other: each sync of this object "
      "fails");
}

/// A job whose quota the next one waits for.
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

/// Bytes of a text in JSON as Go writes it, without its quotes.
std::size_t json_size(std::string_view text) {
  std::size_t bytes = text.size();
  for (char c : text) {
    const bool is_short = c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t';
    const bool is_long = c == '<' || c == '>' || c == '&' || static_cast<unsigned char>(c) < 0x20;
    bytes += is_short ? 1 : is_long ? 5 : 0;
  }
  return bytes;
}

/// Who applies on the server keeps no copy; Flux always does.
bool is_applied_on_server(View object) {
  const View annotations = get(get(object, "metadata"), "annotations");
  return string_at(annotations, "argocd.argoproj.io/sync-options").find("ServerSideApply=true") !=
         std::string_view::npos;
}

void client_side_apply(View object, CheckContext& context) {
  if (context.is_ours()) return;  // the compiler has said so of the files that it packs
  std::size_t bytes = 0;
  View first;
  for (std::string_view field : {"data", "binaryData", "stringData"}) {
    for (View entry : entries_at(object, field)) {
      if (!first) first = get(object, field);
      bytes += entry.key().size() + json_size(entry->text);
    }
  }
  if (bytes <= kClientApplyBytes || is_applied_on_server(object)) return;
  if (flux_unit_of(object, context, [](View) { return true; })) return;
  context.lint(first, std::to_string(bytes) + " bytes are more than the " +
                          std::to_string(kClientApplyBytes) +
                          " of an annotation, into which `kubectl apply` copies the object");
}

constexpr Check kChecks[] = {
    {.name = "client-side-apply",
     .group = CheckGroup::GitOps,
     .on = "core ConfigMap Secret",
     .sentence =
         "A ConfigMap or a Secret fits into the annotation that `kubectl apply` keeps of it.",
     .source = "kubernetes/kubectl pkg/util/apply.go GetModifiedConfiguration; "
               "kubernetes/kubernetes staging/src/k8s.io/apimachinery/pkg/api/validation/"
               "objectmeta.go ValidateAnnotationsSize",
     .object = client_side_apply,
     .severity = Severity::Warning,
     .because = "The API server takes annotations of 256 KiB in all, so an apply by kubectl or "
                "Argo CD fails, although the object may be four times as large.",
     .fix = "apply it with `--server-side` (in Argo CD `ServerSideApply=true`), or part it; large "
            "files belong into the image or onto a volume"},
    {.name = "force-on-server-side",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "any",
     .sentence = "Argo CD forces an object, or applies it on the server's side, not both.",
     .source = "kubernetes/kubectl pkg/cmd/apply/apply.go Validate; argoproj/argo-cd "
               "gitops-engine/pkg/utils/kube/resource_ops.go newApplyOptions",
     .object = force_on_server_side,
     .severity = Severity::Warning,
     .because =
         "`kubectl apply` takes no `--force` with `--server-side`, and Argo CD applies as it "
         "does.",
     .fix = "write `Force=true,Replace=true`, or leave `Force=true` out"},
    {.name = "prune-last-of-job",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "A job that waits in a queue is not pruned last.",
     .source = "argoproj/argo-cd gitops-engine/pkg/sync/sync_context.go; kubernetes-sigs/kueue "
               "pkg/controller/jobframework/reconciler.go",
     .workload = prune_last_of_job,
     .severity = Severity::Warning,
     .because =
         "A new run waits for the quota of the old one, and Argo CD deletes the old one only "
         "when the new one is healthy.",
     .fix = "leave out `PruneLast=true`"},
    {.name = "generate-name-in-git",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "any",
     .sentence = "An object that Argo CD or Flux applies has a name.",
     .source = "argoproj/argo-cd issue 1639; fluxcd/pkg ssa/manager_apply.go",
     .object = generate_name_in_git,
     .severity = Severity::Warning,
     .because = "`generateName` is for objects that are created, and each sync applies.",
     .fix = "write `metadata.name`"},
};

}  // namespace

constinit const std::span<const Check> client_side_apply_lints = kChecks;

}  // namespace trainyard
