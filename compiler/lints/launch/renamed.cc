// Jobs whose name was changed from outside, as `namePrefix` of kustomize does, and their pods were
// not told.

#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gitops/flux_unit.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What stands before and behind an earlier name.
struct Renaming {
  std::string_view prefix;
  std::string_view suffix;

  std::string of(std::string_view name) const {
    return std::string(prefix) + std::string(name) + std::string(suffix);
  }
};

/// How `now` may have come from `before`; nothing where it is the same, or another name.
std::optional<Renaming> renaming(std::string_view now, std::string_view before) {
  const std::size_t at = now.find(before);
  if (before.empty() || at == now.npos || now == before) return std::nullopt;
  return Renaming{now.substr(0, at), now.substr(at + before.size())};
}

View job_of_selector(View service) {
  const View selector = get(get(service, "spec"), "selector");
  const View name = get(selector, "batch.kubernetes.io/job-name");
  return name ? name : get(selector, "job-name");
}

/// A Kustomization renames what it syncs, on its way to the cluster.
bool is_renamed_by_flux(const Workload& workload, View subdomain, CheckContext& context) {
  View affix;
  const View unit = flux_unit_of(workload.object, context, [&](View kustomization) {
    for (const std::string_view field : {"namePrefix", "nameSuffix"}) {
      affix = get(get(kustomization, "spec"), field);
      if (!string_of(affix).empty()) return true;
    }
    return false;
  });
  if (!unit) return false;
  context
      .lint(subdomain, "the pods look for Service " + shown(subdomain->text) +
                           ", which Kustomization " + shown(string_of(metadata_name(unit))) +
                           " renames")
      .also(context.place(affix), "what it adds to names");
  return true;
}

/// kustomize renames the Job and its Service, and neither the label by which the one selects the
/// pods of the other, nor the subdomain of the pods, nor hosts in their environment.
void renamed_rendezvous(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch", "Job") || workload.roles.empty()) return;
  const View name = metadata_name(workload.object);
  const View subdomain = get(workload.roles.front().pod.spec, "subdomain");
  if (string_of(subdomain).empty() || string_of(name).empty()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr || is_renamed_by_flux(workload, subdomain, context)) return;
  const std::string_view name_space = metadata_namespace(workload.object);
  const View known = inventory->find("", "Service", name_space, subdomain->text);
  if (string_of(job_of_selector(known)) == name->text) return;  // as nearly always: look no further
  if (inventory->count("", "Service") > Inventory::kMostNames) return;
  for (const View service : inventory->all("", "Service")) {
    if (metadata_namespace(service) != name_space) continue;
    const View selected = job_of_selector(service);
    const auto change = renaming(name->text, string_of(selected));
    if (!change || string_of(metadata_name(service)) != change->of(subdomain->text)) continue;
    context
        .lint(subdomain, "the pods look for Service " + shown(subdomain->text) +
                             ", and it is now called " + shown(string_of(metadata_name(service))) +
                             ", as the Job is " + shown(name->text))
        .also(context.place(selected), "selects the pods of the Job as it was called");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "renamed-rendezvous",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A Job that was renamed has pods that look for each other by the new name.",
     .source = "kubernetes-sigs/kustomize api/internal/konfig/builtinpluginconsts/namereference.go",
     .workload = renamed_rendezvous,
     .severity = Severity::Warning,
     .because = "A prefix or a suffix of kustomize, or of a Kustomization, changes names and the "
                "fields that it knows to refer to them: neither labels in a selector, nor "
                "`subdomain`, nor hosts in the environment.",
     .fix = "leave `namePrefix` and `nameSuffix` out, and name the job so in its spec"},
};

}  // namespace

const std::span<const Check> renamed_lints = kChecks;

}  // namespace trainyard
