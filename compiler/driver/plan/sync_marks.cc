#include "driver/plan/sync_marks.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "kind/job_kind.h"
#include "manifest/metadata.h"
#include "manifest/pod_templates.h"

// fluxcd/kustomize-controller docs/spec/v1/kustomizations.md "Controlling the apply behavior of
// resources"; argoproj/argo-cd docs/user-guide/sync-options.md,
// gitops-engine/pkg/sync/common/types.go.

namespace trainyard {
namespace {

constexpr std::string_view kFlux = "kustomize.toolkit.fluxcd.io/";
constexpr std::string_view kArgoCd = "argocd.argoproj.io/";
constexpr std::string_view kSyncOptions = "argocd.argoproj.io/sync-options";
constexpr std::string_view kHook = "argocd.argoproj.io/hook";
constexpr std::string_view kHelmHook = "helm.sh/hook";
constexpr auto kForcing = std::to_array<std::string_view>(
    {kSyncOptions, kHook, kHelmHook, "kustomize.toolkit.fluxcd.io/force"});

/// Whether an object has a mark of Flux, as an annotation or a label.
bool has_flux_mark(View object, std::string_view key, std::string_view value) {
  const std::string whole = std::string(kFlux) + std::string(key);
  const auto is_said = [value](View at) {
    std::string_view text = at.text();
    if (text.size() != value.size() || text.empty()) return false;
    // `Enabled` and `enabled` are the same to it.
    return (text[0] | 0x20) == (value[0] | 0x20) && text.substr(1) == value.substr(1);
  };
  return is_said(annotation(object, whole)) || is_said(label(object, whole));
}

/// Whether a list such as `Prune=false,Delete=false` has an option.
bool has_sync_option(View object, std::string_view option) {
  std::string_view rest = annotation(object, kSyncOptions).text();
  while (!rest.empty()) {
    std::string_view each = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(each.size() + 1, rest.size()));
    while (each.starts_with(' ')) each.remove_prefix(1);
    while (each.ends_with(' ')) each.remove_suffix(1);
    if (each == option) return true;
  }
  return false;
}

/// Whether a field such as `spec.tasks[].maxRetry` is missing, in any item.
bool is_missing(View object, std::string_view path) {
  const std::size_t at = path.find("[].");
  if (at == std::string_view::npos) return !field_at(object, path);
  const View list = field_at(object, path.substr(0, at));
  return list && list->is_seq() && std::ranges::any_of(Items(list), [&](View each) {
           return is_missing(each, path.substr(at + 3));
         });
}

void add_flux(View object, SyncMarks& marks) {
  marks.forces = has_flux_mark(object, "force", "enabled");
  if (has_flux_mark(object, "ssa", "IfNotPresent")) {
    marks.untouched = "`ssa: IfNotPresent`: Flux makes it once and never changes it";
  } else if (has_flux_mark(object, "ssa", "Ignore")) {
    marks.untouched = "`ssa: Ignore`: Flux does not apply it";
    marks.is_never_made = true;
  }
  if (has_flux_mark(object, "prune", "disabled")) marks.kept = "`prune: disabled`";
  if (has_flux_mark(object, "reconcile", "disabled")) {
    marks.untouched = "`reconcile: disabled`: Flux leaves it alone";
    marks.is_never_made = true;
    marks.kept = "`reconcile: disabled`";
  }
}

void add_argocd(View object, SyncMarks& marks) {
  marks.forces = has_sync_option(object, "Force=true");
  marks.replaces = has_sync_option(object, "Replace=true");
  marks.always = marks.forces && marks.replaces;
  marks.server_side = has_sync_option(object, "ServerSideApply=true");
  marks.is_hook = annotation(object, kHook) || annotation(object, kHelmHook);
  if (has_sync_option(object, "Prune=false")) marks.kept = "`Prune=false`";
  marks.asks = has_sync_option(object, "Prune=confirm");
  const std::string_view wave = annotation(object, "argocd.argoproj.io/sync-wave").text();
  std::from_chars(wave.data(), wave.data() + wave.size(), marks.wave);
}

}  // namespace

std::optional<SyncTool> sync_tool(std::string_view word) {
  if (word == "argocd") return SyncTool::ArgoCd;
  if (word == "flux") return SyncTool::Flux;
  return std::nullopt;
}

std::string_view name_of(SyncTool tool) {
  constexpr auto kNames = std::to_array<std::string_view>({"no tool", "Argo CD", "Flux"});
  return kNames.at(static_cast<std::size_t>(tool));
}

SpokenTo tools_of(View object) {
  SpokenTo found;
  for (const std::string_view map : {"annotations", "labels"}) {
    for (const View entry : entries_at(get(object, "metadata"), map)) {
      if (entry.key().starts_with(kArgoCd)) found.argocd = true;
      if (entry.key().starts_with(kFlux)) found.flux = true;
    }
  }
  return found;
}

SyncMarks marks_of(SyncTool tool, View object) {
  SyncMarks marks;
  if (tool == SyncTool::ArgoCd) add_argocd(object, marks);
  if (tool == SyncTool::Flux) add_flux(object, marks);
  if (tool != SyncTool::None) return marks;
  SyncMarks either;
  add_argocd(object, either);
  if (either.kept.empty()) add_flux(object, either);
  marks.kept = either.kept;
  return marks;
}

bool has_force(View object) {
  return std::ranges::any_of(kForcing, [object](std::string_view key) {
    return static_cast<bool>(annotation(object, key));
  });
}

Tree without_force(View object) {
  Tree copy;
  copy.set_root(copy.copy(object.tree(), object.id()));
  const NodeId annotations = copy.find(copy.find(copy.root(), "metadata"), "annotations");
  for (const std::string_view key : kForcing) {
    const NodeId entry = copy.find(annotations, key);
    if (entry != kNoNode) copy.remove(annotations, entry);
  }
  return copy;
}

std::string_view unapplied(const SyncMarks& marks, View object, bool is_there) {
  // argoproj/argo-cd gitops-engine/pkg/sync/sync_context.go applyObject: to replace wins; and
  // kubernetes/kubectl pkg/cmd/apply/apply.go Validate.
  if (marks.forces && !marks.replaces && marks.server_side) {
    return "Argo CD cannot force what it applies on the server's side: write "
           "`Force=true,Replace=true`";
  }
  // kubernetes/kubernetes pkg/apis/batch/validation/validation.go: the selector is required, and
  // the API server has written it.
  const bool is_job =
      get(object, "kind").text() == "Job" && group_of(get(object, "apiVersion").text()) == "batch";
  if (marks.replaces && !marks.forces && is_job && is_there) {
    return "Argo CD cannot replace an existing Job without `Force=true`: it has no "
           "`spec.selector`";
  }
  return {};
}

std::string reapply_fault(const JobKinds& kinds, SyncTool tool, const SyncMarks& marks,
                          View object) {
  const JobKind* kind = kinds.find(object);
  const bool server_side = tool == SyncTool::Flux || (marks.server_side && !marks.replaces);
  if (kind == nullptr || !server_side) return {};
  const auto lost = std::ranges::find_if(
      kind->filled, [object](std::string_view path) { return is_missing(object, path); });
  if (lost == kind->filled.end()) return {};
  return "a webhook has filled in `" + std::string(*lost) +
         "`, and refuses an apply without it: write the existing value";
}

std::string_view unforceable(SyncTool tool, View object) {
  // fluxcd/pkg ssa/manager_apply.go forces what is invalid, or "immutable" by the words of a
  // webhook; volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go has other words.
  const bool is_volcano = get(object, "kind").text() == "Job" &&
                          group_of(get(object, "apiVersion").text()) == "batch.volcano.sh";
  if (tool != SyncTool::Flux || !is_volcano) return {};
  return "Flux does not force it: it does not take the words of Volcano's webhook for those of an "
         "immutable field";
}

}  // namespace trainyard
