// Objects that are legal, and that tools cannot apply: too large, without a name, or deleted first.

#include <cstddef>
#include <string>
#include <string_view>

#include "check/check.h"
#include "lints/gitops/forced_objects.h"
#include "lints/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

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

/// Who applies on the server keeps no copy.
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
    {.name = "force-on-claim",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "core PersistentVolumeClaim",
     .sentence = "Argo CD and Flux do not force a claim.",
     .source = "fluxcd/pkg ssa/manager_apply.go; argoproj/argo-cd docs/user-guide/sync-options.md "
               "\"Force Sync\"",
     .object = force_on_claim,
     .severity = Severity::Warning,
     .because = "To force means to delete what cannot be changed and to make it again.",
     .fix = "take `force` away; `kustomize.toolkit.fluxcd.io/ssa: IfNotPresent` has Flux never "
            "change the claim"},
    {.name = "kept-claim",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "core PersistentVolumeClaim",
     .sentence = "A claim that Argo CD does not prune is no reason for its Application to be "
                 "OutOfSync.",
     .source = "argoproj/argo-cd docs/user-guide/compare-options.md \"Ignoring Resources That Are "
               "Extraneous\"",
     .object = kept_claim,
     .severity = Severity::Warning,
     .because = "What Git does not have is a difference, whether Argo CD prunes it or not.",
     .fix = "annotate it with `argocd.argoproj.io/compare-options: IgnoreExtraneous`"},
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
    {.name = "replace-of-job",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "batch Job",
     .sentence = "A Job that Argo CD is to replace is one that it may delete.",
     .source = "argoproj/argo-cd docs/user-guide/sync-options.md \"Replace Resource Instead Of "
               "Applying Changes\"; kubernetes/kubernetes pkg/apis/batch/validation/validation.go",
     .object = replace_of_job,
     .severity = Severity::Warning,
     .because = "A replacement must have all fields, also those that the API server has added.",
     .fix = "write `Force=true,Replace=true`, with `ApplyOutOfSyncOnly=true` in the Application, "
            "or give a changed Job another name"},
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
