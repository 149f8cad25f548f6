// Pod Security Admission: the levels that Namespaces hold their pods to.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "admission/security_standards.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes staging/src/k8s.io/pod-security-admission/admission/admission.go";
constexpr std::string_view kPrefix = "pod-security.kubernetes.io/";
constexpr auto kModes = std::to_array<std::string_view>({"enforce", "warn", "audit"});

View security_label(View name_space, std::string_view mode, std::string_view suffix = {}) {
  if (!name_space) return {};
  const std::string key = std::string(kPrefix) + std::string(mode) + std::string(suffix);
  return get(get(get(name_space, "metadata"), "labels"), key);
}

/// A level that pods of a namespace are held to, with the version of it, and who says so.
struct StatedLevel {
  SecurityLevel level = SecurityLevel::Privileged;
  int version = 0;
  Span at;
};

/// Nothing where none is stated, or something that the API server refuses.
std::optional<StatedLevel> stated_level(View name_space, std::string_view mode,
                                        const CheckContext& context) {
  const View at = security_label(name_space, mode);
  const auto level = security_level(string_of(at));
  if (!level) return std::nullopt;
  const int newest = context.version().minor;
  const View label = security_label(name_space, mode, "-version");
  const auto version = label ? standards_version(string_of(label), newest) : newest;
  if (!version) return std::nullopt;
  return StatedLevel{*level, *version, at->span};
}

std::string_view name_of_space(const CheckContext& context) {
  return string_at(get(context.object(), "metadata"), "namespace");
}

/// The Namespace of the object that is checked, where it is among the inputs: that of its file, or
/// the only one of this name. Of several, each may be of another cluster.
View name_space_of(CheckContext& context) {
  const std::string_view name = name_of_space(context);
  const Inventory* inventory = name.empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return {};
  const View any = inventory->find("", "Namespace", "", name);
  if (!any) return {};
  const FileId file = context.object()->span.file;
  View other;
  for (View each : inventory->named("", "Namespace", name)) {
    if (each->span.file == file) return each;
    if (other && !equal(other.tree(), other.id(), each.tree(), each.id())) return {};
    other = each;
  }
  return other;
}

/// The level that is enforced: by the Namespace itself, else as the Cluster says.
std::optional<StatedLevel> enforced_level(View name_space, const CheckContext& context) {
  if (security_label(name_space, "enforce")) return stated_level(name_space, "enforce", context);
  if (context.cluster() == nullptr) return std::nullopt;
  for (const auto& each : *context.cluster()->spec->namespaces) {
    if (*each->name != name_of_space(context) || !each->pod_security) continue;
    return StatedLevel{*each->pod_security, context.version().minor, each->pod_security.span};
  }
  return std::nullopt;
}

/// Templates that make no pod as they stand: TrainJobs complete them, in any namespace.
bool is_completed_elsewhere(const CheckContext& context) {
  return string_at(context.object(), "kind").ends_with("TrainingRuntime");
}

/// What the pods of a template will break of a level.
std::vector<SecurityBreach> breaches(const Pod& pod, const StatedLevel& stated) {
  std::vector<SecurityBreach> found = security_breaches(pod, stated.level, stated.version);
  if (pod.has(kAddsContainers)) {  // a patch: others say the rest
    std::erase_if(found, [](const SecurityBreach& each) { return each.lacks; });
  }
  return found;
}

std::string level_of(std::string_view verb, const StatedLevel& stated,
                     const CheckContext& context) {
  const auto names = words(stated.level);
  return "namespace " + shown(name_of_space(context)) + " " + std::string(verb) + " " +
         shown(names[static_cast<std::size_t>(stated.level)]);
}

void enforced(const Pod& pod, CheckContext& context) {
  if (is_completed_elsewhere(context)) return;
  const auto stated = enforced_level(name_space_of(context), context);
  if (!stated) return;
  const std::string_view kind = string_at(context.object(), "kind");
  const std::string fate =
      pod.has(kIsPod) ? "the pod is refused"
                      : "the " + std::string(kind) + " is admitted and its pods are refused";
  for (const SecurityBreach& each : breaches(pod, *stated)) {
    context
        .refuse(each.at,
                fate + ": " + level_of("enforces", *stated, context) + ", and " + each.what)
        .also(stated->at, "the level of the namespace")
        .note("by " + listed(each.rules, "and") + " of the Pod Security Standards");
  }
}

bool speaks_of(const std::vector<SecurityBreach>& found, const SecurityBreach& breach) {
  return std::ranges::any_of(
      found, [&](const SecurityBreach& each) { return each.at.id() == breach.at.id(); });
}

/// What is let through with a warning, or with an entry in the audit log.
void warned_of(const Pod& pod, CheckContext& context) {
  const View name_space = name_space_of(context);
  if (!name_space || is_completed_elsewhere(context)) return;
  std::vector<SecurityBreach> said;
  if (const auto stated = enforced_level(name_space, context)) said = breaches(pod, *stated);
  for (std::string_view mode : {"warn", "audit"}) {
    const auto stated = stated_level(name_space, mode, context);
    if (!stated) continue;
    const bool warns = mode == "warn";
    std::vector<SecurityBreach> found = breaches(pod, *stated);
    std::erase_if(found, [&](const SecurityBreach& each) { return speaks_of(said, each); });
    for (const SecurityBreach& each : found) {
      context
          .lint(
              each.at,
              level_of(warns ? "warns of pods that are not" : "audits pods as", *stated, context) +
                  ", and " + each.what,
              warns ? Severity::Warning : Severity::Note)
          .also(stated->at, "the level of the namespace");
    }
    said.insert(said.end(), found.begin(), found.end());
  }
}

void labels(View name_space, CheckContext& context) {
  constexpr auto levels = std::to_array<std::string_view>({"privileged", "baseline", "restricted"});
  for (std::string_view mode : kModes) {
    const View level = security_label(name_space, mode);
    const View old = security_label(context.old(), mode);
    if (level && level.kind() == Kind::String && !security_level(level->text) &&
        !(old && old->text == level->text)) {
      if (level->text.empty()) {
        context.refuse(level,
                       "a level of pod security is empty; expected `privileged`, `baseline` "
                       "or `restricted`");
      } else {
        context.allow(level, "level of pod security", levels);
      }
    }
    const View version = security_label(name_space, mode, "-version");
    const View before = security_label(context.old(), mode, "-version");
    if (version && version.kind() == Kind::String &&
        !standards_version(version->text, context.version().minor) &&
        !(before && before->text == version->text)) {
      context.refuse(version, shown(version->text) +
                                  " is no version of the Pod Security Standards; expected "
                                  "`latest` or one such as `v1.33`");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "pod-security",
     .group = CheckGroup::Security,
     .effect = Effect::NeverRuns,
     .sentence = "Pods keep to the level of the Pod Security Standards that their Namespace, where "
                 "it is among the inputs or in the Cluster, enforces.",
     .source = kSource,
     .pod = enforced},
    {.name = "pod-security-labels",
     .group = CheckGroup::Security,
     .on = "core Namespace",
     .sentence = "Labels of a Namespace for pod security name a level and a version.",
     .source = "kubernetes/kubernetes staging/src/k8s.io/pod-security-admission/api/helpers.go",
     .object = labels},
    {.name = "pod-security-warning",
     .group = CheckGroup::Security,
     .effect = Effect::Style,
     .sentence = "Pods keep to the level of the Pod Security Standards that their Namespace warns "
                 "of or audits.",
     .source = kSource,
     .pod = warned_of,
     .severity = Severity::Warning,
     .because =
         "The pods are let through, with a warning or an entry in the audit log: very likely "
         "the namespace is to enforce this level one day.",
     .fix = "set what is asked for in the `securityContext`, or take back the label"},
};

}  // namespace

constinit const std::span<const Check> security_level_checks = kChecks;

}  // namespace trainyard
