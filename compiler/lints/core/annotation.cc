// Annotations whose words only their reader knows: ours, by which objects ask for severities, and
// those that say when and how Argo CD and Flux apply what.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/check_selectors.h"
#include "check/retired.h"
#include "check/severity_list.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "lints/gitops/tool_words.h"
#include "lints/tables.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void report_unknown(View text, std::string_view name, CheckContext& context) {
  if (const std::string_view why = why_retired(name); !why.empty()) {
    context.lint(text, "check " + shown(name) + " is gone: " + std::string(why), Severity::Note);
    return;
  }
  // `name: off`, as maps are written
  const std::size_t colon = name.find(':');
  if (colon != name.npos && find_check(context.checks(), name.substr(0, colon)) != nullptr) {
    context.lint(text, "between " + shown(name.substr(0, colon)) +
                           " and its severity stands a `:`, and `=` is wanted");
    return;
  }
  Diagnostic& report = context.lint(text, "there is no check " + shown(name));
  if (const auto near = suggest(name, selector_words(context.checks()))) {
    report.note("did you mean " + shown(*near) + "?");
  } else {
    report.note("`trainyard list checks` shows all");
  }
}

void annotation(View object, CheckContext& context) {
  const View text = get(get(get(object, "metadata"), "annotations"), kChecksAnnotation);
  each_severity_override(string_of(text), [&](std::string_view name, std::string_view word) {
    SeverityOverride choice;
    const std::string_view now = current_name(name);
    const Check* check = find_check(context.checks(), now);
    if (check == nullptr && selected(context.checks(), name).empty()) {
      report_unknown(text, name, context);
    } else if (!parse_severity_override(word, choice)) {
      context.lint(text, "the severity of " + shown(name) + " is " +
                             (word.empty() ? "missing" : shown(word)) + "; expected " +
                             std::string(kSeverityWords));
    } else if (check != nullptr && !check->is_lint()) {
      context.lint(text, shown(name) +
                             " is not a lint: what the API server or a controller refuses "
                             "is refused all the same");
    } else if (now != name) {
      context.lint(
          text,
          "check " + shown(name) + " is part of " + shown(now) + ", which this sets as a whole",
          Severity::Note);
    }
  });
}

/// Reports the words of a list that are not `known`.
void argo_words(View list, std::span<const std::string_view> known, std::string_view what,
                CheckContext& context) {
  each_severity_override(string_of(list), [&](std::string_view word, std::string_view) {
    if (std::ranges::find(known, word) != known.end()) return;
    Diagnostic& told =
        context.lint(list, shown(word) + " is no " + std::string(what) + " of Argo CD");
    const auto near = suggest(word, known);
    const std::vector<std::string> words(known.begin(), known.end());
    told.note(near ? "did you mean " + shown(*near) + "?" : "it knows " + listed(words, "and"));
  });
}

/// A hook of no known kind is taken out of the sync, and is applied at no other time either.
void argo_hook(View object, CheckContext& context) {
  constexpr auto kinds = std::to_array<std::string_view>(
      {"PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete", "Skip"});
  constexpr auto policies =
      std::to_array<std::string_view>({"HookSucceeded", "HookFailed", "BeforeHookCreation"});
  const View annotations = get(get(object, "metadata"), "annotations");
  if (!annotations) return;
  argo_words(get(annotations, "argocd.argoproj.io/hook"), kinds, "kind of hook", context);
  argo_words(get(annotations, "argocd.argoproj.io/hook-delete-policy"), policies,
             "policy for deleting hooks", context);
  const View wave = get(annotations, "argocd.argoproj.io/sync-wave");
  std::string_view number = string_of(wave);
  if (number.empty()) return;
  if (number.front() == '+') number.remove_prefix(1);
  if (read_number<int>(number)) return;
  context.lint(wave,
               shown(wave->text) + " is no wave of Argo CD; expected a whole number, or it is 0");
}

constexpr std::string_view kOptionSource =
    "argoproj/gitops-engine pkg/sync/common/types.go, pkg/sync/resource/annotations.go; "
    "argoproj/argo-cd docs/user-guide/sync-options.md, docs/user-guide/compare-options.md";

constexpr Check kChecks[] = {
    {.name = "checks-annotation",
     .group = CheckGroup::Core,
     .effect = Effect::Style,
     .on = "any",
     .sentence = "The annotation `trainyard/checks` names lints and severities that exist.",
     .source = "docs/checks.md of this project",
     .object = annotation,
     .severity = Severity::Warning,
     .because = "What it asks for has no effect otherwise.",
     .fix = "write `trainyard/checks: \"mutable-image-tag=off, gang-size=error\"`"},
    {.name = "argo-hook",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .on = "any",
     .sentence = "Annotations for hooks and waves of Argo CD hold words that it knows.",
     .source = "argoproj/gitops-engine pkg/sync/hook/hook.go, pkg/sync/hook/delete_policy.go, "
               "pkg/sync/syncwaves/waves.go; argoproj/argo-cd controller/hook.go",
     .object = argo_hook,
     .severity = Severity::Warning,
     .because = "It ignores unknown words without a message: a hook of no known "
                "kind is never applied, and without a number a wave is 0.",
     .fix = "write one of its own words, with its capitals"},
    {.name = "flux-words",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "any",
     .sentence = "Annotations by which Flux prunes, forces and applies hold words that it knows.",
     .source = "fluxcd/pkg ssa/utils/meta.go AnyInMetadata; fluxcd/kustomize-controller "
               "docs/spec/v1/kustomizations.md",
     .object = flux_words,
     .severity = Severity::Warning,
     .because = "Flux ignores other words: with `prune: \"false\"` it deletes the object, and "
                "with `force: \"true\"` it forces nothing.",
     .fix = "write one of its own words"},
    {.name = "argo-options",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "any",
     .sentence = "Annotations for syncs and comparisons of Argo CD hold options that it knows.",
     .source = kOptionSource,
     .object = argo_options,
     .severity = Severity::Warning,
     .because = "Capitals count, and Argo CD ignores what it does not know: with "
                "`prune=false` it deletes the object.",
     .fix = "write the option as Argo CD does"},
    {.name = "argo-application-options",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "argoproj.io Application ApplicationSet",
     .sentence = "The options for syncs of an Application are options that Argo CD knows.",
     .source = kOptionSource,
     .object = application_options,
     .severity = Severity::Warning,
     .because = "Capitals count, and Argo CD ignores what it does not know: with "
                "`CreateNamespace=True` it makes no namespace.",
     .fix = "write the option as Argo CD does"},
};

}  // namespace

const std::span<const Check> annotation_lints = kChecks;

}  // namespace trainyard
