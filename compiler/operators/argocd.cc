#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "admission/schedule.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource = "argoproj/argo-cd util/argo/argo.go ValidatePermissions";
constexpr std::string_view kProjectSource =
    "argoproj/argo-cd pkg/apis/application/v1alpha1/app_project_types.go ValidateProject";
constexpr OperatorSpan kArgo{.name = "argocd"};

/// One source; `several` when it is one of the list.
void one_source(View source, bool several, CheckContext& context) {
  if (!source->is_map()) return;
  const bool has_path = !string_at(source, "path").empty();
  const bool has_chart = !string_at(source, "chart").empty();
  const bool has_ref = several && !string_at(source, "ref").empty();
  if (string_at(source, "repoURL").empty()) {
    if (!context.is_flagged(source)) context.refuse(source, "a source needs `repoURL`");
  } else if (!has_path && !has_chart && !has_ref) {
    context.refuse(source, several ? "a source needs `path`, `chart` or `ref`"
                                   : "a source needs `path` or `chart`");
  } else if (has_chart && string_at(source, "targetRevision").empty()) {
    context.refuse(get(source, "chart"), "a chart needs its version in `targetRevision`");
  }
  View first;
  for (std::string_view kind : {"kustomize", "helm", "directory", "plugin"}) {
    const View own = get(source, kind);
    if (!own) continue;
    if (first) {
      context
          .refuse_key(own,
                      "a source is of one kind: " + shown(first.key()) + " or " + shown(own.key()))
          .also(context.place(first), "the other one");
    }
    first = first ? first : own;
  }
}

void sources(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View source = get(spec, "source");
  const View several = get(spec, "sources");
  const View hydrator = get(spec, "sourceHydrator");
  if (hydrator) {
    const auto need = [&](View holder, std::string_view key) {
      if (!holder || context.is_flagged(holder) || !string_at(holder, key).empty()) return;
      context.refuse(holder, shown(holder.key()) + " needs " + shown(key));
    };
    need(get(hydrator, "drySource"), "repoURL");
    need(get(hydrator, "syncSource"), "targetBranch");
    need(get(hydrator, "hydrateTo"), "targetBranch");
    return;
  }
  if (has_items(several)) {
    for (View each : Items(several)) one_source(each, true, context);
  } else if (source) {
    one_source(source, false, context);
  } else if (spec && spec->is_map()) {
    context.refuse(spec, "an Application needs `source`, `sources` or `sourceHydrator`");
  }
}
std::vector<std::string> parts_of(std::string_view policy) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = policy.find(',');
    std::string_view part = policy.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    if (end == std::string_view::npos) return parts;
    policy.remove_prefix(end + 1);
  }
}

/// What is wrong with a policy of a role; empty when nothing is.
std::string fault_of_policy(std::string_view policy, const std::string& project,
                            const std::string& role) {
  const std::vector<std::string> parts = parts_of(policy);
  if (parts.size() != 6 || parts[0] != "p") {
    return "expected `p, proj:" + project + ":" + role +
           ", <resource>, <action>, <object>, "
           "allow` or `deny`";
  }
  const std::string subject = "proj:" + project + ":" + role;
  if (parts[1] != subject) return "it is for " + shown(parts[1]) + ", not for " + shown(subject);
  constexpr auto resources = std::to_array<std::string_view>(
      {"applications", "applicationsets", "logs", "exec", "clusters", "repositories"});
  if (std::ranges::find(resources, parts[2]) == resources.end()) {
    return shown(parts[2]) + " is nothing that a project has";
  }
  constexpr auto actions = std::to_array<std::string_view>(
      {"get", "create", "update", "delete", "sync", "override", "*"});
  bool known = std::ranges::find(actions, parts[3]) != actions.end();
  for (std::string_view prefix : {"action/", "update/", "delete/"}) {
    known = known || parts[3].find(prefix) != std::string::npos;
  }
  if (!known) return shown(parts[3]) + " is no action";
  if (!parts[4].starts_with(project + "/")) {
    return "its object must be in the project: `" + project + "/...`";
  }
  if (parts[5] != "allow" && parts[5] != "deny") return "it must end with `allow` or `deny`";
  return {};
}

void roles(View object, CheckContext& context) {
  const std::string project(string_of(metadata_name(object)));
  std::set<std::string_view> names;
  for (View role : items_at(get(object, "spec"), "roles")) {
    const View name = get(role, "name");
    if (!string_of(name).empty() && !names.insert(name->text).second) {
      context.warn(name, "two roles are called " + shown(name->text));
    }
    if (project.empty()) continue;
    for (View policy : items_at(role, "policies")) {
      if (policy.kind() != Kind::String) continue;
      const std::string fault =
          fault_of_policy(policy->text, project, std::string(string_of(name)));
      if (fault.empty()) continue;
      context.warn(policy, "this policy grants nothing: " + fault);
    }
  }
}

void windows(View object, CheckContext& context) {
  constexpr auto kinds = std::to_array<std::string_view>({"allow", "deny"});
  for (View window : items_at(get(object, "spec"), "syncWindows")) {
    const View kind = get(window, "kind");
    if (!string_of(kind).empty() && std::ranges::find(kinds, kind->text) == kinds.end()) {
      context.warn(kind, shown(kind->text) + " is no kind of window; expected `allow` or `deny`");
    }
    const View schedule = get(window, "schedule");
    if (!string_of(schedule).empty()) {
      if (const Fault fault = why_no_schedule(schedule->text)) {
        context.warn(schedule, "schedule " + shown(schedule->text) + " " + *fault);
      }
    }
    const View duration = get(window, "duration");
    if (!string_of(duration).empty() && !go_duration(duration->text)) {
      context.warn(duration,
                   shown(duration->text) + " is no duration; expected one such as `1h30m`");
    }
    if (window->is_map() && !has_items(get(window, "applications")) &&
        !has_items(get(window, "namespaces")) && !has_items(get(window, "clusters"))) {
      context.warn(window,
                   "the window is for nothing: it needs `applications`, `namespaces` or "
                   "`clusters`");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "argocd-sources",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .on = "argoproj.io Application",
     .sentence = "An Application says where its manifests are, each source in one way.",
     .source = kSource,
     .object = sources,
     .operators = kArgo},
    {.name = "argocd-roles",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .opt_in = true,
     .on = "argoproj.io AppProject",
     .sentence = "The policies of a role are for this role and what is in its project.",
     .source = kProjectSource,
     .object = roles,
     .operators = kArgo},
    {.name = "argocd-sync-windows",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .opt_in = true,
     .on = "argoproj.io AppProject",
     .sentence = "A window has a schedule, a duration and something that it is for.",
     .source = kProjectSource,
     .object = windows,
     .operators = kArgo},
};

}  // namespace

constinit const std::span<const Check> argocd_checks = kChecks;

}  // namespace trainyard
